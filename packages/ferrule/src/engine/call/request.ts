/** Builds the vendor's request from an operation and its parameters; the position of a page becomes parameters first. Pure. */
import type { Operation, Send, SentMethod, Submission, TextParameter } from '../../definition/entity.ts'
import { isObject } from '../../definition/object.ts'
import { cursorName, sizeName } from '../../definition/page.ts'
import { fillTemplate, listSlots } from '../../definition/templates.ts'
import { fail } from '../../errors.ts'
import { writeJson } from '../../values/json/json.ts'
import type { Connection } from '../connection.ts'
import { headerMessage, isHeaderText } from '../http/header-text.ts'
import { buildPrefix, listOwnOrigins } from '../http/origin.ts'
import { copyJson, getAt, type Path, parsePath, setAt, takeAt } from '../json/paths.ts'
import { parseTimestamp } from '../json/validate.ts'
import { fillPageStart } from './next-pages.ts'
import { type CompiledOperation, failParameter, type Params } from './operation.ts'
import { findNextPages, findPositionPages, listExcluded } from './page-records.ts'

/** A request to the vendor's API, below its base address. */
export interface WireRequest {
  readonly method: SentMethod
  /** Path with the query, starting with a slash. */
  readonly path: string
  /** Method and path as definitions write them, without values; default: the operation's. */
  readonly template?: string
  /** JSON, or a form. */
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  /** True if the body is a form. */
  readonly isForm?: true
  /** True if the path starts at the origin, without the kind's prefix. */
  readonly unprefixed?: true
  /** Statuses that mean "not ready yet". */
  readonly unready?: readonly number[]
}

const day = 86_400_000
type Lists = NonNullable<Operation['lists']>

/** Formats a day as YYYY-MM-DD; undefined outside the years with four digits. */
const formatDay = (milliseconds: number): string | undefined => /^\d{4}-\d{2}-\d{2}/.exec(new Date(milliseconds).toISOString())?.[0]

/** Conversions by name; undefined omits the parameter. */
const conversions: Readonly<Record<NonNullable<Send['as']>, (value: unknown, now: number) => unknown>> = {
  day_before: (value) => formatDay(parseTimeParameter(value) - day),
  day_after: (value, now) => {
    // The last millisecond lies on this UTC day or, in zones ahead of UTC, on the next; the window ends with the day after.
    const end = parseTimeParameter(value) - 1 + 2 * day
    return Math.floor(end / day) < Math.floor(now / day) ? formatDay(end) : undefined
  },
}

const parseTimeParameter = (value: unknown): number => {
  const milliseconds = parseTimestamp(value)
  if (Number.isNaN(milliseconds)) throw fail('invalid_parameter', { reason: `${value} is not a valid timestamp` })
  return milliseconds
}

/** Encodes a value as one path segment. @throws FerruleError `invalid_parameter` for a value that would change the path */
export const encodePathSegment = (name: string, value: unknown): string => {
  const text = String(value)
  // URL parsing resolves '.' and '..' even if percent-encoded, and an empty slot names another resource. Half of a surrogate pair has no
  // encoding.
  if (text === '' || text === '.' || text === '..' || !text.isWellFormed())
    throw failParameter(name, `cannot be ${JSON.stringify(text)}`, 'path')
  return encodeURIComponent(text)
}

/** Builds the path of an operation, and removes the parameters of its slots from `wire`. */
const buildPath = ({ template }: CompiledOperation, wire: Record<string, unknown>): string =>
  template
    .map((part, index) => {
      if (index % 2 === 0) return part
      const value = wire[part]
      delete wire[part]
      return encodePathSegment(part, value)
    })
    .join('')

type QueryEntry = [name: string, value: string]

/** Lists the entries of a query or a form: `a=1`, `a[b]=2` for what lies in an object, and lists as the vendor takes them. */
function listEntries(name: string, value: unknown, lists: Lists): QueryEntry[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return listElements(name, value, lists)
  if (isObject(value)) return Object.entries(value).flatMap(([key, inner]) => listEntries(`${name}[${key}]`, inner, lists))
  return [[name, String(value)]]
}

function listElements(name: string, elements: readonly unknown[], lists: Lists): QueryEntry[] {
  if (lists === 'comma') return [[name, elements.map(String).join(',')]]
  if (lists === 'repeat') return elements.flatMap((element) => listEntries(name, element, lists))
  return elements.flatMap((element, index) => listEntries(isObject(element) ? `${name}[${index}]` : `${name}[]`, element, lists))
}

/** Writes members as a form (application/x-www-form-urlencoded). @param lists how a list is written */
export const buildForm = (wire: Record<string, unknown>, lists: Lists): string =>
  new URLSearchParams(Object.entries(wire).flatMap(([name, value]) => listEntries(name, value, lists))).toString()

/** Writes members as a query with its question mark; '' without any. @param lists how a list is written */
export const buildQuery = (wire: Record<string, unknown>, lists: Lists): string => {
  const text = buildForm(wire, lists)
  return text === '' ? '' : `?${text}`
}

/** Takes the headers of the operation, and removes the parameters in them from `wire`. */
function takeHeaders({ operation: { headers } }: CompiledOperation, wire: Record<string, unknown>): Pick<WireRequest, 'headers'> {
  if (headers === undefined) return {}
  const values = new Map(
    Object.values(headers)
      .flatMap(listSlots)
      .map((name) => [name, takeAt(wire, [name])]),
  )
  const read = (name: string): string | undefined => {
    const value = values.get(name)
    if (value === undefined || value === null) return undefined
    const text = String(value)
    if (isObject(value) || !isHeaderText(text)) throw failParameter(name, headerMessage, 'header')
    return text
  }
  const filled = Object.entries(headers).flatMap(([name, template]) => {
    const text = fillTemplate(template, read)
    return text === undefined ? [] : [[name, text] as const]
  })
  return { headers: Object.fromEntries(filled) }
}

/** Returns how the request carries its parameters. */
const findBody = ({ method, operation }: CompiledOperation): NonNullable<Operation['body']> =>
  operation.body ?? (method === 'GET' || method === 'DELETE' ? 'query' : 'json')

/** Parses a name as the vendor has it: a path within a JSON body; as it is in a query or a form, where `created[gte]` is a name. */
const parseWireName = (operation: CompiledOperation, name: string): Path =>
  findBody(operation) === 'json' && !operation.operation.query?.includes(name) ? parsePath(name) : [name]

const parseParameter = ({ operation }: CompiledOperation, name: string): Path =>
  Object.hasOwn(operation.params, name) ? [name] : parsePath(name)

/** Converts the parameters to the vendor's names and forms. */
function buildWireParams(compiled: CompiledOperation, params: Params, now: number): Record<string, unknown> {
  const { operation, emptyIsAbsent } = compiled
  const wire: Record<string, unknown> = copyJson(params)
  for (const path of emptyIsAbsent) {
    const value = getAt(wire, path)
    if (Array.isArray(value) && value.length === 0) takeAt(wire, path)
  }
  if (operation.file !== undefined) takeAt(wire, parsePath(operation.file.range))
  for (const path of Object.keys(operation.local ?? {})) if (operation.send?.[path] === undefined) takeAt(wire, parsePath(path))
  for (const [path, send] of Object.entries(operation.send ?? {})) {
    const given = takeAt(wire, parseParameter(compiled, path)) ?? operation.defaults?.[path]
    const value = given === undefined || send.as === undefined ? given : conversions[send.as](given, now)
    if (value !== undefined) setAt(wire, parseWireName(compiled, send.to), value)
  }
  for (const [path, value] of Object.entries(operation.constant ?? {})) setAt(wire, parseWireName(compiled, path), value)
  for (const [name, value] of Object.entries(operation.defaults ?? {})) if (operation.send?.[name] === undefined) wire[name] ??= value
  for (const [name, text] of Object.entries(operation.text ?? {})) setAt(wire, parseWireName(compiled, name), writeText(text, wire))
  for (const name of [...(operation.unsent ?? []), ...Object.values(operation.slice ?? {})]) takeAt(wire, parsePath(name))
  return wire
}

/**
 * Gives the position and the size of a page the vendor's names.
 * @returns the path and query of the next page, for vendors that name a URL
 */
function renamePosition(compiled: CompiledOperation, wire: Record<string, unknown>): string | undefined {
  const page = findNextPages(compiled)
  if (page === undefined) return undefined
  const { [cursorName]: position, [sizeName]: size } = wire
  delete wire[cursorName]
  delete wire[sizeName]
  if (page.send === undefined && position !== undefined) return String(position)
  const toPath = (name: string): Path => (page.in === 'query' ? [name] : parseWireName(compiled, name))
  if (page.size !== undefined) setAt(wire, toPath(page.size.send), size ?? page.size.most)
  if (page.send !== undefined && position !== undefined) setAt(wire, toPath(page.send), position)
  return undefined
}

/** Keeps only the position, its companions and the path's parameters if a position excludes filters. */
function dropFilters(operation: CompiledOperation, wire: Record<string, unknown>): Record<string, unknown> {
  const page = findPositionPages(operation)
  if (page?.alone === undefined || wire[page.next.param] === undefined) return wire
  const kept = new Set([page.next.param, ...page.alone, ...operation.template])
  return Object.fromEntries(Object.entries(wire).filter(([name]) => kept.has(name)))
}

/**
 * Builds the request of an operation from validated parameters.
 * @param now milliseconds since 1970, for conversions that depend on today
 * @throws FerruleError `invalid_parameter` for a value that would change the path
 */
export function buildRequest(operation: CompiledOperation, params: Params, now: number): WireRequest {
  const wire = dropFilters(operation, buildWireParams(operation, params, now))
  const path = buildPath(operation, wire)
  const { running, submits, lists = 'comma', graphql } = operation.operation
  const next = renamePosition(operation, wire)
  const unready = running === undefined ? {} : { unready: [running.status] }
  const request = { method: operation.method, ...takeHeaders(operation, wire), ...unready }
  const body = findBody(operation)
  if (next !== undefined && body === 'query') return { ...request, path: next, unprefixed: true }
  if (body === 'query') return { ...request, path: path + buildQuery(wire, lists) }
  const query = takeQuery(operation, wire, submits)
  const content = graphql === undefined ? wire : { query: graphql, variables: wire }
  const sent = body === 'form' ? buildForm(wire, lists) : writeJson(content)
  const address = next === undefined ? { path: path + buildQuery(query, lists) } : { path: next, unprefixed: true as const }
  return { ...request, ...address, body: sent, ...(body === 'form' ? { isForm: true } : {}) }
}

/** Takes the parameters that go into the query of a request with a body. */
function takeQuery(compiled: CompiledOperation, wire: Record<string, unknown>, submits: Submission | undefined): Record<string, unknown> {
  const page = findNextPages(compiled)
  const paging = page?.in === 'query' ? [page.send ?? [], page.size?.send ?? []].flat() : []
  const names = [...(compiled.operation.query ?? []), ...(submits === undefined ? [] : [submits.id, submits.again]), ...paging]
  return Object.fromEntries(names.map((name) => [name, takeAt(wire, [name])]))
}

/** Returns whether a URL is a page of this list, on the connector's own host. */
function isOwnPage(connection: Connection, operation: CompiledOperation, { url, params }: { url: URL; params: Params }): boolean {
  return (
    listOwnOrigins(connection).includes(url.origin) &&
    url.username === '' &&
    url.password === '' &&
    url.hash === '' &&
    url.pathname === buildPrefix(connection) + buildPath(operation, { ...params })
  )
}

const parsePageUrl = (connection: Connection, operation: CompiledOperation, params: Params): Params => {
  const page = findPositionPages(operation)
  const name = page?.url ?? ''
  const given = String(params[name])
  const { [name]: _url, ...rest } = params
  const url = URL.canParse(given) ? new URL(given) : undefined
  const position = url?.searchParams.get(page?.next.from ?? '')
  const wrong = () => failParameter(name, 'is not the URL of a page of this list at this connector', 'position')
  if (page === undefined || url === undefined || !position || !isOwnPage(connection, operation, { url, params })) throw wrong()
  const size = Number(url.searchParams.get('limit'))
  const limit = 'limit' in operation.operation.params && rest['limit'] === undefined && size > 0 ? { limit: size } : {}
  const next = { ...rest, ...limit, [page.next.param]: position }
  // Parameters from a URL obey the same rules as a caller's.
  if (operation.params.problems(next).length > 0) throw wrong()
  return next
}

/**
 * Replaces the URL of a next page by its position. The URL is never fetched: only its position and page size are used, on the connector's
 * own base.
 * @throws FerruleError `invalid_parameter` for a filter beside a position, or a URL that is not a page of this list
 */
export function followPosition(connection: Connection, operation: CompiledOperation, params: Params): Params {
  const next = findNextPages(operation)
  if (next !== undefined) return fillPageStart(connection, operation, next, params)
  const page = findPositionPages(operation)
  if (page?.alone === undefined) return params
  const names = [page.next.param, page.url].filter((name) => name !== undefined && params[name] !== undefined)
  const [position] = names
  if (position === undefined) return params
  const [excluded] = listExcluded(operation, position, params)
  const message = `cannot go with ${position}: the filters of the first page stay in force`
  if (excluded !== undefined) throw failParameter(excluded, message, 'position')
  return position === page.url ? parsePageUrl(connection, operation, params) : params
}

/** A slot of a text in a query language: a parameter, quoted unless it is `bare`. */
const slots = /\{([^{}|]+)(\|bare)?\}/g

/** Quotes a string. @throws FerruleError `invalid_parameter` for control characters, which no quoting of these languages takes */
function quoteText(name: string, value: unknown, quote: TextParameter['quote']): string {
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  const text = String(value)
  if (/\p{Cc}/u.test(text)) throw failParameter(name, 'must not have control characters', 'quoting')
  return quote + text.replace(/[\\'"]/g, (character) => `\\${character}`) + quote
}

/** Returns a value that stands without quotes. @throws FerruleError `invalid_parameter` for characters that could end it */
function bareText(name: string, value: unknown): string {
  const text = String(value)
  if (!/^[A-Za-z0-9.:+_-]+$/.test(text)) throw failParameter(name, 'must consist of letters, digits and . : + - _', 'quoting')
  return text
}

/** Fills a part; undefined if a slot has no value. */
function fillPart(part: string, wire: Readonly<Record<string, unknown>>, quote: TextParameter['quote']): string | undefined {
  const names = [...part.matchAll(slots)].map(([, name = '']) => name)
  if (names.some((name) => wire[name] === undefined || wire[name] === null)) return undefined
  return part.replace(slots, (_slot, name: string, bare: string | undefined) =>
    bare === undefined ? quoteText(name, wire[name], quote) : bareText(name, wire[name]),
  )
}

/** Writes a text in a query language of the vendor, such as JQL, from parameters, and removes these from `wire`. */
function writeText({ start = '', parts, join, lead = '', end = '', quote }: TextParameter, wire: Record<string, unknown>): string {
  const filled = parts.map((part) => fillPart(part, wire, quote)).filter((part) => part !== undefined)
  for (const part of parts) for (const [, name = ''] of part.matchAll(slots)) delete wire[name]
  return start + (filled.length === 0 ? '' : lead) + filled.join(join) + end
}
