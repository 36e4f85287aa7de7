import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kinds } from '../../src/connectors/index.ts'
import type { Kind } from '../../src/definition/connector.ts'
import { isOptional } from '../../src/definition/document.ts'
import { liveActions, type Operation } from '../../src/definition/entity.ts'
import type { PageDefinition } from '../../src/definition/page.ts'
import { createEngine } from '../../src/engine/execute.ts'
import { objectOf } from '../../src/engine/schema.ts'
import { FerruleError } from '../../src/errors.ts'
import { type AnswerFile, answerFiles, type ExpectedCall, type ExpectedPage, readAnswers, readCredentials } from './answers.ts'
import { isLeaf, misplaced, misplacedUrl, type Place, placesOf, plain, queryNames, valueAt, without, withValue } from './params.ts'
import { expectedData, metaProblems, recordProblems } from './records.ts'
import { connectionTo, type Door, engineDoor, libraryDoor } from './run.ts'
import { type ScriptedVendor, startVendor } from './vendor.ts'

type Values = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value)

let vendor: ScriptedVendor
const engine = createEngine({ limits: false, random: () => 0 })
beforeAll(async () => {
  vendor = await startVendor()
})
afterAll(async () => {
  await engine.close()
  await vendor[Symbol.asyncDispose]()
})

/** An operation of a kind, ready to be tested. */
interface Subject {
  readonly kind: Kind
  readonly entity: string
  readonly action: (typeof liveActions)[number]
  readonly operation: Operation
  readonly answers: AnswerFile
}

const run = ({ entity, action }: Subject, params: Values) => ({ entity, action, params })

/** Every page of a call: parameters of the next are merged from `next_params`, as clients do it. */
function pagesOf({ params, pages }: ExpectedCall): { page: ExpectedPage; params: Values }[] {
  let current = params
  return pages.map((page) => {
    const asked = current
    const next = page.meta?.['next_params']
    if (isObject(next)) current = { ...current, ...next }
    return { page, params: asked }
  })
}

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

/** The page shape of a list that goes on. */
const pageOf = ({ kind, operation }: Subject): PageDefinition | undefined =>
  operation.page === undefined || operation.page === 'none' || operation.onePage ? undefined : kind.definition.pages[operation.page]

/** Checks of a position that holds the filters of its first page. */
function checkPosition(subject: Subject, page: PageDefinition, pages: readonly { page: ExpectedPage; params: Values }[]) {
  const { operation, answers } = subject
  const positions = [page.next.param, ...(page.url === undefined ? [] : [page.url])]
  const required = Object.keys(operation.params).filter((name) => !isOptional(operation.params, name))
  const filters = Object.keys(operation.params).filter((name) => ![...positions, ...(page.alone ?? []), ...required].includes(name))
  const needed = Object.fromEntries(required.map((name) => [name, answers.calls.full.params[name]]))

  test('a position travels alone', () => {
    const following = pages.filter(({ params }) => positions.some((name) => params[name] !== undefined))
    expect(following.length).toBeGreaterThan(0)
    const companions = [page.next.param, ...(page.alone ?? [])]
    for (const { page: answered } of following)
      expect(answered.exchanges.slice(0, 1).flatMap(queryNames)).toSatisfy((names: string[]) =>
        names.every((name) => companions.includes(name)),
      )
  })

  test('the URL of a next page is taken apart, never sent', () => {
    const given = pages.filter(({ params }) => page.url !== undefined && params[page.url] !== undefined)
    expect(given.length).toBeGreaterThan(page.url === undefined ? -1 : 0)
    expect(given.flatMap(({ params, page: { exchanges } }) => misplacedUrl(page, params[page.url ?? ''], exchanges) ?? [])).toEqual([])
  })

  test('a filter beside a position, and a second position, are refused at their places', async () => {
    for (const position of positions)
      for (const name of filters) {
        const { code, fields } = await refusal(subject, { ...needed, [position]: 'x', [name]: answers.calls.full.params[name] })
        expect({ code, fields }).toEqual({ code: 'invalid_parameter', fields: [`/params/${name}`] })
      }
    const [first = '', second] = positions
    if (second === undefined) return
    const { code, fields } = await refusal(subject, { ...needed, [first]: 'x', [second]: 'x' })
    expect({ code, fields }).toEqual({ code: 'invalid_parameter', fields: [`/params/${second}`] })
  })
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

  if (page?.alone !== undefined) checkPosition(subject, page, pages)

  test('the minimal call has the required parameters and no other', () => {
    const used = places.filter(isLeaf).filter(({ names }) => valueAt(answers.calls.minimal.params, names) !== undefined)
    const needed = places.filter((place) => place.required && isLeaf(place))
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
