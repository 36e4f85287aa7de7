/** Services and state that all platform services share. */
import type { EventEmitter } from 'node:events'
import type { Engine } from 'ferrule/engine'
import type { Catalogue } from '../connectors/connector-types.ts'
import type { Database } from '../db/database.ts'
import type { ApplicationSeals } from '../tenancy/vault/application-seals.ts'
import type { DataKeys } from '../tenancy/vault/data-keys.ts'
import type { MasterKeys } from '../tenancy/vault/master-key.ts'
import type { Vault } from '../tenancy/vault/vault.ts'
import type { IdSource } from '../values/ids.ts'
import type { Unfinished } from '../values/unfinished.ts'
import type { PlatformOptions } from './platform-options.ts'
import type { Settings } from './settings/settings.ts'

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
  readonly applicationSeals: ApplicationSeals
  readonly catalogue: Catalogue
  readonly engine: ServiceEngine
  /** Work that must reach the database before it closes: renewals with a spent token, and writes under an Idempotency-Key. */
  readonly unfinished: Unfinished
  /** Events of this process: a run was queued; an attempt of a run ended. */
  readonly events: EventEmitter<{ queued: []; ended: [] }>
  readonly onBackgroundError: NonNullable<PlatformOptions['onBackgroundError']>
  readonly onNotice: NonNullable<PlatformOptions['onNotice']>
  readonly sandboxOrigins: NonNullable<PlatformOptions['sandboxOrigins']>
}
