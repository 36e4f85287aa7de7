import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createContextDatabase } from '../../packages/server/src/copies/store/database/context-database.ts'
import { Lane } from '../../packages/server/src/copies/store/database/database.ts'
import { Embedded } from '../../packages/server/src/copies/store/database/embedded/embedded.ts'
import type { SetAsideDatabase } from '../../packages/server/src/copies/store/database/embedded/folder.ts'
import type { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import { choose } from '../support/draws.ts'
import {
  createRef,
  createStoreWorld,
  emptyFolder,
  idsOf,
  ignoreWaits,
  note,
  notesOf,
  oneValue,
  refusal,
  type StoreWorld,
} from './store-world.ts'

const writer = fileURLToPath(new URL('./store-kill-writer.ts', import.meta.url))

// Creating an empty database takes seconds, and more on a busy machine.
describe('the embedded database', () => {
  let world: StoreWorld
  beforeEach(async () => {
    world = await createStoreWorld('embedded')
  })
  afterEach(() => world.close())

  const write = (store: ContextStore, ref = createRef()) => store.writeBatch(ref, { records: notesOf(store, 0, 3), asked: 1 })
  const aside = (): string[] => readdirSync(world.folder).filter((name) => name.startsWith('damaged-'))
  const openWatched = (told: SetAsideDatabase[]) => world.open({ onSetAside: (each) => told.push(each) })

  test('comes into being in a folder that is not there', async () => {
    const folder = join(emptyFolder(), 'deeper', 'context')
    const store = world.open({ settings: { ...world.settings, engine: 'embedded', folder, memoryMb: 16 } })
    const ref = createRef()
    await write(store, ref)
    expect(await idsOf(store, ref)).toEqual([0, 1, 2])
    expect(statSync(folder).mode & 0o077).toBe(0)
    expect(readdirSync(folder).filter((name) => !name.startsWith('context.lock'))).toEqual(['database'])
  })

  test('belongs to one store at a time', async () => {
    const store = world.open()
    await write(store)
    const refused = `setting_invalid: The setting FERRULE_CONTEXT_FOLDER is not valid: the folder ${world.folder} is in use by another process of this service; stop it first.`
    expect(await refusal(write(world.open()))).toBe(refused)
    await store.close()
    await write(world.open())
  })

  test('belongs to one process at a time, and is free when that one is killed', async () => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', writer, JSON.stringify({ folder: world.folder })], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(createInterface({ input: child.stdout }), 'line')
    const store = world.open()
    expect(await refusal(write(store))).toContain('is in use by another process of this service')
    child.kill('SIGKILL')
    await once(child, 'exit')
    await write(store)
  })

  test('lets a search in between the parts of a batch', async () => {
    const store = world.open()
    const ref = createRef()
    await write(store, ref)
    const database = await store.openDatabase()
    const order: string[] = []
    const searching = Promise.withResolvers<void>()
    const { enter } = Lane.prototype
    const entering = vi.spyOn(Lane.prototype, 'enter')
    onTestFinished(() => entering.mockRestore())
    entering.mockImplementationOnce(function (this: Lane, ...given) {
      const entered = enter.apply(this, given) // the write has the slot
      void database.query({ text: 'select 1' }).then(() => order.push('searched'), searching.reject)
      return entered
    })
    await store.writeBatch(ref, { records: notesOf(store, 0, 1_000), asked: 2 }).then(() => order.push('written'))
    searching.resolve()
    await searching.promise
    expect(order).toEqual(['searched', 'written'])
  })

  test('deletes by a batch in parts what it deletes by a whole one', async () => {
    const store = world.open()
    const ref = createRef()
    const noteOf = (id: number, state: string) => note(store, { id, title: `Note ${id}`, state })
    await store.writeBatch(ref, { records: [noteOf(5, 'new'), noteOf(6, 'old'), noteOf(7, 'old')], asked: 1 })
    const records = Array.from({ length: 600 }, (_, index) => noteOf(100 + index, 'new'))
    const [first, gone] = [records[0]?.key ?? '', noteOf(7, 'old').key]
    const batch = { records, asked: 2, whole: { field: 'state', values: ['new'] }, removed: [first, gone] }
    const entering = vi.spyOn(Lane.prototype, 'enter')
    onTestFinished(() => entering.mockRestore())
    expect(await store.writeBatch(ref, batch)).toEqual({ created: 600, updated: 0, unchanged: 0, removed: 2 })
    expect(entering.mock.calls.length).toBeGreaterThan(1) // one for each part
    expect((await idsOf(store, ref)).slice(0, 2)).toEqual([6, 100])
    await store.beginPass(ref, 'one')
    expect(await store.writeBatch(ref, { records, asked: 3, pass: 'one' })).toMatchObject({ unchanged: 600 })
    expect(await store.sweep(ref, 'one')).toBe(1)
    expect(await idsOf(store, ref)).toHaveLength(600)
  })

  test('that does not open is put away, and an empty one replaces it', async () => {
    const ref = createRef()
    const store = world.open()
    await write(store, ref)
    await store.close()
    writeFileSync(join(world.folder, 'database', 'global', 'pg_control'), Buffer.alloc(8192, 7))
    const told: SetAsideDatabase[] = []
    const again = openWatched(told)
    expect(await idsOf(again, ref)).toEqual([])
    expect(told).toEqual([
      {
        at: '2026-03-01T12:00:00.000Z',
        reason: expect.stringContaining('database files are incompatible with server'),
        folder: expect.stringContaining('damaged-'),
      },
    ])
    expect(again.status().setAside).toEqual(told[0])
    await write(again, ref)
    expect(await idsOf(again, ref)).toEqual([0, 1, 2])
    expect(aside()).toHaveLength(1)
  })

  test('that turns out to be damaged later is put away too, and at most one such is kept', async () => {
    const told: SetAsideDatabase[] = []
    const store = openWatched(told)
    for (let turn = 1; turn <= choose(1, 2); turn += 1) {
      const ref = createRef()
      await write(store, ref)
      const database = await store.openDatabase()
      const damaged = database.query({ text: `do $$ begin raise exception 'invalid page' using errcode = 'XX001'; end $$` })
      expect(await refusal(damaged)).toBe('context_store_unavailable: The copies are not available.')
      world.now += 1000
      expect(await idsOf(store, ref)).toEqual([])
      expect(told).toHaveLength(turn)
      expect(aside()).toHaveLength(1)
    }
    expect(told.at(-1)?.reason).toBe('invalid page')
  })

  test('whose files are gone is made anew', async () => {
    const store = world.open()
    await write(store)
    await store.close()
    rmSync(join(world.folder, 'database', 'PG_VERSION'))
    const told: SetAsideDatabase[] = []
    await write(openWatched(told))
    expect(told.map(({ reason }) => reason)).toEqual(['its files are not complete'])
  })

  test('is opened again after its thread died, and nothing that was acknowledged is lost', async () => {
    const store = world.open()
    const ref = createRef()
    await write(store, ref)
    const database = await store.openDatabase()
    ignoreWaits()
    expect(await refusal(database.query({ text: 'select count(*) from generate_series(1, 100000000000)' }, { timeoutMs: 100 }))).toContain(
      'timeout',
    )
    expect(await idsOf(store, ref)).toEqual([0, 1, 2])
    expect(store.status().setAside).toBeUndefined()
  })

  test('makes checkpoints, so its log stays small', async () => {
    const limits = { memoryMb: 16, waiting: 5, searchMs: 400_000, writeMs: 400_000 }
    const embedded = new Embedded({ folder: world.folder, ...limits, prepare: async () => undefined })
    const database = createContextDatabase(embedded)
    await database.transaction(async ({ query }) => {
      await query({ text: 'create table big (n int4, t text)' })
      await query({ text: 'alter table big alter t set storage external' }) // not compressed
    })
    const megabyte = 'x'.repeat(1_048_576)
    for (let written = 0; written < 120; written += 1)
      await database.transaction(({ query }) =>
        query({ text: 'insert into big select n, left($1, 10000) || n from generate_series(1, 104) n', values: [megabyte] }),
      )
    const log = String(await oneValue(database, `select sum(size)::int8 from pg_ls_waldir()`))
    expect(Number(log)).toBeLessThan(128 * 1_048_576)
    await database.close()
  })

  test('removes dead rows and makes statistics when it has a moment', async () => {
    const errors: unknown[] = []
    const embedded = new Embedded({
      ...{ folder: world.folder, memoryMb: 16, waiting: 5, searchMs: 400_000, writeMs: 400_000, prepare: async () => undefined },
      upkeepMs: 1,
      onUpkeepError: (error) => errors.push(error),
    })
    const database = createContextDatabase(embedded)
    await database.transaction(async ({ query }) => {
      await query({ text: 'create table cs_some (n int4)' })
      await query({ text: 'insert into cs_some select generate_series(1, 10000)' })
    })
    await database.transaction(({ query }) => query({ text: 'update cs_some set n = n + 1' }))
    const done = `select last_vacuum is not null and last_analyze is not null and n_dead_tup = 0 from pg_stat_user_tables where relname = 'cs_some'`
    for (let seen: unknown = false; seen !== true; ) {
      await database.transaction(({ query }) => query({ text: 'select 1' }))
      seen = await oneValue(database, done)
    }
    expect(errors).toEqual([])
    await database.close()
  })

  test('is not put away when the fault is the disk', async () => {
    const ref = createRef()
    const first = world.open()
    await write(first, ref)
    await first.close()
    const control = join(world.folder, 'database', 'global', 'pg_control')
    const whole = readFileSync(control)
    writeFileSync(control, Buffer.alloc(8192, 7))
    const obstacle = join(world.folder, 'probe') // the file that the store writes to test the folder
    mkdirSync(obstacle)
    const store = world.open()
    expect(await refusal(write(store))).toBe('context_store_unavailable: The copies are not available.')
    expect(aside()).toEqual([])
    writeFileSync(control, whole)
    rmSync(obstacle, { recursive: true })
    expect(await idsOf(store, ref)).toEqual([0, 1, 2])
  })
})
