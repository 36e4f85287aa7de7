import { randomBytes } from 'node:crypto'
import { CompiledQuery } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createKinds } from '../../packages/server/src/connectors/kinds.ts'
import { hasDueRun, leaseRuns, wakeRuns } from '../../packages/server/src/copies/sql/sync-queue.ts'
import { runSchedules } from '../../packages/server/src/copies/sync/worker.ts'
import type { Database } from '../../packages/server/src/db/database.ts'
import { readSettings } from '../../packages/server/src/main/settings/settings.ts'
import { connectorId, fillMany, workspaceId } from '../support/many-connectors.ts'
import { untilReady } from '../support/postgres.ts'
import { share } from '../support/share.ts'
import { countRowsRead, recordStatements, type Sent } from './rows-read.ts'
import { ledger } from './sync-kinds.ts'
import { createSyncWorld, type SyncWorld } from './sync-world.ts'
import { createWorld } from './world.ts'

/** Connectors in one organization; the soak run has more. */
const connectors = Number(process.env['MANY_CONNECTORS'] ?? 2_000)
/** Rows that a statement may read: a page of 20 with a few rows for each of its connectors. */
const mostRows = 300

describe(`with ${connectors} connectors in an organization and as many in others`, async () => {
  const texts = new Set<string>()
  const here = await share(createSyncWorld('postgres', 'many connectors'))
  await here.connect()
  await here.work()
  const raw = here.world.raw()
  await fillMany(raw, { organizationId: here.principal.organizationId, connectors })

  async function expectBounded(work: () => Promise<unknown>, mostStatements: number, most = mostRows): Promise<void> {
    await work() // what is kept in memory is read once
    const statements: readonly Sent[] = await recordStatements(work)
    const rows = await countRowsRead(here.world.env['DATABASE_URL'] ?? '', statements)
    for (const { text } of statements) texts.add(text)
    if (process.env['MANY_CONNECTORS'] !== undefined) console.log(`${expect.getState().currentTestName}: rows read ${rows.join(', ')}`)
    expect(statements.length).toBeGreaterThan(0)
    expect(statements.length).toBeLessThanOrEqual(mostStatements)
    expect(Math.max(...rows)).toBeLessThanOrEqual(most)
  }

  const requests: Readonly<Record<string, (world: SyncWorld) => Promise<unknown>>> = {
    connectors: ({ platform, principal }) => platform.connectors.list(principal, {}),
    'connectors of a workspace': ({ platform, principal }) => platform.connectors.list(principal, { workspace_id: workspaceId }),
    'connectors of a workspace by name': ({ platform, principal }) =>
      platform.connectors.list(principal, { workspace_name: 'Workspace 7' }),
    'connectors of a frequent kind': ({ platform, principal }) => platform.connectors.list(principal, { connector_type: 'ledger' }),
    'connectors of a rare kind': ({ platform, principal }) => platform.connectors.list(principal, { connector_type: 'market-stall' }),
    'connectors at a glance': ({ platform, principal }) => platform.syncs.listOverviews(principal, {}),
    'unfinished syncs': ({ platform, principal }) => platform.syncs.listUnfinished(principal, {}),
    'running syncs': ({ platform, principal }) => platform.syncs.listUnfinished(principal, { state: 'running' }),
    'unfinished syncs of a workspace': ({ platform, principal }) => platform.syncs.listUnfinished(principal, { workspace_id: workspaceId }),
    'a connector': ({ platform, principal }) => platform.connectors.get(principal, connectorId),
    'the status of a connector': ({ platform, principal }) => platform.syncs.status(principal, connectorId),
    'the syncs of a connector': ({ platform, principal }) => platform.syncs.list(principal, connectorId, {}),
    workspaces: ({ platform, principal }) => platform.workspaces.list(principal, {}),
    organizations: ({ platform, principal }) => platform.organizations.list(principal),
    usage: ({ platform, principal }) => platform.usage.read(principal, {}),
    readiness: ({ platform }) => untilReady(platform),
  }
  test.each(Object.entries(requests))('%s: statements and the rows that they read are bounded', (_name, request) =>
    expectBounded(() => request(here), 6),
  )

  /** Runs work in a transaction that is rolled back, so that its statements find the same rows once more. */
  async function inRollback(work: (inside: Database) => Promise<unknown>): Promise<void> {
    const over = new Error('rolled back')
    const transaction = raw.transaction(async (db) => {
      await work({ ...raw, db, transaction: (each) => each(db) })
      throw over
    })
    await expect(transaction).rejects.toBe(over)
  }

  test('a claim of eight runs reads no more with many connectors than with few', () =>
    expectBounded(
      () =>
        inRollback(async ({ db }) => {
          const now = here.world.now
          await wakeRuns(db, now)
          await hasDueRun(db, now)
          await leaseRuns(db, { owner: 'owner', node: 'node', session: null, now, until: now + 90_000 }, 8)
        }),
      12,
    ))

  test('a due schedule reads no more with many connectors than with few', () => {
    const source = { clock: () => 1_000_001, randomBytes }
    const settings = readSettings(here.world.env, { kinds: ['ledger'] })
    return expectBounded(
      () => inRollback((database) => runSchedules({ database, kinds: createKinds(database.db, [ledger]), source, settings })),
      24,
    )
  })

  test('parking runs that cannot start reads no more with many connectors than with few', async () => {
    const { db } = raw
    const first = db.selectFrom('sync_runs').select('connector_id').where('state', '=', 'queued').orderBy('queue_order').limit(40)
    // A hundred runs are looked at together, with what could hold each of them.
    await db.updateTable('connectors').set({ unchecked: true }).where('id', 'in', first).execute()
    await expectBounded(() => inRollback(async (inside) => expect(await hasDueRun(inside.db, here.world.now)).toBe(true)), 6, 1_500)
  })

  test('SQLite finds the rows of all these statements by indexes', async () => {
    const world = await createWorld('sqlite', 'many connectors')
    await world.open()
    const { db } = world.raw()
    const scans: string[] = []
    for (const text of [...texts].filter((each) => !/\bpg_|set_config|current_setting|^select 1$/.test(each))) {
      const plain = text.replace(/ for (update|share|key share)( of "[^"]+"(, "[^"]+")*)?( skip locked)?/, '')
      const { rows } = await db.executeQuery<{ readonly detail: string }>(CompiledQuery.raw(`explain query plan ${plain}`))
      for (const { detail } of rows) if (/^SCAN (?!.*USING)/.test(detail)) scans.push(`${detail}: ${plain}`)
    }
    expect(texts.size).toBeGreaterThan(20)
    expect(scans).toEqual([])
    await world.close()
  })
})
