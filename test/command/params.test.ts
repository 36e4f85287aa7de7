import { describe, expect, test } from 'vitest'
import { buildProgram } from '../../packages/ferrule/src/cli/main.ts'
import { findAction, readLocalKind } from '../../packages/ferrule/src/cli/target/kinds.ts'
import { addParams, listNames } from '../../packages/ferrule/src/cli/typed-values.ts'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import type { Schema } from '../../packages/ferrule/src/document/kind-document.ts'
import { readTypes } from '../../packages/ferrule/src/document/read-schema.ts'

/** Reads what `-p` gives to `execute`, through the whole parser of the command line. */
async function parseOptions(...given: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  let read: Readonly<Record<string, unknown>> = {}
  const program = buildProgram(async (_spec, _args, options) => {
    read = options
  })
  const words = given.flatMap((each) => ['-p', each])
  await program.parseAsync(['execute', 'connector', 'entity', 'action', ...words], { from: 'user' })
  return read
}

/** A value that fits a type. */
const sample = (schema: Schema): string => {
  const [type = 'string'] = readTypes(schema)
  const values: Readonly<Record<string, string>> = { integer: '7', number: '7', boolean: 'true', object: '{}', array: '[]' }
  return values[type] ?? 'text'
}

test('every parameter of every operation of every kind can be given by -p, and is no option', async () => {
  const colliding: string[] = []
  let count = 0
  for (const slug of Object.keys(kinds)) {
    const kind = await readLocalKind(slug)
    for (const { actions } of kind.entities) {
      for (const { params } of actions) {
        const names = listNames(params)
        const properties = Object(params['properties'])
        const given = names.map((name) => `${name}=${sample(properties[name])}`)
        const { param = [], ...others } = await parseOptions(...given)
        expect(param).toEqual(names.length === 0 ? [] : given)
        expect(others).toEqual({ input: true })
        expect(Object.keys(addParams({}, given, params))).toEqual(names)
        if (names.some((name) => ['limit', 'cursor', 'fields', 'filter', 'format'].includes(name))) colliding.push(slug)
        count += names.length
      }
    }
  }
  expect(count).toBeGreaterThan(200)
  expect(new Set(colliding).size).toBeGreaterThan(1) // the vendors' names do collide with options
})

describe('-p', () => {
  const schema: Schema = {
    properties: {
      id: { type: 'string' },
      big: { type: 'integer' },
      flag: { type: ['boolean', 'null'] },
      ids: { type: 'array', items: { type: 'integer' } },
      filter: { type: 'object', properties: { from: { type: 'string' }, callIds: { type: 'array', items: { type: 'string' } } } },
      'a.b': { type: 'number' },
    },
  }

  test('types each value by its schema', () => {
    const given = ['id=007', 'big=9007199254740993', 'flag=true', 'ids=1', 'ids=2', 'filter.from=2026-01-01', 'filter.callIds=1', 'a.b=1.5']
    expect(addParams({}, given, schema)).toEqual({
      ...{ id: '007', big: 9007199254740993n, flag: true, ids: [1, 2], 'a.b': 1.5 },
      filter: { from: '2026-01-01', callIds: ['1'] },
    })
  })

  test('takes JSON by :=, and the rest of the text after the first =', () => {
    expect(addParams({ id: 'x', big: 1 }, ['id:="a=b"', 'filter:={"from":"y"}', 'ids=[3,4]'], schema)).toEqual({
      ...{ id: 'a=b', big: 1, filter: { from: 'y' }, ids: [3, 4] },
    })
    expect(addParams({}, ['id=a=b:=c'], schema)).toEqual({ id: 'a=b:=c' })
  })

  test('keeps what does not fit as a string, which the service refuses in its words', () => {
    expect(addParams({}, ['big=many', 'flag=perhaps'], schema)).toEqual({ big: 'many', flag: 'perhaps' })
  })

  test('refuses unknown names with the known ones, and what is no parameter', () => {
    expect(() => addParams({}, ['nope=1'], schema)).toThrow(expect.objectContaining({ hint: expect.stringContaining('filter') }))
    expect(() => addParams({}, ['nope'], schema)).toThrow('nope is no parameter')
    expect(() => addParams({}, ['ids:=['], schema)).toThrow('The value of ids is not JSON')
  })

  test('gives a name of an object no power', () => {
    const params = addParams({}, ['__proto__=x'], undefined)
    expect([Object.keys(params), Object.getPrototypeOf(params)]).toEqual([['__proto__'], Object.prototype])
  })
})

test('an unknown entity or action is refused with the known ones', async () => {
  const kind = await readLocalKind('gong')
  expect(() => findAction(kind, 'nope', 'list')).toThrow('calls')
  expect(() => findAction(kind, 'calls', 'nope')).toThrow('list')
})
