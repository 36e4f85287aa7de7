/** Reports to the window that opened this page. */
import type { ConnectEvent, ConnectMessage, ConnectPage } from 'ferrule/wire'

/**
 * Reports an event to the opener, when the link names its origin. The browser drops the message where another origin is.
 * @returns true when there is an opener to report to
 */
export function reportToOpener(page: ConnectPage, event: ConnectEvent, connectorId: string | null = null): boolean {
  if (window.opener === null || page.allowed_origin === null) return false
  const message: ConnectMessage = { type: 'ferrule.connect', link_id: page.id, event, connector_id: connectorId }
  window.opener.postMessage(message, page.allowed_origin)
  return true
}
