/** Resolves where requests of a connector go: the definition's origins, a customer's own base, or the operator's override. */
import type { ChosenOrigin, ConnectorDefinition, Kind } from '../../definition/connector.ts'
import { FerruleError, fail } from '../../errors.ts'

/**
 * `config`: the origin comes from a definition or the operator. `answer`: a vendor's answer named it, so it must be public. `foreign`: a
 * stranger's definition or the owner of an account named it, so it must be public, on port 443.
 */
export type Trust = 'config' | 'answer' | 'foreign'

/** Origins that replace the definition's: for egress proxies, regional hosts, recorded replays and the sandbox. */
export interface OriginOverride {
  readonly api: string
  /** Default: `api`. */
  readonly oauth?: string
  /** If given, file links of the vendor's answers go to this origin. */
  readonly media?: string
  /** Where browsers open the vendor's consent page. Default: `oauth`. An egress proxy cannot show the page. */
  readonly consent?: string
}

/** What decides where the requests of a connector go. */
export interface OriginSource {
  readonly kind: Pick<Kind, 'definition'>
  readonly configuration: Readonly<Record<string, unknown>>
  readonly origin?: OriginOverride | undefined
  /** True: requests go to the kind's other address, although nothing is configured for it yet. */
  readonly usesOther?: true
}

/** Origins of one call, without trailing slashes. */
export interface ResolvedOrigins {
  readonly api: string
  readonly oauth: string
  /** Of the addresses above: those of a stranger's definition must be public. A stand-in is the operator's own. */
  readonly trust: Trust
  /** Where file links go instead of their own host. */
  readonly media: string | undefined
  /** Origins that links of answers may lead to although they are not public. */
  readonly trusted: ReadonlySet<string>
  /** Headers with the vendor's own host, for origins that an override replaced. */
  readonly forwarded: { readonly api: Readonly<Record<string, string>>; readonly oauth: Readonly<Record<string, string>> }
}

const trimSlashes = (origin: string): string => origin.replace(/\/+$/, '')

const findCustomerBase = ({ kind, configuration }: OriginSource, values: Readonly<Record<string, string>>): string | undefined => {
  const { base } = kind.definition
  const given = base?.fields
    .map((field) => values[field] ?? configuration[field])
    .find((value) => typeof value === 'string' && value !== '')
  if (base === undefined || typeof given !== 'string') return undefined
  // A token answer can contain a base, so every call checks it: credentials go only to the vendor's hosts.
  if (!new RegExp(base.matches).test(given))
    throw fail('upstream_answer_invalid', {
      vendor: kind.definition.title,
      reason: 'a customer base address that is not one of the vendor',
    })
  return trimSlashes(given)
}

/** Reads a configuration value as a string: the connector's, else the default of the definition, else ''. */
export function readConfiguration(connection: OriginSource, name: string): string {
  const value = connection.configuration[name] ?? connection.kind.definition.configuration[name]?.default
  return typeof value === 'string' ? value : ''
}

/**
 * Fills `{name}` in an origin or prefix from the configuration. Checks the anchored pattern each time, because the value may have been
 * stored under older rules.
 * @throws FerruleError `validation_failed`
 */
export function fillTemplate(connection: OriginSource, template: string): string {
  return template.replace(/\{(\w+)\}/g, (_slot, name: string) => {
    const value = readConfiguration(connection, name)
    if (new RegExp(String(connection.kind.definition.configuration[name]?.pattern)).test(value)) return value
    const problem = { field: `/replication_config/${name}`, message: 'is missing or not valid', error_code: 'pattern' }
    throw fail('validation_failed', { reason: `the configuration value ${name} is missing or not valid` }, { errors: [problem] })
  })
}

/** Finds the kind's other address, if the connector uses it. */
function findOther(connection: OriginSource) {
  const { other } = connection.kind.definition.origins
  return other !== undefined && (connection.usesOther || readConfiguration(connection, other.configuration) !== '') ? other : undefined
}

/** Builds the path before every endpoint. */
export const buildPrefix = (connection: OriginSource): string =>
  fillTemplate(connection, findOther(connection)?.prefix ?? connection.kind.definition.prefix ?? '')

/**
 * Finds the configuration value that is the whole host of a kind's API; undefined for vendors with a domain of their own. A person chose such
 * a host, so it must be public, and credentials belong to it.
 */
export const findWholeHost = ({ origins: { api } }: Pick<ConnectorDefinition, 'origins'>): string | undefined =>
  typeof api === 'string' ? /^https:\/\/\{(\w+)\}$/.exec(api)?.[1] : undefined

const findSlot = (origin: string): string | undefined => /\{(\w+)\}/.exec(origin)?.[1]

/** Fills an origin. A value that ends with a further domain of the vendor is the whole host. @throws FerruleError `validation_failed` */
export function fillOrigin(connection: OriginSource, origin: string): string {
  const { domains = [] } = connection.kind.definition
  const filled = fillTemplate(connection, origin) // which checks the value
  const value = readConfiguration(connection, findSlot(origin) ?? '')
  return domains.some((domain) => value.endsWith(`.${domain}`)) ? `https://${value}` : filled
}

/** Finds the vendor's own origin of a connector, whatever override is set. @throws FerruleError `validation_failed` */
export function findVendorOrigin(connection: OriginSource): string {
  const { api } = connection.kind.definition.origins
  const other = findOther(connection)
  if (other !== undefined) return fillTemplate(connection, other.api)
  return chooseOrigin(connection, api)
}

/** Fills an origin, or finds the one that a configuration value selects. */
function chooseOrigin(connection: OriginSource, origin: string | ChosenOrigin): string {
  if (typeof origin === 'string') return fillOrigin(connection, origin)
  const { by, origins } = origin
  const value = readConfiguration(connection, by)
  const chosen = Object.hasOwn(origins, value) ? origins[value] : undefined
  if (chosen !== undefined) return chosen
  const problem = { field: `/replication_config/${by}`, message: 'is not valid', error_code: 'enum' }
  throw fail('validation_failed', { reason: `the configuration value ${by} is not valid` }, { errors: [problem] })
}

/** Lists the origins that a URL of the vendor's answers can have: the vendor's own, and an override. @throws FerruleError `validation_failed` */
export const listOwnOrigins = (connection: OriginSource): readonly string[] =>
  [findVendorOrigin(connection), ...(connection.origin === undefined ? [] : [connection.origin.api])].map(
    (origin) => new URL(origin).origin,
  )

/** Finds the configuration value that the vendor's address is made of; undefined for vendors with one address. */
function findAddressField({ kind }: Pick<OriginSource, 'kind'>): { readonly name: string; readonly says: string } | undefined {
  const { api } = kind.definition.origins
  const name = typeof api === 'string' ? findSlot(api) : undefined
  const field = kind.definition.configuration[name ?? '']
  return name === undefined || field === undefined ? undefined : { name, says: field['x-find']?.says ?? '' }
}

/** Describes what to change where an address leads elsewhere; undefined for vendors with one address. */
export function describeMovedAddress(source: Pick<OriginSource, 'kind'>): string | undefined {
  const field = findAddressField(source)
  return field === undefined ? undefined : `Change the value of ${field.name} if the address is wrong or has moved. ${field.says}`.trim()
}

/**
 * Explains a failed check whose address leads to nobody. A check asks for no record of the caller, so the address is wrong.
 * @returns the error to throw
 */
export function explainAddress(source: OriginSource, thrown: unknown): unknown {
  const field = findAddressField(source)
  if (!(thrown instanceof FerruleError) || thrown.code !== 'record_not_found' || field === undefined) return thrown
  const { code, status, errors, retryable, upstream } = thrown
  const message = `${source.kind.definition.title} knows nothing at this address.`
  const hint = `Check the value of ${field.name}. ${field.says}`.trim()
  return new FerruleError(code, { message, hint }, { errors, status, retryable, cause: thrown, upstream })
}

const buildForwardedHost = (own: string, used: string): Readonly<Record<string, string>> =>
  own === used ? {} : { 'x-forwarded-host': new URL(own).host }

/** Resolves the origins of a call. @throws FerruleError `upstream_answer_invalid` if the stored base of the customer is not the vendor's */
export function resolveOrigins(connection: OriginSource, values: Readonly<Record<string, string>>): ResolvedOrigins {
  const { origins, foreign } = connection.kind.definition
  const override = connection.origin
  const base = override === undefined ? findCustomerBase(connection, values) : findUsableBase(connection, values)
  const vendorApi = base ?? findVendorOrigin(connection)
  const token = origins.token ?? origins.oauth
  const own = { api: vendorApi, oauth: token === undefined ? vendorApi : chooseOrigin(connection, token) }
  const api = trimSlashes(override?.api ?? own.api)
  const oauth = trimSlashes(override?.oauth ?? override?.api ?? own.oauth)
  const media = override?.media === undefined ? undefined : trimSlashes(override.media)
  return {
    api,
    oauth,
    trust: override === undefined && (foreign || findWholeHost(connection.kind.definition) !== undefined) ? 'foreign' : 'config',
    media,
    trusted: new Set(override === undefined ? [] : [api, oauth, ...(media === undefined ? [] : [media])]),
    forwarded: {
      api: buildForwardedHost(own.api, api),
      get oauth() {
        return buildForwardedHost(own.oauth, oauth) // few calls ask for it
      },
    },
  }
}

/** Finds the customer's base, and ignores one that is not the vendor's. Behind an override nothing is sent to the base itself. */
const findUsableBase = (connection: OriginSource, values: Readonly<Record<string, string>>): string | undefined => {
  try {
    return findCustomerBase(connection, values)
  } catch {
    return undefined
  }
}
