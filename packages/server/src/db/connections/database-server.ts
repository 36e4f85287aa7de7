/**
 * Connections to one PostgreSQL server, or to the primary among several: the one policy for the state of the service, for the copy and for
 * read replicas. A connection is encrypted by the `sslmode` of its URL, checked before its first use, and not used again after a fault of the
 * server or of its session.
 * Reasons: docs/decisions/postgresql.md
 */
import { readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { type ConnectionOptions, getCACertificates } from 'node:tls'
import type { Secret } from 'ferrule/engine'
import { fail } from 'ferrule/internal'
import pg from 'pg'
import { within } from '../../values/within.ts'
import { type PasswordSource, Passwords } from './passwords.ts'
import { hasPooler, readProcessId, connectMs as usualConnectMs } from './pooler.ts'
import { createReadOnlyFault, isServerFault, readErrorCode, ServerFault } from './problems.ts'
import { type DatabaseTarget, parseDatabaseUrl, type TlsWish, UrlProblem } from './url.ts'

/** A failure while encrypting a connection. */
const untrusted = /^(SELF_SIGNED_CERT|DEPTH_ZERO|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|CERT_(UNTRUSTED|SIGNATURE))/

function readPem(name: string, path: string): string {
  try {
    const text = readFileSync(path, 'utf8')
    if (text.includes('-----BEGIN ')) return text
  } catch (thrown) {
    throw new UrlProblem(`the file that its ${name} names cannot be read (${readErrorCode(thrown) || 'unreadable'}); correct the path`)
  }
  throw new UrlProblem(`the file that its ${name} names holds no PEM; name a file that begins with -----BEGIN`)
}

/** Builds the options of TLS, and reads the files. @returns false without TLS; undefined where the URL says nothing */
function buildTls(wish: TlsWish | undefined): ConnectionOptions | false | undefined {
  if (wish === undefined) return undefined
  if (wish.mode === 'disable') return false
  const { rootCert, cert, key } = wish
  const authorities = rootCert === 'system' ? getCACertificates('system') : rootCert && readPem('sslrootcert', rootCert)
  return {
    ...(authorities === undefined || authorities === '' ? {} : { ca: authorities }),
    ...(cert === undefined ? {} : { cert: readPem('sslcert', cert) }),
    ...(key === undefined ? {} : { key: readPem('sslkey', key) }),
    ...(wish.mode === 'no-verify' ? { rejectUnauthorized: false } : {}),
    ...(wish.mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
  }
}

/** Explains a failure of TLS; undefined for other failures. */
function explainTls(thrown: unknown): string | undefined {
  const code = readErrorCode(thrown)
  const message = thrown instanceof Error ? thrown.message : ''
  if (untrusted.test(code))
    return `the certificate of the server is not signed by a known authority (${code}); name the file of your authority with sslrootcert, or use sslmode=no-verify to encrypt without checking`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'the certificate of the server is for another host name; use the name of the certificate, or sslmode=verify-ca with sslrootcert'
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return `the certificate of the server is not valid now (${code}); renew it, and check the clocks of both machines`
  if (message.includes('does not support SSL'))
    return 'the server takes no TLS connections; turn TLS on there, or use sslmode=disable on a network that you trust'
  if (/no encryption|SSL off/.test(message))
    return 'the server takes only TLS connections from here; add sslmode=require to the URL (/docs/operations has the modes)'
  return /^(ERR_(SSL|TLS|OSSL)|EPROTO)/.test(code) ? `TLS with the server fails (${code}); check sslmode, sslcert and sslkey` : undefined
}

/** Timeout of the look for readiness, in milliseconds. */
const lookMs = 2_000
/** A look keeps its connection for this time, in milliseconds. */
const keptMs = 60_000
/** A running statement is looked for on the server after this time, and again in this interval, in milliseconds. */
const silentMs = 5_000
const beatMs = 1_000
/** Looks in a row that do not find a statement before its connection is cut: its answer may be on its way. */
const missedLooks = 2

/** Names a server. */
export interface ServerOptions {
  readonly url: Secret<string>
  /** Setting that holds the URL, for errors. */
  readonly setting: string
  /** Source of the password where the URL has none. */
  readonly password?: PasswordSource | undefined
  /** True for a server that is only read, and may be a standby. */
  readonly isReplica?: boolean
  /** Timeout of connecting in milliseconds; default: five seconds. */
  readonly connectMs?: number
}

/** Settings of the sessions of a pool. */
export interface SessionConfig extends Pick<pg.ClientConfig, 'query_timeout' | 'types' | 'application_name'> {
  /** Settings of PostgreSQL. Leave them out before a pooler, which refuses unknown ones. */
  readonly settings?: Readonly<Record<string, string | number>>
  /** True for sessions that this service has made read-only. They must not be on a standby, which may lack the newest rows. */
  readonly isReading?: boolean
  /** Timeout of connecting in milliseconds, where it differs from that of the server. */
  readonly connectMs?: number
}

/** A pool of checked connections. */
export interface Pool {
  /** @throws ServerFault */
  connect(): Promise<pg.PoolClient>
  end(): Promise<void>
}

interface ClientParts {
  readonly config: pg.ClientConfig
  /** Number of faults of the server before this client. */
  readonly faults: number
  readonly passwords: Passwords | undefined
}

/** A client whose socket can be destroyed although the server is silent. */
class ServerClient extends pg.Client {
  readonly socket: Socket
  readonly faults: number

  constructor({ config, faults, passwords }: ClientParts) {
    const socket = new Socket()
    const made: { client?: pg.Client } = {}
    const password = passwords === undefined ? {} : { password: () => readPassword(passwords, made.client) }
    super({ ...config, ...password, stream: () => socket })
    made.client = this
    this.socket = socket
    this.faults = faults
    this.on('error', () => undefined) // the running statement fails
  }
}

async function readPassword(passwords: Passwords, client: pg.Client | undefined): Promise<string> {
  const { host = '', port = 0, user = '', database = '' } = client ?? {}
  return passwords.read({ host, port, user, database })
}

/** A connection outside of the pools. Destroying its socket ends it. */
export type ApartClient = pg.Client & { readonly socket: Socket }

interface Running {
  readonly client: pg.ClientBase
  readonly since: number
  missed: number
}

/** What is asked of a new connection; true means that it cannot be used. */
const questions = {
  writing: "select current_setting('transaction_read_only') = 'on' as refused",
  reading: 'select pg_is_in_recovery() as refused',
} as const

/** Formats settings for the start of a session. */
const formatSettings = (settings: Readonly<Record<string, string | number>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${String(value).replaceAll(/[\\ ]/g, '\\$&')}`)
    .join(' ')

/** Connections to a server. The first use connects. */
export class Server {
  readonly #options: ServerOptions
  readonly #target: DatabaseTarget
  readonly #passwords: Passwords | undefined
  readonly #connectMs: number
  readonly #running = new Set<Running>()
  #host = 0
  #faults = 0
  #greeting: Promise<boolean> | undefined
  #watch: Promise<ApartClient> | undefined
  /** The last question on the connection for looks: it runs one at a time. */
  #asked: Promise<unknown> = Promise.resolve()
  #looking: Promise<void> | undefined
  #keeping: NodeJS.Timeout | undefined
  #beating: NodeJS.Timeout | undefined
  #isBeating = false
  #isClosed = false

  /** @throws FerruleError `setting_invalid` for a URL that cannot be used */
  constructor(options: ServerOptions) {
    this.#options = options
    this.#target = naming(options.setting, () => parseDatabaseUrl(options.url.reveal(), options))
    this.#passwords = options.password === undefined || this.#target.password !== undefined ? undefined : new Passwords(options.password)
    this.#connectMs = options.connectMs ?? this.#target.connectMs ?? usualConnectMs
  }

  /**
   * Connects for the first time, and finds whether a pooler stands before the server.
   * @throws FerruleError `setting_invalid` when the server refuses the user, the password, the database or the encryption; ServerFault
   */
  greet(): Promise<boolean> {
    this.#greeting ??= this.#ask(hasPooler, this.#connectMs).catch((thrown: unknown) => {
      this.#greeting = undefined
      throw this.#explain(thrown)
    })
    return this.#greeting
  }

  /** Creates a pool. It connects when a client is asked for. */
  createPool(max: number, config: SessionConfig): Pool {
    const describe = () => this.#describeClient(config)
    const pool = new pg.Pool({
      max,
      Client: class extends ServerClient {
        constructor() {
          super(describe()) // by way of the present host, with the present password and files
        }
      },
      connectionTimeoutMillis: this.#connectMs,
      idleTimeoutMillis: keptMs,
      onConnect: (client) => this.#check(client, config),
    })
    // The pool replaces a connection that breaks while it is idle. Without a listener the error would end the process.
    pool.on('error', () => this.#noticeBroken())
    const connect = async (): Promise<pg.PoolClient> => {
      for (;;) {
        const client = await this.#attempt(() => pool.connect())
        if (!(client instanceof ServerClient) || client.faults === this.#faults) return client
        this.release(client, true)
      }
    }
    return { connect, end: () => pool.end() }
  }

  /** Opens a connection outside of the pools. @throws ServerFault */
  async connectApart(config: SessionConfig): Promise<ApartClient> {
    return this.#attempt(async () => {
      const client = new ServerClient(this.#describeClient(config))
      try {
        await client.connect()
        await this.#check(client, config)
        return client
      } catch (thrown) {
        client.socket.destroy()
        throw thrown
      }
    })
  }

  /** Releases a client of a pool. The connection of a broken one is cut, because a silent server would never confirm its end. */
  release(client: pg.PoolClient, isBroken: boolean): void {
    if (isBroken && client instanceof ServerClient) client.socket.destroy()
    client.release(isBroken)
  }

  /**
   * Follows a statement: one that the server does not run any more is cut off. Notices faults.
   * @returns the same answer
   * @throws ServerFault, or what the statement throws
   */
  async follow<T>(client: pg.ClientBase, ask: Promise<T>, mayWrite = true): Promise<T> {
    const running: Running = { client, since: performance.now(), missed: 0 }
    this.#running.add(running)
    this.#beating ??= setInterval(() => void this.#beat(), beatMs).unref()
    try {
      return await ask
    } catch (thrown) {
      if (!isServerFault(thrown, mayWrite)) throw thrown
      this.#noticeBroken()
      throw toFault(thrown)
    } finally {
      this.#running.delete(running)
      if (this.#running.size === 0) {
        clearInterval(this.#beating)
        this.#beating = undefined
      }
    }
  }

  /** Resolves when the server answers and takes writes. @throws ServerFault within two seconds */
  async look(): Promise<void> {
    this.#looking ??= this.#lookNow().finally(() => {
      this.#looking = undefined
    })
    await within(lookMs, this.#looking, () => {
      this.#dropWatch()
      throw new ServerFault(new Error(`it does not answer within ${lookMs / 1_000} seconds`))
    })
  }

  /** Closes what the pools do not hold. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#beating)
    this.#dropWatch()
  }

  /** Looks on the kept connection, and on a new one where that one shows an earlier state. */
  async #lookNow(): Promise<void> {
    const isKept = this.#watch !== undefined
    const look = (): Promise<void> => this.#ask((client) => this.#check(client, {}), lookMs)
    await look().catch((thrown: unknown) => {
      if (!isKept) throw thrown
      return look()
    })
  }

  /** Asks something on a connection of its own, which is kept for a while. @throws ServerFault, after which the next question connects */
  #ask<T>(ask: (client: pg.Client) => Promise<T>, answerMs: number): Promise<T> {
    const answering = this.#asked.then(async () => {
      // Options of the URL may have a shorter limit than ours.
      const settings = this.#target.options === undefined ? {} : { statement_timeout: answerMs }
      this.#watch ??= this.connectApart({ settings, query_timeout: answerMs, connectMs: answerMs })
      const opening = this.#watch
      try {
        const answer = await ask(await opening)
        this.#keepWatch()
        return answer
      } catch (thrown) {
        if (this.#watch === opening) this.#dropWatch()
        throw isServerFault(thrown) ? toFault(thrown) : thrown
      }
    })
    this.#asked = answering.catch(() => undefined)
    return answering
  }

  #keepWatch(): void {
    clearTimeout(this.#keeping)
    if (this.#isClosed) this.#dropWatch()
    else this.#keeping = setTimeout(() => this.#dropWatch(), keptMs).unref()
  }

  #dropWatch(): void {
    clearTimeout(this.#keeping)
    void this.#watch?.then(({ socket }) => socket.destroy()).catch(() => undefined)
    this.#watch = undefined
  }

  /** Notices that an established connection broke: the others are not used again, and the next look connects. */
  #noticeBroken(): void {
    this.#faults += 1
    this.#dropWatch()
  }

  /** Connects, by way of the next host or with a new password where the first attempt fails. */
  async #attempt<T>(connect: () => Promise<T>): Promise<T> {
    const isRenewable = this.#passwords !== undefined
    for (let left = this.#target.hosts.length - 1 + Number(isRenewable); ; left -= 1) {
      const host = this.#host
      try {
        return await connect()
      } catch (thrown) {
        const fault = toFault(thrown)
        if (fault instanceof Error && fault.message.includes('timeout exceeded when trying to connect')) throw fault
        if (fault.isRefusedUser) this.#passwords?.forget()
        else if (host === this.#host) this.#host = (host + 1) % this.#target.hosts.length
        if (left <= 0) {
          this.#dropWatch()
          throw fault
        }
      }
    }
  }

  /** @throws UrlProblem for a file of the encryption that cannot be read */
  #describeClient({ settings = {}, isReading: _isReading, connectMs = this.#connectMs, ...config }: SessionConfig): ClientParts {
    const target = this.#target
    const { host, port } = target.hosts[this.#host] ?? {}
    const own = formatSettings(settings)
    const given = {
      host,
      port,
      user: target.user,
      database: target.database,
      password: target.password?.reveal(),
      ssl: buildTls(target.tls),
    }
    return {
      config: {
        ...config,
        // The driver takes what is left out from the environment.
        ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
        ...(target.tls?.isDirect ? { sslnegotiation: 'direct' } : {}),
        options: [target.options ?? '', own].filter((part) => part !== '').join(' '),
        application_name: target.applicationName ?? config.application_name ?? 'ferrule',
        enableChannelBinding: target.hasChannelBinding,
        connectionTimeoutMillis: connectMs,
        keepAlive: true,
      },
      faults: this.#faults,
      passwords: this.#passwords,
    }
  }

  /** Asks a new connection whether it can be used. */
  async #check(client: pg.ClientBase, { isReading = false }: SessionConfig): Promise<void> {
    if (this.#options.isReplica) return
    const text = isReading ? questions.reading : questions.writing
    // The driver has this timeout for each statement, without declaring it.
    const question: pg.QueryConfig & { query_timeout: number } = { text, query_timeout: this.#connectMs }
    const { rows } = await client.query<{ readonly refused: boolean }>(question)
    if (rows[0]?.refused !== false) throw createReadOnlyFault()
  }

  /** Cuts off statements that the server does not run any more: their answers were lost. A pooler has process ids of its own. */
  async #beat(): Promise<void> {
    const old = [...this.#running].filter(({ since }) => performance.now() - since >= silentMs)
    if (old.length === 0 || this.#isBeating) return
    this.#isBeating = true
    try {
      if (await this.greet()) return
      const pids = old.map(({ client }) => readProcessId(client))
      const active = await this.#ask((client) => listActive(client, pids), lookMs)
      for (const running of old) {
        running.missed = active.has(readProcessId(running.client)) ? 0 : running.missed + 1
        const isLost = running.missed >= missedLooks && this.#running.has(running)
        if (isLost && running.client instanceof ServerClient) running.client.socket.destroy()
      }
    } catch {
      // The server does not answer now. The statements are looked for again.
    } finally {
      this.#isBeating = false
    }
  }

  /** Explains what a first connection was refused for: a setting must be corrected. */
  #explain(thrown: unknown): unknown {
    if (!(thrown instanceof ServerFault)) return thrown
    const tls = thrown.cause instanceof UrlProblem ? thrown.cause.message : explainTls(thrown.cause)
    if (tls !== undefined) return this.#refuse(tls, thrown)
    return thrown.isRefusedUser || thrown.code === '3D000' ? this.#refuse(`the server says: ${thrown.message}`, thrown) : thrown
  }

  #refuse = (reason: string, cause?: unknown) =>
    fail('setting_invalid', { name: this.#options.setting, reason }, cause === undefined ? {} : { cause })
}

/** Runs `work`, and names the setting of a URL that cannot be used. */
function naming<T>(setting: string, work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    throw thrown instanceof UrlProblem ? fail('setting_invalid', { name: setting, reason: thrown.message }) : thrown
  }
}

const toFault = (thrown: unknown): ServerFault => (thrown instanceof ServerFault ? thrown : new ServerFault(thrown))

/** Lists which sessions run a statement. */
async function listActive(client: pg.Client, pids: readonly number[]): Promise<ReadonlySet<number>> {
  const text = "select pid from pg_stat_activity where pid = any($1) and state in ('active', 'fastpath function call')"
  const { rows } = await client.query<{ readonly pid: number }>({ text, values: [pids] })
  return new Set(rows.map(({ pid }) => pid))
}
