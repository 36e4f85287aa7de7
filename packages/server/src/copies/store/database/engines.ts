/** Creates the engine of a store. Drivers are loaded on demand: a service that never searches does not need them. */
import type { Engine, Run } from './database.ts'
import type { SetAsideDatabase } from './embedded/folder.ts'
import type { ContextStoreSettings } from './settings.ts'

/** Counts taken turns and waiting requests of an engine, over searches and writes. */
export function sumLoad(engine: Engine | undefined): { readonly running: number; readonly waiting: number } {
  const lanes = new Set(Object.values(engine?.lanes ?? {}))
  const sum = (what: 'running' | 'waiting'): number => [...lanes].reduce((total, lane) => total + lane.load[what], 0)
  return { running: sum('running'), waiting: sum('waiting') }
}

/** Timeout of a write, and maximum wait for a turn, in milliseconds. */
const writeMs = 60_000
/** Time that a cancelled statement of the primary has to end before its connection is cut, in milliseconds. Nothing answers instead of it. */
const cutMs = 5_000

/** Options of an engine. */
export interface EngineOptions {
  /** Runs after each opening of the database. */
  readonly prepare: (run: Run) => Promise<void>
  readonly onSetAside: (aside: SetAsideDatabase) => void
  readonly onUpkeepError: ((error: unknown) => void) | undefined
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** Creates the engine that the settings select. */
export async function createEngine(settings: ContextStoreSettings, parts: EngineOptions): Promise<Engine> {
  const { prepare, onSetAside, onUpkeepError, clock } = parts
  const limits = { waiting: settings.waiting, searchMs: settings.searchSeconds * 1_000, writeMs, prepare }
  if (settings.engine === 'embedded') {
    const { Embedded } = await import('./embedded/embedded.ts')
    const { folder, memoryMb } = settings
    return new Embedded({ ...limits, folder, memoryMb, onSetAside, onUpkeepError, clock })
  }
  const { createPostgresEngine: postgresEngine } = await import('./postgres.ts')
  const { url, password, searches, writers } = settings
  return postgresEngine({ ...limits, url, password, searches, writers, cutMs })
}
