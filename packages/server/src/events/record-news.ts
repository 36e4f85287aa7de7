/**
 * Reports to endpoints that records of copies have changed (`records.changed`). A message has no row of its cause: the copy is another database.
 * Each endpoint has a position in the log of each copy, and a look compares both (docs/decisions/webhooks.md).
 */
import { mostFollowed } from 'ferrule/wire'
import type { FollowedLog, RecordLogs } from '../copies/changes/record-logs.ts'
import type { EntityRef } from '../copies/entity-ref.ts'
import { type FilledCopyRow, listFilledCopies } from '../copies/sql/sync-copies.ts'
import { readWantedEntities } from '../copies/status/groups.ts'
import type { ChangeCounts } from '../copies/store/types.ts'
import type { Db } from '../db/database.ts'
import type { Parts } from '../main/parts.ts'
import { deriveId } from '../values/ids.ts'
import { recordsType, storeEvent } from './sql/events.ts'
import {
  deleteMessage,
  forgetPosition,
  type KnownPosition,
  listPositions,
  type PositionRow,
  savePosition,
  takeEndpoint,
} from './sql/record-positions.ts'
import { type EndpointRow, holdEndpoint, updateEndpoint } from './sql/webhooks.ts'

/** Time after which another node looks at the copies of an endpoint, in milliseconds. */
const leaseMs = 60_000
/** Says that an endpoint has more copies than it gets changes of. */
const tooMany = `It gets the changes of ${mostFollowed} entities, the most: limit it to some connectors or workspaces.`

interface Followed {
  readonly copy: FilledCopyRow
  readonly ref: EntityRef
  readonly known: KnownPosition | undefined
}

/** What an endpoint gets about a copy now. */
interface RecordsNews {
  readonly followed: Followed
  readonly log: FollowedLog
  /** Position before the changes; null: it is not known what has changed. */
  readonly since: bigint | null
}

const nameCopy = ({ connector_id, entity }: Pick<PositionRow, 'connector_id' | 'entity'>): string => `${connector_id} ${entity}`

/** Returns the position up to which the endpoint has what was told; null: it has to take a snapshot. */
const findDelivered = ({ status, position, since }: KnownPosition): string | null => (status === 'delivered' ? position : since)

/** Finds what an endpoint is not told yet. One message of a copy waits at a time, so that an endpoint that is away finds one. */
function findNews(followed: Followed, log: FollowedLog | undefined): readonly RecordsNews[] {
  const { known } = followed
  if (log === undefined) return []
  if (known === undefined) return [{ followed, log, since: null }]
  if (known.status === 'waiting' || known.unplaced !== null) return []
  if (known.generation !== log.generation || log.position < BigInt(known.position)) return [{ followed, log, since: null }]
  if (log.position === BigInt(known.position)) return []
  const delivered = findDelivered(known)
  const isKept = delivered !== null && BigInt(delivered) >= log.keptAfter
  return [{ followed, log, since: isKept ? BigInt(delivered) : null }]
}

const nothing: ChangeCounts = { added: 0, changed: 0, removed: 0 }

/** Reports changes to endpoints, one after the other. */
export class RecordTeller {
  readonly #parts: Pick<Parts, 'database' | 'source' | 'settings' | 'kinds'>
  readonly #logs: RecordLogs

  constructor(parts: Pick<Parts, 'database' | 'source' | 'settings' | 'kinds'>, logs: RecordLogs) {
    this.#parts = parts
    this.#logs = logs
  }

  /** Looks at the copies of all endpoints that are due. A node that dies leaves its endpoint to another one. */
  async tell(isStopped: () => boolean): Promise<void> {
    const { database, source } = this.#parts
    while (!isStopped()) {
      const now = source.clock()
      const endpoint = await database.transaction((db) => takeEndpoint(db, now, now + leaseMs))
      if (endpoint === undefined) return
      await this.#tell(endpoint)
    }
  }

  async #tell(endpoint: EndpointRow): Promise<void> {
    const { database, source, settings } = this.#parts
    const positions = await listPositions(database.db, endpoint)
    const copies = await this.#listCopies(endpoint, positions)
    const shown = copies.slice(0, mostFollowed)
    const logs = await this.#logs.follow(shown.map(({ ref }) => ref))
    const news = shown.flatMap((followed, index) => findNews(followed, logs[index]))
    const told = await this.#describe(news)
    const kept = new Set(shown.map(({ copy }) => nameCopy(copy)))
    const reason = copies.length > mostFollowed ? tooMany : null
    await database.transaction(async (db) => {
      const held = await holdEndpoint(db, endpoint.organization_id, endpoint.id)
      if (held === undefined || held.records_at !== endpoint.records_at) return // it was changed, or another node took over
      for (const row of positions) await this.#keepPosition(db, row, kept.has(nameCopy(row)))
      for (const each of told) await this.#store(db, endpoint, each)
      await updateEndpoint(db, endpoint, {
        records_at: source.clock() + settings.recordsChangedSeconds * 1_000,
        ...(held.status === 'disabled' ? {} : { status_reason: reason }),
      })
    })
  }

  /** Lists the copies that can be read and whose changes an endpoint gets, one more than the most. */
  async #listCopies(endpoint: EndpointRow, positions: readonly KnownPosition[]): Promise<readonly Followed[]> {
    const { database, kinds } = this.#parts
    const parse = (ids: string | null): readonly string[] | null => (ids === null ? null : JSON.parse(ids))
    const view = {
      organizationId: endpoint.organization_id,
      workspaceIds: parse(endpoint.workspace_ids),
      connectorIds: parse(endpoint.connector_ids),
    }
    const rows = await listFilledCopies(database.db, view, mostFollowed + 1)
    const kindOf = await kinds.findAll(rows)
    const known = new Map(positions.map((row) => [nameCopy(row), row]))
    return rows.flatMap((copy): readonly Followed[] => {
      const kind = kindOf(copy)
      if (kind === undefined || !readWantedEntities(kind, copy).includes(copy.entity)) return []
      const ref = { connector: copy.connector_id, kind: kind.definition.kind, entity: copy.entity, own: kind.own }
      return [{ copy, ref, known: known.get(nameCopy(copy)) }]
    })
  }

  async #describe(news: readonly RecordsNews[]): Promise<readonly (RecordsNews & { readonly data: Readonly<Record<string, unknown>> })[]> {
    const told = []
    for (const each of news) {
      const { log, since } = each
      const { ref } = each.followed
      const counts = since === null ? nothing : await this.#logs.count(ref, since, log.position)
      const cursor = since === null ? undefined : this.#logs.writeCursor(ref, log.generation, since)
      told.push({ ...each, data: { entity: ref.entity, snapshot: since === null, ...counts, cursor } })
    }
    return told
  }

  /** Notes what was delivered; forgets copies that the endpoint does not follow any more. */
  async #keepPosition(db: Db, row: KnownPosition, isKept: boolean): Promise<void> {
    if (!isKept) return forgetPosition(db, row)
    const since = findDelivered(row)
    if (since !== row.since) await savePosition(db, { ...row, since })
  }

  /** Stores a message in place of the last one. Its id comes from what it says, so a message that is made again is the same one. */
  async #store(
    db: Db,
    endpoint: EndpointRow,
    { followed: { copy, known }, log, since, data }: RecordsNews & { readonly data: Readonly<Record<string, unknown>> },
  ): Promise<void> {
    const { connector_id, entity, workspace_id: workspaceId } = copy
    const position = String(log.position)
    const id = deriveId(endpoint.id, connector_id, entity, log.generation, position)
    if (known !== undefined) await deleteMessage(db, known)
    await storeEvent(db, this.#parts.source, {
      type: recordsType,
      id,
      organizationId: endpoint.organization_id,
      workspaceId,
      connectorId: connector_id,
      endpointId: endpoint.id,
      data,
    })
    const row = { organization_id: endpoint.organization_id, endpoint_id: endpoint.id, connector_id, entity }
    await savePosition(db, { ...row, generation: log.generation, position, since: since === null ? null : String(since), event_id: id })
  }
}
