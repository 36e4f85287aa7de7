/** Requests of streams, read from the requesters of manifests. */
import { isObject } from '../../definition/object.ts'
import { type Component, isScalar } from './component.ts'
import { isName, isStep, isWireName } from './names.ts'
import type { Notes } from './outcome.ts'
import { findLogic, readPlain, readTemplate, type Template } from './template.ts'

/** A value that a request carries: a fixed one, or a text with slots. */
export interface Entry {
  readonly name: string
  readonly value: string | number | boolean | Template
}
interface FixedList {
  readonly name: string
  readonly list: readonly unknown[]
}
/** What a request carries. */
export interface RequestDraft {
  readonly method: 'GET' | 'POST'
  readonly url: Template
  /** What the address begins with. */
  readonly base: string
  readonly headers: readonly Entry[]
  readonly query: readonly Entry[]
  readonly body: readonly Entry[]
  /** Lists that the body carries as they are, by path. */
  readonly lists: Readonly<Record<string, readonly unknown[]>>
  readonly as: 'json' | 'form'
  /** True for a POST, and for a GET that has values in its body. An option of paging or of a cursor can be one. */
  readonly hasBody: boolean
  readonly authenticator: Component | undefined
}

const toValue = (value: string | number | boolean): Entry['value'] => {
  if (typeof value !== 'string') return value
  const template = readTemplate(value)
  return readPlain(template) ?? template
}

function listEntries(value: unknown, what: string, notes: Notes): readonly Entry[] {
  if (value === undefined || value === null) return []
  if (!isObject(value)) return notes.stop(`logic in ${what}`, String(value)) ?? []
  return Object.entries(value).flatMap(([name, each]): Entry[] => {
    if (isScalar(each) && each !== '' && isWireName(name)) {
      const made = toValue(each)
      const logic = typeof made === 'object' ? findLogic(made) : undefined
      return logic === undefined ? [{ name: name.trim(), value: made }] : (notes.stop(`logic in ${what}`, logic) ?? [])
    }
    if (each === undefined || each === null || each === '') return []
    return notes.stop(isScalar(each) ? `a name in ${what} that kind files do not take` : `a list or an object in ${what}`, name) ?? []
  })
}

/** Returns whether a value is sent as it is: it has no slots, and nothing that the platform would convert or leave out. */
function isFixed(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isFixed)
  if (isObject(value)) return Object.entries(value).every(([name, each]) => isName(name) && isFixed(each))
  return isScalar(value) && (value === '' || toValue(value) === value)
}

function listBody(value: unknown, notes: Notes, path: readonly string[] = []): readonly (Entry | FixedList)[] {
  if (Array.isArray(value) && path.length > 0 && isFixed(value)) return [{ name: path.join('.'), list: value }]
  if (isObject(value)) {
    if (Object.keys(value).length === 0 && path.length > 0) return notes.stop('a list or an object in the body', path.join('.')) ?? []
    return Object.entries(value).flatMap(([name, each]) =>
      isStep(name) ? listBody(each, notes, [...path, name]) : (notes.stop('a name in the body that kind files do not take', name) ?? []),
    )
  }
  const name = path.join('.')
  if (value === null || value === undefined || value === '') return []
  if (!isScalar(value)) return notes.stop('a list or an object in the body', name) ?? []
  const made = toValue(value)
  const logic = typeof made === 'object' ? findLogic(made) : undefined
  return logic === undefined ? [{ name, value: made }] : (notes.stop('logic in the body', logic) ?? [])
}

function readJsonBody(value: unknown, notes: Notes): Pick<RequestDraft, 'body' | 'lists' | 'as'> {
  const all = listBody(value, notes)
  return {
    body: all.flatMap((each) => ('list' in each ? [] : [each])),
    lists: Object.fromEntries(all.flatMap((each) => ('list' in each ? [[each.name, each.list] as const] : []))),
    as: 'json',
  }
}

function parseBody(text: string, notes: Notes): unknown {
  if (/\{[{%]/.test(text)) return notes.stop('logic in the body', text)
  try {
    return JSON.parse(text)
  } catch {
    return notes.stop('a body that is no JSON', text)
  }
}

function readBody(requester: Component, notes: Notes): Pick<RequestDraft, 'body' | 'lists' | 'as'> {
  const json = requester.takeAll('request_body_json')
  const form = requester.takeAll('request_body_data')
  const body = requester.child('request_body')
  if (body !== undefined) {
    const value = body.takeAll('value')
    if (body.type === 'RequestBodyJsonObject') return readJsonBody(value, notes)
    if (body.type === 'RequestBodyUrlEncodedForm') return { body: listEntries(value, 'the body', notes), lists: {}, as: 'form' }
    if (body.type === 'RequestBodyGraphQL') return readJsonBody(value, notes)
    return notes.stop('a body that is a plain text') ?? { body: [], lists: {}, as: 'json' }
  }
  if (json !== undefined && json !== null && json !== '')
    return readJsonBody(typeof json === 'string' ? parseBody(json, notes) : json, notes)
  if (form === undefined || form === null || form === '') return { body: [], lists: {}, as: 'json' }
  if (typeof form === 'string') return { ...(notes.stop('a body that is a plain text', form) ?? {}), body: [], lists: {}, as: 'form' }
  return { body: listEntries(form, 'the body', notes), lists: {}, as: 'form' }
}

function splitQuery(url: Template, notes: Notes): { readonly url: Template; readonly query: readonly Entry[] } {
  const at = url.findIndex((part) => part.is === 'text' && part.text.includes('?'))
  const part = url[at]
  if (part?.is !== 'text') return { url, query: [] }
  const [path = '', ...rest] = part.text.split('?')
  const behind: Template = [{ is: 'text', text: rest.join('?') }, ...url.slice(at + 1)]
  const query: Entry[] = []
  for (const pair of splitTemplate(behind, '&')) {
    const [first, ...more] = pair
    const [, name = '', value = ''] = /^([^=]*)=?([\s\S]*)$/.exec(first?.is === 'text' ? first.text : '') ?? []
    if (name === '') continue
    if (!isWireName(name)) notes.stop('a name in the address that kind files do not take', name)
    else
      query.push({
        name: decodeURIComponent(name),
        value:
          more.length === 0
            ? value
            : [{ is: 'text' as const, text: value }, ...more].filter((each) => each.is !== 'text' || each.text !== ''),
      })
  }
  return { url: [...url.slice(0, at), { is: 'text', text: path }], query }
}

/** Splits a text with slots at a sign. */
export function splitTemplate(template: Template, sign: string): readonly Template[] {
  const parts: Template[number][][] = [[]]
  for (const part of template) {
    if (part.is !== 'text') {
      parts.at(-1)?.push(part)
      continue
    }
    for (const [index, text] of part.text.split(sign).entries()) {
      if (index > 0) parts.push([])
      if (text !== '') parts.at(-1)?.push({ is: 'text', text })
    }
  }
  return parts
}

function readUrl(requester: Component, notes: Notes): Template | undefined {
  const whole = requester.text('url')
  const base = requester.text('url_base') ?? whole ?? ''
  const path = requester.text('path') ?? ''
  const isAbsolute = /^https?:\/\//.test(path.trim())
  const joined = isAbsolute
    ? path.trim()
    : path === ''
      ? base.trim()
      : `${base.trim().replace(/\/+$/, '')}/${path.trim().replace(/^\/+/, '')}`
  const template = readTemplate(joined.replace(/^http:/, 'https:'))
  const logic = template.find((part) => part.is === 'logic')
  return logic?.is === 'logic' ? notes.stop('logic in the address', logic.text) : template
}

/** Reads the requester of a stream. */
export function readRequest(requester: Component | undefined, notes: Notes): RequestDraft | undefined {
  if (requester === undefined) return notes.stop('a stream without a request')
  if (requester.type !== 'HttpRequester' || requester.isCustom) {
    requester.leaveAll()
    return notes.stop(requester.isCustom ? 'custom code: requester' : 'a request that kind files do not have', requester.type)
  }
  requester.leave('use_cache')
  const method = (requester.text('http_method') ?? 'GET').toUpperCase()
  if (method !== 'GET' && method !== 'POST') notes.stop('a list by a method that is neither GET nor POST', method)
  readErrors(requester.child('error_handler'), notes)
  const url = readUrl(requester, notes)
  const authenticator = requester.child('authenticator')
  const headers = listEntries(requester.takeAll('request_headers'), 'headers', notes)
  const parameters = requester.takeAll('request_parameters')
  const query = listEntries(typeof parameters === 'string' ? readQueryText(parameters) : parameters, 'parameters', notes)
  for (const name of ['fetch_properties_from_endpoint', 'query_properties'] as const)
    if (requester.take(name) !== undefined) notes.stop('names of fields that the platform puts into the request')
  const { body, lists, as } = readBody(requester, notes)
  if (url === undefined) return undefined
  const split = splitQuery(url, notes)
  return {
    method: method === 'POST' ? 'POST' : 'GET',
    hasBody: method === 'POST' || body.length > 0 || Object.keys(lists).length > 0,
    ...{
      url: split.url,
      base: requester.text('url_base') ?? '',
      headers,
      query: [...split.query, ...query],
      body,
      lists,
      as,
      authenticator,
    },
  }
}

const readQueryText = (text: string): unknown => (/[{}]/.test(text) ? text : Object.fromEntries(new URLSearchParams(text).entries()))

/** Leaves the rules for failed calls: the engine has its own. Those that hide failures are soft too, because a failed list is named. */
function readErrors(handler: Component | undefined, notes: Notes): void {
  if (handler === undefined) return
  handler.leaveAll()
  if (handler.isCustom) {
    notes.stop('custom code: error handler')
    return
  }
  notes.leave('repeats', 'error_handler')
  for (const each of handler.children('error_handlers')) readErrors(each, notes)
  for (const each of handler.children('response_filters')) each.leaveAll()
  for (const each of handler.children('backoff_strategies')) {
    each.leaveAll()
    if (each.isCustom) notes.stop('custom code: waits')
  }
}
