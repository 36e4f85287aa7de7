/** What vendors tell beside an answer: kept with the connector, and logged once. */
import type { VendorNotice } from '../engine/connection.ts'
import { BoundedMap } from './bounded-map.ts'
import { type SealedConnectorRow, setNotices } from './db/queries-connectors.ts'
import type { Parts } from './parts.ts'
import type { ConnectorNotice } from './records.ts'

/** Notices that are kept for one connector. */
const keptNotices = 20
/** Connectors whose notices are remembered in memory; those of others are read from their row. */
const keptConnectors = 10_000

const sentences: { readonly [T in VendorNotice['type']]: (notice: Extract<VendorNotice, { type: T }>) => string } = {
  api_version: ({ asked, answered }) => `Version ${asked} of the vendor's API was asked for, and ${answered} answered.`,
  deprecated: ({ entity, reason }) => `The vendor calls what ${entity} uses deprecated: ${reason}`,
}

const messageOf = (notice: VendorNotice): string =>
  notice.type === 'api_version' ? sentences.api_version(notice) : sentences.deprecated(notice)

/** A new answer about the version takes the place of the one before. */
const withNotice = (kept: readonly ConnectorNotice[], notice: ConnectorNotice): ConnectorNotice[] =>
  [...kept.filter(({ type }) => type !== 'api_version' || notice.type !== 'api_version'), notice].slice(-keptNotices)

/**
 * Makes what takes the notices of one connector. A notice that is known costs a look into memory. Notices are about calls under one
 * configuration: a change of it removes them from the row, and what was remembered before a change is not asked any more.
 */
export function createNotices(parts: Parts): (row: SealedConnectorRow) => (notice: VendorNotice) => void {
  const remembered = new BoundedMap<string, readonly ConnectorNotice[]>(keptConnectors)
  return (row) => (notice) => {
    const key = `${row.id} ${row.updated_at} ${row.configuration}`
    const kept = remembered.get(key) ?? (JSON.parse(row.notices) as readonly ConnectorNotice[]) // JSON that this service wrote
    const message = messageOf(notice)
    remembered.set(key, kept)
    if (kept.some((known) => known.message === message)) return
    const added = { type: notice.type, message, since: new Date(parts.source.clock()).toISOString() }
    const next = withNotice(kept, added)
    remembered.set(key, next)
    parts.onNotice({ connectorId: row.id, ...added })
    setNotices(parts.database.db, row, JSON.stringify(next)).catch(parts.onBackgroundError)
  }
}
