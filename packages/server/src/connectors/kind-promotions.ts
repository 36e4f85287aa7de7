/** Gives kinds of organizations tables of their own, for the operator (docs/decisions/own-kinds.md). */
import { fail, type KindChange } from 'ferrule/internal'
import { followChange } from '../copies/queue/queue.ts'
import type { Db } from '../db/database.ts'
import type { Parts } from '../main/parts.ts'
import { viewOrganization } from '../values/access.ts'
import { asId, nameOwnKind, nameOwnVersion, parseOwnKindName } from '../values/ids.ts'
import { parseVersionSummary } from './connector-types.ts'
import { findConnector, holdConnector, listConnectors, updateConnector } from './sql/connectors.ts'
import * as sql from './sql/own-kinds.ts'

/** A kind of an organization, as an operator sees it. */
export interface OwnKindSummary {
  /** `slug~id`. */
  readonly name: string
  readonly title: string
  readonly organizationId: string
  readonly version: number
  /** True: the newest version has tables of its own. */
  readonly isPromoted: boolean
}

/** What became of a kind. */
export interface Promotion {
  /** Newest version, which has the wanted tables. */
  readonly version: number
  /** Connectors that moved to it; their records are read again. */
  readonly connectors: number
}

/** Tables of kinds of all organizations. Methods for the operator. */
export interface KindPromotions {
  list(): Promise<readonly OwnKindSummary[]>
  /**
   * Publishes the newest version of a kind once more, with or without tables of its own, and moves the connectors of that version to it. Call
   * it again after a kill.
   * @param name `slug~id`
   * @throws FerruleError `kind_not_found`
   */
  set(name: string, isPromoted: boolean): Promise<Promotion>
}

/** Classes of changes that need no other tables. A version with another change is in the table of all kinds of organizations. */
const keepingClasses: readonly KindChange['class'][] = ['none', 'text', 'calls', 'authorize']

/** Returns whether a version with these changes keeps tables of its own, if the version before has them. */
export const keepsTables = (changes: readonly KindChange[]): boolean => changes.every((change) => keepingClasses.includes(change.class))

/** Says that the records of a kind move to other tables. @param isPromoted true for tables of its own */
export const describePromotion = (isPromoted: boolean): KindChange => ({
  class: 'remade',
  entity: null,
  message: isPromoted ? 'the operator gives it tables of its own' : 'its records are in the table of all kinds of organizations again',
})

/** Stores the newest version once more with the wanted tables, unless it has them. */
async function publishAgain(parts: Parts, db: Db, kind: sql.OwnKindRow, isPromoted: boolean): Promise<sql.OwnKindVersionRow> {
  const held = await sql.holdOwnKind(db, kind.organization_id, kind.slug)
  const newest = held === undefined ? undefined : await sql.findVersion(db, held, Number(held.newest_version))
  if (newest === undefined) throw fail('kind_not_found', {})
  const { promoted = false, ...summary } = parseVersionSummary(newest)
  if (promoted === isPromoted) return newest
  const next: sql.OwnKindVersionRow = {
    ...newest,
    version: Number(newest.version) + 1,
    summary: JSON.stringify({ ...summary, ...(isPromoted ? { promoted: true } : {}) }),
    changes: JSON.stringify([describePromotion(isPromoted)]),
    created_at: parts.source.clock(),
  }
  await sql.insertVersion(db, next)
  return next
}

/** Moves a connector, as a client moves it by `kind_version`. @returns whether it still ran the old version */
const moveConnector = (parts: Parts, organizationId: string, id: string, names: readonly [from: string, to: string]): Promise<boolean> =>
  parts.database.transaction(async (db) => {
    const view = viewOrganization(organizationId)
    const before = await holdConnector(db, view, id)
    if (before?.kind !== names[0]) return false
    await updateConnector(db, before, { kind: names[1], updated_at: parts.source.clock() })
    const after = await findConnector(db, view, id)
    if (after !== undefined) await followChange(parts, db, { before, after, hasNewCredentials: false })
    return true
  })

/** Connectors that are read at once. */
const batch = 100

/** Moves the connectors of versions with the same definition. @returns how many */
async function moveConnectors(parts: Parts, kind: sql.OwnKindRow, newest: sql.OwnKindVersionRow): Promise<number> {
  const { db } = parts.database
  const name = nameOwnKind(kind)
  const same = await sql.listSameVersions(db, newest)
  const olds = new Set(same.flatMap((version) => (version === Number(newest.version) ? [] : [nameOwnVersion(name, version)])))
  let moved = 0
  for (let after: string | undefined, more = true; more; ) {
    const rows = await listConnectors(db, viewOrganization(kind.organization_id), { kind: name, after, limit: batch })
    for (const row of rows)
      if (olds.has(row.kind)) {
        const names = [row.kind, nameOwnVersion(name, Number(newest.version))] as const
        moved += Number(await moveConnector(parts, kind.organization_id, row.id, names))
      }
    after = rows.at(-1)?.id
    more = rows.length === batch
  }
  parts.events.emit('queued')
  return moved
}

/** Builds the service. */
export const createKindPromotions = (parts: Parts): KindPromotions => ({
  list: async () => {
    const rows = await sql.listAllOwnKinds(parts.database.db)
    return rows.map((row) => {
      const { title, promoted = false } = parseVersionSummary(row)
      return {
        name: nameOwnKind(row),
        title,
        organizationId: row.organization_id,
        version: Number(row.newest_version),
        isPromoted: promoted,
      }
    })
  },
  set: async (name, isPromoted) => {
    const id = asId(parseOwnKindName(name)?.id)
    const kind = id === undefined ? undefined : await sql.findOwnKindById(parts.database.db, id)
    if (kind === undefined || nameOwnKind(kind) !== name) throw fail('kind_not_found', {})
    const newest = await parts.database.transaction((db) => publishAgain(parts, db, kind, isPromoted))
    return { version: Number(newest.version), connectors: await moveConnectors(parts, kind, newest) }
  },
})
