// Process that syncs a connector from the stand-ins until it is done or killed. Its argument is JSON of `SyncChildOptions`. It prints one
// line of JSON (`ChildLine`) when the store is open, and one at the end.
import { isObject } from '../../packages/ferrule/src/definition/object.ts'
import { createEngine, type Engine } from '../../packages/ferrule/src/engine/call/execute.ts'
import type { Connection } from '../../packages/ferrule/src/engine/connection.ts'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { RawRows } from '../../packages/ferrule/src/engine/json/raw-rows.ts'
import { FerruleError, fail } from '../../packages/ferrule/src/errors.ts'
import type { ContextStoreSettings } from '../../packages/server/src/copies/store/database/settings.ts'
import { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import type { Answered, Ask, SyncTask } from '../../packages/server/src/copies/sync/walk/types.ts'
import { type SyncResult, syncConnector, type WholeSync } from './sync-connector.ts'
import { type SyncedKind, syncedKinds } from './sync-truth-kinds.ts'

/** Input of the process. */
export interface SyncChildOptions {
  readonly kind: SyncedKind
  /** Folder of an embedded store, or URL of a server. */
  readonly at: { readonly folder: string } | { readonly url: string }
  readonly origin: NonNullable<Connection['origin']>
  readonly credentials: Readonly<Record<string, string>>
  readonly configuration: Readonly<Record<string, unknown>>
  readonly wanted: readonly string[]
  readonly mode: SyncTask['mode']
  readonly run: string
  /** Start of the service's clock, in milliseconds since 1970. */
  readonly now: number
}

/** Output of the process. */
export type ChildLine = { readonly ready: true } | { readonly done: SyncResult } | { readonly failed: string }

/** UUID of the connector of these tests. */
export const truthConnector = '0190a000-0000-7000-8000-000000000077'
const fullEvery = 7 * 86_400_000
const deadlineMs = 20_000

/** Returns a connection to a stand-in. */
export const connectionOf = ({
  kind,
  origin,
  credentials,
  configuration,
}: Omit<SyncChildOptions, 'at' | 'wanted' | 'mode' | 'run' | 'now'>): Connection => ({
  kind: syncedKinds[kind],
  origin,
  configuration,
  credentials: {
    open: async () => ({ values: new Secret(credentials), version: '0' }),
    renew: () => Promise.reject(new Error('nothing is renewed')),
  },
})

/** Calls a stand-in as the service does. */
export const askOf =
  (engine: Engine, connection: Connection): Ask =>
  async ({ entity, action, params }): Promise<Answered> => {
    const outcome = await engine.run(connection, { entity, action, params, deadlineMs, background: true })
    if (outcome.type === 'file') throw fail('definition_invalid', { reason: `${entity} answers a file` })
    if (outcome.type === 'record') return { rows: [outcome.data], next: null }
    const { next_params: next } = outcome.meta
    return { rows: outcome.data instanceof RawRows ? outcome.data.toJSON() : outcome.data, next: isObject(next) ? next : null }
  }

/** Returns the settings of a world's store. */
export const settingsOf = (at: SyncChildOptions['at']): ContextStoreSettings => {
  const common = { waiting: 50, searchSeconds: 60 }
  return 'folder' in at
    ? { engine: 'embedded', folder: at.folder, memoryMb: 32, ...common }
    : { engine: 'postgres', url: new Secret(at.url), searches: 2, writers: 2, ...common }
}

const say = (line: ChildLine): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

async function run(options: SyncChildOptions): Promise<void> {
  const { kind, at, wanted, mode, now, configuration } = options
  const begin = performance.now()
  const clock = (): number => now + Math.round(performance.now() - begin)
  const engine = createEngine({ limits: false, clock })
  const store = new ContextStore({ settings: settingsOf(at), kinds: [syncedKinds[kind].definition], clock })
  await store.checkDatabase()
  say({ ready: true })
  const ask = askOf(engine, connectionOf(options))
  const task: WholeSync = {
    kind: syncedKinds[kind],
    connector: truthConnector,
    configuration,
    store,
    ask,
    wanted: (entity) => wanted.includes(entity),
    mode,
    run: options.run,
    fullEvery,
    clock,
    signal: new AbortController().signal,
  }
  const line = await syncConnector(task).then(
    (done): ChildLine => ({ done }),
    (error: unknown): ChildLine => ({ failed: error instanceof FerruleError ? `${error.code}: ${error.message}` : String(error) }),
  )
  await store.close()
  await engine.close()
  say(line)
}

if (import.meta.main) await run(JSON.parse(process.argv[2] ?? '{}'))
