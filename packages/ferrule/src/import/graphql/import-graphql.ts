/** Makes a kind of the schema of a GraphQL API (docs/decisions/importers.md). */

import { toSentence } from '../../kind-file/build-fields.ts'
import type { FileEntity, FileFields, FileOperation, FileSync, FileWay, Unsure } from '../../kind-file/file.ts'
import { DocumentError, dropEmpty, type Imported, type Importer, type ImportOptions, type LeftOut, listCalls } from '../imported.ts'
import { toEntityName, writeSentence } from '../sentences.ts'
import { FieldWriter, isFree, isValue, type Member, type NamedType, readSchema, type Schema } from './schema.ts'

/** The ways of paging that the kind has. A list without `first` has pages of the vendor's own size. */
type PageWay = 'connection' | 'cursor'

interface MadeList {
  readonly list: FileOperation
  readonly sync?: string | FileSync
  /** The way that it pages by; undefined for a list of one page. */
  readonly way?: PageWay
}

interface Refused {
  readonly why: string
}

/** What a change is: its word in the kind file, and the words in names of mutations. */
const changes = {
  create: ['create'],
  update: ['update'],
  delete: ['delete'],
} as const
type WriteAction = keyof typeof changes

/** Arguments of paging, and those that go backwards, which no walk needs. */
const pagingArguments: ReadonlySet<string> = new Set(['first', 'after', 'last', 'before'])
/** Arguments of a plain list that answer a part of it, without a word for the next part. */
const partArgument = /^(first|last|after|before|limit|offset|skip|take|top|count|size|start|cursor|per_?page|pag(e|in).*)$/i
/** Names of parameters that every paged list has of its own. */
const ownParameters: ReadonlySet<string> = new Set(['cursor', 'limit'])
/** Types of arguments that a call in a kind file can state. */
const statable = /^\[?\w+!?\]?!?$/

/** Names of filters by the time of a change, and of the fields of records that they are about. */
const changedArgument = /^(updated|modified|changed|last_?modified)_?(at_?)?(since|after|from|gte?|min)$/i
const changedField = /^(updated|modified|changed|last_?modified|last_?updated)(_?(at|on|date|time))?$/i
const fromOperator = /^_?(gte|since|from|after|greaterThanOrEqual(To)?|greater_than_or_equal(_to)?|min|gt)$/i

/** Prints a call: `query issues(first: Int, after: String)`. */
function printCall(kind: 'query' | 'mutation', field: string, args: readonly Member[]): string {
  const list = args.map(({ name, type }) => `${name}: ${type.text}`).join(', ')
  return list === '' ? `${kind} ${field}` : `${kind} ${field}(${list})`
}

const needs = (args: readonly Member[]): readonly Member[] => args.filter(({ isNeeded }) => isNeeded)
const findMember = (members: readonly Member[], name: string): Member | undefined => members.find((each) => each.name === name)

/** A parameter for the time of the last change, and the argument that carries it. */
interface ChangedSince {
  readonly name: string
  readonly text: string | FileFields
  /** The argument, when it is a filter with members of its own. */
  readonly filter?: Member
}

class OperationWriter {
  readonly #schema: Schema
  readonly #fields: FieldWriter

  constructor(schema: Schema, fields: FieldWriter) {
    this.#schema = schema
    this.#fields = fields
  }

  #isValue({ type }: Member): boolean {
    const found = this.#schema.find(type.name)
    return found !== undefined && isValue(found)
  }

  #isInput({ type }: Member): boolean {
    return this.#schema.find(type.name)?.kind === 'INPUT_OBJECT' && type.lists === 0
  }

  /** Finds how a list is filtered by the time of a change: an argument, a member of a filter, or a comparison within one. */
  #findChangedSince(args: readonly Member[]): ChangedSince | undefined {
    const direct = args.find((each) => changedArgument.test(each.name) && this.#isValue(each))
    if (direct !== undefined) return { name: direct.name, text: 'date-time Changed at or after' }
    for (const filter of args.filter((each) => this.#isInput(each))) {
      const members = this.#schema.find(filter.type.name)?.inputs ?? []
      const flat = members.find((each) => changedArgument.test(each.name) && this.#isValue(each))
      const compared = members.find((each) => changedField.test(each.name) && this.#isInput(each))
      const operators = compared === undefined ? [] : (this.#schema.find(compared.type.name)?.inputs ?? [])
      const from = operators.filter((each) => fromOperator.test(each.name)).toSorted((one, other) => rankFrom(one) - rankFrom(other))[0]
      const path = flat?.name ?? (compared === undefined || from === undefined ? undefined : `${compared.name}.${from.name}`)
      if (path === undefined) continue
      return { name: 'changed_since', text: { $type: 'date-time', $about: 'Changed at or after', $to: `${filter.name}.${path}` }, filter }
    }
    return undefined
  }

  writeList({ field, node, place }: RecordList): MadeList | Refused {
    const odd = needs(field.args).find((each) => !this.#isValue(each) || !statable.test(each.type.text))
    if (odd !== undefined) return { why: `needs ${odd.name}: ${odd.type.text}, which is no value` }
    const own = field.args.filter(({ name }) => !pagingArguments.has(name))
    const since = this.#findChangedSince(own)
    const taken = own.filter(
      (each) =>
        each.name !== since?.name &&
        this.#isValue(each) &&
        statable.test(each.type.text) &&
        !ownParameters.has(each.name) &&
        this.#fields.writeParameter(each) !== undefined,
    )
    const isPaged = findMember(field.args, 'after') !== undefined
    const isSized = findMember(field.args, 'first') !== undefined
    const way = !isPaged ? undefined : isSized ? 'connection' : 'cursor'
    const paging = way === undefined ? [] : ['first', 'after'].flatMap((name) => findMember(field.args, name) ?? [])
    const carriers = since === undefined ? [] : [since.filter ?? findMember(own, since.name) ?? []].flat()
    const body = { ...(since === undefined ? {} : { [since.name]: since.text }), ...this.#fields.writeParameters(taken) }
    return {
      list: {
        call: printCall('query', field.name, [...paging, ...carriers, ...taken]),
        ...dropEmpty({ body }),
        ...place,
        ...(way === 'connection' ? {} : { pages: way ?? 'none' }),
      },
      ...(way === undefined ? {} : { way }),
      ...(needs(taken).length > 0 ? {} : this.#writeSync(node, since)),
    }
  }

  #writeSync(node: NamedType, since: ChangedSince | undefined): Pick<MadeList, 'sync'> {
    const changed = node.fields.find((field) => changedField.test(field.name) && this.#isValue(field) && isFree(field))
    if (since === undefined || changed === undefined) return { sync: 'full' }
    return { sync: { since: { [changed.name]: since.name } } }
  }

  writeGet({ field: { name: list }, node }: RecordList): string | undefined {
    const found = this.#schema.queries.filter(({ type, args }) => {
      const id = findMember(args, 'id')
      return (
        type.name === node.name && type.lists === 0 && id !== undefined && this.#isValue(id) && needs(args).every((each) => each === id)
      )
    })
    const own = [toFieldName(node.name), list.replace(/s$/, '')]
    const chosen = own.flatMap((name) => findMember(found, name) ?? [])[0] ?? found[0]
    const id = findMember(chosen?.args ?? [], 'id')
    if (chosen === undefined || id === undefined) return undefined
    const call = printCall('query', chosen.name, [id])
    return id.isNeeded ? call : call.replace(/\)$/, '!)')
  }

  /** Finds the mutation of a change by its name: `issueCreate`, `createIssue`, `issue_create`. */
  findMutation(change: WriteAction, { name }: NamedType): Member | undefined {
    const wanted = changes[change].flatMap((verb) => [`${verb}${name}`, `${name}${verb}`].map((each) => each.toLowerCase()))
    return this.#schema.mutations.find((each) => wanted.includes(each.name.replaceAll('_', '').toLowerCase()))
  }

  writeChange(change: WriteAction, mutation: Member, node: NamedType): string | FileOperation | Refused {
    const { args } = mutation
    const inputs = args.filter((each) => this.#isInput(each))
    const input = inputs.find(({ isNeeded }) => isNeeded) ?? findMember(inputs, 'input') ?? (inputs.length === 1 ? inputs[0] : undefined)
    const odd = needs(args).find((each) => each !== input && !this.#isValue(each))
    const unstatable = needs(args).find(({ type }) => !statable.test(type.text))
    if (odd !== undefined || unstatable !== undefined)
      return { why: `needs ${(odd ?? unstatable)?.name}, which is neither a value nor its only object` }
    const answers = this.#writeAnswer(change, mutation, node)
    if ('why' in answers) return answers
    const values = args.filter(
      (each) => this.#isValue(each) && statable.test(each.type.text) && this.#fields.writeParameter(each) !== undefined,
    )
    const id = values.find(({ name }) => name === 'id' || name === `${toFieldName(node.name)}Id`)
    if (input === undefined) return this.#writeFlat(change, mutation, { values, id, answers })
    const members = (this.#schema.find(input.type.name)?.inputs ?? []).filter(({ name }) => name !== 'clientMutationId')
    const beside = values.filter((each) => each.isNeeded || each === id)
    const body = this.#fields.writeParameters(members.filter(({ name }) => findMember(beside, name) === undefined))
    if (Object.keys(body).length === 0) return { why: `its ${input.name} has no field that a parameter can be` }
    if (change !== 'create' && id === undefined && findMember(members, 'id') === undefined) return { why: 'names no record by an id' }
    return { call: printCall('mutation', mutation.name, [...beside, input]), wrap: input.name, body, ...answers }
  }

  /** Writes a change whose values are arguments themselves. */
  #writeFlat(
    change: WriteAction,
    { name }: Member,
    {
      values,
      id,
      answers,
    }: { readonly values: readonly Member[]; readonly id: Member | undefined; readonly answers: Partial<FileOperation> },
  ): string | FileOperation | Refused {
    if (change !== 'create' && id === undefined) return { why: 'names no record by an id' }
    const sent = change === 'delete' ? needs(values) : values
    const call = printCall('mutation', name, id === undefined || sent.includes(id) ? sent : [id, ...sent])
    const body = change === 'delete' ? {} : this.#fields.writeParameters(values.filter((each) => each !== id))
    const full = { call, ...dropEmpty({ body }), ...answers }
    return Object.keys(full).length === 1 ? call : full
  }

  #writeAnswer(change: WriteAction, { type }: Member, node: NamedType): Pick<FileOperation, 'at' | 'answers'> | Refused {
    const payload = this.#schema.find(type.name)
    if (payload === undefined || payload.fields.length === 0)
      return { why: `answers ${type.text}, a single value: calls ask for the fields of an object` }
    if (change === 'delete' || payload.name === node.name) return {}
    const holders = payload.fields.filter((field) => field.type.name === node.name && field.type.lists === 0 && isFree(field))
    const holder = findMember(holders, toFieldName(node.name)) ?? holders[0]
    return holder === undefined ? { answers: 'nothing' } : { at: `data.result.${holder.name}` }
  }
}

/** Orders comparisons: those that include the time itself go first. */
const rankFrom = ({ name }: Member): number => (/gte|equal|since|from|min/i.test(name) ? 0 : 1)

const isRefused = (made: string | object): made is Refused => typeof made === 'object' && 'why' in made

/** Most entities of a kind file. */
const mostEntities = 100
/** Largest sum of the entities in characters of JSON, so that the file stays below its bound. */
const mostText = 225_000
/** Records of a page, which schemas say in prose only. */
const pageSize = 50
/** Queries that answer who asks, and which account it is, the best first. */
const whoAsks = 'viewer me myself whoami self currentUser shop organization account currentAccount workspace'.split(' ')

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

type WrittenChanges = { [C in WriteAction]?: string | FileOperation }

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
  #addList(list: RecordList, isMain: boolean): void {
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
    for (const change of Object.keys(changes) as WriteAction[]) {
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
    if (first === undefined) throw new DocumentError('has no list that can be read without arguments')
    return `${first}.list`
  }

  #addLists(): void {
    const { only } = this.#options
    const lists = this.#schema.queries
      .flatMap((field) => findList(this.#schema, field) ?? [])
      .toSorted((one, other) => Number(one.place === plainPlace) - Number(other.place === plainPlace))
    const byNode = Map.groupBy(lists, ({ node }) => node.name)
    const wanted =
      only === undefined
        ? lists
        : lists.filter(({ field }) => only.some((name) => name === field.name || name === toEntityName(field.name)))
    if (wanted.length === 0)
      throw new DocumentError(only === undefined ? 'has no list of records' : 'has none of the lists that --only names')
    for (const list of wanted.slice(0, mostEntities - 1)) this.#addList(list, chooseMain(byNode.get(list.node.name) ?? []) === list)
    for (const { field } of wanted.slice(mostEntities - 1))
      this.#leave(`query ${field.name}`, `a kind has at most ${mostEntities} entities: name others with --only`)
  }

  /** Names the queries and mutations that nothing was made of. */
  #leaveRest(): void {
    const calls = Object.values(this.#entities).flatMap(listCalls)
    const met = new Set([...calls.map((call) => call.split('(')[0]), ...this.#leftOut.map(({ what }) => what)])
    for (const field of this.#schema.queries) if (!met.has(`query ${field.name}`)) this.#leave(`query ${field.name}`, this.#explain(field))
    for (const { name } of this.#schema.mutations)
      if (!met.has(`mutation ${name}`)) this.#leave(`mutation ${name}`, 'its name is not that of the create, update or delete of a list')
  }

  /** Says why a query became no operation. */
  #explain(field: Member): string {
    const { type, args } = field
    const part = args.find(({ name }) => partArgument.test(name))
    if (type.name.endsWith('Connection')) return 'its records have no fields of their own, or its pages have no end'
    if (findNode(this.#schema, field) === undefined) return 'answers no object with fields of its own'
    if (type.lists > 1) return 'answers a list of lists'
    if (type.lists === 0) return 'answers one record, which is none of a list by its id'
    return part === undefined ? 'answers records of several types' : `takes ${part.name}, and does not say where the next page is`
  }

  #isThere(path: string): boolean {
    const [section, name = ''] = path.split('.')
    return section !== 'entities' || Object.hasOwn(this.#entities, name)
  }

  build(): Imported {
    const { kind, title = toSentence(this.#options.kind), api } = this.#options
    this.#addLists()
    const check = this.#addCheck()
    if (this.#options.only === undefined) this.#leaveRest()
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

/** Makes a kind of the answer of an introspection query. @throws DocumentError */
export const importGraphql: Importer = (document, options) => new GraphqlImport(readSchema(document), options).build()

interface RecordList {
  readonly field: Member
  readonly node: NamedType
  /** Where the records stand, if not in the nodes of a page. */
  readonly place: Pick<FileOperation, 'at' | 'merge'>
}

/** Where the records of a list without pages stand. */
const plainPlace = { at: 'data.result' }

function findNode(schema: Schema, field: Member | undefined): NamedType | undefined {
  const type = field === undefined ? undefined : schema.find(field.type.name)
  return type !== undefined && type.fields.length > 0 ? type : undefined
}

/** Returns the list that a field is; undefined for any other field. */
function findList(schema: Schema, field: Member): RecordList | undefined {
  const connection = schema.find(field.type.name)
  if (field.type.lists === 1 && !field.args.some(({ name }) => partArgument.test(name))) {
    const node = findNode(schema, field)
    return node?.kind === 'OBJECT' ? { field, node, place: plainPlace } : undefined
  }
  if (connection === undefined || field.type.lists > 0) return undefined
  const info = findMember(connection.fields, 'pageInfo')
  const page = info === undefined ? undefined : schema.find(info.type.name)
  if (page === undefined || findMember(page.fields, 'endCursor') === undefined || findMember(page.fields, 'hasNextPage') === undefined)
    return undefined
  const nodes = findMember(connection.fields, 'nodes')
  const node = findNode(schema, nodes)
  if (nodes !== undefined && nodes.type.lists === 1 && node !== undefined) return { field, node, place: {} }
  const edges = findMember(connection.fields, 'edges')
  const edge = findNode(schema, edges)
  const inner = edge === undefined ? undefined : findNode(schema, findMember(edge.fields, 'node'))
  return inner === undefined ? undefined : { field, node: inner, place: { at: 'data.result.edges', merge: ['node'] } }
}

/** Writes the name of a type as fields and arguments begin with it: `IssueLabel` → `issueLabel`. */
const toFieldName = (name: string): string => name.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (start) => start.toLowerCase())

const listPlurals = (name: string): readonly string[] => [
  `${name}s`,
  `${name}es`,
  name.replace(/y$/, 'ies'),
  name.replace(/(f|fe)$/, 'ves'),
]

/**
 * Chooses, among the lists of one type, the list of all records: the others search, or have a part of them. The field named after the type
 * goes first, then fields without needed arguments, then the shortest name.
 */
function chooseMain(lists: readonly RecordList[]): RecordList | undefined {
  const rank = ({ field, node, place }: RecordList): number =>
    (listPlurals(toFieldName(node.name)).includes(field.name) ? 0 : 200) +
    (place === plainPlace || field.args.some(({ isNeeded }) => isNeeded) ? 100 : 0) +
    Math.min(field.name.length, 99)
  return lists.toSorted((one, other) => rank(one) - rank(other))[0]
}
