/**
 * Makes a kind file of an OpenAPI document (2.0, 3.0 or 3.1). Nothing is fetched. What the heuristics know, and what they get right, is in
 * docs/decisions/importers.md.
 */

import { dropAbsent } from '../../definition/object.ts'
import { toSentence } from '../../kind-file/build-fields.ts'
import type { FileEntity, FileFields, FileOperation, FileScheme, KindFile, Named, Unsure } from '../../kind-file/file.ts'
import { DocumentError, dropEmpty, type Imported, type Importer, type ImportOptions, listCalls } from '../imported.ts'
import { splitWords, writeSentence } from '../sentences.ts'
import { classify } from './classify.ts'
import { asList, asObject, asText, type DocumentOperation, isJsonType, type Json, OpenapiDocument } from './document.ts'
import { findEntities } from './entities.ts'
import { Schemas } from './schemas.ts'

/** Most entities of a file, and most characters of its JSON: the text of a file has at most 256 kB. */
const most = { entities: 100, characters: 200_000 } as const

const listParents = ({ sync }: FileEntity): readonly string[] => (typeof sync === 'object' ? Object.keys(sync.each ?? {}) : [])

/** Chooses entities in their order, as many as fit; the check's entity always. */
function chooseNames({ entities, check }: Pick<KindFile, 'entities' | 'check'>): ReadonlySet<string> {
  const checked = (typeof check === 'string' ? check : check.run).split('.')[0] ?? ''
  const kept = new Set([checked])
  let characters = JSON.stringify(entities[checked] ?? {}).length
  for (const [name, entity] of Object.entries(entities)) {
    const size = JSON.stringify(entity).length + name.length + 100
    if (kept.has(name) || kept.size >= most.entities || characters + size > most.characters) continue
    kept.add(name)
    characters += size
  }
  return kept
}

const keepUnsure = (unsure: Readonly<Record<string, Unsure>>, kept: ReadonlySet<string>): Readonly<Record<string, Unsure>> =>
  Object.fromEntries(Object.entries(unsure).filter(([path]) => !path.startsWith('entities.') || kept.has(path.split('.')[1] ?? '')))

/** Leaves out entities that no reader would take, and syncs that start from them. */
function fitFile(imported: Imported): Imported {
  const { file, unsure, leftOut } = imported
  const kept = chooseNames(file)
  if (kept.size === Object.keys(file.entities).length) return imported
  const entities = Object.entries(file.entities).filter(([name]) => kept.has(name))
  const left = Object.entries(file.entities).filter(([name]) => !kept.has(name))
  const why = `The file is full: a kind has at most ${most.entities} entities and 256 kB. Choose entities or tags with --only.`
  return {
    file: {
      ...file,
      entities: Object.fromEntries(
        entities.map(([name, { sync, ...entity }]) =>
          sync === undefined || listParents({ ...entity, sync }).every((parent) => kept.has(parent))
            ? [name, { ...entity, ...(sync === undefined ? {} : { sync }) }]
            : [name, entity],
        ),
      ),
    },
    unsure: keepUnsure(unsure, kept),
    leftOut: [...leftOut, ...left.flatMap(([name, entity]) => listCalls(entity).map((what) => ({ what: `${what} (${name})`, why })))],
  }
}

function findShared<K extends 'at' | 'pages' | 'as' | 'arrays'>(
  operations: readonly (string | FileOperation)[],
  key: K,
): FileOperation[K] | undefined {
  const values = new Set(operations.map((each) => (typeof each === 'object' ? each : undefined)?.[key]))
  const [only] = values
  return operations.length > 1 && values.size === 1 ? only : undefined
}

const listKeys = ['at', 'pages', 'arrays'] as const
const writeKeys = ['as', 'arrays'] as const

/** Takes keys out of operations that stand in `lists` or `writes` of the file. */
const without = (value: string | FileOperation | undefined, keys: readonly string[]): string | FileOperation | undefined => {
  if (value === undefined || typeof value === 'string') return value
  const kept = Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)))
  return Object.keys(kept).length === 1 ? value.call : { ...kept, call: value.call }
}

/** Moves what all lists and all writes have in common to the top. */
function shareOperations(entities: Named<FileEntity>): Pick<KindFile, 'entities' | 'lists' | 'writes'> {
  const all = Object.values(entities)
  const lists = all.flatMap(({ list }) => list ?? [])
  const writes = all.flatMap(({ create, update }) => [create ?? [], update ?? []].flat())
  const shared = Object.fromEntries(
    listKeys.flatMap((key) => (findShared(lists, key) === undefined ? [] : [[key, findShared(lists, key)]])),
  )
  const written = Object.fromEntries(
    writeKeys.flatMap((key) => (findShared(writes, key) === undefined ? [] : [[key, findShared(writes, key)]])),
  )
  const moved = Object.entries(entities).map(([name, { list, create, update, ...rest }]) => {
    const operations = {
      list: without(list, Object.keys(shared)),
      create: without(create, Object.keys(written)),
      update: without(update, Object.keys(written)),
    }
    return [name, { ...rest, ...dropAbsent(operations) }] as const
  })
  return {
    ...dropEmpty({ lists: shared, writes: written }),
    entities: Object.fromEntries(moved.map(([name, entity]) => [name, orderKeys(entity)])),
  }
}

/** Puts the keys of an entity in the order in which people read them. */
const orderKeys = ({ about, key, fields, list, get, create, update, delete: remove, sync }: FileEntity): FileEntity =>
  dropAbsent({ about, key, fields, list, get, create, update, delete: remove, sync })

/** Chooses the call that proves the credentials: one about the user, else a list, else any call without parameters. */
function chooseCheck(entities: Named<FileEntity>): { readonly check: KindFile['check']; readonly isGuessed: boolean } {
  const calls = Object.entries(entities).flatMap(([name, { get, list }]) =>
    [
      get === undefined ? [] : [{ run: `${name}.get`, value: get }],
      list === undefined ? [] : [{ run: `${name}.list`, value: list }],
    ].flat(),
  )
  const isFree = (value: string | FileOperation): boolean => {
    const { call, params = {}, body = {} } = typeof value === 'string' ? { call: value } : value
    return !call.includes('{') && call.startsWith('GET') && !/"[a-z-]+(\[\])?! /.test(JSON.stringify({ params, body }))
  }
  const free = calls.filter(({ value }) => isFree(value))
  const own = free.find(
    ({ run }) => /^(me|self|whoami|user|account|current_user|profile|viewer|token|ping)\./.test(run) || /_(me|whoami)\./.test(run),
  )
  const found =
    own ?? free.find(({ run }) => /^(users|accounts)\.list/.test(run)) ?? free.find(({ run }) => run.endsWith('.list')) ?? free[0]
  if (found !== undefined) return { check: found.run, isGuessed: true }
  const [first] = calls
  if (first === undefined) throw new DocumentError('has no call that reads something')
  const slots = [...(typeof first.value === 'string' ? first.value : first.value.call).matchAll(/\{(\w+)\}/g)].map(
    ([, name = '']) => [name, '1'] as const,
  )
  const { params = {} } = typeof first.value === 'string' ? {} : first.value
  const needed = Object.keys(params)
    .filter((name) => /^[a-z-]+(\[\])?! /.test(String(params[name])))
    .map((name) => [name, '1'] as const)
  return { check: { run: first.run, params: Object.fromEntries([...slots, ...needed]) }, isGuessed: true }
}

function readInfo(
  { root }: OpenapiDocument,
  { title: given, kind }: ImportOptions,
  api: string,
): Pick<KindFile, 'title' | 'category' | 'about' | 'docs'> {
  const info = asObject(root['info'])
  const title = writeSentence(
    given ?? (asText(info['title']).replace(/ *(rest)? *(api|openapi)( *v?[\d.]+)?( specification)?$/i, '') || kind),
    kind,
    60,
  )
  const pages = [asText(asObject(root['externalDocs'])['url']), asText(asObject(info['contact'])['url'])]
  const docs = pages.find((url) => /^https:\/\/[^\s/]+\.[^\s]+$/.test(url)) ?? api
  const described = asText(info['description'])
  const about = described === '' ? `Records of ${title}` : writeSentence(described, title, 200)
  return { title, category: 'imported', about, docs }
}

/** Makes a kind file of all entities, also if no reader takes so many. */
export function importAll(document: unknown, options: ImportOptions): Imported {
  const read = new OpenapiDocument(document)
  const schemas = new Schemas(read)
  const operations = read.listOperations()
  const address = findAddress(read, options)
  const { api } = address.value
  const auth = findAuth(read, operations, String(api))
  const errors = findErrors(schemas, operations)
  const headers = findHeaders(read, schemas, operations)
  const found = findEntities(schemas, classify(read, schemas, operations), options.only)
  if (Object.keys(found.entities).length === 0)
    throw new DocumentError(
      options.only === undefined ? 'has no operation that fits an entity' : `has no entity and no tag ${options.only.join(', ')}`,
    )
  const { check, isGuessed } = chooseCheck(found.entities)
  const { path, configuration } = address.value
  return {
    file: {
      kind: options.kind,
      ...readInfo(read, options, String(api)),
      api,
      ...dropEmpty({ path, headers: headers.value, configuration }),
      auth: auth.value,
      ...errors.value,
      check,
      ...dropEmpty({ pages: found.pages }),
      ...shareOperations(found.entities),
    },
    unsure: {
      ...{ category: 'not said', limits: 'not said' },
      ...address.unsure,
      ...headers.unsure,
      ...auth.unsure,
      ...errors.unsure,
      ...(isGuessed ? { check: 'guessed' as const } : {}),
      ...found.unsure,
    },
    leftOut: found.leftOut,
  }
}

/** Makes a kind file of an OpenAPI document. */
export const importOpenapi: Importer = (document, options) => fitFile(importAll(document, options))

interface UnsurePart<T> {
  readonly value: T
  readonly unsure: Readonly<Record<string, Unsure>>
}

type Address = Pick<KindFile, 'api' | 'path' | 'configuration'>

const slotPattern = /\{([^}]*)\}/g
const toSlot = (name: string): string => {
  const made = splitWords(name).join('_')
  return /^[a-z]/.test(made) ? made : 'account'
}
/** First parts of hosts that stand for the customer's own. */
const placeholder =
  /^(your|my|example|acme|company|mycompany|tenant|subdomain|domain|instance|account)([-_.]?(own|company|domain|subdomain|instance|tenant|site|org|account|shop|store|name))?$/i

/** Reads the first server with an address of https. A given address without a path takes the path of the first server. */
function readServer(root: Json, given: string | undefined): { readonly url: string; readonly variables: Json } | undefined {
  const servers = asList(root['servers']).map((each) => ({
    url: asText(asObject(each)['url']),
    variables: asObject(asObject(each)['variables']),
  }))
  if (given !== undefined) {
    const { url = '', variables = {} } = servers[0] ?? {}
    const [, host = given, path = ''] = /^((?:\w+:\/\/)?[^/]+)(.*?)\/*$/.exec(given) ?? []
    return { url: host + (path || url.replace(/^(?:[a-z]+:|\{[^}]*\}:?)?\/\/[^/]*/, '')), variables }
  }
  const found = servers.find(({ url }) => /^https:/.test(url)) ?? servers.find(({ url }) => /^(http:|\{|\/\/)/.test(url))
  return found === undefined ? undefined : { ...found, url: found.url.replace(/^(http:)?\/\//, 'https://') }
}

/** Replaces a variable that is no part of a host of its own with its default. */
const fillVariable = (name: string, variables: Json, isKept: boolean): string => {
  const { default: value, enum: values } = asObject(variables[name])
  const isChoice = Array.isArray(values) && values.length > 0
  return isKept && !isChoice ? `{${toSlot(name)}}` : asText(value)
}

/** Returns whether a value of several was chosen for an address, or https for http. */
const isChosen = (root: Json, { url, variables }: { readonly url: string; readonly variables: Json }): boolean =>
  Object.values(variables).some((each) => asList(asObject(each)['enum']).length > 1) ||
  !asList(root['servers']).some((each) => asText(asObject(each)['url']) === url)

/** Finds the address. @throws DocumentError for a document without one */
function findAddress({ root }: OpenapiDocument, { api: given }: ImportOptions): UnsurePart<Address> {
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
    unsure: given === undefined && (slots.length > 0 || isChosen(root, server)) ? { api: 'guessed' } : {},
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

/** Lists what operations ask for, the most used first: a scheme, or several that belong together. */
function listUsed(root: Json, operations: readonly DocumentOperation[], known: Json): readonly (readonly string[])[] {
  const counts = new Map<string, { readonly names: readonly string[]; count: number }>()
  for (const { raw } of operations)
    for (const wanted of asList(raw['security'] ?? root['security'])) {
      const names = Object.keys(asObject(wanted)).filter((name) => Object.hasOwn(known, name))
      const asked = counts.get(names.join()) ?? { names, count: 0 }
      asked.count += 1
      if (names.length > 0) counts.set(names.join(), asked)
    }
  return [...counts.values()].toSorted((one, other) => other.count - one.count).map(({ names }) => names)
}

/** Joins schemes that belong together: a request carries them all. A page of consent stands alone. */
function joinSchemes(schemes: readonly FileScheme[]): FileScheme | undefined {
  const consent = schemes.find(({ oauth }) => oauth !== undefined)
  if (consent !== undefined || schemes.length < 2) return consent ?? schemes[0]
  const join = <T>(parts: readonly (Named<T> | undefined)[]): Named<T> =>
    Object.fromEntries(parts.flatMap((part) => Object.entries(part ?? {})))
  const [send, query] = [join(schemes.map((each) => each.send)), join(schemes.map((each) => each.query))]
  return {
    title: schemes.map(({ title }) => title).join(' and '),
    fields: join(schemes.map(({ fields }) => fields)),
    ...dropEmpty({ send, query }),
  }
}

const toSchemeName = (name: string): string =>
  splitWords(name)
    .join('_')
    .replace(/^[^a-z]+/, '') || 'key'

/** Finds the ways to authenticate. A kind has one page of consent, and one host of tokens. */
function findAuth(document: OpenapiDocument, operations: readonly DocumentOperation[], api: string): UnsurePart<KindFile['auth']> {
  const all = asObject(asObject(document.root['components'])['securitySchemes'])
  const used = listUsed(document.root, operations, all)
  const unused = Object.keys(all).filter((name) => !used.flat().includes(name))
  const auth: Record<string, FileScheme> = {}
  const given = new Set<string>()
  for (const names of [...used, ...unused.map((name) => [name])]) {
    const key = names.map(toSchemeName).join('_').slice(0, 40)
    const read = (name: string, index: number): FileScheme | undefined =>
      readScheme(document.resolveObject(all[name]), name, api, index > 0 || given.has('api_key') ? `${toSchemeName(name)}_key` : 'api_key')
    const scheme = joinSchemes(names.flatMap((name, index) => read(name, index) ?? []))
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
const errorMessages = [
  ...['error.message', 'message', 'errors[0].message', 'errors[0].detail', 'errorMessages[0]', 'detail', 'error_description'],
  ...['errors[0].title', 'title', 'error'],
]
const errorCodes = ['error.code', 'code', 'errors[0].code', 'error_code', 'errorCode', 'category', 'error.type', 'errors[0].error_code']

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
function findErrors(schemas: Schemas, operations: readonly DocumentOperation[]): UnsurePart<Pick<KindFile, 'errors'>> {
  const bodies = operations.flatMap(({ refusals }) => refusals)
  const choose = (paths: readonly string[]): string | undefined => {
    const counted = paths.map((path) => ({ path, count: bodies.filter((each) => hasText(schemas, each, path)).length }))
    const best = counted.toSorted((one, other) => other.count - one.count)[0]
    return best === undefined || best.count === 0 ? undefined : best.path
  }
  const [message, code] = [choose(errorMessages), choose(errorCodes)]
  if (message === undefined) return { value: {}, unsure: { errors: 'not said' } }
  return {
    value: { errors: { message, ...(code === undefined || code === message ? {} : { code }) } },
    unsure: { 'errors.message': 'guessed', 'errors.rows': 'not said' },
  }
}

const versionHeader = /^(x-)?([a-z0-9-]+-)?(api-?)?(version|revision)$/i

/** Finds headers that every request must have: the version, and the form of answers. */
function findHeaders(document: OpenapiDocument, schemas: Schemas, operations: readonly DocumentOperation[]): UnsurePart<Named<string>> {
  const headers: Record<string, string> = {}
  const unsure: Record<string, Unsure> = {}
  const counts = new Map<string, { count: number; value: string }>()
  for (const { parameters } of operations)
    for (const { name, in: sentIn, schema } of parameters) {
      if (sentIn !== 'header' || !versionHeader.test(name)) continue
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
