/** What the services share. */
import type { EventEmitter } from 'node:events'
import type { DataKeys } from './data-keys.ts'
import type { Database } from './db/database.ts'
import type { IdSource } from './ids.ts'
import type { MasterKeys } from './master-key.ts'
import type { Settings } from './settings.ts'
import type { KnownIndexes } from './syncs/known-indexes.ts'
import type { SyncNode } from './syncs/node.ts'
import type { Catalogue, PlatformOptions } from './types.ts'
import type { Vault } from './vault.ts'

/** The parts of an opened platform that its services are built from. */
export interface Parts {
  readonly settings: Settings
  readonly database: Database
  readonly source: IdSource
  /** Milliseconds that never step, for what lasts within this process. */
  readonly steady: () => number
  readonly sleep: (milliseconds: number) => Promise<void>
  readonly masterKeys: MasterKeys
  readonly dataKeys: DataKeys
  readonly vault: Vault
  readonly catalogue: Catalogue
  /** What has to reach the database before it is closed: renewals whose token may be spent already, and writes under a key. */
  readonly unfinished: Set<Promise<unknown>>
  /** Told within this process: a run was queued; an attempt of a run has ended. */
  readonly events: EventEmitter<{ queued: []; ended: [] }>
  readonly onBackgroundError: NonNullable<PlatformOptions['onBackgroundError']>
  readonly onNotice: NonNullable<PlatformOptions['onNotice']>
  readonly knownIndexes: KnownIndexes
  /** Entities of a connector whose words are made anew after an upgrade. */
  readonly renewalsOf: (connectorId: string) => ReadonlySet<string>
  /** This node, as its leases name it. */
  readonly node: SyncNode
  readonly sandboxOrigins: NonNullable<PlatformOptions['sandboxOrigins']>
}
