/** Compares requests and records with what a file says of them. Pure. */
import { isObject } from '../definition/object.ts'
import { tryReadJson, writeJson } from '../values/json/json.ts'
import { decodePart } from '../values/texts.ts'
import type { Pairs, RecordedRequest } from './recording.ts'

/** What is compared of a request. */
export interface ComparedRequest {
  readonly method: string
  readonly url: URL
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

/** Stands for any characters. */
export const anything = '{any}'

/** Returns whether a text is as written, where `{any}` stands for any characters. */
export function matchesText(written: string, text: string): boolean {
  const [first = '', ...rest] = written.split(anything)
  const last = rest.pop()
  if (last === undefined) return written === text
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0 || found + part.length > text.length - last.length) return false
    at = found + part.length
  }
  return true
}

const longestShown = 200

/** Shows a value in a message. */
export const show = (value: unknown): string => {
  const text = value === undefined ? 'nothing' : writeJson(value)
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text
}

const step = (at: string, name: string): string => (at === '' ? name : `${at}.${name}`)

interface Comparison {
  /** True: an object may have members that are not written. */
  readonly isPart: boolean
  readonly at: string
}

function compareObjects(written: Readonly<Record<string, unknown>>, value: unknown, { isPart, at }: Comparison): string[] {
  if (!isObject(value)) return [`${at || 'it'} is ${show(value)}, and an object is written`]
  const more = isPart ? [] : Object.keys(value).filter((name) => !Object.hasOwn(written, name))
  return [
    ...Object.entries(written).flatMap(([name, inner]) =>
      Object.hasOwn(value, name) ? compare(inner, value[name], { isPart, at: step(at, name) }) : [`${step(at, name)} is missing`],
    ),
    ...more.map((name) => `${step(at, name)} is ${show(value[name])}, and is not written`),
  ]
}

function compareLists(written: readonly unknown[], value: unknown, { isPart, at }: Comparison): string[] {
  if (!Array.isArray(value)) return [`${at || 'it'} is ${show(value)}, and a list is written`]
  const count = value.length === written.length ? [] : [`${at || 'it'} has ${value.length} elements, and ${written.length} are written`]
  return [
    ...count,
    ...written.slice(0, value.length).flatMap((inner, index) => compare(inner, value[index], { isPart, at: `${at}[${index}]` })),
  ]
}

function compare(written: unknown, value: unknown, how: Comparison): string[] {
  if (Array.isArray(written)) return compareLists(written, value, how)
  if (isObject(written)) return compareObjects(written, value, how)
  const isSame =
    typeof written === 'string' && typeof value === 'string' && !how.isPart ? matchesText(written, value) : Object.is(written, value)
  return isSame ? [] : [`${how.at || 'it'} is ${show(value)}, and ${show(written)} is written`]
}

/** Lists what is different from what is written. Objects may have more members; lists may not. */
export const listMissing = (written: unknown, value: unknown, at = ''): string[] => compare(written, value, { isPart: true, at })

/** Lists the differences between two lists of names with values, in any order. */
function comparePairs(what: string, written: Pairs, sent: Pairs): string[] {
  const left = [...sent]
  const problems: string[] = []
  for (const [name, value] of written) {
    const at = left.findIndex((one) => one[0] === name && matchesText(value, one[1]))
    const other = left.find((one) => one[0] === name)
    if (at >= 0) left.splice(at, 1)
    else problems.push(`${what} ${name} is ${other === undefined ? 'missing' : show(other[1])}, and ${show(value)} is written`)
    if (at < 0 && other !== undefined) left.splice(left.indexOf(other), 1)
  }
  return [...problems, ...left.map(([name, value]) => `${what} ${name} is ${show(value)}, and is not written`)]
}

/** Leaves out the document of GraphQL where the recording does. */
function cutDocument(written: unknown, sent: unknown): unknown {
  if (!isObject(written) || !isObject(sent) || !isObject(written['variables']) || 'query' in written) return sent
  const { query: _document, ...rest } = sent
  return rest
}

function compareBodies({ body, form }: RecordedRequest, { body: sent = '', headers }: ComparedRequest): string[] {
  if (form !== undefined) return comparePairs('the form’s', form, [...new URLSearchParams(sent)])
  if (body === undefined) return sent === '' ? [] : [`the body is ${sent.slice(0, longestShown)}, and none is written`]
  const parsed = headers['content-type'] === 'application/json' ? tryReadJson(sent) : undefined
  return compare(body, cutDocument(body, parsed), { isPart: false, at: 'body' })
}

const nameTarget = (method: string, path: string): string => `${method} ${path.split('/').map(decodePart).join('/')}`

/** Returns whether a request has the method and the path of a recorded one. */
export const matchesTarget = (written: RecordedRequest, { method, url }: ComparedRequest): boolean =>
  matchesText(nameTarget(written.method, written.path), nameTarget(method, url.pathname))

/** Lists the differences between a request and its recording. @param secret names of the query that carry credentials */
export function compareRequests(written: RecordedRequest, sent: ComparedRequest, secret: ReadonlySet<string>): string[] {
  const { url, method, headers } = sent
  const query = [...url.searchParams].filter(([name]) => !secret.has(name))
  const line = nameTarget(method, url.pathname)
  const target = nameTarget(written.method, written.path)
  return [
    ...(matchesTarget(written, sent) ? [] : [`the request is ${line}, and ${target} is written`]),
    ...comparePairs('the query’s', written.query, query),
    ...Object.entries(written.headers).flatMap(([name, value]) =>
      headers[name] !== undefined && matchesText(value, headers[name])
        ? []
        : [`the header ${name} is ${show(headers[name])}, and ${show(value)} is written`],
    ),
    ...compareBodies(written, sent),
  ]
}
