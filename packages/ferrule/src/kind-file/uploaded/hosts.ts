/** Where the requests of a kind go: the hosts of its definition, and which hosts a file of a stranger may name. */
import type { ChosenOrigin, ConnectorDefinition } from '../../definition/connector.ts'
import type { Findings } from '../check-tree.ts'
import { findAt } from './visit.ts'

/** A host, and what goes there. */
export interface KindHost {
  /** `api`: calls with credentials. `token`: codes and refresh tokens. `page`: the owner of an account, to consent. `files`: downloads. */
  readonly use: 'api' | 'token' | 'page' | 'files'
  /** Host with its slots: `{site}.example.com`. `*`: any public host that the vendor's answers name. */
  readonly host: string
}

const hostOf = (origin: string): string => origin.replace(/^https:\/\//, '')

const listChosen = (origin: string | ChosenOrigin): readonly string[] =>
  typeof origin === 'string' ? [origin] : Object.values(origin.origins)

const listApi = ({ origins: { api, other }, base, domains = [] }: ConnectorDefinition): readonly string[] => [
  ...listChosen(api),
  ...(other === undefined ? [] : [other.api]),
  ...domains.map((domain) => `*.${domain}`),
  ...(base === undefined ? [] : [base.matches]),
]

/**
 * Lists the hosts that a definition can lead to, each once for each use, sorted. Credentials belong to the hosts that they were entered for:
 * a definition with another host of use `api` or `token` needs them again.
 */
export function listHosts(definition: ConnectorDefinition): readonly KindHost[] {
  const { origins, credentials, entities } = definition
  const schemes = Object.values(credentials)
  const token = origins.token ?? origins.oauth
  const hasFiles = Object.values(entities).some(({ download }) => download !== undefined)
  const all: readonly (readonly [KindHost['use'], readonly string[]])[] = [
    ['api', listApi(definition)],
    ['token', token !== undefined && schemes.some(({ exchange }) => exchange !== undefined) ? listChosen(token) : []],
    ['page', origins.oauth !== undefined && schemes.some(({ consent }) => consent !== undefined) ? [origins.oauth] : []],
    ['files', hasFiles ? ['*'] : []],
  ]
  return all.flatMap(([use, found]) => [...new Set(found.map(hostOf))].toSorted().map((host) => ({ use, host })))
}

/** Ends of names that belong to networks, not to vendors. */
const innerEnds = ['localhost', 'localdomain', 'local', 'internal', 'intranet', 'private', 'lan', 'home', 'corp', 'arpa', 'onion'] as const

const example = 'https://api.example.com'
const isLabel = (text: string): boolean => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text)

/** Describes what is wrong with the host of an address; undefined if nothing is. @param address as the file has it, perhaps with slots */
export function findHostFlaw(address: string): string | undefined {
  if (!address.startsWith('https://')) return 'must be an address with https'
  const authority = /^[^/?#]*/.exec(address.slice('https://'.length))?.[0] ?? ''
  if (authority.includes('@')) return 'cannot hold a user: it is an address of a host alone'
  if (/:\d*$/.test(authority)) return 'cannot have a port: requests go to port 443'
  const host = authority.replaceAll(/\{[^{}]*\}/g, 'a').toLowerCase()
  const labels = host.split('.')
  const last = labels.at(-1) ?? ''
  // A last part with a digit at its start would be an IP address, in one of the many ways to write it.
  if (host.startsWith('[') || /^(?:0x[0-9a-f]*|\d+)$/.test(last)) return 'must be the name of a host, and is an IP address'
  if (labels.length < 2) return 'must be the name of a host on the internet, with a dot in it'
  if (innerEnds.some((end) => last === end)) return `must be the name of a host on the internet, and none ends with .${last}`
  const isName = host.length <= 253 && labels.every(isLabel) && /^(?:[a-z]{2,63}|xn--[a-z0-9-]+)$/.test(last)
  const isKept = URL.canParse(`https://${host}`) && new URL(`https://${host}`).hostname === host
  return isName && isKept ? undefined : 'must be the name of a host: letters, digits and dashes, with dots between them'
}

/** Patterns of the paths of addresses in a file. */
const addressPatterns = [
  ...['api', 'api.of.*', 'elsewhere.api', 'auth.*.oauth.page', 'auth.*.oauth.token', 'auth.*.login.host', 'auth.*.login.host.of.*', 'docs'],
  ...['auth.*.find.url', 'auth.*.fields.*.$find.url', 'configuration.*.$find.url', 'webhooks.find.url'],
] as const

/** Notes hosts that a file of a stranger may not name. */
export function checkHosts(file: unknown, found: Findings): void {
  for (const pattern of addressPatterns)
    for (const { steps, value } of findAt(file, pattern)) {
      // The owner of an account names such a host, and the engine takes public ones only.
      const isWhole = pattern === 'api' && /^https:\/\/\{\w+\}$/.test(String(value))
      const message = typeof value === 'string' && value !== '' && !isWhole ? findHostFlaw(value) : undefined
      if (message !== undefined) found.note(steps, { message, example: `${steps.at(-1)}: ${example}` })
    }
}
