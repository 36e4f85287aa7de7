/** Syncs a kind of the sandbox into a store in memory. */
import { afterAll } from 'vitest'
import type { Kind } from '../../packages/ferrule/src/definition/connector.ts'
import { createEngine } from '../../packages/ferrule/src/engine/call/execute.ts'
import type { OriginOverride } from '../../packages/ferrule/src/engine/http/origin.ts'
import type { StoredRecord } from '../../packages/server/src/copies/store/row-encoder.ts'
import { createAsk } from '../../packages/server/src/copies/sync/attempt.ts'
import type { ConnectorAccess } from '../../packages/server/src/values/access.ts'
import { fixed } from '../engine/support.ts'
import { type SyncResult, syncConnector, type WholeSync } from './sync-connector.ts'
import { connector, StoreDouble } from './sync-double.ts'

/** A connector of the sandbox. */
export interface KindSideOptions {
  readonly kind: Kind
  readonly origin: OriginOverride
  readonly credentials: Readonly<Record<string, string>>
  readonly configuration?: Readonly<Record<string, unknown>>
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** The syncs of a connector; its engine is closed with the test file. */
export class KindSide {
  readonly store: StoreDouble
  configuration: Readonly<Record<string, unknown>>
  /** Values that were left out because the vendor has withdrawn them, by entity. */
  readonly withdrawn: Record<string, readonly string[]> = {}
  readonly #options: KindSideOptions
  readonly #engine: ReturnType<typeof createEngine>

  constructor(options: KindSideOptions) {
    this.#options = options
    this.configuration = options.configuration ?? {}
    this.store = new StoreDouble(options.kind.definition.entities)
    this.store.clock = options.clock
    this.#engine = createEngine({ limits: false, random: () => 0, clock: options.clock, steady: () => performance.now() })
    afterAll(() => this.#engine.close())
  }

  /** Runs a sync of some entities. */
  sync(wanted: readonly string[], more: Partial<WholeSync> = {}): Promise<SyncResult> {
    const { kind, credentials, origin, clock } = this.#options
    const { configuration } = this
    const access: ConnectorAccess = {
      ref: { organizationId: '', workspaceId: '', connectorId: connector },
      status: 'active',
      connection: { kind, configuration, credentials: fixed(credentials), origin },
    }
    const { signal } = new AbortController()
    const connectors = { markAuthError: async () => undefined, markHealthy: async () => undefined }
    const ask = createAsk(
      { connectors, engine: this.#engine, onBackgroundError: () => undefined },
      { access, signal, called: () => undefined, withdrew: (entity, names) => void Object.assign(this.withdrawn, { [entity]: names }) },
    )
    return syncConnector({
      ...{ kind, connector, configuration, store: this.store, ask, clock, signal },
      ...{ wanted: (entity) => wanted.includes(entity), mode: 'incremental', fullEvery: 7 * 86_400_000 },
      ...more,
    })
  }

  /** Lists the stored records of an entity. */
  rows(entity: string): readonly StoredRecord['fields'][] {
    return [...this.store.shelf(entity).rows.values()].map(({ fields }) => fields)
  }
}
