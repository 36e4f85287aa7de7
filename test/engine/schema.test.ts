import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { buildObjectSchema } from '../../packages/ferrule/src/definition/document.ts'
import { obj, opt, str } from '../../packages/ferrule/src/definition/fields.ts'
import { checkConfiguration } from '../../packages/ferrule/src/engine/credentials/check.ts'
import { compileSchema } from '../../packages/ferrule/src/engine/json/schema.ts'
import { findOperation } from '../../packages/ferrule/src/engine/operation.ts'
import { checkParams } from '../../packages/ferrule/src/engine/params.ts'
import { readExecuteRequest } from '../../packages/server/src/platform/model/execute-request.ts'

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
    expect(() => readExecuteRequest({ entity: 'users', action: 'list', ...unknown(count) })).toThrow('/x0 is not known here')
  })

  test.each(many)('%i beside a configuration that is wrong too', (count) => {
    const check = () => checkConfiguration(kinds.shopify.definition, { ...unknown(count), shop: 'evil.example/#' })
    expect(check).toThrow(/not valid/)
  })
})
