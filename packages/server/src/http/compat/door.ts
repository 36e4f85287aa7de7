/** Recognises clients of the platform that the specification comes from: by the path prefix, or by a header that marks them. */
import type { FerruleError } from 'ferrule'
import { fail } from 'ferrule/internal'

/** Headers that mark such a client. Its older packages send none. */
export const markerHeaders = ['X-ADP-Agent-SDK', 'X-ADP-Agent-CLI'] as const
const markers = markerHeaders.map((name) => name.toLowerCase())

/** Path in front of the address for clients without a marker. */
export const prefix = '/compat'

/** How a client came in. `plain`: in our own form. `short`: by the prefix, without `/api`, where such a client creates connectors. */
export type Door = 'plain' | 'marked' | 'prefixed' | 'short'

const prefixed = new RegExp(`^${prefix}(/api)?/v1(?=[/?]|$)`)

/** Removes the prefix once. A path without it, or with anything else behind it, stays and finds its own route or none. */
export const stripPrefix = (url: string): string => url.replace(prefixed, '/api/v1')

/**
 * Finds how a request came in.
 * @param url path as the client sent it
 * @param header reads a header by its lower-case name
 */
export function findDoor(url: string, header: (name: string) => string | undefined): Door {
  const found = prefixed.exec(url)
  if (found !== null) return found[1] === undefined ? 'short' : 'prefixed'
  return markers.some((name) => header(name) !== undefined) ? 'marked' : 'plain'
}

/** What those clients ask for and this service has not, by the form of its path, and what to do instead. */
const notOffered: readonly (readonly [path: RegExp, what: string, instead: string])[] = [
  [
    /^\/api\/v1\/internal\/workflows(\/|$)/,
    'workflows and automations: run a schedule of your own, and call the operations of a connector from it',
    'Run a schedule of your own, and call the operations of a connector from it.',
  ],
  [
    /^\/api\/v1\/integrations\/connectors\/[^/]+\/execute\/prepare$/,
    'executions on the machine of the caller: unset SECRETS_CONFIGURED_FROM_ENVIRONMENT, so that the client calls execute',
    'Unset SECRETS_CONFIGURED_FROM_ENVIRONMENT, so that the client calls execute.',
  ],
]

/** Builds the error of a path of something that this service has not; undefined for other paths. */
export function findNotOffered(path: string): FerruleError | undefined {
  const found = notOffered.find(([form]) => form.test(path))
  if (found === undefined) return undefined
  const [, what, hint] = found
  return fail('not_offered', { what }, { hint })
}
