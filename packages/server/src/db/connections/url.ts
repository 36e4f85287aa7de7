/** Reads URLs of PostgreSQL as libpq documents them ("Connection URIs"), with the parameters that this service obeys. */
import { Secret } from 'ferrule/engine'

/** What `sslmode` may be. */
export const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'] as const

/** A server of a URL. Without a host or a port, those of the driver: `PGHOST`, `PGPORT`, or localhost. */
export interface Host {
  readonly host: string | undefined
  readonly port: number | undefined
}

/** How a connection is encrypted, and what is checked. Files are read with each connection, since they may be renewed. */
export interface TlsWish {
  readonly mode: (typeof sslModes)[number]
  /** File of certificate authorities, or `system`. */
  readonly rootCert: string | undefined
  readonly cert: string | undefined
  readonly key: string | undefined
  readonly isDirect: boolean
}

/** A database, as its URL names it. */
export interface DatabaseTarget {
  /** At least one; several are tried one after the other. */
  readonly hosts: readonly Host[]
  readonly user: string | undefined
  readonly password: Secret<string> | undefined
  readonly database: string | undefined
  /** Settings of the session, as `-c name=value`. */
  readonly options: string | undefined
  readonly applicationName: string | undefined
  readonly hasChannelBinding: boolean
  /** Maximum time to connect, in milliseconds; undefined without `connect_timeout`. */
  readonly connectMs: number | undefined
  /** Undefined without `sslmode`. */
  readonly tls: TlsWish | undefined
}

/** A URL that cannot be used. The message is half a sentence that holds nothing of the URL. */
export class UrlProblem extends Error {}

const encoding =
  'its user or password holds a character that separates parts of a URL; percent-encode it: @ is %40, / is %2F, : is %3A, # is %23, ? is %3F, % is %25'
const shape = /^postgres(?:ql)?:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/i
/** Parameters that would change what is trusted, and that the driver does not have. */
const refused: readonly string[] = ['sslcrl', 'sslcrldir', 'sslpassword', 'require_auth', 'requirepeer', 'service', 'passfile']

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new UrlProblem(encoding)
  }
}

/** Splits the authority, and refuses separators that were not encoded: a piece of the password would be taken for a host. */
function splitUrl(text: string) {
  const found = shape.exec(text.trim())
  if (found === null) throw new UrlProblem(text.includes('#') ? encoding : 'it must be a postgresql:// URL')
  const [, authority = '', path = '', query = ''] = found
  const [hosts = '', user, ...more] = authority.split('@').toReversed()
  if (more.length > 0 || path.includes('@') || query.includes('@')) throw new UrlProblem(encoding)
  const [name = '', ...password] = (user ?? '').split(':')
  const params = new URLSearchParams(query)
  return {
    hosts: params.has('host') ? joinHosts(params.get('host') ?? '', params.get('port') ?? '') : hosts,
    user: decode(name) || params.get('user') || undefined,
    password: decode(password.join(':')) || params.get('password') || undefined,
    database: decode(path) || params.get('dbname') || undefined,
    params,
  }
}

/** Joins the parameters `host` and `port`, whose lists belong together. A single port is that of all hosts. */
function joinHosts(hosts: string, ports: string): string {
  const given = ports.split(',')
  return hosts
    .split(',')
    .map((host, index) => {
      const port = given.length === 1 ? given[0] : given[index]
      return `${host.includes(':') ? `[${host}]` : encodeURIComponent(host)}${port === undefined || port === '' ? '' : `:${port}`}`
    })
    .join(',')
}

function readHost(text: string): Host {
  const [, six, name = '', port] = /^(?:\[([0-9a-f:.%]+)\]|([^:[\]]*))(?::(\d*))?$/i.exec(text) ?? []
  const number = port === undefined || port === '' ? undefined : Number(port)
  if (
    (six === undefined && name === '' && text !== '' && number === undefined) ||
    (number !== undefined && (number < 1 || number > 65_535))
  )
    throw new UrlProblem('it must be a postgresql:// URL whose hosts have ports from 1 to 65535')
  return { host: six ?? (decode(name) || undefined), port: number }
}

const isMode = (mode: string): mode is TlsWish['mode'] => sslModes.some((each) => each === mode)

function readTls(params: URLSearchParams): TlsWish | undefined {
  const [rootCert, cert, key] = ['sslrootcert', 'sslcert', 'sslkey'].map((name) => params.get(name) ?? undefined)
  const isDirect = params.get('sslnegotiation') === 'direct'
  const isImplied = [rootCert, cert, key].some((file) => file !== undefined) || isDirect
  const mode = params.get('sslmode') ?? (isImplied ? 'verify-full' : undefined)
  if (mode === undefined) return undefined
  if (!isMode(mode)) throw new UrlProblem(`its sslmode must be one of ${sslModes.join(', ')}`)
  if (mode === 'verify-ca' && (rootCert === undefined || rootCert === 'system'))
    throw new UrlProblem('its sslmode verify-ca needs sslrootcert with the file of your certificate authority; or use verify-full')
  return { mode, rootCert, cert, key, isDirect }
}

/** Longest `connect_timeout` in seconds. libpq takes 0 for no limit; here it is the longest. */
const longestConnect = 60

function readConnectMs(params: URLSearchParams): number | undefined {
  const text = params.get('connect_timeout')
  if (text === null) return undefined
  if (!/^\d{1,9}$/.test(text)) throw new UrlProblem('its connect_timeout must be a whole number of seconds')
  return Math.min(Number(text) || longestConnect, longestConnect) * 1_000
}

/** Which servers of several hosts the service may use. It writes, so a standby is never enough. */
function checkAttributes(params: URLSearchParams): void {
  const wanted = params.get('target_session_attrs') ?? 'any'
  if (['any', 'read-write', 'primary'].includes(wanted)) return
  throw new UrlProblem(
    'its target_session_attrs must be read-write, primary or any: the service writes there, so it uses the host that takes writes',
  )
}

/**
 * Reads a URL.
 * @param isReplica true for a server that is only read
 * @throws UrlProblem which holds nothing of the URL
 */
export function parseDatabaseUrl(text: string, { isReplica = false }: { readonly isReplica?: boolean } = {}): DatabaseTarget {
  const { hosts, params, password, ...names } = splitUrl(text)
  const unknown = refused.find((name) => params.has(name))
  if (unknown !== undefined) throw new UrlProblem(`its parameter ${unknown} is not supported; remove it`)
  if (!isReplica) checkAttributes(params)
  return {
    ...names,
    hosts: hosts.split(',').map(readHost),
    password: password === undefined ? undefined : new Secret(password),
    options: params.get('options') ?? undefined,
    applicationName: params.get('application_name') ?? undefined,
    hasChannelBinding: ['prefer', 'require'].includes(params.get('channel_binding') ?? ''),
    connectMs: readConnectMs(params),
    tls: readTls(params),
  }
}
