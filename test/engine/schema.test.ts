import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { int, list, obj, opt, str } from '../../packages/ferrule/src/definition/fields.ts'
import { buildObjectSchema } from '../../packages/ferrule/src/definition/plain-schema.ts'
import { checkParams, findOperation } from '../../packages/ferrule/src/engine/call/operation.ts'
import { checkConfiguration } from '../../packages/ferrule/src/engine/credentials/check-credentials.ts'
import { compileSchema } from '../../packages/ferrule/src/engine/json/validate.ts'
import { executeInput } from '../../packages/ferrule/src/wire/index.ts'
import { readBody } from '../../packages/server/src/values/read.ts'

/** Names that nothing knows. */
const unknown = (count: number): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, 0]))
const many = [1, 7, 8, 9, 1_000]

describe('unknown names are refused, however many they are', () => {
  test.each(many)('%i in an object', (count) => {
    const { problems } = compileSchema(buildObjectSchema({ name: opt(str('Name')) }))
    const found = problems({ name: 'n', ...unknown(count) }, '/body')
    expect(found[0]).toEqual({ field: '/body/x0', message: 'is not known here; known: name', error_code: 'unknown' })
    expect(found).toHaveLength(Math.min(count, 8))
    expect(new Set(found.map(({ field }) => field)).size).toBe(found.length)
  })

  test.each(many)('%i in an object within one', (count) => {
    const { problems } = compileSchema(buildObjectSchema({ inner: obj({ 'a/b': opt(str('Name')) }, 'Inner') }))
    expect(problems({ inner: unknown(count) })[0]).toMatchObject({ field: '/inner/x0', message: 'is not known here; known: a/b' })
  })

  test('with a name that a pointer must escape', () => {
    const { problems } = compileSchema(buildObjectSchema({}))
    expect(problems({ 'a/b~c': 1 })).toEqual([{ field: '/a~1b~0c', message: 'is not known here; known: none', error_code: 'unknown' }])
  })

  test.each(many)('%i beside parameters of a call', (count) => {
    const orders = findOperation(kinds.shopify, 'orders', 'list')
    expect(() => checkParams(orders, { limit: 5, ...unknown(count) })).toThrow('/params/x0 is not known here')
  })

  test.each(many)('%i beside an execute request', (count) => {
    expect(() => readBody(executeInput, { entity: 'users', action: 'list', ...unknown(count) })).toThrow('/x0 is not known here')
  })

  test.each(many)('%i beside a configuration that is wrong too', (count) => {
    const check = () => checkConfiguration(kinds.shopify.definition, { ...unknown(count), shop: 'evil.example/#' })
    expect(check).toThrow(/not valid/)
  })
})

describe('each problem is a sentence after its field', () => {
  const { problems } = compileSchema(
    buildObjectSchema({
      title: opt(str('Title', { minLength: 1, maxLength: 3 })),
      count: opt(int('Count', { minimum: 1, maximum: 9 })),
      names: opt(list(str('Name'), 'Names', { minItems: 1, maxItems: 2 })),
      inner: opt(obj({}, 'Inner')),
      name: opt(str('Name', { minLength: 2, pattern: '^a', says: 'must be a name' })),
    }),
  )
  test.each([
    [{ title: 1, inner: 'x', names: 'x', count: 'x' }, ['must be a string', 'must be an integer', 'must be an array', 'must be an object']],
    [{ title: '', count: 0, names: [] }, ['must have at least 1 character', 'must be at least 1', 'must have at least 1 item']],
    [
      { title: 'abcd', count: 10, names: ['a', 'b', 'c'] },
      ['must have at most 3 characters', 'must be at most 9', 'must have at most 2 items'],
    ],
    [{ name: 'b' }, ['must be a name']],
  ])('%j', (value, says) => {
    expect(problems(value).map(({ message }) => message)).toEqual(says)
  })
})
