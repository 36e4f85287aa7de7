/** How a link ended. */

/**
 * How a link ended for the page that opened it. A browser can be made to say anything: verify it from your server with
 * `GET /api/v1/connect/links/{link_id}` before you use the connector.
 */
export type ConnectResult =
  | { readonly status: 'connected'; readonly linkId: string; readonly connectorId: string }
  | { readonly status: UnconnectedStatus; readonly linkId: string; readonly connectorId: null }

/**
 * Statuses without a connector. After `cancelled`, `closed` and `timed_out` the link can be opened again; `revoked` and `expired` links are
 * replaced by a new one.
 */
export type UnconnectedStatus = 'cancelled' | 'closed' | 'timed_out' | 'revoked' | 'expired'

/** Builds a result without a connector. */
export const toUnconnected = (linkId: string, status: UnconnectedStatus): ConnectResult => ({ status, linkId, connectorId: null })

/** Builds the result of a connector. */
export const toConnected = (linkId: string, connectorId: string): ConnectResult => ({ status: 'connected', linkId, connectorId })
