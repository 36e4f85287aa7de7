/** Plans the lists that a sync walks, and what depends on each, from the definition. */
import type { ConnectorDefinition, Each, EntityDefinition, PageShape, Sync } from 'ferrule/definition'
import {
  findField,
  findShape,
  findSyncedOperation,
  formatPlainType,
  listEach,
  listParentNames,
  type Path,
  parsePath,
  toParamPath,
} from 'ferrule/internal'

interface Synced {
  readonly entity: string
  readonly definition: EntityDefinition
  readonly sync: Sync
  /** True when its records are stored: searchable and wanted. */
  readonly stored: boolean
  /** True when it keeps a mark for each parent. Marks are stored with records. */
  readonly marks: boolean
  readonly shape: PageShape
}

/** An entity of a plan. */
export interface Planned extends Synced {
  /** True when deleting a record while the list is read shifts later ones, so one can be skipped. */
  readonly shifts: boolean
  /** Searchable field with the timestamp of the root's record, if that timestamp never changes. */
  readonly timestampField: string | undefined
  /** Entities with a mark for each parent on the way to this one, itself included. Read by changes, they show a part of what is below them. */
  readonly marked: readonly string[]
}

/** Records within the records of the walked entity. */
export interface Nested extends Planned {
  readonly at: Path
  /** Maximum number that the vendor shows within a record, and the parameters of their own list. */
  readonly most: number
  readonly take: readonly Taken[]
}

/** A parameter of a child, and where its value is in the parent's record. */
export interface Taken {
  readonly param: Path
  readonly from: Path
  /** How the values of a batch are joined: with commas, or as an array. */
  readonly joined: 'commas' | 'array'
}

/** A list that is requested per record of another entity, or per batch of them. */
export interface Child extends Planned {
  /** Name of the list in the progress of a walk: the entity, with its parent where it has several. */
  readonly id: string
  /** Entity of the records: the walked one, one within it, or another child. */
  readonly parent: string
  /** True when the entity has other parents too. Values of one can be those of another. */
  readonly isShared: boolean
  readonly where: Each['where']
  readonly take: readonly Taken[]
  /** Records per call; undefined for one call each, with single values as parameters. */
  readonly batch: number | undefined
}

/** A walk with everything that it reads. */
export interface Tree extends Planned {
  readonly action: 'list' | 'get'
  /** True when it needs no call per record. */
  readonly isQuick: boolean
  readonly nested: readonly Nested[]
  readonly children: readonly Child[]
}

const listSynced = (kind: ConnectorDefinition, wanted: (entity: string) => boolean): Synced[] =>
  Object.entries(kind.entities).flatMap(([entity, definition]) => {
    const { sync } = definition
    if (sync === undefined) return []
    const stored = definition.context_store_search !== undefined && wanted(entity)
    return [
      { entity, definition, sync, stored, marks: stored && keepsMarks(kind, entity), shape: findShape(kind.pages, definition.list?.page) },
    ]
  })

/** Shapes whose pages are counted, or may be. A link made by the vendor holds the position of the last record instead. */
const counted: ReadonlySet<PageShape> = new Set(['cursor', 'page_info', 'next'])

const canShift = ({ definition: { list }, sync, shape }: Synced): boolean =>
  list !== undefined && list.onePage !== true && sync.after === undefined && counted.has(shape)

/**
 * Finds the searchable field of a timestamp.
 * @param path path of the timestamp, seen from the entity
 */
function findTimestampField({ definition, sync }: Synced, root: Synced, path: string): string | undefined {
  if (root.sync.since?.fixed !== true) return undefined // `checkSync` refuses a number, which no span of time bounds
  return Object.keys(definition.context_store_search ?? {}).find((name) => (sync.project?.[name] ?? name) === path)
}

/** Returns whether the pages of a list are counted, so that a record that leaves it shifts the others. */
export function isCounted(pages: ConnectorDefinition['pages'], { list }: EntityDefinition): boolean {
  const page = pages[list?.page ?? '']
  return page !== undefined && 'position' in page && (page.position === 'rows' || page.position === 'pages')
}

/**
 * Returns whether a list below records is read by changes, from a mark of its own for each parent. Counted pages in no order are not: what
 * they lose is found by reading them whole the next time.
 */
export function keepsMarks({ entities, pages }: Pick<ConnectorDefinition, 'entities' | 'pages'>, entity: string): boolean {
  const definition = entities[entity]
  if (definition?.sync === undefined) return false
  const { since, newest, values, windows } = definition.sync
  const each = listEach(definition.sync)
  const isOne = each.length > 0 && each.every(({ batch }) => batch === undefined) && (values ?? windows) === undefined
  return isOne && (newest !== undefined || since?.sorted === true || (since !== undefined && !isCounted(pages, definition)))
}

/** Lists the entities with marks on the way to an entity, the uppermost first, itself last. */
function listMarked(all: readonly Synced[], { entity, sync, marks }: Synced): readonly string[] {
  const parents = listParentNames(sync)
  const above = all.filter((each) => parents.includes(each.entity)).flatMap((parent) => listMarked(all, parent))
  return [...new Set([...above, ...(marks ? [entity] : [])])]
}

/** Plans an entity below a root. */
const planDescendant = (root: Synced, each: Synced, all: readonly Synced[]): Planned => ({
  ...each,
  shifts: canShift(each) || canShift(root),
  timestampField:
    String(listParentNames(each.sync)) === root.entity && !each.marks // a record of several parents has no time of a parent
      ? findTimestampField(each, root, `parent.${root.sync.since?.field}`)
      : undefined,
  marked: listMarked(all, each),
})

const readTaken = ({ definition }: Synced, take: Each['take'] = {}): Taken[] =>
  Object.entries(take).map(([param, from]) => {
    const field = findField(findSyncedOperation(definition)?.params ?? {}, param)
    return {
      param: toParamPath(definition, param),
      from: parsePath(from),
      joined: field !== undefined && formatPlainType(field) === 'array' ? 'array' : 'commas',
    }
  })

/** An entity that is called for per record of another one. */
interface Hanging {
  readonly synced: Synced
  readonly each: Each
}

/** Lists the entities that are called for per record of some entities, and those below them. Leaves out what nothing is stored for. */
function listDescendants(all: readonly Hanging[], parents: ReadonlySet<string>): Hanging[] {
  const isBelow = ({ each }: Hanging): boolean => parents.has(each.entity)
  const others = all.filter((hanging) => !isBelow(hanging)) // no entity hangs on itself
  const found = all.filter(isBelow).flatMap((hanging) => {
    const deeper = listDescendants(others, new Set([hanging.synced.entity]))
    return hanging.synced.stored || deeper.length > 0 ? [hanging, ...deeper] : []
  })
  return [...new Set(found)] // an entity with two parents brings what is below it twice
}

function planChild(root: Synced, { synced, each: { entity: parent, take, batch, where } }: Hanging, all: readonly Synced[]): Child {
  const isShared = listEach(synced.sync).length > 1
  const id = isShared ? `${synced.entity} of ${parent}` : synced.entity
  return { ...planDescendant(root, synced, all), id, parent, isShared, where, take: readTaken(synced, take), batch }
}

function buildTree(root: Synced, all: readonly Synced[]): Tree {
  const nested = all
    .filter(({ sync }) => sync.within?.entity === root.entity)
    .map((each) => ({
      ...planDescendant(root, each, all),
      at: parsePath(each.sync.within?.at ?? ''),
      most: each.sync.within?.most?.records ?? Number.POSITIVE_INFINITY,
      take: readTaken(each, each.sync.within?.most?.take),
    }))
  const parents = new Set([root.entity, ...nested.map(({ entity }) => entity)])
  const hanging = all.flatMap((synced) => listEach(synced.sync).map((each) => ({ synced, each })))
  const children = listDescendants(hanging, parents).map((each) => planChild(root, each, all))
  const own = { ...root, shifts: canShift(root), timestampField: findTimestampField(root, root, root.sync.since?.field ?? ''), marked: [] }
  const isQuick = children.every(({ batch }) => batch !== undefined)
  return { ...own, action: root.definition.list === undefined ? 'get' : 'list', isQuick, nested, children }
}

/** Returns whether a run can read changes only, from a position that one walk keeps for all its entities. */
export const tracksChanges = ({ since, newest, token, changes }: Sync): boolean => (since ?? newest ?? token ?? changes) !== undefined

/** Returns whether changes name the deleted records. Where they do not, only a complete pass finds these. */
export const tellsDeletions = ({ token, changes }: Sync): boolean => (token ?? changes) !== undefined

/** Lists the stored entities of a tree, each once, parents first. */
export function listStored(tree: Tree): readonly Planned[] {
  const all = [tree, ...tree.nested, ...tree.children].filter(({ stored }) => stored)
  return all.filter(({ entity }, index) => all.findIndex((each) => each.entity === entity) === index)
}

/**
 * Plans the walks for the wanted entities in documented order. Walks parents even if unwanted, and omits walks that store nothing.
 * @param wanted returns whether to keep an entity
 */
export function planWalks(kind: ConnectorDefinition, wanted: (entity: string) => boolean): readonly Tree[] {
  const all = listSynced(kind, wanted)
  const roots = all.filter(({ sync }) => listParentNames(sync).length === 0)
  return roots.map((root) => buildTree(root, all)).filter((tree) => listStored(tree).length > 0)
}

/**
 * Plans the walks of a run for the wanted entities: first those of few calls, then those that call per record. The latter list their roots
 * again, because one page of these serves hundreds of calls. Each walk saves its own progress.
 * @param wanted as in `planWalks`
 */
export function planRun(definition: ConnectorDefinition, wanted: (entity: string) => boolean): readonly Tree[] {
  const children = planWalks(definition, wanted).flatMap((tree) => tree.children)
  const isSlow = ({ batch, parent }: Child): boolean =>
    batch === undefined || children.some((each) => each.entity === parent && isSlow(each))
  const slow = new Set(children.filter(isSlow).map(({ entity }) => entity))
  return [
    ...planWalks(definition, (entity) => wanted(entity) && !slow.has(entity)),
    ...planWalks(definition, (entity) => wanted(entity) && slow.has(entity)),
  ]
}

const keepsEach = new WeakMap<ConnectorDefinition, readonly string[]>()

/** Returns the entities of a kind that can have a copy, in the order of the documents. */
export function listCopiedEntities(definition: ConnectorDefinition): readonly string[] {
  const known =
    keepsEach.get(definition) ?? planWalks(definition, () => true).flatMap((tree) => listStored(tree).map(({ entity }) => entity))
  keepsEach.set(definition, known)
  return known
}
