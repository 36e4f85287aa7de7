/** The settings of the context database. */
import { join } from 'node:path'
import { indexRules } from '../context/indexes/types.ts'
import type { ContextStoreSettings } from '../context/store/types.ts'
import type { Secret } from '../engine/secret.ts'
import { fail } from '../errors.ts'

/** How single settings are read. */
export interface SettingReader {
  /** Undefined: not given. */
  value(name: string): string | undefined
  integer(name: string, standard: number, range: readonly [number, number]): number
  databaseUrl(name: string): Secret<string> | undefined
  readonly dataFolder: string
}

/**
 * Where the copy of the records is kept: PostgreSQL by CONTEXT_DATABASE_URL, else by DATABASE_URL, else embedded.
 * @throws FerruleError `setting_invalid`, also for an embedded copy beside a server, which several nodes could not share
 */
export function readContextSettings(reader: SettingReader): ContextStoreSettings {
  const url = reader.databaseUrl('CONTEXT_DATABASE_URL') ?? reader.databaseUrl('DATABASE_URL')
  const folder = reader.value('FERRULE_CONTEXT_FOLDER')
  const common = {
    waiting: reader.integer('FERRULE_CONTEXT_QUEUE', 200, [1, 10_000]),
    searchSeconds: reader.integer('FERRULE_SEARCH_SECONDS', 10, [1, 600]),
    indexes: reader.integer('FERRULE_CONTEXT_INDEXES', indexRules.mostInAll, [0, 1_000]),
  }
  const memoryMb = reader.integer('FERRULE_CONTEXT_MEMORY', 32, [16, 1_024])
  const searches = reader.integer('FERRULE_CONTEXT_SEARCHES', 8, [1, 200])
  const writers = reader.integer('FERRULE_CONTEXT_WRITERS', 4, [1, 100])
  if (url === undefined) return { engine: 'embedded', folder: folder ?? join(reader.dataFolder, 'context'), memoryMb, ...common }
  if (folder === undefined) return { engine: 'postgres', url, searches, writers, ...common }
  const reason = 'with DATABASE_URL or CONTEXT_DATABASE_URL the copy of the records is kept in PostgreSQL; remove one of them'
  throw fail('setting_invalid', { name: 'FERRULE_CONTEXT_FOLDER', reason })
}
