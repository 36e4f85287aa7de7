/** Where parameters lie in a definition, in a call and in a request. Written apart from the engine, which is what is tested. */
import type { ConnectorDefinition } from '../../packages/ferrule/src/definition/connector.ts'
import type { Operation } from '../../packages/ferrule/src/definition/entity.ts'
import type { PositionPages } from '../../packages/ferrule/src/definition/page.ts'
import type { Exchange } from './answers.ts'

type Values = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A parameter, also one within others: its names from the top, the schema, and whether every call needs it. */
export interface Param {
  readonly names: readonly string[]
  readonly schema: Values
  readonly required: boolean
  /** The code that a refusal of this part, or of a part that holds it, gets instead of a general one. */
  readonly refuse: string | undefined
  /** The same where it is left out. */
  readonly refuseMissing: string | undefined
}

/** A schema as plain JSON: what is not written there does not count. */
export const plain = (schema: unknown): Values => JSON.parse(JSON.stringify(schema))

/** Lists all parameters of an object's schema, those that hold others included. */
export function listParams(schema: Values, above: Partial<Param> = {}): Param[] {
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  return Object.entries(properties).flatMap(([name, part]) => {
    if (!isObject(part)) return []
    const own = typeof part['x-refuse'] === 'string' ? part['x-refuse'] : above.refuse
    const param = {
      names: [...(above.names ?? []), name],
      schema: part,
      required: (above.required ?? true) && required.includes(name),
      refuse: own,
      refuseMissing: part['x-refuse-given'] === true ? above.refuseMissing : own,
    }
    return [param, ...listParams(part, param)]
  })
}

/** Returns whether a parameter holds no others. */
export const isLeaf = ({ schema }: Param): boolean => !isObject(schema['properties'])

/** Returns the value of a parameter; undefined when it is missing. */
export const valueAt = (values: unknown, names: readonly string[]): unknown =>
  names.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), values)

/** A copy without one parameter. */
export function without(values: Values, [name = '', ...rest]: readonly string[]): Values {
  const { [name]: taken, ...kept } = values
  return rest.length === 0 ? kept : { ...kept, [name]: without(isObject(taken) ? taken : {}, rest) }
}

/** A copy with another value of one parameter. */
export const withValue = (values: Values, [name = '', ...rest]: readonly string[], value: unknown): Values => {
  const inner = values[name]
  return { ...values, [name]: rest.length === 0 ? value : withValue(isObject(inner) ? inner : {}, rest, value) }
}

/** Returns what the connector supplies for a missing parameter, as it must travel; undefined for one that it does not supply. */
export function suppliedValue({ schema }: Param, known: ConnectorDefinition['known'], configuration: Values): string | undefined {
  const fill = schema['x-fill']
  if (!isObject(fill)) return undefined
  const value = configuration[known?.[String(fill['known'])]?.configuration ?? '']
  if (fill['as'] === 'if_known' && value === undefined) return undefined
  return fill['as'] === 'json_array' ? JSON.stringify([value].flat()) : String(value)
}

interface Found {
  readonly in: 'body' | 'query'
  readonly value: unknown
}

/** Where a value was found in a request. */
function foundIn({ request }: Exchange, names: readonly string[]): Found[] {
  const { searchParams } = new URL(request.path, 'http://vendor.example')
  const value = valueAt(request.body, names)
  const inQuery = searchParams.getAll(names.join('.')).map((text): Found => ({ in: 'query', value: text }))
  return value === undefined ? inQuery : [{ in: 'body', value }, ...inQuery]
}

/** Where a parameter belongs: the body has everything but the names of a submission, and a GET has no body. */
const findCarrier = ({ call, submits }: Operation, path: string): Found['in'] =>
  call.startsWith('GET') || (submits !== undefined && [submits.id, submits.again].includes(path)) ? 'query' : 'body'

const same = (found: unknown, value: unknown): boolean =>
  typeof found === 'string' ? found === String(value) : JSON.stringify(found) === JSON.stringify(value)

/** Names of the query of a request, in order. */
export const queryNames = ({ request }: Exchange): string[] => [...new URL(request.path, 'http://vendor.example').searchParams.keys()]

/** Finds the URL of a next page that is sent whole: only its position and companions may be sent. */
export function findMissentUrl(page: PositionPages, url: unknown, exchanges: readonly Exchange[]): string | undefined {
  const [api] = exchanges
  const wanted = new URL(String(url)).searchParams.get(page.next.from ?? '')
  if (api === undefined || wanted === null) return 'no request, or no position in the URL'
  const sent = new URL(api.request.path, 'http://vendor.example').searchParams
  return sent.get(page.next.param) === wanted && !sent.has(page.url ?? '') ? undefined : `${page.url} is not sent as its position`
}

/** A value that was given for a parameter, and the requests in which it must be. */
export interface Sent {
  readonly value: unknown
  readonly exchanges: readonly Exchange[]
  /** The rule of the operation makes another value of it. */
  readonly changed?: boolean
}

/**
 * Finds a parameter of the pinned requests of a page that does not travel as the definition says.
 * @returns a sentence; undefined when all is well
 */
export function findMissent(operation: Operation, names: readonly string[], { value, exchanges, changed }: Sent): string | undefined {
  const path = names.join('.')
  const [api] = exchanges
  if (api === undefined) return 'no request'
  const found = foundIn(api, names)
  if (operation.file?.range === path) {
    if (found.length > 0) return `${path} is sent to the API`
    return exchanges.some(({ to, request }) => to === 'file' && request.headers?.['range'] === value)
      ? undefined
      : `${path} is no Range header`
  }
  if (Object.values(operation.slice ?? {}).includes(path))
    return found.length === 0 ? undefined : `${path} is sent although the vendor does not page the list`
  if (operation.unsent?.includes(path)) {
    const inPath = api.request.path.split(/[/?.]/).includes(encodeURIComponent(String(value)))
    return found.length === 0 && !inPath ? undefined : `${path} is sent although the vendor lacks it`
  }
  if (operation.call.includes(`{${path}}`)) {
    if (found.length > 0) return `${path} is sent in the path and once more`
    const segment = operation.call.split('/').find((part) => part.includes(`{${path}}`)) ?? ''
    const filled = segment.replace(`{${path}}`, encodeURIComponent(String(value)))
    return api.request.path.split(/[/?]/).includes(filled) ? undefined : `${path} is not in the path`
  }
  const to = operation.send?.[path]?.to
  if (to !== undefined) {
    if (found.length > 0 && to !== path) return `${path} is sent as ${to} and once more`
    return foundIn(api, to.split('.')).length === 1 ? undefined : `${path} is not sent once as ${to}`
  }
  if (operation.local?.[path] !== undefined) return found.length === 0 ? undefined : `${path} is sent although the vendor lacks it`
  const [one, ...more] = found
  if (one === undefined || more.length > 0 || one.in !== findCarrier(operation, path))
    return `${path} is not sent once in the ${findCarrier(operation, path)}`
  return changed === true || same(one.value, value) ? undefined : `${path} is not sent as it is`
}
