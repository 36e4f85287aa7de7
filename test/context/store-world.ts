/** Stores over both databases for tests. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, onTestFinished, vi } from 'vitest'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import type { EngineName } from '../../packages/server/src/copies/store/database/database.ts'
import type { ContextStoreOptions } from '../../packages/server/src/copies/store/types.ts'
import { copyEmbeddedDatabase, createTestDatabase, databasesOfStatements, databasesUnderTest } from '../support/postgres.ts'
import { testKind } from './store-records.ts'

export { createRef, idsOf, note, noteFields, notesOf, oneValue, refusal, rowsOf, testKind } from './store-records.ts'

import type { ContextStoreSettings } from '../../packages/server/src/copies/store/database/settings.ts'
import { ContextStore } from '../../packages/server/src/copies/store/store.ts'

/** A database that stores are opened over, one after the other or at the same time. */
export interface StoreWorld {
  readonly engine: EngineName
  /** Folder of the embedded database. */
  readonly folder: string
  readonly settings: ContextStoreSettings
  /** Milliseconds since 1970; only the test changes it. */
  now: number
  /** Opens a store, which is closed with the world. */
  open(options?: Partial<ContextStoreOptions>): ContextStore
  close(): Promise<void>
}

const folders: string[] = []
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const temporary = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-context-'))
  folders.push(folder)
  return folder
}

/** Returns a folder with a copy of an embedded database; left out: of an empty one. */
async function embeddedFolder(from: string | undefined): Promise<string> {
  const folder = temporary()
  if (from === undefined) await copyEmbeddedDatabase(folder)
  else cpSync(from, folder, { recursive: true })
  return folder
}

/**
 * Creates a world.
 * @param from a world of the same engine to copy, whose stores are closed; left out: the new one is empty
 * @param through returns the URL by which stores reach the server, for example through a pooler
 */
export async function createStoreWorld(engine: EngineName, from?: StoreWorld, through = (url: string) => url): Promise<StoreWorld> {
  const template = from?.settings.engine === 'postgres' ? from.settings.url.reveal() : undefined
  const server = engine === 'postgres' ? await createTestDatabase('context_store', template) : undefined
  const folder = engine === 'embedded' ? await embeddedFolder(from?.folder) : ''
  const common = { waiting: 50, searchSeconds: 400 }
  const settings: ContextStoreSettings =
    server === undefined
      ? { engine: 'embedded', folder, memoryMb: 16, ...common }
      : { engine: 'postgres', url: new Secret(through(server.url)), searches: 3, writers: 3, ...common }
  const opened: ContextStore[] = []
  const world: StoreWorld = {
    engine,
    folder,
    settings,
    now: Date.parse('2026-03-01T12:00:00Z'),
    open: (options = {}) => {
      const store = new ContextStore({ settings, kinds: [testKind()], clock: () => world.now, ...options })
      opened.push(store)
      return store
    },
    close: async () => {
      for (const store of opened) await store.close()
      await server?.drop()
      if (folder !== '') rmSync(folder, { recursive: true, force: true })
    },
  }
  return world
}

/** Runs a suite over both databases. */
export const overBoth = (name: string, suite: (engine: EngineName) => void | Promise<void>): void =>
  describe.each(databasesUnderTest(['embedded', 'postgres']))(`${name} (%s)`, suite)

/** Runs a suite that looks at statements only: over PostgreSQL, in `npm run soak` over the embedded database too. */
export const overStatements = (name: string, suite: (engine: EngineName) => void | Promise<void>): void =>
  describe.each(databasesOfStatements(['embedded', 'postgres']))(`${name} (%s)`, suite)

/**
 * Counts no wait for a slot or a connection as time of a search, until the test ends: on a busy machine the wait could take most of a short
 * timeout, and a search that mostly waited ends with another error.
 */
export function ignoreWaits(): void {
  vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  onTestFinished(() => void vi.restoreAllMocks())
}

/** Creates an empty folder. */
export function emptyFolder(): string {
  const folder = temporary()
  if (!existsSync(folder)) mkdirSync(folder)
  return folder
}
