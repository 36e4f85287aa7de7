/** What the connect page posts to the window that opened it, to the link's `allowed_origin` only. */

/** Event that a message reports. Leaving: for the page of a vendor, which can cut the two windows apart. */
export type ConnectEvent = 'opened' | 'leaving' | 'connected' | 'cancelled'

/** A message of the connect page. */
export interface ConnectMessage {
  readonly type: 'ferrule.connect'
  readonly link_id: string
  readonly event: ConnectEvent
  /** Connector that was authorized; null with other events. */
  readonly connector_id: string | null
}
