/** Services and state that all platform services share. */
import type { EventEmitter } from 'node:events'
import type { Engine, OriginOverride } from 'ferrule/engine'
import type { ConnectorNotice } from 'ferrule/wire'
import type { Admission } from '../calls/admission.ts'
import type { Kinds, ServedKind } from '../connectors/connector-types.ts'
import type { Database } from '../db/database.ts'
import type { MasterKeys } from '../tenancy/vault/master-key.ts'
import type { MasterSeals } from '../tenancy/vault/master-seals.ts'
import type { DataKeys, Vault } from '../tenancy/vault/vault.ts'
import type { IdSource } from '../values/ids.ts'
import type { Unfinished } from '../values/try-again.ts'
import type { Settings } from './settings/settings.ts'

/** Origins of the stand-ins by kind; undefined without a running sandbox. */
type SandboxOrigins = Readonly<Record<string, OriginOverride>> | undefined

/** What the service does at vendors. Only the platform closes the engine. */
export type ServiceEngine = Omit<Engine, 'close'>

/** What the services of an opened platform are built from. */
export interface Parts {
  readonly settings: Settings
  readonly database: Database
  readonly source: IdSource
  /** Steady clock in milliseconds, for durations within this process. */
  readonly steady: () => number
  readonly sleep: (milliseconds: number) => Promise<void>
  readonly masterKeys: MasterKeys
  readonly dataKeys: DataKeys
  readonly vault: Vault
  readonly masterSeals: MasterSeals
  readonly kinds: Kinds
  readonly engine: ServiceEngine
  readonly admission: Admission
  /** Work that must reach the database before it closes: renewals with a spent token, and writes under an Idempotency-Key. */
  readonly unfinished: Unfinished
  /** What happened in this process: a run, an event or a delivery was queued; an attempt of a run ended; a vendor's event arrived. */
  readonly events: EventEmitter<{ queued: []; ended: []; arrived: [] }>
  /** Called with errors of background work. Never receives a secret. */
  readonly onBackgroundError: (error: unknown) => void
  /** Called once for each notice of a vendor. */
  readonly onNotice: (notice: { readonly connectorId: string } & ConnectorNotice) => void
  /** Returns the origins of the sandbox that plays a kind, by kind, at once or when it has started; undefined while it does not run. */
  readonly sandboxOrigins: (kind: ServedKind) => SandboxOrigins | Promise<SandboxOrigins>
}

/** The database, with the clock and the randomness of what is stored in it. */
export type Stored = Pick<Parts, 'database' | 'source'>
/** Opens and seals credentials. */
export type Seals = Pick<Parts, 'vault' | 'masterSeals'>
/** Calls vendors, within the limits of organizations. */
export type VendorCalls = Pick<Parts, 'engine' | 'admission'>
