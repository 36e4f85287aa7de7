/** Reads the address of a link, and asks for its status. */
import type { ConnectLinkState } from '../wire/connect/links.ts'
import { ConnectError } from './connect-error.ts'

/** A link, as its address names it. */
export interface OpenedLink {
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
export function readLink(address: string | URL): OpenedLink {
  const text = String(address)
  const url = URL.canParse(text) ? new URL(text) : undefined
  const [, base, id] = /^(https?:.*\/connect\/)([\w-]{36})$/.exec(`${url?.origin}${url?.pathname}`) ?? []
  if (url !== undefined && base !== undefined && id !== undefined && url.hash.length > 1)
    return { id, url: url.href, origin: url.origin, statusUrl: `${base}api/links/${id}/status` }
  const hint = 'Pass `url` of the answer of POST /api/v1/connect/links as it is, with everything after #.'
  throw new ConnectError('address_invalid', 'This is not the address of a connect link.', hint)
}

/** Asks for the status of a link. @returns undefined when there is no usable answer. @throws the reason of the signal */
export async function readState({ statusUrl }: OpenedLink, signal: AbortSignal | undefined): Promise<ConnectLinkState | undefined> {
  const deadline = AbortSignal.timeout(questionMs)
  try {
    const response = await fetch(statusUrl, {
      ...{ credentials: 'omit', cache: 'no-store', referrerPolicy: 'no-referrer' },
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
