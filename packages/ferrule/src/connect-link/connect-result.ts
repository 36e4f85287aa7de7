/** Reads how a link ended after the connect page led back to this page, in the same tab. */
import { type ConnectResult, toConnected, toUnconnected } from './result.ts'

/** What is used of a browser's window. Programs without a browser compile this file too. */
declare const window:
  | undefined
  | {
      readonly location: { readonly href: string }
      readonly history: { readonly state: unknown; replaceState(state: unknown, unused: string, url: string): void }
    }

/** Parameters that the connect page adds to `redirect_url`. */
const parameters = ['link_id', 'connector_id', 'error', 'error_description']

/**
 * Reads the answer of the connect page from the address of this page, and removes it from the address.
 * @returns undefined where this page was not reached from a connect page, and where there is no browser
 */
export function connectResult(): ConnectResult | undefined {
  if (typeof window === 'undefined') return undefined
  const url = new URL(window.location.href)
  const [linkId, connectorId, error] = parameters.map((name) => url.searchParams.get(name))
  if (!linkId || (!connectorId && !error)) return undefined
  for (const name of parameters) url.searchParams.delete(name)
  window.history.replaceState(window.history.state, '', url.href)
  return connectorId && !error ? toConnected(linkId, connectorId) : toUnconnected(linkId, 'cancelled')
}
