/**
 * Makes a kind file of an OpenAPI document (2.0, 3.0 or 3.1). Nothing is fetched. What the heuristics know, and what they get right, is in
 * docs/decisions/importers.md.
 */
import type { FileEntity, FileOperation, KindFile, Named, Unsure } from '../../kind-file/file.ts'
import { DocumentError, type Imported, type Importer, type ImportOptions } from '../imported.ts'
import { writeSentence } from '../words.ts'
import { classify } from './classify.ts'
import { findAddress, findAuth, findErrors, findHeaders } from './connection.ts'
import { asObject, asText, OpenapiDocument } from './document.ts'
import { findEntities } from './entities.ts'
import { Schemas } from './schemas.ts'

/** Most entities of a file, and most characters of its JSON: the text of a file has at most 256 kB. */
const most = { entities: 100, characters: 200_000 } as const

const listParents = ({ sync }: FileEntity): readonly string[] => (typeof sync === 'object' ? Object.keys(sync.each ?? {}) : [])
const listOperations = (entity: FileEntity): readonly string[] =>
  [entity.list, entity.get, entity.create, entity.update, entity.delete].flatMap((each) =>
    each === undefined ? [] : [typeof each === 'string' ? each : each.call],
  )

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
    leftOut: [...leftOut, ...left.flatMap(([name, entity]) => listOperations(entity).map((what) => ({ what: `${what} (${name})`, why })))],
  }
}

const writeOf = (value: string | FileOperation | undefined): FileOperation | undefined => (typeof value === 'object' ? value : undefined)

/** Returns what all lists, or all writes, say about one key. */
function findShared<K extends 'at' | 'pages' | 'as' | 'arrays'>(
  operations: readonly (string | FileOperation)[],
  key: K,
): FileOperation[K] | undefined {
  const values = new Set(operations.map((each) => writeOf(each)?.[key]))
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
    return [name, { ...rest, ...Object.fromEntries(Object.entries(operations).filter(([, value]) => value !== undefined)) }] as const
  })
  return {
    ...(Object.keys(shared).length === 0 ? {} : { lists: shared }),
    ...(Object.keys(written).length === 0 ? {} : { writes: written }),
    entities: Object.fromEntries(moved.map(([name, entity]) => [name, orderKeys(entity)])),
  }
}

/** Puts the keys of an entity in the order in which people read them. */
const orderKeys = ({ about, key, fields, list, get, create, update, delete: remove, sync }: FileEntity): FileEntity => {
  const rest = { list, get, create, update, delete: remove, sync }
  return {
    about,
    ...(key === undefined ? {} : { key }),
    fields,
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
  }
}

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
      ...(path === undefined ? {} : { path }),
      ...(Object.keys(headers.value).length === 0 ? {} : { headers: headers.value }),
      ...(configuration === undefined ? {} : { configuration }),
      auth: auth.value,
      ...errors.value,
      check,
      ...(Object.keys(found.pages).length === 0 ? {} : { pages: found.pages }),
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
