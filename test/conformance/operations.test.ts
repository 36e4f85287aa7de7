import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kinds } from '../../src/connectors/index.ts'
import type { Kind } from '../../src/definition/connector.ts'
import { liveActions } from '../../src/definition/entity.ts'
import { createEngine } from '../../src/engine/execute.ts'
import { objectOf } from '../../src/engine/schema.ts'
import { FerruleError } from '../../src/errors.ts'
import { answerFiles, type ExpectedCall, readAnswers, readCredentials } from './answers.ts'
import { isLeaf, misplaced, type Place, placesOf, plain, queryNames, valueAt, without, withValue } from './params.ts'
import { expectedData, metaProblems, recordProblems } from './records.ts'
import { connectionTo, type Door, engineDoor, libraryDoor } from './run.ts'
import { isObject, pageOf, pagesOf, type Subject, type Values } from './subject.ts'
import { type ScriptedVendor, startVendor } from './vendor.ts'
import { checkPosition, checkRule, checkSupplied } from './words.ts'

let vendor: ScriptedVendor
const engine = createEngine({ limits: false, random: () => 0 })
beforeAll(async () => {
  vendor = await startVendor()
})
afterAll(async () => {
  await engine.close()
  await vendor[Symbol.asyncDispose]()
})

const run = ({ entity, action }: Subject, params: Values) => ({ entity, action, params })

/** Runs each page of a call through a door, and compares what was sent and what came. */
async function compare(
  subject: Subject,
  call: ExpectedCall,
  doors: { headers: Readonly<Record<string, string>>; door: (expected: Values) => Door },
) {
  let params: Values | undefined = call.params
  for (const page of call.pages) {
    if (params === undefined) throw new Error('next_params ended before the pages did')
    vendor.expect(page.exchanges, doors.headers)
    const ended = await doors
      .door(page.file ?? {})(run(subject, params))
      .catch((error: unknown) => ({ error }))
    expect(vendor.problems()).toEqual([])
    if (page.file !== undefined) {
      expect(ended).toEqual({ file: page.file })
      return
    }
    const entity = subject.kind.definition.entities[subject.entity]
    if (entity === undefined) throw new Error(`no ${subject.entity}`)
    expect(ended).toEqual({ data: expectedData(entity, subject.operation, page), meta: page.meta })
    const next: unknown = page.meta?.['next_params']
    params = isObject(next) ? { ...params, ...next } : undefined
  }
  expect(params).toBeUndefined() // the last page has no next one
}

/** The problems of a refusal before anything is sent. */
async function refusal(subject: Subject, params: unknown): Promise<{ code: string; fields: string[]; message: string }> {
  vendor.expect([], {})
  const { credentials } = Object.values(readCredentials(subject.kind.definition.kind).schemes)[0] ?? { credentials: {} }
  const connection = connectionTo(subject.kind, { origin: vendor.origin, credentials, configuration: {} })
  const error = await engine.run(connection, { entity: subject.entity, action: subject.action, params }).catch((thrown: unknown) => thrown)
  expect(vendor.problems()).toEqual([])
  if (!(error instanceof FerruleError)) throw error
  return {
    code: error.code,
    fields: error.problems.map(({ field }) => field),
    message: error.problems.map(({ message }) => message).join('; '),
  }
}

const pointer = ({ names }: Place): string => `/params/${names.join('/')}`

/** Checks of every operation. */
function checkOperation(subject: Subject) {
  const { kind, operation, answers, action } = subject
  const { definition } = kind
  const credentials = readCredentials(definition.kind)
  const entity = definition.entities[subject.entity]
  const places = placesOf(plain(objectOf(operation.params)))
  const pages = Object.values(answers.calls).flatMap((call) => pagesOf(call))
  const page = pageOf(subject)

  test.each(Object.entries(answers.calls))('%s: sent and answered as written, by the engine', async (_name, call) => {
    for (const { credentials: values, headers } of Object.values(credentials.schemes)) {
      const connection = connectionTo(kind, { origin: vendor.origin, credentials: values, configuration: credentials.configuration })
      await compare(subject, call, { headers, door: () => engineDoor(engine, connection) })
    }
  })

  test.each(Object.entries(answers.calls))('%s: the same by the library', async (_name, call) => {
    for (const { credentials: values, headers } of Object.values(credentials.schemes)) {
      const { door, close } = libraryDoor(kind, { credentials: values, config: credentials.configuration, origin: vendor.origin })
      await compare(subject, call, { headers, door }).finally(close)
    }
  })

  test('every parameter is used and travels as declared, once', () => {
    const steps = pagesOf(answers.calls.full)
    const unsent = places.filter(isLeaf).flatMap((place) => {
      if (place.names[0] === page?.url) return []
      const used = steps.find(({ params }) => valueAt(params, place.names) !== undefined)
      if (used === undefined) return [`${place.names.join('.')} is not used`]
      return misplaced(operation, place.names, { value: valueAt(used.params, place.names), exchanges: used.page.exchanges }) ?? []
    })
    expect(unsent).toEqual([])
    for (const { page: answered } of pages) {
      const names = answered.exchanges.slice(0, 1).flatMap(queryNames)
      expect(names).toEqual([...new Set(names)])
    }
  })

  test('what the caller leaves out is sent where it has a default, and only then', () => {
    const [sent] = answers.calls.minimal.pages.flatMap(({ exchanges }) => exchanges).map(({ request }) => request)
    const query = new URL(sent?.path ?? '', 'http://vendor.example').searchParams
    for (const [name, value] of Object.entries(operation.defaults ?? {})) expect(query.getAll(name)).toEqual([String(value)])
  })

  if (page?.alone !== undefined) checkPosition(subject, { page, pages, refusal })
  checkSupplied(subject, { places, configuration: credentials.configuration, refusal })
  checkRule(subject, refusal)

  test('the minimal call has the required parameters, those that the file says are needed, and no other', () => {
    const used = places.filter(isLeaf).filter(({ names }) => valueAt(answers.calls.minimal.params, names) !== undefined)
    const needed = places.filter((place) => (place.required || place.names.join('.') in (answers.needed ?? {})) && isLeaf(place))
    expect(used.map(({ names }) => names.join('.'))).toEqual(needed.map(({ names }) => names.join('.')))
  })

  test('each required parameter is missed with its place', async () => {
    for (const place of places.filter(({ required }) => required)) {
      const { code, fields } = await refusal(subject, without(answers.calls.full.params, place.names))
      expect(code).toBe(place.refuse ?? 'missing_parameter')
      expect(fields).toContain(pointer(place))
    }
  })

  test('an unknown parameter is refused at its place, and the known ones are named', async () => {
    const holders: readonly { names: readonly string[]; schema: Values; refuse?: string | undefined }[] = [
      { names: [], schema: { properties: operation.params } },
      ...places.filter((place) => !isLeaf(place)),
    ]
    for (const { names, schema, refuse } of holders) {
      const { code, fields, message } = await refusal(subject, withValue(answers.calls.full.params, [...names, 'surprise'], 1))
      expect(code).toBe(refuse ?? 'invalid_parameter')
      expect(fields).toEqual([`/params/${[...names, 'surprise'].join('/')}`])
      const known = Object.keys(isObject(schema['properties']) ? schema['properties'] : {})
      expect(message).toBe(`is not known here; known: ${known.join(', ') || 'none'}`)
    }
  })

  if (action === 'list') {
    test('meta has the documented keys and types', () => {
      expect(pages.flatMap(({ page }) => metaProblems(definition, operation, page.meta ?? {}))).toEqual([])
    })

    test('a walk has two pages and stops', () => {
      const paged = operation.page !== undefined && operation.page !== 'none' && answers.onePage === undefined
      if (operation.onePage) expect(answers.onePage).toBeDefined()
      expect(answers.calls.full.pages).toHaveLength(paged ? 2 : 1)
    })

    if (!('limit' in operation.params)) {
      test('limit is ignored', async () => {
        const [first] = answers.calls.minimal.pages
        const [scheme] = Object.values(credentials.schemes)
        if (first === undefined || scheme === undefined) throw new Error('nothing to run')
        vendor.expect(first.exchanges, scheme.headers)
        const connection = connectionTo(kind, {
          origin: vendor.origin,
          credentials: scheme.credentials,
          configuration: credentials.configuration,
        })
        await engine.run(connection, { ...run(subject, { ...answers.calls.minimal.params, limit: 5 }) })
        expect(vendor.problems()).toEqual([])
      })
    }
  }

  if (entity?.record !== undefined) {
    test('records have every documented field, with its type', () => {
      const records = pages.flatMap(({ page }) => {
        const data = expectedData(entity, operation, page)
        return Array.isArray(data) ? data : [data]
      })
      expect(records.length).toBeGreaterThan(0)
      expect(records.flatMap((record) => recordProblems(entity, record))).toEqual([])
    })
  }
}

describe.each(Object.values(kinds) as Kind[])('$definition.kind', (kind) => {
  const operations = Object.entries(kind.definition.entities).flatMap(([entity, definition]) =>
    liveActions.flatMap((action) => {
      const operation = definition[action]
      return operation === undefined ? [] : [{ entity, action, operation, name: `${entity}.${action}` }]
    }),
  )

  test('each live operation has its answer file, and each file its operation', () => {
    expect(answerFiles(kind.definition.kind).sort()).toEqual(operations.map(({ name }) => name).sort())
  })

  test('each credential scheme has its header', () => {
    expect(Object.keys(readCredentials(kind.definition.kind).schemes)).toEqual(Object.keys(kind.definition.credentials))
  })

  describe.each(operations)('$name', ({ entity, action, operation, name }) => {
    const answers = readAnswers(kind.definition.kind, name)
    test('says where its shapes were seen', () => {
      expect(answers?.source.every((source) => URL.canParse(source))).toBe(true)
      expect(answers?.source.length).toBeGreaterThan(0)
    })
    if (answers !== undefined) checkOperation({ kind, entity, action, operation, answers })
  })
})
