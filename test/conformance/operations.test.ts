import { afterAll, describe, expect, test, vi } from 'vitest'
import { liveActions } from '../../packages/ferrule/src/definition/entity.ts'
import { buildObjectSchema } from '../../packages/ferrule/src/definition/plain-schema.ts'
import { createEngine } from '../../packages/ferrule/src/engine/call/execute.ts'
import { Deadline } from '../../packages/ferrule/src/engine/http/deadline.ts'
import { FerruleError } from '../../packages/ferrule/src/errors.ts'
import { answerFiles, type ExpectedCall, readAnswers, readCredentials } from './answers.ts'
import { filled } from './made.ts'
import { findMissent, isLeaf, listParams, type Param, plain, queryNames, valueAt, without, withValue } from './params.ts'
import { expectedData, metaProblems, recordProblems } from './records.ts'
import { connectionTo, type Door, engineDoor, everythingApart, libraryDoor } from './run.ts'
import { type Asked, isObject, kinds, nextOf, operationAt, pageOf, pagesOf, partsOf, type Subject, type Values } from './subject.ts'
import { claimsOf } from './tokens.ts'
import { startVendor } from './vendor.ts'
import { checkParts, checkPolls, checkPosition, checkRule, checkSubmission, checkSupplied, unreadyPages } from './words.ts'

const engineOptions = { limits: false, random: () => 0 }
const engine = createEngine(engineOptions)
vi.spyOn(Deadline.prototype, 'pause').mockResolvedValue() // between two questions for a result that is not ready
const vendor = await startVendor()
afterAll(async () => {
  vi.restoreAllMocks()
  await engine.close()
  await vendor[Symbol.asyncDispose]()
})

/** Runs each page of a call through a door, and compares what was sent and what came. */
async function compare(
  subject: Subject,
  call: ExpectedCall,
  doors: { headers: Readonly<Record<string, string>>; door: (expected: Values) => Door },
) {
  let asked: Asked | undefined = { entity: subject.entity, action: subject.action, params: call.params }
  for (const page of call.pages) {
    if (asked === undefined) throw new Error('next_params ended before the pages did')
    vendor.expect(page.exchanges, doors.headers)
    const ended = await doors
      .door(page.file ?? {})(asked)
      .catch((error: unknown) => ({ error }))
    expect(vendor.problems()).toEqual([])
    if (page.file !== undefined) {
      expect(ended).toEqual({ file: page.file })
      return
    }
    const { entity, operation } = operationAt(subject.kind, asked)
    expect(ended).toEqual(filled({ data: expectedData(entity, operation, page), meta: page.meta }, vendor.made))
    asked = nextOf(asked, page.meta)
  }
  expect(asked).toBeUndefined() // the last page has no next one
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
    fields: error.errors.map(({ field }) => field),
    message: error.errors.map(({ message }) => message).join('; '),
  }
}

const pointer = ({ names }: Param): string => `/params/${names.join('/')}`

/** Checks of every operation. */
function checkOperation(subject: Subject) {
  const { kind, operation, answers, action } = subject
  const { definition } = kind
  const credentials = readCredentials(definition.kind)
  const entity = definition.entities[subject.entity]
  const params = listParams(plain(buildObjectSchema(operation.params)))
  const allPages = Object.values(answers.calls).flatMap((call) => pagesOf(subject, call))
  const isOwn = (asked: Asked): boolean => asked.entity === subject.entity && asked.action === action
  const pages = allPages.filter(isOwn)
  const page = pageOf(subject)
  const parts = partsOf(subject)

  test.each(Object.entries(answers.calls))('%s: sent and answered as written, by the engine', async (_name, call) => {
    for (const { credentials: values, headers } of Object.values(credentials.schemes)) {
      const connection = connectionTo(kind, { origin: vendor.origin, credentials: values, configuration: credentials.configuration })
      const own = createEngine(engineOptions) // one that remembers nothing of earlier calls
      await compare(subject, call, { headers, door: () => engineDoor(own, connection) }).finally(() => own.close())
    }
  })

  test.each(Object.entries(answers.calls))('%s: the same where bodies are read apart from the loop', async (_name, call) => {
    for (const { credentials: values, headers } of Object.values(credentials.schemes)) {
      const connection = connectionTo(kind, { origin: vendor.origin, credentials: values, configuration: credentials.configuration })
      const own = createEngine({ ...engineOptions, apart: everythingApart(kinds) })
      await compare(subject, call, { headers, door: () => engineDoor(own, connection) }).finally(() => own.close())
    }
  })

  test.each(Object.entries(answers.calls))('%s: the same by the library', async (_name, call) => {
    for (const { credentials: values, headers } of Object.values(credentials.schemes)) {
      const { door, close } = libraryDoor(kind, { credentials: values, config: credentials.configuration, origin: vendor.origin })
      await compare(subject, call, { headers, door }).finally(close)
    }
  })

  test('every parameter is used and travels as declared, once', () => {
    const steps = pagesOf(subject, answers.calls.full).filter(isOwn)
    const unsent = params.filter(isLeaf).flatMap((param) => {
      if (param.names[0] === page?.url) return []
      const used = steps.find(({ params }) => valueAt(params, param.names) !== undefined)
      if (used === undefined) return [`${param.names.join('.')} is not used`]
      const changed = param.names.join('.') in (answers.changed ?? {})
      return (
        findMissent(operation, param.names, { value: valueAt(used.params, param.names), exchanges: used.page.exchanges, changed }) ?? []
      )
    })
    expect(unsent).toEqual([])
    for (const { page: answered } of pages) {
      const names = answered.exchanges.slice(0, 1).flatMap(queryNames)
      expect(names).toEqual([...new Set(names)])
    }
  })

  test('what the caller leaves out is sent where it has a default, and only then', () => {
    const { exchanges = [] } = answers.calls.minimal.pages[0] ?? {}
    const wrong = Object.entries(operation.defaults ?? {}).flatMap(
      ([name, value]) => findMissent(operation, [name], { value, exchanges }) ?? [],
    )
    expect(wrong).toEqual([])
  })

  if (page?.alone !== undefined) checkPosition(subject, { page, pages, refusal })
  checkSupplied(subject, { params, configuration: credentials.configuration, refusal })
  checkRule(subject, refusal)
  checkSubmission(subject, pages)
  checkPolls(subject, pages)
  if (parts !== undefined) checkParts(parts, pages)

  test('the minimal call has the required parameters, those that the file says are needed, and no other', () => {
    const used = params.filter(isLeaf).filter(({ names }) => valueAt(answers.calls.minimal.params, names) !== undefined)
    const needed = params.filter((param) => (param.required || param.names.join('.') in (answers.needed ?? {})) && isLeaf(param))
    expect(used.map(({ names }) => names.join('.'))).toEqual(needed.map(({ names }) => names.join('.')))
  })

  test('each required parameter is missed with its field', async () => {
    for (const param of params.filter(({ required }) => required)) {
      const { code, fields } = await refusal(subject, without(answers.calls.full.params, param.names))
      expect(code).toBe(param.refuseMissing ?? 'missing_parameter')
      expect(fields).toContain(pointer(param))
    }
  })

  test('an unknown parameter is refused at its field, and the known ones are named', async () => {
    const holders: readonly { names: readonly string[]; schema: Values; refuse?: string | undefined }[] = [
      { names: [], schema: { properties: operation.params } },
      ...params.filter((param) => !isLeaf(param)),
    ]
    for (const { names, schema, refuse } of holders) {
      const { code, fields, message } = await refusal(subject, withValue(answers.calls.full.params, [...names, 'surprise'], 1))
      expect(code).toBe(refuse ?? 'invalid_parameter')
      expect(fields).toEqual([`/params/${[...names, 'surprise'].join('/')}`])
      const known = Object.keys(isObject(schema['properties']) ? schema['properties'] : {})
      expect(message).toBe(`${fields[0]} is not known here; known: ${known.join(', ') || 'none'}.`)
    }
  })

  if (action === 'list' || parts !== undefined) {
    test('meta has the documented keys and types', () => {
      const problems = allPages.flatMap((asked) => metaProblems(definition, operationAt(kind, asked).operation, asked.page.meta ?? {}))
      expect(problems).toEqual([])
    })

    test('a walk has two pages and stops', () => {
      const paged = operation.page !== undefined && operation.page !== 'none' && answers.onePage === undefined
      if (operation.onePage) expect(answers.onePage).toBeDefined()
      expect(answers.calls.full.pages).toHaveLength(paged ? 2 : 1)
    })

    if (action === 'list' && !('limit' in operation.params)) {
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
        await engine.run(connection, { entity: subject.entity, action, params: { ...answers.calls.minimal.params, limit: 5 } })
        expect(vendor.problems()).toEqual([])
      })
    }
  }

  if (entity?.record !== undefined) {
    test('records have every documented field, with its type', () => {
      const records = allPages.flatMap((asked) => {
        const { entity: of, operation: by } = operationAt(kind, asked)
        return [expectedData(of, by, asked.page)].flat().map((record) => ({ of, record }))
      })
      expect(records.length).toBeGreaterThan(0)
      expect(records.flatMap(({ of, record }) => recordProblems(of, record))).toEqual([])
    })
  }
}

describe.each(Object.values(kinds))('$definition.kind', (kind) => {
  const operations = Object.entries(kind.definition.entities).flatMap(([entity, definition]) =>
    liveActions.flatMap((action) => {
      const operation = definition[action]
      return operation === undefined ? [] : [{ entity, action, operation, name: `${entity}.${action}` }]
    }),
  )

  test('each live operation has its answer file, and each file its operation', () => {
    expect(answerFiles(kind.definition.kind).sort()).toEqual(operations.map(({ name }) => name).sort())
  })

  const schemes = Object.entries(readCredentials(kind.definition.kind).schemes)

  test('each credential scheme has its headers', () => {
    expect(schemes.map(([name]) => name)).toEqual(Object.keys(kind.definition.credentials))
    for (const [name, { headers }] of schemes) expect(headers).toMatchObject(kind.definition.credentials[name]?.headers ?? {})
  })

  const signed = schemes.filter(([name]) => 'as' in (kind.definition.credentials[name]?.send ?? {}))
  test.each(signed)('a token of %s says what is written, and the public key proves it', async (_name, scheme) => {
    const { entity, action } = kind.definition.check
    const call = readAnswers(kind.definition.kind, `${entity}.${action}`)?.calls.minimal
    const { configuration } = readCredentials(kind.definition.kind)
    vendor.expect(call?.pages[0]?.exchanges ?? [], scheme.headers)
    const connection = connectionTo(kind, { origin: vendor.origin, credentials: scheme.credentials, configuration })
    await engine.run(connection, { entity, action, params: call?.params })
    expect(vendor.problems()).toEqual([])
    const { iat, exp, ...claims } = await claimsOf(vendor.made.get('{jwt}') ?? '')
    expect({ claims, seconds: Number(exp) - Number(iat) }).toEqual(scheme.token)
  })

  const polling = operations.filter(({ operation }) => operation.running?.poll !== undefined)
  if (polling.length > 0)
    test('a result that is not ready at once is shown by some file', () => {
      const shown = polling.filter((operation) => {
        const answers = readAnswers(kind.definition.kind, operation.name)
        if (answers === undefined) return false
        const subject = { kind, answers, ...operation }
        return Object.values(answers.calls).some((call) => unreadyPages(subject, pagesOf(subject, call)).length > 0)
      })
      expect(shown.length).toBeGreaterThan(0)
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
