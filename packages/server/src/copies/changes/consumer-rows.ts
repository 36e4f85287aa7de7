/** Keeps the rows of consumers: one transaction for each change. */
import { fail } from 'ferrule/internal'
import { mostConsumers } from 'ferrule/wire'
import type { Db } from '../../db/database.ts'
import type { Stored } from '../../main/parts.ts'
import { type Principal, requireScope } from '../../values/access.ts'
import { failField } from '../../values/read.ts'
import * as sql from '../sql/change-consumers.ts'
import type { OwnConnector } from '../sql/sync-copies.ts'

/** What to store of a consumer. What is undefined stays. */
export interface ConsumerChange {
  readonly name: string
  readonly entities?: string | null | undefined
  readonly positions?: string | undefined
  /** Positions that the consumer must have; null: none. */
  readonly replaces?: string | null | undefined
}

/** The rows of consumers. Callers have read the connector as their principal. */
export interface ConsumerRows {
  list(own: OwnConnector): Promise<readonly sql.ConsumerRow[]>
  find(own: OwnConnector, name: string): Promise<sql.ConsumerRow | undefined>
  /**
   * Moves a consumer. A new one, and other entities, need scope connectors:write.
   * @throws FerruleError `insufficient_scope`, `consumer_moved`; `validation_failed` for too many consumers
   */
  save(principal: Principal, own: OwnConnector, change: ConsumerChange): Promise<sql.ConsumerRow>
  /** Deletes a consumer. @returns whether there was one */
  remove(own: OwnConnector, name: string): Promise<boolean>
}

const failFull = (whose: string, most: number) =>
  failField('', `cannot be done: the ${whose} has ${most} consumers, the most; delete some`, 'limit')

async function checkRoom(db: Db, own: OwnConnector): Promise<void> {
  const { ofConnector, ofOrganization } = mostConsumers
  if ((await sql.listConsumers(db, own)).length >= ofConnector) throw failFull('connector', ofConnector)
  if ((await sql.countConsumers(db, own.organizationId)) >= ofOrganization) throw failFull('organization', ofOrganization)
}

const createRow = ({ organizationId, connectorId }: OwnConnector, name: string, now: number): sql.ConsumerRow => ({
  organization_id: organizationId,
  connector_id: connectorId,
  name,
  entities: null,
  positions: null,
  created_at: now,
  moved_at: null,
})

/** Applies a change to a row. A repeated move is no conflict: its first answer may be lost. */
function apply(row: sql.ConsumerRow, { replaces, ...change }: ConsumerChange, now: number): sql.ConsumerRow {
  const entities = change.entities === undefined ? row.entities : change.entities
  const positions = change.positions ?? row.positions
  if (replaces !== undefined && row.positions !== replaces && row.positions !== positions) throw fail('consumer_moved', {})
  return { ...row, entities, positions, moved_at: positions === row.positions ? row.moved_at : now }
}

/** Builds the rows of a platform. */
export const createConsumerRows = ({ database, source }: Stored): ConsumerRows => ({
  list: (own) => sql.listConsumers(database.db, own),
  find: (own, name) => sql.findConsumer(database.db, own, name),
  save: (principal, own, change) =>
    database.transaction(async (db) => {
      const now = source.clock()
      let row = await sql.holdConsumer(db, own, change.name)
      if (row === undefined) {
        requireScope(principal, 'connectors:write')
        await checkRoom(db, own)
        await sql.insertConsumer(db, createRow(own, change.name, now))
        row = (await sql.holdConsumer(db, own, change.name)) ?? createRow(own, change.name, now)
      }
      const next = apply(row, change, now)
      if (next.entities !== row.entities) requireScope(principal, 'connectors:write')
      await sql.updateConsumer(db, row, { entities: next.entities, positions: next.positions, moved_at: next.moved_at })
      return next
    }),
  remove: (own, name) => sql.deleteConsumer(database.db, own, name),
})
