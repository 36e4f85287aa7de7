import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { endedSessionMs, leaseMs } from '../../packages/server/src/copies/queue/times.ts'
import { Server } from '../../packages/server/src/db/connections/database-server.ts'
import type { Database } from '../../packages/server/src/db/database.ts'
import { confirmedMs, openSession, sessionLocks } from '../../packages/server/src/db/session.ts'
import { serve } from '../engine/support.ts'
import { openNode, type SyncerOptions } from '../support/kill-syncs.ts'
import { principalOf } from '../support/kill-writer.ts'
import { sessionsEnded } from '../support/kills.ts'
import { listen } from '../support/listen.ts'
import { untilReady } from '../support/postgres.ts'
import { createSyncWorld, newest, whole } from './sync-world.ts'
import { createWorld } from './world.ts'

/** Finds the lease of the only leased run. */
const leased = ({ db }: Database) => {
  const row = db.selectFrom('sync_runs').select(['lease_owner', 'lease_until', 'lease_session']).where('lease_owner', 'is not', null)
  return row.executeTakeFirstOrThrow()
}

/** Counts sessions that hold a liveness lock. */
const holders = async ({ db }: Database): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_locks where locktype = 'advisory' and objsubid = 2
    and classid = ${sessionLocks} and database = (select oid from pg_database where datname = current_database())`.execute(db)
  return rows[0]?.count ?? 0
}

/** Opens a proxy to the database with connections of its own. */
async function proxyOf(url: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const target = new URL(url)
  const server = createServer((client) => {
    const behind = connect(Number(target.port), target.hostname)
    for (const [from, to] of [
      [client, behind],
      [behind, client],
    ] as const) {
      from.on('error', () => undefined).on('close', () => to.destroy())
      from.pipe(to)
    }
  })
  const own = new URL(url)
  const { port, close } = await listen(server)
  own.host = `127.0.0.1:${port}`
  return { url: own.href, close }
}

/** Builds a vendor whose answer about the first account waits for permission; `asked` settles at the request. */
async function slowVendor() {
  const asked = Promise.withResolvers<void>()
  const answers = Promise.withResolvers<void>()
  const vendor = await serve(async ({ url }) => {
    const [, , id, nested] = new URL(url, 'http://vendor').pathname.split('/')
    if (nested === undefined) return { body: { data: [{ id: '1', name: 'one', changed_at: '2026-03-01T10:00:00Z' }], next: null } }
    asked.resolve()
    await answers.promise
    return { body: { data: [{ id: `${id}.1`, name: `${nested} of ${id}` }] } }
  })
  return { vendor, asked: asked.promise, open: answers.resolve }
}

/** Kills the only node of an installation on PostgreSQL while it waits for its vendor, then starts a node with another data folder. */
async function killedNode(name: string, way: (url: string) => string | Promise<string> = (url) => url) {
  const world = await createWorld('postgres', name)
  const { vendor, asked, open } = await slowVendor()
  const env = { ...world.env, FERRULE_ORIGINS: JSON.stringify({ ledger: vendor.origin }) }
  const first = await openNode({ ...env, FERRULE_DATA: `${world.folder}-first` }, Date.now)
  const body = { workspace_name: 'default', name: 'Ledger', connector_type: 'ledger', credentials: { token: 'token' } }
  const { id: connectorId } = await first.platform.connectors.create(principalOf(first.platform), body)
  await first.close()
  const childEnv = { ...env, DATABASE_URL: await way(world.env['DATABASE_URL'] ?? '') }
  const options: SyncerOptions = { env: childEnv, connectorId, mode: 'full', clockOffset: 0 }
  const script = fileURLToPath(new URL('../support/kill-syncs.ts', import.meta.url))
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await asked
  const lease = await leased(world.raw())
  child.kill('SIGKILL')
  await once(child, 'exit')
  const killed = Date.now()
  const clock = { ahead: 0, now: () => killed + clock.ahead } // it stands: the lease lasts as long as the test takes
  const other = await openNode({ ...env, FERRULE_DATA: `${world.folder}-other` }, clock.now)
  const read = async () => (await other.platform.syncs.list(principalOf(other.platform), connectorId, {})).data[0]
  const close = async () => {
    await other.close()
    await vendor[Symbol.asyncDispose]()
    await world.close()
  }
  return { world, lease, clock, other, open, read, close }
}

test('the run of a node that was killed is taken over by one with another data folder before its lease ends', async () => {
  const { world, lease, clock, other, open, read, close } = await killedNode('sessions killed')
  expect(lease.lease_session).not.toBeNull()
  open()
  const raw = world.raw()
  // The server frees the lock shortly after the process ends.
  await vi.waitFor(async () => expect(await holders(raw)).toBe(0), { interval: 20, timeout: 240_000 })
  await other.worker.tick()
  expect(other.worker.running).toBe(0)
  clock.ahead += endedSessionMs
  await other.worker.tick()
  expect(other.worker.running).toBe(1)
  expect(clock.now()).toBeLessThan(Number(lease.lease_until))
  await other.worker.idle()
  expect(await read()).toMatchObject({ state: 'succeeded', attempts: 2 })
  expect(other.errors).toEqual([])
  await close()
})

test('behind a proxy a lease says nothing of sessions, and is respected to its end', async () => {
  const opened: Awaited<ReturnType<typeof proxyOf>>[] = []
  const { world, lease, clock, other, open, read, close } = await killedNode('sessions proxy', async (url) => {
    const proxy = await proxyOf(url)
    opened.push(proxy)
    return proxy.url
  })
  expect(lease.lease_session).toBeNull()
  expect(await holders(world.raw())).toBe(0)
  open()
  await other.worker.tick()
  clock.ahead += 3 * endedSessionMs
  await other.worker.tick()
  expect([other.worker.running, await read()]).toMatchObject([0, { state: 'running', attempts: 1 }])
  clock.ahead += leaseMs
  await other.worker.tick()
  await other.worker.idle()
  expect(await read()).toMatchObject({ state: 'succeeded', attempts: 2 })
  await close()
  for (const proxy of opened) await proxy.close()
})

test('a node that lives keeps its run; one whose session was ended stops to walk, and any may go on', async () => {
  const here = await createSyncWorld('postgres', 'sessions terminated')
  const raw = here.world.raw()
  const id = await here.connect()
  await here.hold()
  const { lease_session: before } = await leased(raw)
  const other = await here.node()
  for (let looks = 0; looks < 3; looks += 1) {
    await other.worker.tick()
    here.world.now += endedSessionMs
  }
  expect([here.worker.running, other.worker.running]).toEqual([1, 0])

  const ended = await sql<{ done: boolean }>`select pg_terminate_backend(pid) as done from pg_locks where locktype = 'advisory'
    and classid = ${sessionLocks} and objid = ${before} and granted`.execute(raw.db)
  expect(ended.rows).toEqual([{ done: true }])
  // The vendor never answers: the walk ends because its session ended.
  await here.worker.idle()
  expect(here.worker.running).toBe(0)
  expect(await newest(here, here.principal, id)).toMatchObject({ state: 'queued', attempts: 1, error: null })
  await other.worker.tick()
  expect([here.worker.running, other.worker.running]).toEqual([0, 1])
  here.vendor.open()
  await here.work(other.worker)
  expect(await newest(here, here.principal, id)).toMatchObject({ state: 'succeeded', attempts: 2 })
  expect(await here.copies(id)).toEqual(whole)

  // The node continues under another session.
  const next = await here.connect()
  await here.hold()
  const { lease_session: after } = await leased(raw)
  expect([after === null, after === before]).toEqual([false, false])
  here.vendor.open()
  await here.work()
  expect(await newest(here, here.principal, next)).toMatchObject({ state: 'succeeded', attempts: 1 })
  expect(here.errors).toEqual([])
  await other.worker.stop()
  await here.close()
})

test('a lease whose session ended is over ten seconds later, also when its node does not know', async () => {
  const here = await createSyncWorld('postgres', 'sessions cut')
  const id = await here.connect()
  await here.hold()
  // Simulates a cut connection: the lease names an ended session, and the node does not know.
  await here.world.raw().db.updateTable('sync_runs').set({ lease_session: 1 }).where('lease_owner', 'is not', null).execute()
  const other = await here.node()
  await other.worker.tick()
  here.world.now += endedSessionMs - 1
  await other.worker.tick()
  expect(other.worker.running).toBe(0)
  here.world.now += 1
  const open = here.vendor.detach()
  await here.work(other.worker)
  expect(await newest(here, here.principal, id)).toMatchObject({ state: 'succeeded', attempts: 2 })
  const done = await newest(here, here.principal, id)
  // A late answer cannot end the run of the other node.
  await here.worker.tick()
  open()
  await here.worker.idle()
  expect(await newest(here, here.principal, id)).toEqual(done)
  expect(await here.copies(id)).toEqual(whole)
  await other.worker.stop()
  await here.close()
})

test('a session that the server does not confirm counts as ended before others may say so', async () => {
  expect(confirmedMs).toBeLessThan(endedSessionMs)
  const world = await createWorld('postgres', 'sessions unconfirmed')
  const url = world.env['DATABASE_URL'] ?? ''
  const raw = world.raw()
  await untilReady(raw)
  const clock = { now: 0 }
  const session = await openSession(new Server({ url: new Secret(url), setting: 'DATABASE_URL' }), { randomBytes, steady: () => clock.now })
  expect([session?.holds(), await holders(raw)]).toEqual([true, 1])
  clock.now += confirmedMs
  expect([session?.holds(), session?.signal.aborted]).toEqual([false, true])
  await expect.poll(() => holders(raw)).toBe(0)
  await raw.close()
  await sessionsEnded(url) // leaves nothing behind
  await world.close()
})
