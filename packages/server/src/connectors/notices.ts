/** Stores notices of vendors with the connector, and logs each one once. */

import type { VendorNotice } from 'ferrule/engine'
import { BoundedMap } from 'ferrule/internal'
import type { ConnectorNotice } from 'ferrule/wire'
import type { Parts } from '../main/parts.ts'
import { type SealedConnectorRow, setNotices } from './sql/connectors.ts'

/** Maximum number of notices per connector. */
const keptNotices = 20
/** Maximum number of connectors in the cache; notices of others are read from their row. */
const keptConnectors = 10_000

const sentences: { readonly [T in VendorNotice['type']]: (notice: Extract<VendorNotice, { type: T }>) => string } = {
  api_version: ({ asked, answered }) => `Version ${asked} of the vendor's API was asked for, and ${answered} answered.`,
  deprecated: ({ entity, reason }) => `The vendor calls what ${entity} uses deprecated: ${reason}`,
}

const buildMessage = (notice: VendorNotice): string =>
  notice.type === 'api_version' ? sentences.api_version(notice) : sentences.deprecated(notice)

/** Appends a notice; a notice about the API version replaces the earlier one. */
const addNotice = (kept: readonly ConnectorNotice[], notice: ConnectorNotice): ConnectorNotice[] =>
  [...kept.filter(({ type }) => type !== 'api_version' || notice.type !== 'api_version'), notice].slice(-keptNotices)

/**
 * Builds the function that takes the notices of a connector. A known notice costs one lookup in memory. A change of the configuration
 * deletes the notices, so the cache key contains the configuration.
 */
export function createNotices(parts: Parts): (row: SealedConnectorRow) => (notice: VendorNotice) => void {
  const remembered = new BoundedMap<string, readonly ConnectorNotice[]>(keptConnectors)
  return (row) => (notice) => {
    const key = `${row.id} ${row.updated_at} ${row.configuration}`
    const kept = remembered.get(key) ?? (JSON.parse(row.notices) as readonly ConnectorNotice[]) // JSON that this service wrote
    const message = buildMessage(notice)
    remembered.set(key, kept)
    if (kept.some((known) => known.message === message)) return
    const added = { type: notice.type, message, since: new Date(parts.source.clock()).toISOString() }
    const next = addNotice(kept, added)
    remembered.set(key, next)
    parts.onNotice({ connectorId: row.id, ...added })
    setNotices(parts.database.db, row, JSON.stringify(next)).catch(parts.onBackgroundError)
  }
}
