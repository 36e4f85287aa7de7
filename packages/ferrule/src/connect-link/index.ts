/**
 * The entry `ferrule/connect-link`, for pages of your own application that send end users to a connect link. It loads nothing else of the
 * library.
 */
import type { ConnectLinkState } from '../wire/connect/links.ts'
import type { ConnectMessage } from '../wire/connect/page.ts'

/** Codes of `ConnectError`. */
export type ConnectErrorCode = 'popup_blocked' | 'address_invalid' | 'status_unavailable'

/** The link could not be opened, or not be followed. The link itself stays as it was. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError'
  /** Stable code; branch on it. */
  readonly code: ConnectErrorCode
  /** What to do next. */
  readonly hint: string

  constructor(code: ConnectErrorCode, message: string, hint: string) {
    super(`${message} ${hint}`)
    this.code = code
    this.hint = hint
  }
}

interface OpenedLink {
  readonly id: string
  /** Whole address, with the secret in its fragment. */
  readonly url: string
  readonly origin: string
  /** Address of its status, which holds the public id only. */
  readonly statusUrl: string
}

/** Deadline of one question for the status, in milliseconds. */
const questionMs = 10_000

/** Reads the address of a link. @throws ConnectError `address_invalid` */
function readLink(address: string | URL): OpenedLink {
  const text = String(address)
  const url = URL.canParse(text) ? new URL(text) : undefined
  const [, base, id] = /^(https?:.*\/connect\/)([\w-]{36})$/.exec(`${url?.origin}${url?.pathname}`) ?? []
  if (url !== undefined && base !== undefined && id !== undefined && url.hash.length > 1)
    return { id, url: url.href, origin: url.origin, statusUrl: `${base}api/links/${id}/status` }
  const hint = 'Pass `url` of the answer of POST /api/v1/connect/links as it is, with everything after #.'
  throw new ConnectError('address_invalid', 'This is not the address of a connect link.', hint)
}

/** Asks for the status of a link. @returns undefined when there is no usable answer. @throws the reason of the signal */
async function readState({ statusUrl }: OpenedLink, signal: AbortSignal | undefined): Promise<ConnectLinkState | undefined> {
  const deadline = AbortSignal.timeout(questionMs)
  try {
    const response = await fetch(statusUrl, {
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    })
    const body: unknown = response.ok ? await response.json() : undefined
    if (typeof body !== 'object' || body === null) return undefined
    const { status, connector_id = null }: Partial<ConnectLinkState> = body
    return status === undefined ? undefined : { status, connector_id }
  } catch {
    signal?.throwIfAborted()
    return undefined
  }
}

/** What is used of a popup. Programs without a browser compile this file too. */
interface Popup {
  readonly closed: boolean
  readonly location: { replace(url: string): void }
  close(): void
}

interface WindowMessage {
  readonly source: unknown
  readonly origin: string
  readonly data: unknown
}

declare const window: {
  readonly screenX: number
  readonly screenY: number
  readonly outerWidth: number
  readonly outerHeight: number
  readonly location: { readonly href: string }
  readonly history: { readonly state: unknown; replaceState(state: unknown, unused: string, url: string): void }
  open(url: string, target: string, features: string): Popup | null
  addEventListener(type: 'message', listener: (message: WindowMessage) => void): void
  removeEventListener(type: 'message', listener: (message: WindowMessage) => void): void
}

/** Options of `openConnect`. */
export interface OpenConnectOptions {
  /** Ends the waiting and closes the popup. The promise rejects with its reason. */
  readonly signal?: AbortSignal
  /** Milliseconds until `timed_out`; 30 minutes by default. */
  readonly timeoutMs?: number
}

const defaultTimeoutMs = 30 * 60_000
/** Waits between questions for the status, in milliseconds: each is half as long again as the one before. */
const waits = { first: 1_000, longest: 5_000 }
/** Time in which a closed popup can still have ended well, in milliseconds. */
const graceMs = 2_000
/** Questions without an answer, after which a page that never got one gives up. */
const mostMisses = 3
/** Size of the popup in CSS pixels. */
const size = { width: 560, height: 780 }

/** Opens an empty popup over the middle of this window. @throws ConnectError `popup_blocked` */
function openPopup(): Popup {
  const { screenX, screenY, outerWidth, outerHeight } = window
  const left = Math.round(screenX + (outerWidth - size.width) / 2)
  const top = Math.round(screenY + (outerHeight - size.height) / 2)
  const popup = window.open('about:blank', '_blank', `popup,width=${size.width},height=${size.height},left=${left},top=${top}`)
  if (popup !== null) return popup
  const hint = 'Call openConnect in the handler of a click, or lead the whole tab to the link and read connectResult() afterwards.'
  throw new ConnectError('popup_blocked', 'The browser did not open the popup.', hint)
}

/** What the page in the popup said. */
interface Heard {
  last: Partial<ConnectMessage>
  wake: () => void
}

/** Waits, until a message or the end of the signal. */
const pause = (heard: Heard, signal: AbortSignal | undefined, milliseconds: number): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => reject(signal?.reason)
    const timer = setTimeout(() => heard.wake(), milliseconds)
    heard.wake = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    signal?.addEventListener('abort', stop, { once: true })
  })

interface Watch {
  readonly link: OpenedLink
  readonly popup: Popup
  readonly heard: Heard
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
}

/** Reads the end of the link from what the page said, else from the status route. @returns 'missed' without any answer */
async function findEnd({ link, heard, signal }: Watch): Promise<ConnectResult | 'missed' | undefined> {
  const { event, connector_id } = heard.last
  if (event === 'connected' && connector_id) return toConnected(link.id, connector_id)
  if (event === 'cancelled') return toUnconnected(link.id, event)
  const state = await readState(link, signal)
  if (state === undefined) return 'missed'
  if (state.status === 'used' && state.connector_id !== null) return toConnected(link.id, state.connector_id)
  return state.status === 'revoked' || state.status === 'expired' ? toUnconnected(link.id, state.status) : undefined
}

/** Asks until the link has ended, the end user gave up, or the time is over. */
async function watchLink(watch: Watch): Promise<ConnectResult> {
  const { link, popup, heard, signal, timeoutMs } = watch
  const started = performance.now()
  let misses = 0
  let closedAt: number | undefined
  for (let waitMs = waits.first; ; waitMs = Math.min(waitMs * 1.5, waits.longest)) {
    await pause(heard, signal, closedAt === undefined ? waitMs : waits.first)
    const end = await findEnd(watch)
    if (end !== 'missed' && end !== undefined) return end
    // A page that was read once meets a short outage; one that was never read is not allowed to ask.
    misses = end === 'missed' ? misses + 1 : Number.NEGATIVE_INFINITY
    if (misses >= mostMisses) throw refuseStatus()
    const now = performance.now()
    // Vendors' pages cut the popup off: it looks closed while it is used. Only a page of ours that did not leave can be closed.
    if (heard.last.event !== 'opened' || !popup.closed) closedAt = undefined
    else closedAt ??= now
    if (closedAt !== undefined && now - closedAt >= graceMs) return toUnconnected(link.id, 'closed')
    if (now - started >= timeoutMs) return toUnconnected(link.id, 'timed_out')
  }
}

function refuseStatus(): ConnectError {
  const hint =
    'Create the link with the origin of this page as allowed_origin, list it in FERRULE_CONNECT_ORIGINS, and let connect-src of this page allow the service.'
  return new ConnectError('status_unavailable', 'This page cannot ask for the status of the link.', hint)
}

/** Starts to listen to the page in the popup, and to nobody else. */
function listen(popup: Popup, link: OpenedLink): { readonly heard: Heard; readonly stop: () => void } {
  const heard: Heard = { last: {}, wake: () => {} }
  const onMessage = ({ source, origin, data }: WindowMessage) => {
    if (source !== popup || origin !== link.origin || typeof data !== 'object' || data === null) return
    const message: Partial<ConnectMessage> = data
    if (message.type !== 'ferrule.connect' || message.link_id !== link.id) return
    heard.last = message
    heard.wake()
  }
  window.addEventListener('message', onMessage)
  return { heard, stop: () => window.removeEventListener('message', onMessage) }
}

/**
 * Opens a connect link in a popup, and waits until it has ended. Call it in the handler of a click: browsers block other popups.
 *
 * The answer comes from the page in the popup, and from the status of the link: vendors' pages cut a popup off from its opener. Both answer
 * only to the link's `allowed_origin`. A window that the end user closes on a vendor's page is not noticed: offer a button that
 * aborts `signal`. Verify the answer from your server.
 * @param url `url` of the link, or its promise: the popup opens before your server has answered
 * @param options see `OpenConnectOptions`
 * @returns how it ended; the popup is closed, where the browser still lets its opener do so
 * @throws ConnectError `popup_blocked`, `address_invalid`, `status_unavailable`; the reason of the signal; what the promise of the address
 *   rejects with
 */
export async function openConnect(
  url: string | URL | PromiseLike<string | URL>,
  { signal, timeoutMs = defaultTimeoutMs }: OpenConnectOptions = {},
): Promise<ConnectResult> {
  signal?.throwIfAborted()
  const popup = openPopup()
  let stop = () => {}
  try {
    const link = readLink(await url)
    signal?.throwIfAborted()
    const listening = listen(popup, link)
    stop = listening.stop
    popup.location.replace(link.url)
    return await watchLink({ link, popup, heard: listening.heard, signal, timeoutMs })
  } finally {
    stop()
    popup.close()
  }
}

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

const toUnconnected = (linkId: string, status: UnconnectedStatus): ConnectResult => ({ status, linkId, connectorId: null })

const toConnected = (linkId: string, connectorId: string): ConnectResult => ({ status: 'connected', linkId, connectorId })

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
