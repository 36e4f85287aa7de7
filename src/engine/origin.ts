/** Where requests of a connector go: the definition's origins, a customer's own base, or the operator's override. */
import { fail } from '../errors.ts'
import type { Connection, CredentialValues } from './connection.ts'

/** Origins of one call, each without a trailing slash. */
export interface ResolvedOrigins {
  readonly api: string
  readonly oauth: string
  /** Where file links are sent instead of their own host. */
  readonly media: string | undefined
  /** Origins that are exempt from the rule that links of answers lead to public addresses. */
  readonly trusted: ReadonlySet<string>
  /** Headers that name the vendor's own host where an override took its place. */
  readonly forwarded: { readonly api: Readonly<Record<string, string>>; readonly oauth: Readonly<Record<string, string>> }
}

const trim = (origin: string): string => origin.replace(/\/+$/, '')

const customerBase = ({ kind, configuration }: Connection, values: CredentialValues): string | undefined => {
  const { base } = kind.definition
  const given = base?.fields
    .map((field) => values[field] ?? configuration[field])
    .find((value) => typeof value === 'string' && value !== '')
  if (base === undefined || typeof given !== 'string') return undefined
  // A base can arrive in a token answer, so it is checked each time: credentials go to hosts of the vendor only.
  if (!new RegExp(base.matches).test(given))
    throw fail('upstream_answer_invalid', {
      vendor: kind.definition.title,
      reason: 'a customer base address that is not one of the vendor',
    })
  return trim(given)
}

const fieldOf = ({ kind }: Connection, name: string): object => {
  const field: unknown = kind.definition.configuration[name]
  return typeof field === 'object' && field !== null ? field : {}
}

/** A configuration value as text: the connector's, else the default of the definition, else ''. */
export function configured(connection: Connection, name: string): string {
  const value = connection.configuration[name] ?? Reflect.get(fieldOf(connection, name), 'default')
  return typeof value === 'string' ? value : ''
}

/**
 * Fills `{name}` in an origin or prefix from the configuration. A value goes into a host or path only after it matched its
 * anchored pattern, each time: what was stored under older rules is checked by those of today.
 * @throws FerruleError `validation_failed`
 */
export function filled(connection: Connection, template: string): string {
  return template.replace(/\{(\w+)\}/g, (_slot, name: string) => {
    const value = configured(connection, name)
    if (new RegExp(String(Reflect.get(fieldOf(connection, name), 'pattern'))).test(value)) return value
    const problem = { field: `/replication_config/${name}`, message: 'is missing or not valid', error_code: 'pattern' }
    throw fail('validation_failed', { reason: `the configuration value ${name} is missing or not valid` }, { errors: [problem] })
  })
}

/** The path before every endpoint. */
export const prefixOf = (connection: Connection): string => filled(connection, connection.kind.definition.prefix ?? '')

/** The vendor's own origin of a connector, whatever stands in for it. @throws FerruleError `validation_failed` */
export function ownOriginOf(connection: Connection): string {
  const { api } = connection.kind.definition.origins
  if (typeof api === 'string') return filled(connection, api)
  const chosen = api.origins[configured(connection, api.by)]
  if (chosen !== undefined) return chosen
  const problem = { field: `/replication_config/${api.by}`, message: 'is not valid', error_code: 'enum' }
  throw fail('validation_failed', { reason: `the configuration value ${api.by} is not valid` }, { errors: [problem] })
}

const forwardedHost = (own: string, used: string): Readonly<Record<string, string>> =>
  own === used ? {} : { 'x-forwarded-host': new URL(own).host }

/**
 * Resolves the origins of a call.
 * @throws FerruleError `upstream_answer_invalid` when the stored base of the customer is not one of the vendor
 */
export function originsOf(connection: Connection, values: CredentialValues): ResolvedOrigins {
  const { origins } = connection.kind.definition
  const override = connection.origin
  const base = override === undefined ? customerBase(connection, values) : tolerantBase(connection, values)
  const vendorApi = base ?? ownOriginOf(connection)
  const own = { api: vendorApi, oauth: origins.oauth ?? vendorApi }
  const api = trim(override?.api ?? own.api)
  const oauth = trim(override?.oauth ?? override?.api ?? own.oauth)
  const media = override?.media === undefined ? undefined : trim(override.media)
  return {
    api,
    oauth,
    media,
    trusted: new Set(override === undefined ? [] : [api, oauth, ...(media === undefined ? [] : [media])]),
    forwarded: { api: forwardedHost(own.api, api), oauth: forwardedHost(own.oauth, oauth) },
  }
}

/** Behind an override nothing is sent to the base itself, so one that is not the vendor's (a sandbox's, for example) is passed over. */
const tolerantBase = (connection: Connection, values: CredentialValues): string | undefined => {
  try {
    return customerBase(connection, values)
  } catch {
    return undefined
  }
}
