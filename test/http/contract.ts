/** Compares answers of the service with the API's own document. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { openApiDocument } from '../../packages/server/src/http/openapi/openapi.ts'
import { routes } from '../../packages/server/src/http/routes/index.ts'
import type { Answer, Json, Sent } from './support.ts'

/** A request as far as the document describes it. */
export interface AskedRoute {
  readonly method: string
  /** Path with its query, as it was sent. */
  readonly path: string
}
/** An answer, or its head. */
export interface AnsweredRoute {
  readonly status: number
  readonly type: string | undefined
  /** Left out: the body was not read. */
  readonly text?: string
}

/** Kept here: some tests replace `JSON.parse` to watch what the service parses. */
const { parse } = JSON

/** Refuses unknown members in every object of the service's own: in the document answers are open, for later versions. */
function closed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const parts = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]))
  return Object.hasOwn(schema, 'properties') && !Object.hasOwn(schema, 'additionalProperties')
    ? { ...parts, additionalProperties: false }
    : parts
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]*')}$`)
const slotsIn = (path: string): number => path.split('{').length - 1
const pointer = (steps: readonly string[]): string =>
  steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')

/** Options that make compiling a schema cheap: each schema validates a few answers only. */
export const quick = { inlineRefs: false, code: { optimize: false } } as const

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/

/** Compares answers with one document. Bodies of vendors are the vendors'; everything else has exactly the documented members. */
export class Contract {
  readonly #document: Json
  readonly #ajv = new Ajv2020({ ...quick, strict: false, allErrors: true, formats: { uuid, 'date-time': instant, binary: true } })
  readonly #paths: readonly { readonly path: string; readonly pattern: RegExp }[]

  /** @param document OpenAPI 3.1; its objects refuse unknown members here */
  constructor(document: Json) {
    this.#document = { ...document, components: { ...document.components, schemas: closed(document.components.schemas) } }
    this.#ajv.addSchema(this.#document, 'document')
    this.#paths = Object.keys(document.paths)
      .toSorted((a, b) => slotsIn(a) - slotsIn(b))
      .map((path) => ({ path, pattern: patternOf(path) }))
  }

  /** @throws Error unless the document has this answer of this route, and its schema takes the body */
  check({ method, path }: AskedRoute, answer: AnsweredRoute): void {
    const asked = path.split('?', 1)[0] ?? path
    const found = this.#paths.find(({ pattern }) => pattern.test(asked))
    const route = method === 'HEAD' ? 'get' : method.toLowerCase()
    const operation = found === undefined ? undefined : this.#document.paths[found.path][route]
    if (found === undefined || operation === undefined) this.#checkUnknown(answer)
    else this.#checkKnown({ path: found.path, route, operation }, { method, path }, answer)
  }

  #checkKnown(
    { path, route, operation }: { readonly path: string; readonly route: string; readonly operation: Json },
    { method }: AskedRoute,
    answer: AnsweredRoute,
  ): void {
    const says = `${method} ${path} ${answer.status} ${answer.type}`
    const response = operation.responses[answer.status]
    if (response === undefined) throw new Error(`${says}: the status is not documented: ${answer.text?.slice(0, 500)}`)
    if (answer.status === 304) return // it has no body
    const media = (answer.type ?? '').split(';', 1)[0] ?? ''
    const type = [media, '*/*'].find((each) => Object.hasOwn(response.content, each))
    if (type === undefined) throw new Error(`${says}: the media type is not documented`)
    if (answer.text === undefined || method === 'HEAD') return
    const schema = ['paths', path, route, 'responses', String(answer.status), 'content', type, 'schema']
    const body = this.#checkBody(schema, answer, says)
    if (answer.status >= 400 && !response.description.split(', ').includes(body.code))
      throw new Error(`${says}: ${body.code} is not documented`)
  }

  /** @throws Error unless the document has this event of the stream, and its schema takes the data */
  checkEvent({ method, path }: AskedRoute, event: { readonly event: string; readonly data: unknown }): void {
    const found = this.#paths.find(({ pattern }) => pattern.test(path.split('?', 1)[0] ?? path))
    const steps = [
      'paths',
      found?.path ?? '',
      method.toLowerCase(),
      'responses',
      '200',
      'content',
      'text/event-stream',
      'x-events',
      event.event,
    ]
    this.#validate(steps, event.data, `${method} ${path} event ${event.event}`)
  }

  /** A request that no route takes, or a route that is no part of the document. */
  #checkUnknown(answer: AnsweredRoute): void {
    const isPage = answer.type?.startsWith('text/html') // for people
    if (answer.status < 400 || isPage || answer.text === undefined || answer.text === '') return
    this.#checkBody(['components', 'schemas', 'Problem'], answer, `an unknown route ${answer.status}`)
  }

  #checkBody(steps: readonly string[], { type, text = '' }: AnsweredRoute, says: string): Json {
    const body = /[/+]json\b/.test(type ?? '') ? parse(text) : text
    this.#validate(steps, body, says)
    return body
  }

  #validate(steps: readonly string[], value: unknown, says: string): void {
    const validate = this.#ajv.getSchema(`document#/${pointer(steps)}`)
    if (validate === undefined) throw new Error(`${says} is not documented`)
    if (validate(value)) return
    const problems = (validate.errors ?? [])
      .slice(0, 5)
      .map((each) => `${each.instancePath} ${each.message} ${JSON.stringify(each.params)}`)
    throw new Error(`${says} is not as documented: ${problems.join('; ')}`)
  }
}

let known: Contract | undefined
/** Returns the contract of the service. Made without kinds: their records are the vendors'. */
export const contract = (): Contract => {
  known ??= new Contract(openApiDocument({ routes, kinds: [] }))
  return known
}

/** Returns an answer once it was compared with the document. */
export function documented(path: string, sent: Sent, answer: Answer): Answer {
  const method = sent.method ?? (sent.body === undefined ? 'GET' : 'POST')
  contract().check({ method, path }, { status: answer.status, type: answer.headers['content-type'], text: answer.text })
  return answer
}

/**
 * Fails unless the document has this answer and its schema takes the body.
 * @param operation such as `POST /api/v1/workspaces`
 */
export function expectDocumented(operation: string, { status, headers, text }: Answer): void {
  const [method = '', path = ''] = operation.split(' ')
  contract().check({ method, path }, { status, type: headers['content-type'], text })
}

let operations: Ajv2020 | undefined
function operationsOf(): Ajv2020 {
  operations ??= new Ajv2020({ ...quick, strict: false, validateFormats: false, allErrors: true })
  if (operations.getSchema('document') === undefined)
    operations.addSchema(openApiDocument({ routes, kinds: Object.values(kinds) }), 'document')
  return operations
}

/** Fails unless the answer is as the document describes an operation, such as `gong.users.list`. */
export function expectOperation(operation: string, answer: Pick<Answer, 'json'>): void {
  const schema = operationsOf().getSchema(`document#/components/schemas/${operation}.Answer`)
  expect(schema, `${operation} is documented`).toBeDefined()
  const problems =
    schema?.(answer.json) === true ? [] : (schema?.errors ?? []).slice(0, 5).map((each) => `${each.instancePath} ${each.message}`)
  expect(problems, operation).toEqual([])
}
