/** Which lists a sync walks, and what hangs on each: read off the definition. */
import { syncedOperation } from '../../definition/check-sync.ts'
import type { ConnectorDefinition } from '../../definition/connector.ts'
import { fieldAt, plainType } from '../../definition/document.ts'
import type { EntityDefinition } from '../../definition/entity.ts'
import type { Sync } from '../../definition/sync.ts'
import { type Path, parsePath } from '../../engine/paths.ts'

/** An entity of the definition that is synced. */
interface Synced {
  readonly entity: string
  readonly definition: EntityDefinition
  readonly sync: Sync
  /** Whether its records are stored: searchable, and wanted. */
  readonly stored: boolean
}

/** An entity of a plan. */
export interface Planned extends Synced {
  /** A record that goes while the list is read moves the later ones up by one place, so that one of them can be passed over. */
  readonly shifts: boolean
  /** The searchable field that holds the moment of the root's record, where that moment never changes. */
  readonly moment: string | undefined
}

/** Records that lie within those of the walked entity. */
export interface Nested extends Planned {
  readonly at: Path
  /** As many as the vendor shows at most, and what their own list takes from the record. */
  readonly most: number
  readonly take: readonly Taken[]
}

/** A parameter of a child, and where its value is in the parent's record. */
export interface Taken {
  readonly param: Path
  readonly from: Path
  /** How the values of a batch become one: texts with commas, or an array. */
  readonly joined: 'commas' | 'array'
}

/** Lists that are asked for once per record of another entity, or per batch of them. */
export interface Child extends Planned {
  /** The entity of the records: the walked one, or one that lies within it. */
  readonly parent: string
  readonly take: readonly Taken[]
  /** Records in one call; undefined for one call each, whose parameters are single values. */
  readonly batch: number | undefined
}

/** One walk, with everything that it brings. */
export interface Tree extends Planned {
  readonly action: 'list' | 'get'
  readonly nested: readonly Nested[]
  readonly children: readonly Child[]
}

const syncedOf = (entities: ConnectorDefinition['entities'], wanted: (entity: string) => boolean): Synced[] =>
  Object.entries(entities).flatMap(([entity, definition]) => {
    const { sync } = definition
    return sync === undefined ? [] : [{ entity, definition, sync, stored: definition.context_store_search !== undefined && wanted(entity) }]
  })

/** Pages that are counted, or that may be; a link that the vendor made holds the place of the last record. */
const counted: ReadonlySet<unknown> = new Set(['cursor', 'page_info'])

const shiftsOf = ({ definition: { list }, sync }: Synced): boolean =>
  list !== undefined && list.onePage !== true && sync.after === undefined && counted.has(list.page)

/** @param path where the moment is, seen from the entity */
function momentOf({ definition, sync }: Synced, root: Synced, path: string): string | undefined {
  if (root.sync.since?.fixed !== true) return undefined
  return Object.keys(definition.context_store_search ?? {}).find((name) => (sync.project?.[name] ?? name) === path)
}

/** What hangs on a root. */
const hanging = (root: Synced, each: Synced): Planned => ({
  ...each,
  shifts: shiftsOf(each) || shiftsOf(root),
  moment:
    (each.sync.within ?? each.sync.each)?.entity === root.entity ? momentOf(each, root, `parent.${root.sync.since?.field}`) : undefined,
})

const takenOf = ({ definition, sync }: Synced): Taken[] =>
  Object.entries(sync.each?.take ?? sync.within?.most?.take ?? {}).map(([param, from]) => {
    const field = fieldAt(syncedOperation(definition)?.params ?? {}, param)
    return {
      param: parsePath(param),
      from: parsePath(from),
      joined: field !== undefined && plainType(field) === 'array' ? 'array' : 'commas',
    }
  })

function treeOf(root: Synced, all: readonly Synced[]): Tree {
  const nested = all
    .filter(({ sync }) => sync.within?.entity === root.entity)
    .map((each) => ({
      ...hanging(root, each),
      at: parsePath(each.sync.within?.at ?? ''),
      most: each.sync.within?.most?.records ?? Number.POSITIVE_INFINITY,
      take: takenOf(each),
    }))
  const parents = new Set([root.entity, ...nested.map(({ entity }) => entity)])
  const children = all
    .filter(({ sync, stored }) => stored && sync.each !== undefined && parents.has(sync.each.entity))
    .map((each) => ({ ...hanging(root, each), parent: each.sync.each?.entity ?? '', take: takenOf(each), batch: each.sync.each?.batch }))
  const own = { ...root, shifts: shiftsOf(root), moment: momentOf(root, root, root.sync.since?.field ?? '') }
  return { ...own, action: root.definition.list === undefined ? 'get' : 'list', nested, children }
}

/** The stored entities of a tree, parents first. */
export const storedOf = (tree: Tree): readonly Planned[] => [tree, ...tree.nested, ...tree.children].filter(({ stored }) => stored)

/**
 * The walks that bring the wanted entities, in the order of the documents. Parents are walked though they are not wanted; what
 * feeds nothing is left out.
 * @param wanted whether an entity is to be kept
 */
export function planOf({ entities }: ConnectorDefinition, wanted: (entity: string) => boolean): readonly Tree[] {
  const all = syncedOf(entities, wanted)
  const roots = all.filter(({ sync }) => sync.within === undefined && sync.each === undefined)
  return roots.map((root) => treeOf(root, all)).filter((tree) => storedOf(tree).length > 0)
}

/** The walks of a run, in their order. */
export interface Rounds {
  /** What a few calls bring: roots, with what lies within their records or is asked for in batches of them. */
  readonly quick: readonly Tree[]
  /** What is asked for record by record. Its roots are listed again for it: a page of them for hundreds of calls. */
  readonly slow: readonly Tree[]
}

/**
 * The walks that bring the wanted entities, cut in two: where a vendor allows two calls a second, the lists of each customer take hours,
 * and what a few calls bring would wait behind them. Each walk remembers by itself how far it came.
 * @param wanted as in `planOf`
 */
export function roundsOf(definition: ConnectorDefinition, wanted: (entity: string) => boolean): Rounds {
  const children = planOf(definition, wanted).flatMap((tree) => tree.children)
  const each = new Set(children.filter(({ batch }) => batch === undefined).map(({ entity }) => entity))
  return {
    quick: planOf(definition, (entity) => wanted(entity) && !each.has(entity)),
    slow: planOf(definition, (entity) => each.has(entity)),
  }
}
