/** The engine of a store. The drivers are loaded here: a service that never searches does without them. */
import type { Engine, Run } from './database.ts'
import type { SetAside } from './embedded-folder.ts'
import type { ContextStoreSettings } from './types.ts'

/** Turns of an engine that are taken, and how many wait, over searches and writes. */
export function loadOf(engine: Engine | undefined): { readonly running: number; readonly waiting: number } {
  const lanes = new Set(Object.values(engine?.lanes ?? {}))
  const sum = (what: 'running' | 'waiting'): number => [...lanes].reduce((total, lane) => total + lane.load[what], 0)
  return { running: sum('running'), waiting: sum('waiting') }
}

/** What an engine works with. */
export interface EngineParts {
  /** Milliseconds until a write is stopped. */
  readonly writeMs: number
  /** Called after each opening. */
  readonly prepare: (run: Run) => Promise<void>
  readonly onSetAside: (aside: SetAside) => void
  readonly onUpkeepError: ((error: unknown) => void) | undefined
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** Makes the engine that the settings ask for. */
export async function engineOf(settings: ContextStoreSettings, parts: EngineParts): Promise<Engine> {
  const { writeMs, prepare, onSetAside, onUpkeepError, clock } = parts
  const limits = { waiting: settings.waiting, searchMs: settings.searchSeconds * 1_000, writeMs, prepare }
  if (settings.engine === 'embedded') {
    const { Embedded } = await import('./embedded.ts')
    const { folder, memoryMb } = settings
    return new Embedded({ ...limits, folder, memoryMb, onSetAside, onUpkeepError, clock })
  }
  const { postgresEngine } = await import('./postgres.ts')
  const { searches, writers } = settings
  return postgresEngine({ ...limits, url: settings.url.reveal(), searches, writers })
}
