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

const forwardedHost = (own: string, used: string): Readonly<Record<string, string>> =>
  own === used ? {} : { 'x-forwarded-host': new URL(own).host }

/**
 * Resolves the origins of a call.
 * @throws FerruleError `upstream_answer_invalid` when the stored base of the customer is not one of the vendor
 */
export function originsOf(connection: Connection, values: CredentialValues): ResolvedOrigins {
  const { origins } = connection.kind.definition
  const override = connection.origin
  const own = {
    api: override === undefined ? (customerBase(connection, values) ?? origins.api) : (tolerantBase(connection, values) ?? origins.api),
    oauth: origins.oauth ?? origins.api,
  }
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
