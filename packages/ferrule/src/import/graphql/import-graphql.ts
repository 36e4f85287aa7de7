/** Makes a kind of the schema of a GraphQL API (docs/decisions/graphql-schemas.md). */

import { toSentence } from '../../kind-file/build-fields.ts'
import type { FileEntity, FileOperation, FileWay, Unsure } from '../../kind-file/file.ts'
import { DocumentError, type Imported, type Importer, type ImportOptions, type LeftOut } from '../imported.ts'
import { toEntityName, writeSentence } from '../words.ts'
import { FieldWriter, isFree } from './fields.ts'
import { type ConnectionList, chooseMain, findList } from './lists.ts'
import { type Change, changes, isRefused, OperationWriter, type PageWay } from './operations.ts'
import { type Member, type NamedType, readSchema, type Schema } from './schema.ts'

/** Most entities of a kind file. */
const mostEntities = 100
/** Largest sum of the entities in characters of JSON, so that the file stays below its bound. */
const mostText = 225_000
/** Records of a page, which schemas say in prose only. */
const pageSize = 50
/** Queries that answer who asks, and which account it is, the best first. */
const whoAsks = [
  'viewer',
  'me',
  'myself',
  'whoami',
  'self',
  'currentUser',
  'shop',
  'organization',
  'account',
  'currentAccount',
  'workspace',
]

const ways: Readonly<Record<PageWay, FileWay>> = {
  connection: {
    next: 'data.result.pageInfo.endCursor',
    more: 'data.result.pageInfo.hasNextPage',
    send: 'after',
    size: `first=${pageSize}`,
  },
  cursor: { next: 'data.result.pageInfo.endCursor', more: 'data.result.pageInfo.hasNextPage', send: 'after' },
}

/** Finds the key of a record: its id, or what people know it by. */
function findKey({ fields }: NamedType): string | undefined {
  return ['id', 'uuid', 'gid', 'key', 'slug', 'code', 'name'].find((name) => fields.some((field) => field.name === name && isFree(field)))
}

/** The changes of an entity. */
type WrittenChanges = { [C in Change]?: string | FileOperation }

/** Makes one kind. */
class GraphqlImport {
  readonly #schema: Schema
  readonly #options: ImportOptions
  readonly #fields: FieldWriter
  readonly #calls: OperationWriter
  readonly #unsure: Record<string, Unsure> = {}
  readonly #leftOut: LeftOut[] = []
  readonly #entities: Record<string, FileEntity> = {}
  readonly #ways = new Set<PageWay>()
  #text = 0

  constructor(schema: Schema, options: ImportOptions) {
    this.#schema = schema
    this.#options = options
    this.#fields = new FieldWriter(schema)
    this.#calls = new OperationWriter(schema, this.#fields)
  }

  #leave(what: string, why: string): void {
    this.#leftOut.push({ what, why })
  }

  /** Adds the entity of a list. @param isMain whether it is the list of all records of its type */
  #addList(list: ConnectionList, isMain: boolean): void {
    const { field, node } = list
    const name = toEntityName(field.name)
    const made = this.#calls.writeList(list)
    if (isRefused(made)) {
      this.#leave(`query ${field.name}`, made.why)
      return
    }
    const fields = this.#fields.writeRecord(node)
    const key = findKey(node)
    if (key === undefined) {
      this.#leave(`query ${field.name}`, 'its records have no id, so that nothing tells them apart')
      return
    }
    if (made.way !== undefined) this.#ways.add(made.way)
    else this.#unsure[`entities.${name}.list.pages`] = 'not said'
    if (key !== 'id') this.#unsure[`entities.${name}.key`] = 'guessed'
    if (isMain && typeof made.sync === 'object') this.#unsure[`entities.${name}.sync`] = 'guessed'
    const get = isMain ? this.#calls.writeGet(list) : undefined
    const entity = {
      about: writeSentence(field.about, field.name),
      ...(key === 'id' ? {} : { key }),
      fields,
      list: made.list,
      ...(get === undefined ? {} : { get }),
      ...(isMain ? this.#writeChanges(name, node) : {}),
      ...(isMain && made.sync !== undefined ? { sync: made.sync } : {}),
    }
    this.#text += JSON.stringify(entity).length
    if (this.#text > mostText) this.#leave(`query ${field.name}`, 'the file would be too large: name some lists with --only')
    else this.#entities[name] = entity
  }

  #writeChanges(name: string, node: NamedType): WrittenChanges {
    const made: WrittenChanges = {}
    for (const change of Object.keys(changes) as Change[]) {
      const mutation = this.#calls.findMutation(change, node)
      if (mutation === undefined) continue
      const written = this.#calls.writeChange(change, mutation, node)
      if (isRefused(written)) this.#leave(`mutation ${mutation.name}`, written.why)
      else {
        made[change] = written
        if (this.#hasErrors(mutation)) this.#unsure[`entities.${name}.${change}`] = 'guessed'
      }
    }
    return made
  }

  /** Returns whether a mutation reports failures within its answer, where no kind reads them. */
  #hasErrors({ type }: Member): boolean {
    return this.#schema.find(type.name)?.fields.some(({ name }) => /errors?$/i.test(name)) === true
  }

  /** Adds the query that proves the credentials, and returns its operation. */
  #addCheck(): string {
    for (const field of whoAsks.flatMap((name) => this.#schema.queries.filter((each) => each.name === name))) {
      const type = this.#schema.find(field.type.name)
      if (type === undefined || field.type.lists > 0 || !isFree(field) || findKey(type) !== 'id') continue
      const name = toEntityName(field.name)
      if (Object.hasOwn(this.#entities, name)) continue
      this.#entities[name] = {
        about: writeSentence(field.about, field.name),
        fields: this.#fields.writeRecord(type),
        get: `query ${field.name}`,
      }
      return `${name}.get`
    }
    const [first] = Object.entries(this.#entities).flatMap(([name, { sync }]) => (sync === undefined ? [] : [name]))
    if (first === undefined) throw new DocumentError('has no list of a connection that can be read without arguments')
    return `${first}.list`
  }

  #addLists(): void {
    const { only } = this.#options
    const lists = this.#schema.queries.flatMap((field) => {
      const list = findList(this.#schema, field)
      if (list === undefined && field.type.name.endsWith('Connection'))
        this.#leave(`query ${field.name}`, 'its records have no fields of their own, or its pages have no end')
      return list ?? []
    })
    const byNode = Map.groupBy(lists, ({ node }) => node.name)
    const wanted =
      only === undefined
        ? lists
        : lists.filter(({ field }) => only.some((name) => name === field.name || name === toEntityName(field.name)))
    if (wanted.length === 0)
      throw new DocumentError(only === undefined ? 'has no list of a connection' : 'has none of the lists that --only names')
    for (const list of wanted.slice(0, mostEntities - 1)) this.#addList(list, chooseMain(byNode.get(list.node.name) ?? []) === list)
    for (const { field } of wanted.slice(mostEntities - 1))
      this.#leave(`query ${field.name}`, `a kind has at most ${mostEntities} entities: name others with --only`)
  }

  /** Returns whether the file has the entity of a path. */
  #isThere(path: string): boolean {
    const [section, name = ''] = path.split('.')
    return section !== 'entities' || Object.hasOwn(this.#entities, name)
  }

  build(): Imported {
    const { kind, title = toSentence(this.#options.kind), api } = this.#options
    this.#addLists()
    const check = this.#addCheck()
    const address = api === undefined ? undefined : new URL(api)
    const path = address?.pathname.replace(/\/+$/, '') ?? ''
    if (address === undefined) this.#unsure['api'] = 'not said'
    if (path === '') this.#unsure['graphql'] = 'guessed'
    for (const name of ['category', 'docs', 'auth', 'limits']) this.#unsure[name] = 'not said'
    for (const name of ['errors', 'check']) this.#unsure[name] = 'guessed'
    if (this.#ways.has('connection')) this.#unsure['pages.connection.size'] = 'guessed'
    const origin = address?.origin ?? 'https://api.example.com'
    return {
      file: {
        kind,
        title,
        category: 'other',
        about: writeSentence(this.#schema.about, '') || `Records of ${title}`,
        docs: origin,
        api: origin,
        graphql: path === '' ? '/graphql' : path,
        auth: { token: { title: 'API token', fields: { token: 'secret Token' }, send: { authorization: 'Bearer {token}' } } },
        errors: { message: 'errors[0].message', code: 'errors[0].extensions.code', failed: 'errors' },
        check,
        ...(this.#ways.size === 0 ? {} : { pages: Object.fromEntries([...this.#ways].map((way) => [way, ways[way]])) }),
        lists: { at: 'data.result.nodes', ...(this.#ways.has('connection') ? { pages: 'connection' } : {}) },
        entities: this.#entities,
      },
      unsure: Object.fromEntries(Object.entries(this.#unsure).filter(([path]) => this.#isThere(path))),
      leftOut: this.#leftOut,
    }
  }
}

/**
 * Makes a kind of the answer of an introspection query.
 * @throws DocumentError
 */
export const importGraphql: Importer = (document, options) => new GraphqlImport(readSchema(document), options).build()
