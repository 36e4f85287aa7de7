import { isObject, parseJson } from '../http.ts'
import type { Failure } from './answers.ts'
import { invalid, isFailure, missing } from './answers.ts'

/** Which page is asked for. */
export interface Page {
  /** From 1 on. */
  readonly page: number
  readonly size: number
}

/** Page sizes of an endpoint. */
export interface PageSizes {
  readonly usual: number
  readonly largest: number
}

/** The value of a parameter; undefined when it is missing or empty. */
export function textIn(query: URLSearchParams, name: string): string | undefined {
  return query.get(name) || undefined
}

function numberIn(query: URLSearchParams, name: string, range: { usual: number; largest: number }): number | Failure {
  const text = query.get(name)
  if (text === null) return range.usual
  if (!/^-?\d{1,15}$/.test(text)) return invalid(name, 'Not a valid integer.')
  const value = Number(text)
  return value >= 1 && value <= range.largest ? value : invalid(name, `Must be between 1 and ${range.largest}.`)
}

/** The page that a request asks for. */
export function pageIn(query: URLSearchParams, sizes: PageSizes): Page | Failure {
  const page = numberIn(query, 'page', { usual: 1, largest: Number.MAX_SAFE_INTEGER })
  if (typeof page !== 'number') return page
  const size = numberIn(query, 'page_size', sizes)
  return typeof size === 'number' ? { page, size } : size
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/**
 * A parameter that holds a JSON array of strings.
 *
 * @returns undefined when it is missing; a refusal when it is anything but such an array
 */
export function listIn(query: URLSearchParams, name: string): readonly string[] | Failure | undefined {
  const text = textIn(query, name)
  if (text === undefined) return undefined
  const value = parseJson(text)
  if (!Array.isArray(value)) return invalid(name, 'Not a valid list.')
  const list: readonly unknown[] = value
  return list.every(isText) ? list : invalid(name, 'Not a valid string in the list.')
}

/** The same for a parameter that must be there and not be empty. */
export function neededListIn(query: URLSearchParams, name: string): readonly string[] | Failure {
  const list = listIn(query, name)
  if (list === undefined) return missing(name)
  return !isFailure(list) && list.length === 0 ? invalid(name, 'Shorter than minimum length 1.') : list
}

/** A parameter that holds a JSON object; empty when it is missing. */
export function objectIn(query: URLSearchParams, name: string): Readonly<Record<string, unknown>> | Failure {
  const text = textIn(query, name)
  if (text === undefined) return {}
  const value = parseJson(text)
  return isObject(value) ? value : invalid(name, 'Not a valid object.')
}

/** The texts of a list; undefined when the value is none. */
export function textsOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  const list: readonly unknown[] = value
  return list.every(isText) ? list : undefined
}
