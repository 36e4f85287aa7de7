/** Which headers a file of a stranger may set: a closed list of names, and forms of names that only vendors use. */
import { isObject } from '../../definition/object.ts'
import type { Findings } from '../check-tree.ts'
import { findAt } from './visit.ts'

/** Names that stand in no form of vendors. */
const known: ReadonlySet<string> = new Set([
  ...[
    'accept',
    'accept-language',
    'access-token',
    'api-key',
    'api-token',
    'apikey',
    'consistencylevel',
    'content-language',
    'idempotency-key',
  ],
  ...['if-match', 'if-none-match', 'ocp-apim-subscription-key', 'prefer', 'token', 'user-agent'],
])
/** `x-acme-team`, `acme-version`, `acme-account`. */
const ofVendors =
  /^(?:x-[a-z0-9-]+|[a-z][a-z0-9]*(?:-[a-z0-9]+)*-(?:account|company|environment|id|key|organization|organisation|project|region|secret|site|team|tenant|token|version|workspace))$/
/** Names that proxies and servers believe. */
const ofNetworks =
  /^(?:proxy|sec|cf|cdn|via|surrogate|metadata|x-(?:forwarded|real|original|rewrite|client-ip|cluster|remote|host|proxy|proxyuser|url|http|method|override|envoy|amzn|aws|metadata|middleware|accel|sendfile|nginx|varnish|cf|cdn|sandbox))(?:-|$)/

/** Returns whether a file of a stranger may set a header. `authorization` is for ways to authenticate only. */
export const isAllowedHeader = (name: string): boolean => known.has(name) || (ofVendors.test(name) && !ofNetworks.test(name))

const example = "headers: { x-acme-version: '3' }"

/** Notes headers that are not on the list. */
export function checkHeaders(file: unknown, found: Findings): void {
  for (const place of ['headers', 'auth.*.headers', 'auth.*.send', 'auth.*.login.headers', 'entities.*.*.headers'])
    for (const { steps, value } of findAt(file, place))
      for (const name of isObject(value) ? Object.keys(value) : []) {
        const low = name.toLowerCase()
        // Every file keeps it for `send`.
        if (low !== 'authorization' && !isAllowedHeader(low))
          found.note([...steps, name], { message: `the header ${name} is not one that an uploaded kind may set`, example }, 'key')
      }
  for (const place of ['writes.once', 'entities.*.*.once'])
    for (const { steps, value } of findAt(file, place))
      if (typeof value === 'string' && !isAllowedHeader(value.toLowerCase()))
        found.note(steps, { message: `the header ${value} is not one that an uploaded kind may set`, example: 'once: idempotency-key' })
}
