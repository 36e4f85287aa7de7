import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Call } from '../../packages/ferrule/src/engine/call/outcome.ts'
import type { Connection } from '../../packages/ferrule/src/engine/connection.ts'
import type { Claim } from '../../packages/ferrule/src/engine/writes/claims.ts'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { share } from '../support/share.ts'
import { ask, dayMs, gate, leaseMs, openDesk, written } from './idempotency-support.ts'
import { connectorBody, overBoth } from './world.ts'

/** Claims an id as a finished call; undefined where the connection takes no claims. */
const claim = (connection: Connection, id: string): Promise<Claim> | undefined =>
  connection.writes?.claim(id, `write of ${id}`, { owner: randomUUID(), until: 0 })

overBoth('a call whose node died', async (database) => {
  const desk = await share(openDesk(database, 'idempotency death'))

  /** Starts a call that stalls like one of a dead process; `wake` lets the call continue. */
  async function dying(
    key: string,
    prepare: (connection: Connection) => unknown,
    after: (connection: Connection) => unknown = () => 'late',
  ) {
    const { arrived, open, pass } = gate()
    const told = ask(desk, {
      key,
      run: async (connection) => {
        await prepare(connection)
        await pass()
        return written(await after(connection))
      },
    })
    await arrived
    return {
      wake: () => {
        open()
        return told
      },
    }
  }

  test('keeps its key until its lease ends, which is after its deadline; then nobody knows what became of it', async () => {
    const { wake } = await dying('unclaimed', () => undefined)
    desk.world.now += leaseMs - 1
    expect(await ask(desk, { key: 'unclaimed' })).toMatchObject({ code: 'idempotency_key_in_flight', error: { retryAfterMs: 1 } })
    desk.world.now += 1
    for (const _ of [1, 2]) {
      const told = await ask(desk, { key: 'unclaimed' })
      expect(told).toMatchObject({ status: 504, code: 'outcome_unknown', replayed: false, error: { retryable: false, fault: 'vendor' } })
      expect(told.error?.message).toBe(
        'It is not known whether Good Notes carried out the write (request id none): the service was stopped while the call ran.',
      )
    }
    expect(await ask(desk, { key: 'unclaimed', params: { text: 'other' } })).toMatchObject({ code: 'idempotency_key_conflict' })
    const late = await wake()
    expect(late).toMatchObject({ status: 200, replayed: false })
    expect(await ask(desk, { key: 'unclaimed' })).toEqual({ ...late, replayed: true })
  })

  test('is let through when the vendor knows the write by an id, and told that it is a repetition', async () => {
    const { wake } = await dying(
      'claimed',
      async (connection) => expect(await claim(connection, 'claimed')).toEqual({ repeated: false }),
      (connection) => claim(connection, 'claimed'),
    )
    desk.world.now += leaseMs
    const claims: unknown[] = []
    const run = async (connection: Connection) => {
      claims.push(await claim(connection, 'claimed'))
      return written('second')
    }
    expect(await ask(desk, { key: 'claimed', params: { text: 'other' } })).toMatchObject({ code: 'idempotency_key_conflict' })
    const second = await ask(desk, { key: 'claimed', run })
    expect([second.status, claims]).toEqual([200, [{ repeated: true }]])
    expect(await wake()).toMatchObject({ code: 'idempotency_key_in_flight' })
    expect(await ask(desk, { key: 'claimed', run })).toEqual({ ...second, replayed: true })
    expect(claims).toHaveLength(1)
  })

  test('that comes to life changes nothing of the call that replaced it', async () => {
    const { wake } = await dying('late', (connection) => claim(connection, 'late'))
    desk.world.now += leaseMs
    const second = await ask(desk, { key: 'late', run: async () => written('second') })
    expect(await wake()).toMatchObject({ status: 200, text: '{"data":"late","meta":{}}' })
    expect(await ask(desk, { key: 'late' })).toEqual({ ...second, replayed: true })
  })

  test('is repeated by one of many at a time', async () => {
    const { wake } = await dying('many', (connection) => claim(connection, 'many'))
    desk.world.now += leaseMs
    const other = await desk.node()
    const { open, pass } = gate()
    let runs = 0
    const run = async () => {
      runs += 1
      await pass()
      return written('one')
    }
    const told = Array.from({ length: 10 }, (_, index) =>
      ask(desk, { key: 'many', run, platform: index % 2 === 0 ? desk.platform : other }).finally(open),
    )
    const answers = await Promise.all(told)
    expect(answers.filter(({ status, replayed }) => status === 200 && !replayed)).toHaveLength(1)
    for (const { code, replayed, text } of answers)
      expect(code === 'idempotency_key_in_flight' || text === '{"data":"one","meta":{}}', `${code} ${replayed}`).toBe(true)
    expect(runs).toBe(1)
    await wake()
  })

  test('that the vendor asks to wait when it is repeated, runs anew later as the same write', async () => {
    const { wake } = await dying('busy', (connection) => claim(connection, 'busy'))
    desk.world.now += leaseMs
    const busy = () => Promise.reject(fail('upstream_rate_limited', { vendor: 'Good Notes' }, { retryAfterMs: 1_000 }))
    expect(await ask(desk, { key: 'busy', run: busy })).toMatchObject({ code: 'upstream_rate_limited', error: { retryable: true } })
    const third = await ask(desk, { key: 'busy', run: async (connection) => written(await claim(connection, 'busy')) })
    expect(third.text).toBe('{"data":{"repeated":true},"meta":{}}')
    await wake()
  })
})

overBoth('what the engine knows a write under a key by', (database) => {
  test('is the same for every attempt, and another one for each connector, each life of the key and each write without a key', async () => {
    const desk = await openDesk(database, 'idempotency names')
    const other = await desk.platform.connectors.create(desk.principal, connectorBody({ name: 'Other' }))
    const names: (string | undefined)[] = []
    const { open, pass } = gate()
    const dead = async (connection: Connection, call: Call) => {
      names.push(call.idempotencyKey)
      await claim(connection, 'x')
      await pass()
      return written({})
    }
    const run = async (_connection: Connection, call: Call) => {
      names.push(call.idempotencyKey)
      return written({})
    }
    const first = ask(desk, { key: 'named', run: dead })
    await expect.poll(() => names.length).toBe(1)
    desk.world.now += leaseMs
    await ask(desk, { key: 'named', run })
    await ask(desk, { key: 'named', run, connectorId: other.id })
    desk.world.now += dayMs
    await ask(desk, { key: 'named', run })
    const [original, repeated, elsewhere, later] = names
    expect(repeated).toBe(original)
    expect(new Set([original, elsewhere, later]).size).toBe(3)
    expect(original).toMatch(/^[0-9a-f-]{36}$/)
    names.length = 0
    await ask(desk, { key: 'named', action: 'list', run })
    await ask(desk, { run })
    expect(names).toEqual([undefined, undefined])
    open()
    await first
    await desk.close()
  })
})

overBoth('a database that fails', (database) => {
  test('when an outcome is to be stored hides no answer, and the outcome is stored later', async () => {
    const errors: unknown[] = []
    const { promise: restored, resolve } = Promise.withResolvers<void>()
    const hide = (from: string, to: string) => sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(raw().db)
    const sleep = async () => {
      await hide('hidden_keys', 'idempotency_keys')
      resolve()
    }
    const desk = await openDesk(database, 'idempotency storing', { sleep, onBackgroundError: (error) => errors.push(error) })
    const raw = () => desk.world.raw()
    const first = await ask(desk, {
      key: 'stored later',
      run: async () => {
        await hide('idempotency_keys', 'hidden_keys')
        return written('done')
      },
    })
    expect(first).toMatchObject({ status: 200, text: '{"data":"done","meta":{}}' })
    expect(errors).toHaveLength(1)
    await restored
    await desk.platform.close()
    expect(await ask(desk, { key: 'stored later', platform: await desk.node() })).toEqual({ ...first, replayed: true })
    await desk.close()
  })

  test('before anything was sent leaves nothing behind', async () => {
    const desk = await openDesk(database, 'idempotency beginning')
    const rename = (from: string, to: string) => sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(desk.world.raw().db)
    await rename('idempotency_keys', 'hidden_keys')
    await expect(ask(desk, { key: 'begun' })).rejects.toThrow(/idempotency_keys/)
    expect(desk.vendor.seen).toEqual([])
    await rename('hidden_keys', 'idempotency_keys')
    expect(await ask(desk, { key: 'begun' })).toMatchObject({ status: 200, replayed: false })
    await desk.close()
  })
})
