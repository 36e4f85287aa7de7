/** Operation + parameters → what goes over the wire. Pure. */
import type { Send } from '../definition/entity.ts'
import { fail } from '../errors.ts'
import { instantOf } from './instant.ts'
import { writeJson } from './json.ts'
import { positionsOf } from './meta.ts'
import type { CompiledOperation } from './operation.ts'
import type { Params } from './params.ts'
import { copyOf, getAt, parsePath, setAt, takeAt } from './paths.ts'

/** A request to the API of the vendor, below its base address. */
export interface WireRequest {
  readonly method: 'GET' | 'POST'
  /** Path with the query, starting with a slash. */
  readonly path: string
  /** JSON text. */
  readonly body?: string
  /** The path is that of the origin, not of the kind's prefix. */
  readonly unprefixed?: true
  /** Statuses that mean "not ready yet". */
  readonly unready?: readonly number[]
}

const day = 86_400_000
/** YYYY-MM-DD; undefined outside the years that have four digits. */
const dayOf = (milliseconds: number): string | undefined => /^\d{4}-\d{2}-\d{2}/.exec(new Date(milliseconds).toISOString())?.[0]

/** Conversions by name; undefined leaves the parameter out. */
const conversions: Readonly<Record<NonNullable<Send['as']>, (value: unknown, now: number) => unknown>> = {
  day_before: (value) => dayOf(moment(value) - day),
  day_after: (value, now) => {
    // The last millisecond before the moment lies on this UTC day or, where clocks are ahead, on the next; the day after that ends it.
    const end = moment(value) - 1 + 2 * day
    return Math.floor(end / day) < Math.floor(now / day) ? dayOf(end) : undefined
  },
}

const moment = (value: unknown): number => {
  const milliseconds = instantOf(value)
  if (Number.isNaN(milliseconds)) throw fail('invalid_parameter', { reason: `${value} is not a moment that exists` })
  return milliseconds
}

/** A value as one segment of a path. @throws FerruleError `invalid_parameter` for a value that would change the path */
export const slot = (name: string, value: unknown): string => {
  const text = String(value)
  // URL parsing folds '.' and '..' even when they are percent-encoded, and an empty slot names another resource. Half of a
  // surrogate pair has no encoding at all.
  if (text === '' || text === '.' || text === '..' || !text.isWellFormed())
    throw fail(
      'invalid_parameter',
      { reason: `${name} cannot be ${JSON.stringify(text)}` },
      { errors: [{ field: `/params/${name}`, message: `cannot be ${JSON.stringify(text)}`, error_code: 'path' }] },
    )
  return encodeURIComponent(text)
}

/** The path of an operation; the parameters of its slots are taken out of `wire`. @throws FerruleError `invalid_parameter` */
export const pathOf = ({ template }: CompiledOperation, wire: Record<string, unknown>): string =>
  template
    .map((part, index) => {
      if (index % 2 === 0) return part
      const value = wire[part]
      delete wire[part]
      return slot(part, value)
    })
    .join('')

const queryOf = (wire: Record<string, unknown>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(wire)) if (value !== undefined && value !== null) query.set(name, String(value))
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

/** The parameters as the vendor names and takes them. `now` in milliseconds since 1970. */
function wireParams({ operation, emptyIsAbsent }: CompiledOperation, params: Params, now: number): Record<string, unknown> {
  const wire: Record<string, unknown> = copyOf(params)
  for (const path of emptyIsAbsent) {
    const value = getAt(wire, path)
    if (Array.isArray(value) && value.length === 0) takeAt(wire, path)
  }
  if (operation.file !== undefined) takeAt(wire, parsePath(operation.file.range))
  for (const path of Object.keys(operation.local ?? {})) if (operation.send?.[path] === undefined) takeAt(wire, parsePath(path))
  for (const [path, send] of Object.entries(operation.send ?? {})) {
    const given = takeAt(wire, parsePath(path))
    const value = given === undefined || send.as === undefined ? given : conversions[send.as](given, now)
    if (value !== undefined) setAt(wire, parsePath(send.to), value)
  }
  for (const [path, value] of Object.entries(operation.constant ?? {})) setAt(wire, parsePath(path), value)
  for (const name of [...(operation.unsent ?? []), ...Object.values(operation.slice ?? {})]) takeAt(wire, parsePath(name))
  for (const [name, value] of Object.entries(operation.defaults ?? {})) wire[name] ??= value
  return wire
}

/** With a position that excludes filters, only the position, its companions and the path travel. */
function withoutFilters(operation: CompiledOperation, wire: Record<string, unknown>): Record<string, unknown> {
  const page = positionsOf(operation)
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
  const wire = withoutFilters(operation, wireParams(operation, params, now))
  const path = pathOf(operation, wire)
  const { running, submits } = operation.operation
  const unready = running === undefined ? {} : { unready: [running.status] }
  if (operation.method === 'GET') return { method: 'GET', path: path + queryOf(wire), ...unready }
  const query = submits === undefined ? {} : { [submits.id]: takeAt(wire, [submits.id]), [submits.again]: takeAt(wire, [submits.again]) }
  return { method: 'POST', path: path + queryOf(query), body: writeJson(wire), ...unready }
}
