/** The settings of the process: one table that is validated and documented. */
import type { OriginOverride } from '../engine/connection.ts'
import type { Secret } from '../engine/secret.ts'

/** Settings of the process, checked. Made by `readSettings`. */
export interface Settings {
  readonly host: string
  /** 0: a free port is chosen. */
  readonly port: number
  /** Folder of the embedded database and of its master key. */
  readonly dataFolder: string
  /** Absent: the embedded database. */
  readonly databaseUrl?: Secret<string>
  /** 32 bytes; always present with `databaseUrl`. */
  readonly masterKey?: Secret<Buffer>
  /** Earlier master keys that may still wrap data keys. */
  readonly previousMasterKeys: readonly Secret<Buffer>[]
  /** The first application's pair, when it is given from outside. */
  readonly client?: { readonly id: string; readonly secret: Secret<string> }
  /** Kind → origins that replace those of its definition. */
  readonly origins: Readonly<Record<string, OriginOverride>>
  /** Whether the service runs its stand-ins of the vendors and takes connectors of `environment.sandbox`. */
  readonly sandbox: boolean
  /** Addresses and CIDR blocks of proxies, or the number of hops; `[]`: none is trusted. */
  readonly trustedProxies: readonly string[] | number
  /** Origins that browsers may call from. */
  readonly corsOrigins: readonly string[]
  /** Execute calls per minute for an organization; 0: unlimited. */
  readonly rateLimit: number
  /** Execute calls at one time for an organization; 0: unlimited. */
  readonly concurrency: number
  /** Largest request body, in bytes. */
  readonly bodyLimit: number
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
  /** Seconds that running requests get after a signal to stop. */
  readonly shutdownSeconds: number
  /** Seconds until an operation gives up. */
  readonly operationSeconds: number
  /** Address that clients use, without a trailing slash. Absent: taken from the request. */
  readonly publicUrl?: string
}
