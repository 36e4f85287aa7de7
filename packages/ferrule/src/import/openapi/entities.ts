/** Groups operations into entities: those of one path, with and without its slots, belong together. */

import { toSentence } from '../../kind-file/build-fields.ts'
import type { FileEntity, FileFields, FileOperation, FileSync, FileWay, Named, Unsure } from '../../kind-file/file.ts'
import type { LeftOut } from '../imported.ts'
import { toEntityName, toSlotName } from '../words.ts'
import type { Action, Classified } from './classify.ts'
import { asObject } from './document.ts'
import { FieldWriter, isFieldName } from './fields.ts'
import { findBase, isSlot, listNouns, splitPath, toSingular } from './names.ts'
import { type Accepted, listTags, OperationWriter, writeAbout } from './operations.ts'
import { type FoundWay, PagingFinder } from './paging.ts'
import { findKey, findSlot } from './rows.ts'
import type { Schemas, Shape } from './schemas.ts'
import { findSince } from './since.ts'

/** Entities, ways of paging, and what is unsure of them. */
export interface FoundEntities {
  readonly entities: Named<FileEntity>
  readonly pages: Named<FileWay>
  readonly unsure: Readonly<Record<string, Unsure>>
  readonly leftOut: readonly LeftOut[]
}

/** Operations that become one entity. */
interface Group {
  readonly base: string
  readonly members: Map<Action, Accepted>
}

const actions: readonly Action[] = ['list', 'get', 'create', 'update', 'delete']
/** Deepest objects of records whose fields are written. */
const recordDepth = 0

/** Puts each operation to the others of its path. One that finds its place taken gets an entity of its own. */
function group(accepted: readonly Accepted[]): readonly Group[] {
  const groups: Group[] = []
  const byBase = new Map<string, Group[]>()
  // PATCH changes parts, which callers want more often than PUT.
  const ordered = accepted.toSorted((one, other) => Number(one.operation.method === 'PUT') - Number(other.operation.method === 'PUT'))
  for (const each of ordered) {
    const base = findBase(each.operation.path).replaceAll(/\{[^}]*\}/g, '{}')
    const known = byBase.get(base) ?? []
    const free = known.find(({ members }) => !members.has(each.action))
    const target = free ?? { base: findBase(each.operation.path), members: new Map() }
    target.members.set(each.action, each)
    if (free === undefined) {
      byBase.set(base, [...known, target])
      groups.push(target)
    }
  }
  return groups
}

/** Names entities by the nouns of their paths: as many as it takes to tell them apart, short paths first. */
function nameGroups(groups: readonly Group[]): ReadonlyMap<string, Group> {
  const named = new Map<string, Group>()
  const ordered = groups.toSorted((one, other) => splitPath(one.base).length - splitPath(other.base).length)
  for (const each of ordered) {
    const nouns = listNouns(each.base)
    const candidates = nouns.map((_, index) => {
      const parts = nouns.slice(nouns.length - 1 - index)
      return toEntityName(parts.map((part, at) => (at < parts.length - 1 ? toSingular(part) : part)).join('_'))
    })
    const last = candidates.at(-1) ?? 'records'
    const numbered = Array.from({ length: groups.length + 1 }, (_, index) => `${last}_${index + 2}`)
    const name = [...candidates, last, ...numbered].find((one) => !named.has(one) && !/^(constructor|then|prototype)$/.test(one)) ?? last
    named.set(name, each)
  }
  return named
}

/** Builds the entities of a document. */
class EntityBuilder {
  readonly #schemas: Schemas
  readonly #fields: FieldWriter
  readonly #operations: OperationWriter
  readonly #paging: PagingFinder
  readonly #ways = new Map<string, string>()
  readonly pages: Record<string, FileWay> = {}
  readonly unsure: Record<string, Unsure> = {}
  readonly leftOut: LeftOut[] = []

  constructor(schemas: Schemas, accepted: readonly Accepted[]) {
    this.#schemas = schemas
    this.#fields = new FieldWriter(schemas)
    this.#operations = new OperationWriter(schemas, this.#fields)
    const lists = accepted.flatMap(({ operation, action, found }) =>
      action === 'list' && found !== undefined ? [{ operation, parameters: this.#operations.listParameters(operation), rows: found }] : [],
    )
    this.#paging = new PagingFinder(schemas, lists)
  }

  build(name: string, { members }: Group): FileEntity | undefined {
    const all = actions.flatMap((action) => members.get(action) ?? [])
    const record = this.#findRecord(all)
    const path = all[0]?.operation.path ?? ''
    const slot = findSlot(
      [members.get('get'), members.get('update'), members.get('delete')].flatMap((each) => each?.operation.path ?? [])[0] ?? '',
    )
    const fields = this.#writeRecord(name, record, all)
    if (Object.keys(fields).length === 0) {
      for (const { operation } of all) this.leftOut.push({ what: operation.call, why: 'The document names no field of its record.' })
      return undefined
    }
    const key = record === undefined ? undefined : findKey(this.#schemas, record, path, slot)
    const own = key === undefined || fields[key.key] === undefined ? undefined : key
    if (own?.isGuessed === true) this.unsure[`entities.${name}.key`] = 'guessed'
    const operations = Object.fromEntries(all.map((each) => [each.action, this.#writeOperation(name, each, record)]))
    return {
      about: writeAbout(all, name),
      ...(own?.key === 'id' ? {} : { key: own?.key ?? 'none' }),
      fields,
      ...operations,
    }
  }

  /** Finds the record: that of `get`, else of the list, else what a write answers. */
  #findRecord(all: readonly Accepted[]): Shape | undefined {
    const order: readonly Action[] = ['get', 'list', 'create', 'update']
    const shapes = order.flatMap((action) => all.find((each) => each.action === action)?.found?.record ?? [])
    const read = shapes.filter((shape) => shape.properties.size > 0)
    return read[0]
  }

  #writeRecord(name: string, record: Shape | undefined, all: readonly Accepted[]): FileFields {
    if (record !== undefined) return this.#fields.writeFields(record, { place: 'record', depth: recordDepth })
    this.unsure[`entities.${name}.fields`] = 'guessed'
    const slots = all
      .flatMap(({ operation }) => splitPath(operation.path).filter(isSlot))
      .map((part) => toSlotName(part.replaceAll(/[{}]/g, '')))
    return Object.fromEntries([...new Set(slots)].filter(isFieldName).map((slot) => [slot, `string ${toSentence(slot)}`]))
  }

  #writeOperation(entity: string, accepted: Accepted, record: Shape | undefined): string | FileOperation {
    const { operation, action, found } = accepted
    if (action !== 'list') {
      const written = this.#operations.write(accepted)
      const [answered, whole] = [found?.record.properties.size ?? 0, record?.properties.size ?? 0]
      const isPart = (action === 'create' || action === 'update') && answered > 0 && answered * 2 <= whole
      return shorten(isPart ? { ...written, answers: 'part' } : written)
    }
    if (found?.isGuessed === true) this.unsure[`entities.${entity}.list.at`] = 'guessed'
    const parameters = this.#operations.listParameters(operation)
    const way = found === undefined ? undefined : this.#paging.find({ operation, parameters, rows: found })
    if (way === undefined || way.isGuessed) this.unsure[`entities.${entity}.list.pages`] = way === undefined ? 'not said' : 'guessed'
    return shorten(this.#operations.write(accepted, { name: this.#nameWay(way), found: way }))
  }

  #nameWay(found: FoundWay | undefined): string {
    if (found === undefined) return 'none'
    const text = JSON.stringify(found.way)
    const known = this.#ways.get(text)
    if (known !== undefined) return known
    const { next, send } = found.way
    const base = /^(rows|pages|link)$/.test(next)
      ? { rows: 'offset', pages: 'numbers', link: 'link' }[next as 'rows']
      : next.startsWith('last:')
        ? 'last'
        : send === undefined
          ? 'address'
          : 'cursor'
    const names = [base, ...Array.from({ length: this.#ways.size + 1 }, (_, index) => `${base}_${index + 2}`)]
    const name = names.find((each) => !(each in this.pages)) ?? base
    this.#ways.set(text, name)
    this.pages[name] = found.way
    return name
  }
}

/** Writes an operation that is only a call as a text. */
const shorten = (operation: FileOperation): string | FileOperation => (Object.keys(operation).length === 1 ? operation.call : operation)

/** Returns whether the user wants an entity: by its name, or by a tag of its operations. */
const isWanted = (name: string, { members }: Group, only: readonly string[] | undefined): boolean =>
  only === undefined || only.some((wanted) => wanted === name || [...members.values()].some((each) => listTags(each).includes(wanted)))

/** Chooses how lists are copied: those without required parameters, and those that one copied entity feeds. */
class SyncFinder {
  readonly #entities: Named<FileEntity>
  readonly #named: ReadonlyMap<string, Group>
  readonly #parents: ReadonlyMap<string, string>

  constructor(entities: Named<FileEntity>, named: ReadonlyMap<string, Group>) {
    this.#entities = entities
    this.#named = named
    const lists = Object.entries(entities).filter(([, { list, key }]) => list !== undefined && key !== 'none')
    this.#parents = new Map(lists.map(([name]) => [named.get(name)?.base ?? '', name]))
  }

  find(name: string): FileSync | 'full' | undefined {
    const { list, key, fields } = this.#entities[name] ?? { fields: {} }
    if (list === undefined || key === 'none') return undefined
    const { call, params = {}, body = {} } = typeof list === 'string' ? { call: list } : list
    if (call.startsWith('POST') || Object.values({ ...params, ...body }).some(isNeeded)) return undefined
    const found = findSince(fields, params)
    const since = found === undefined ? {} : { since: found }
    const slots = splitPath(call).filter(isSlot)
    const [slot = '', another] = slots
    if (slot === '') return found === undefined ? 'full' : since
    const parent = another === undefined ? this.#findParent(name) : undefined
    return parent === undefined ? undefined : { each: { [parent.name]: { [slot.replaceAll(/[{}]/g, '')]: parent.key } }, ...since }
  }

  /** Finds the entity whose records have the path's only slot. Its own list has none, and is copied. */
  #findParent(name: string): { readonly name: string; readonly key: string } | undefined {
    const parts = splitPath(this.#named.get(name)?.base ?? '')
    const parent = this.#parents.get(`/${parts.slice(0, parts.findIndex(isSlot)).join('/')}`)
    if (parent === undefined || parent === name) return undefined
    return this.find(parent) === undefined ? undefined : { name: parent, key: String(this.#entities[parent]?.key ?? 'id') }
  }
}

/** Returns whether callers must give a parameter. */
const isNeeded = (field: unknown): boolean =>
  /!( |$)/.test(typeof field === 'string' ? (field.split(' ')[0] ?? '') : String(asObject(field)['$type'] ?? ''))

/** Adds how each list is copied. */
function addSyncs(entities: Named<FileEntity>, named: ReadonlyMap<string, Group>, unsure: Record<string, Unsure>): Named<FileEntity> {
  const finder = new SyncFinder(entities, named)
  return Object.fromEntries(
    Object.entries(entities).map(([name, entity]) => {
      const sync = finder.find(name)
      if (entity.list !== undefined) unsure[`entities.${name}.sync`] = sync === undefined ? 'not said' : 'guessed'
      return [name, sync === undefined ? entity : { ...entity, sync }]
    }),
  )
}

/** Finds the entities of a document. */
export function findEntities(schemas: Schemas, classified: readonly Classified[], only: readonly string[] | undefined): FoundEntities {
  const accepted = classified.filter((each): each is Accepted => each.action !== undefined)
  const builder = new EntityBuilder(schemas, accepted)
  const named = nameGroups(group(accepted))
  const wanted = [...named].filter(([name, each]) => isWanted(name, each, only))
  const built = wanted.flatMap(([name, each]): [string, FileEntity][] => {
    const entity = builder.build(name, each)
    return entity === undefined ? [] : [[name, entity]]
  })
  const entities = addSyncs(Object.fromEntries(built), named, builder.unsure)
  const refused =
    only === undefined
      ? classified.flatMap((each) => (each.action === undefined ? [{ what: each.operation.call, why: each.why }] : []))
      : []
  return { entities, pages: builder.pages, unsure: builder.unsure, leftOut: [...refused, ...builder.leftOut] }
}
