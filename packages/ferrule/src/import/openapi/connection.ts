/** Where the API is, how people authenticate, and how it says errors. */

import { toSentence } from '../../kind-file/build-fields.ts'
import type { FileFields, FileScheme, KindFile, Named, Unsure } from '../../kind-file/file.ts'
import { DocumentError, type ImportOptions } from '../imported.ts'
import { splitWords, writeSentence } from '../words.ts'
import { asList, asObject, asText, type DocumentOperation, isJsonType, type Json, type OpenapiDocument } from './document.ts'
import type { Schemas } from './schemas.ts'

/** A part of a kind file, with what is unsure of it. */
export interface Part<T> {
  readonly value: T
  readonly unsure: Readonly<Record<string, Unsure>>
}

/** The address of the API. */
export type Address = Pick<KindFile, 'api' | 'path' | 'configuration'>

const slotPattern = /\{([^}]*)\}/g
const toSlot = (name: string): string => {
  const made = splitWords(name).join('_')
  return /^[a-z]/.test(made) ? made : 'account'
}
/** First parts of hosts that stand for the customer's own. */
const placeholder =
  /^(your|my|example|acme|company|mycompany|tenant|subdomain|domain|instance|account)([-_.]?(own|company|domain|subdomain|instance|tenant|site|org|account|shop|store|name))?$/i

/** Reads the first server with an address of https. */
function readServer(root: Json, given: string | undefined): { readonly url: string; readonly variables: Json } | undefined {
  if (given !== undefined) return { url: given, variables: {} }
  const servers = asList(root['servers']).map((each) => ({
    url: asText(asObject(each)['url']),
    variables: asObject(asObject(each)['variables']),
  }))
  const found = servers.find(({ url }) => /^https:/.test(url)) ?? servers.find(({ url }) => /^(http:|\{|\/\/)/.test(url))
  return found === undefined ? undefined : { ...found, url: found.url.replace(/^(http:)?\/\//, 'https://') }
}

/** Puts the default of a variable in place of one that is no part of a host of its own. */
const fillVariable = (name: string, variables: Json, isKept: boolean): string => {
  const { default: value, enum: values } = asObject(variables[name])
  const isChoice = Array.isArray(values) && values.length > 0
  return isKept && !isChoice ? `{${toSlot(name)}}` : asText(value)
}

/** Finds the address. @throws DocumentError for a document without one */
export function findAddress({ root }: OpenapiDocument, { api: given }: ImportOptions): Part<Address> {
  const server = readServer(root, given)
  const [, scheme = '', host = '', rest = ''] = /^(https:\/\/|\{[^}]*\}:?\/\/)?([^/?#]*)([^?#]*)/.exec(server?.url ?? '') ?? []
  if (server === undefined || host === '' || (scheme === '' && given === undefined))
    throw new DocumentError('does not say the address of its API: give it with --api')
  const labels = host.split('.')
  const isTop = (index: number): boolean => index >= labels.length - 2
  const slots: string[] = []
  const made = labels.map((label, index) => {
    const filled = label.replaceAll(slotPattern, (_, name: string) => fillVariable(name, server.variables, !isTop(index)))
    const kept =
      index === 0 && labels.length > 2 && placeholder.test(filled)
        ? `{${toSlot(filled.replace(/^(your|my)[-_.]?/i, '') || 'account')}}`
        : filled
    slots.push(...[...kept.matchAll(slotPattern)].map(([, name = '']) => name))
    return kept
  })
  const path = rest.replaceAll(slotPattern, (_, name: string) => fillVariable(name, server.variables, false)).replace(/\/+$/, '')
  const configuration: FileFields = Object.fromEntries(slots.map((name) => [name, `label ${toSentence(name)} in the address`]))
  const isPlain = /^(?:\/[\w.-]+)+$/.test(path)
  return {
    value: {
      api: `https://${made.join('.').toLowerCase().replace(/:443$/, '')}`,
      ...(isPlain ? { path } : {}),
      ...(slots.length === 0 ? {} : { configuration }),
    },
    unsure: slots.length === 0 || given !== undefined ? {} : { api: 'guessed' },
  }
}

const isEndpoint = (url: string): boolean => /^https:\/\/[^\s/?#{}]+\.[^\s/?#{}]+\/[^\s?#{}]*$/.test(url)
const resolveUrl = (url: string, api: string): string => {
  const base = api.includes('{') ? undefined : api
  return URL.canParse(url, base) ? new URL(url, base).href : url
}

/** Reads the flow of OAuth that a kind can have: a page and a token, or the token alone. */
function readFlows(flows: Json, title: string, api: string): FileScheme | undefined {
  const { authorizationCode, accessCode, clientCredentials } = flows
  const code = asObject(authorizationCode ?? accessCode)
  const page = resolveUrl(asText(code['authorizationUrl']), api)
  const token = resolveUrl(asText(code['tokenUrl']), api)
  const scopes = Object.keys(asObject(code['scopes'])).filter((scope) => scope !== '')
  if (isEndpoint(page) && isEndpoint(token)) return { title, oauth: { page, token, ...(scopes.length === 0 ? {} : { scopes }) } }
  const own = asObject(clientCredentials)
  const ownToken = resolveUrl(asText(own['tokenUrl']), api)
  const ownScopes = Object.keys(asObject(own['scopes'])).filter((scope) => scope !== '')
  return isEndpoint(ownToken) ? { title, oauth: { token: ownToken, ...(ownScopes.length === 0 ? {} : { scopes: ownScopes }) } } : undefined
}

/** Reads the words in front of a key in a header, from its description: `Klaviyo-API-Key {key}`. */
const readLead = (about: string): string =>
  /(?:^|[\s`'":])([A-Z][\w-]{2,30}) +[`'"]?(?:\{|<|\[|your[-_ ]|private[-_ ]api)/.exec(about)?.[1] ?? ''

/** Reads a way to authenticate. @param field name of the credential */
function readScheme(scheme: Json, name: string, api: string, field: string): FileScheme | undefined {
  const about = asText(scheme['description'])
  const title = writeSentence('', name, 60)
  switch (asText(scheme['type'])) {
    case 'http': {
      if (/^basic$/i.test(asText(scheme['scheme'])))
        return {
          title,
          fields: { username: 'string Name of the user', password: 'secret? Password' },
          send: { authorization: 'Basic {username}:{password}' },
        }
      const isBearer = /^bearer$/i.test(asText(scheme['scheme']))
      return isBearer ? { title, fields: { token: 'secret Token' }, send: { authorization: 'Bearer {token}' } } : undefined
    }
    case 'apiKey': {
      const carrier = asText(scheme['name'])
      const lead = /^authorization$/i.test(carrier) ? readLead(about) : ''
      if (scheme['in'] === 'query') return { title, fields: { [field]: 'secret Key' }, query: { [carrier]: `{${field}}` } }
      if (scheme['in'] !== 'header' || !/^[A-Za-z][A-Za-z0-9-]*$/.test(carrier)) return undefined
      return { title, fields: { [field]: 'secret Key' }, send: { [carrier.toLowerCase()]: `${lead === '' ? '' : `${lead} `}{${field}}` } }
    }
    case 'oauth2':
      return readFlows(asObject(scheme['flows']), title, api)
    default:
      return undefined
  }
}

/** Lists the names of schemes that operations ask for, the most used first. */
function listUsed(root: Json, operations: readonly DocumentOperation[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { raw } of operations)
    for (const wanted of asList(raw['security'] ?? root['security']))
      for (const name of Object.keys(asObject(wanted))) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].toSorted(([, one], [, other]) => other - one).map(([name]) => name)
}

/** Finds the ways to authenticate. A kind has one page of consent, and one host of tokens. */
export function findAuth(document: OpenapiDocument, operations: readonly DocumentOperation[], api: string): Part<KindFile['auth']> {
  const all = asObject(asObject(document.root['components'])['securitySchemes'])
  const used = listUsed(document.root, operations)
  const names = [...used.filter((name) => Object.hasOwn(all, name)), ...Object.keys(all).filter((name) => !used.includes(name))]
  const auth: Record<string, FileScheme> = {}
  const given = new Set<string>()
  for (const name of names) {
    const key =
      splitWords(name)
        .join('_')
        .replace(/^[^a-z]+/, '') || 'key'
    const scheme = readScheme(document.resolveObject(all[name]), name, api, given.has('api_key') ? `${key}_key` : 'api_key')
    const sign = scheme === undefined ? '' : Object.keys(scheme.fields ?? { oauth: '' }).join()
    if (scheme === undefined || given.has(sign)) continue
    given.add(sign)
    auth[key] = scheme
  }
  if (Object.keys(auth).length === 0)
    return {
      value: { token: { title: 'API token', fields: { token: 'secret Token' }, send: { authorization: 'Bearer {token}' } } },
      unsure: { auth: 'guessed' },
    }
  return { value: auth, unsure: Object.fromEntries(Object.keys(auth).map((name) => [`auth.${name}.find`, 'not said'] as const)) }
}

/** Paths of messages and codes in answers that are errors, the most telling first. */
const messages = [
  'error.message',
  'message',
  'errors[0].message',
  'errors[0].detail',
  'errorMessages[0]',
  'detail',
  'error_description',
  'errors[0].title',
  'title',
  'error',
]
const codes = ['error.code', 'code', 'errors[0].code', 'error_code', 'errorCode', 'category', 'error.type', 'errors[0].error_code']

/** Returns whether a schema has a text at a path. */
function hasText(schemas: Schemas, schema: unknown, path: string): boolean {
  const found = path.split('.').reduce<unknown>((inner, step) => {
    const [, name = '', index] = /^(\w+)(\[0\])?$/.exec(step) ?? []
    const value = schemas.read(inner).properties.get(name)
    return index === undefined ? value : schemas.read(value).items
  }, schema)
  if (found === undefined) return false
  const { types, items } = schemas.read(found)
  return items === undefined && (types.has('string') || types.has('integer'))
}

/** Finds where errors have their message and their code: the paths that most of them have. */
export function findErrors(schemas: Schemas, operations: readonly DocumentOperation[]): Part<Pick<KindFile, 'errors'>> {
  const bodies = operations.flatMap(({ refusals }) => refusals)
  const choose = (paths: readonly string[]): string | undefined => {
    const counted = paths.map((path) => ({ path, count: bodies.filter((each) => hasText(schemas, each, path)).length }))
    const best = counted.toSorted((one, other) => other.count - one.count)[0]
    return best === undefined || best.count === 0 ? undefined : best.path
  }
  const [message, code] = [choose(messages), choose(codes)]
  if (message === undefined) return { value: {}, unsure: { errors: 'not said' } }
  return {
    value: { errors: { message, ...(code === undefined || code === message ? {} : { code }) } },
    unsure: { 'errors.message': 'guessed', 'errors.rows': 'not said' },
  }
}

const versionHeader = /^(x-)?([a-z0-9-]+-)?(api-?)?(version|revision)$/i

/** Finds headers that every request must have: the version, and the form of answers. */
export function findHeaders(document: OpenapiDocument, schemas: Schemas, operations: readonly DocumentOperation[]): Part<Named<string>> {
  const headers: Record<string, string> = {}
  const unsure: Record<string, Unsure> = {}
  const counts = new Map<string, { count: number; value: string }>()
  for (const { parameters } of operations)
    for (const { name, in: place, schema } of parameters) {
      if (place !== 'header' || !versionHeader.test(name)) continue
      const { raw, values } = schemas.read(schema)
      const value =
        asText(raw['default']) ||
        String(values?.[0] ?? '') ||
        asText(asList(raw['examples'])[0]) ||
        asText(asObject(document.root['info'])['version'])
      const known = counts.get(name.toLowerCase()) ?? { count: 0, value }
      counts.set(name.toLowerCase(), { ...known, count: known.count + 1 })
    }
  for (const [name, { count, value }] of counts) {
    if (count * 2 < operations.length || !/^[\x20-\x7e]+$/.test(value)) continue
    headers[name] = value
    unsure[`headers.${name}`] = 'guessed'
  }
  const types = operations.flatMap(({ answer }) => (isJsonType(answer.type) ? [answer.type ?? ''] : []))
  const own = types.filter((type) => !/^application\/json|\*/.test(type))
  const [accept] = own
  if (accept !== undefined && own.length * 2 > types.length) headers['accept'] = accept.split(';')[0] ?? accept
  return { value: headers, unsure }
}
