import { describe, expect, test } from 'vitest'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { readWalk } from '../../packages/server/src/copies/sync/walk/state.ts'
import type { SyncTask } from '../../packages/server/src/copies/sync/walk/types.ts'
import { choose } from '../support/draws.ts'
import type { WholeSync } from './sync-connector.ts'
import { connector, kept, Side } from './sync-double.ts'
import { filledVendor, type Vendor } from './sync-vendor.ts'

const hour = 3_600_000
const day = 24 * hour

/** Changes the vendor between the first run and the disturbed one. */
function change(vendor: Vendor): void {
  vendor.drop('people', ({ id }) => id === 'p4')
  vendor.put('people', { id: 'p9', name: 'New' })
  vendor.put('orders', { id: 2, refunds: [{ id: 98, amount: '3.00' }] })
  vendor.put('orders', { id: 3 })
  vendor.drop('lines', ({ order_id, id }) => order_id === 3 && id === 33)
  vendor.drop('orders', ({ id }) => id === 5)
  vendor.put('notes', { id: 97, order_id: 3, text: 'New' })
  vendor.put('calls', { id: 'c1', isPrivate: 'yes' })
  vendor.put('calls', { id: 'c10', started: vendor.at(-60), title: 'New' })
  vendor.put('transcripts', { callId: 'c10', text: 'New words' })
  vendor.put('accounts', { id: 'a3', name: 'Account a3' })
  vendor.put('reports', { account_id: 'a3', day: '2026-02-01', clicks: 3 })
  vendor.put('reports', { account_id: 'a1', day: '2026-03-20', clicks: 30 })
  vendor.drop('reports', ({ account_id, day: date }) => account_id === 'a2' && date === '2026-02-20')
  vendor.name = 'Shop 2'
}

type Moment = 'before' | 'after'
type Stored = Readonly<Record<string, unknown>>

/** Makes the n-th call or change fail, and reports whether it happened. */
function failAt(side: Side, n: number, moment: Moment): { happened(): boolean } {
  let left = n
  const at = (now: Moment, error: () => Error) => {
    if (now === moment && --left === 0) throw error()
  }
  const { ask } = side.vendor
  const asking: SyncTask['ask'] = async (call) => {
    at('before', () => fail('upstream_unreachable', { vendor: 'Acme', reason: 'no connection' }))
    const answer = await ask(call)
    at('after', () => fail('upstream_unreachable', { vendor: 'Acme', reason: 'cut' }))
    return answer
  }
  side.ask = asking
  side.store.before = (_change, now) => at(now, () => fail('context_store_unavailable', {}))
  return { happened: () => left <= 0 }
}

async function prepared(): Promise<Side> {
  const side = new Side(filledVendor(12))
  side.configuration = { start: '2026-02-01' }
  await side.sync()
  side.pass(2 * hour)
  change(side.vendor)
  side.vendor.taken()
  return side
}

const copies = ({ store }: Side) => Object.fromEntries(kept.map((name) => [name, [...store.copy(name)]]))
const truths = ({ vendor }: Side) => Object.fromEntries(kept.map((name) => [name, [...vendor.truth(name)]]))

describe.each(['incremental', 'full'] as const)('a run (%s) that fails at any step', (mode) => {
  test.each(['before', 'after'] as const)('ends as an undisturbed one, when what fails is lost %s it was done', async (moment) => {
    const calm = await prepared()
    await calm.sync({ mode, run: 'one' })
    const calls = calm.vendor.taken().length
    if (mode === 'full') expect(copies(calm)).toEqual(truths(calm))
    // Every fourth step fails before it was done, and others after it; the soak takes all of both.
    const stride = choose(4, 1)
    let n = moment === 'before' || stride === 1 ? 1 - stride : 3 - stride
    for (let isOver = false; !isOver; ) {
      n += stride
      const side = await prepared()
      const failure = failAt(side, n, moment)
      const first = await side.sync({ mode, run: 'one' }).catch((error: unknown) => error)
      isOver = !failure.happened()
      expect(first instanceof Error, `step ${n}`).toBe(!isOver)
      // Afterwards nothing fails any more.
      if (!isOver) await side.sync({ mode, run: 'one' })
      expect(copies(side), `step ${n}`).toEqual(copies(calm))
    }
    expect(n).toBeGreaterThan(calls)
  })

  test('ends as an undisturbed one when every call and change fails once', async () => {
    const calm = await prepared()
    await calm.sync({ mode, run: 'one' })
    const side = await prepared()
    const failed = new Set<string>()
    const once = (what: string) => {
      if (failed.has(what)) return
      failed.add(what)
      throw fail('internal_error', {})
    }
    const { ask } = side.vendor
    side.ask = async (call) => {
      once(JSON.stringify(call))
      return ask(call)
    }
    side.store.before = (name, moment) => once(`${name} ${moment}`)
    let runs = 0
    for (let isDone = false; !isDone && runs < 1_000; runs += 1)
      isDone = await side.sync({ mode, run: 'one' }).then(
        () => true,
        () => false,
      )
    expect(copies(side)).toEqual(copies(calm))
  })
})

describe('an interrupted run', () => {
  test('costs no more than two transactions are worth, wherever it stood', async () => {
    const orders = (side: Side) => ({ ...side.only('refunds', 'lines', 'notes', 'items'), mode: 'full', run: 'one' }) as const
    const calm = await prepared()
    await calm.sync(orders(calm))
    const calls = calm.vendor.taken().length
    for (let n = 1, isOver = false; !isOver; n += 1) {
      const side = await prepared()
      const failure = failAt(side, n, 'before')
      await side.sync(orders(side)).catch(() => side.sync(orders(side)))
      isOver = !failure.happened()
      expect(side.vendor.taken().length, `step ${n}`).toBeLessThanOrEqual(calls + 2 * 26)
    }
  })

  const interrupted = async (mode: SyncTask['mode'], n: number, more: Partial<WholeSync> = {}): Promise<Side> => {
    const side = await prepared()
    const failure = failAt(side, n, 'before')
    await expect(side.sync({ mode, ...more })).rejects.toThrow()
    expect(failure.happened()).toBe(true)
    side.ask = side.vendor.ask
    side.store.before = () => undefined
    return side
  }

  test('goes on where it stood, and asks for nothing twice that was kept', async () => {
    const side = await interrupted('full', 140)
    const notes = () => side.vendor.taken().filter((call) => call.startsWith('notes'))
    const before = notes()
    await side.sync()
    const after = notes()
    expect(before.length).toBeGreaterThan(0)
    const [lost, ...kept] = before.toReversed()
    expect(lost).toBeDefined()
    expect(after.filter((call) => kept.includes(call))).toEqual([])
    expect(kept.length + after.length).toBe(side.vendor.orders.length)
  })

  test('removes what was gone when it began, and what it met is there although it went later', async () => {
    const side = await interrupted('full', 30)
    side.vendor.drop('people', ({ id }) => id === 'p1')
    side.vendor.drop('orders', ({ id }) => id === 7)
    await side.sync({ mode: 'full' })
    expect(side.store.copy('lines').has('50')).toBe(false)
    expect(side.store.copy('lines').has('70')).toBe(false)
    await side.sync({ mode: 'full' })
    expect(copies(side)).toEqual(truths(side))
  })

  test('of another full run is not gone on with: what that one read may be old', async () => {
    const side = await interrupted('full', 60, { run: 'one' })
    for (const name of ['p2', 'p5']) side.vendor.put('people', { id: name, name: 'Changed' })
    side.vendor.put('orders', { id: 1, title: 'Changed' })
    side.vendor.put('notes', { id: 10, order_id: 1, text: 'Changed' })
    side.vendor.drop('orders', ({ id }) => id === 2)
    await side.sync({ mode: 'full', run: 'two' })
    expect(copies(side)).toEqual(truths(side))
  })

  test('that asked for changes is not what a full run wishes for', async () => {
    const windows = await interrupted('incremental', 84)
    windows.vendor.drop('reports', ({ day: date }) => date === '2026-02-15')
    await windows.sync({ mode: 'full' })
    expect(copies(windows)).toEqual(truths(windows))
  })

  test('with another configuration begins anew', async () => {
    const side = await interrupted('full', 60)
    side.configuration = { start: '2026-02-01', zone: 'UTC' }
    side.vendor.taken()
    await side.sync()
    expect(side.vendor.taken().some((call) => call.startsWith('orders since_id=0'))).toBe(true)
    expect(copies(side)).toEqual(truths(side))
  })

  test('begins anew when one of its tables was made anew', async () => {
    const side = await interrupted('full', 60)
    side.store.remake('items')
    await side.sync({ mode: 'full' })
    expect(copies(side)).toEqual(truths(side))
  })

  test.each([
    ['without a number of their shape', ({ shape: _shape, unread: _unread, ...old }: Stored) => old],
    ['of a later shape', ({ shape, unread: _unread, ...newer }: Stored) => ({ ...newer, shape: Number(shape ?? 0) + 1, flawed: [] })],
  ])('begins anew when a checkpoint cannot be read: those %s', async (_name, rewrite) => {
    const side = await interrupted('full', 140)
    for (const { checkpoints } of kept.map((name) => side.store.shelf(name)))
      for (const [part, text] of checkpoints) checkpoints.set(part, JSON.stringify(rewrite(JSON.parse(text))))
    const results = await side.sync()
    expect(new Set(Object.values(Side.states(results)))).toEqual(new Set(['complete']))
    expect(copies(side)).toEqual(truths(side))
    for (const name of kept) expect([name, side.store.shelf(name).pass]).toEqual([name, undefined])
  })

  test('asks for the children of a page again when the page is another one by now', async () => {
    const side = new Side(filledVendor())
    for (let index = 0; index < 600; index += 1) {
      side.vendor.put('notes', { id: 10_000 + index, order_id: 1, text: 'Many' })
      side.vendor.put('notes', { id: 20_000 + index, order_id: 2, text: 'Many' })
    }
    side.vendor.before = ({ entity, params }) => {
      if (entity === 'notes' && params['order_id'] === 1) throw fail('upstream_unreachable', { vendor: 'Acme', reason: 'none' })
    }
    await expect(side.sync(side.only('notes'))).rejects.toThrow()
    const ref = { connector, kind: 'made-up', entity: 'notes' }
    expect((await readWalk(side.store, ref, 'orders'))?.within?.after).toEqual({ notes: '2' })
    side.vendor.before = () => undefined
    side.vendor.drop('orders', ({ id }) => id === 1)
    side.vendor.put('orders', { id: 0.5, title: 'New' })
    side.vendor.put('notes', { id: 150, order_id: 0.5, text: 'Note of the new one' })
    await side.sync(side.only('notes'))
    expect(side.store.copy('notes').has('150')).toBe(true)
  })

  test('keeps nothing behind when it is over', async () => {
    const side = await interrupted('full', 60)
    await side.sync()
    const ref = { connector, kind: 'made-up', entity: 'refunds' }
    expect(await readWalk(side.store, ref, 'orders')).toBeUndefined()
    for (const name of kept) expect([name, side.store.shelf(name).pass, side.store.shelf(name).seen.size]).toEqual([name, undefined, 0])
  })

  test('reads the days again that were today when it read them', async () => {
    const side = new Side(filledVendor())
    const today = side.vendor.at().slice(0, 10)
    side.configuration = { start: side.vendor.at((-9 * day) / 1000).slice(0, 10) }
    const tomorrow = side.vendor.at(day / 1000).slice(0, 10)
    for (let index = 0; index < 600; index += 1) side.vendor.reports.push({ account_id: 'a1', day: tomorrow, clicks: 0 })
    let calls = 0
    side.vendor.before = ({ params }) => {
      calls += params['start'] === tomorrow ? 1 : 0
      if (calls === 28) throw fail('upstream_unreachable', { vendor: 'Acme', reason: 'none' })
    }
    await expect(side.sync(side.only('reports'))).rejects.toThrow()
    side.vendor.before = () => undefined
    side.pass(5 * day)
    side.vendor.put('reports', { account_id: 'a1', day: today, clicks: 77 })
    await side.sync(side.only('reports'))
    side.pass(hour)
    await side.sync(side.only('reports'))
    expect(side.store.copy('reports').get(`a1 ${today}`)?.['clicks']).toBe(77)
  })

  test('leaves no pass open that nobody ends', async () => {
    const side = new Side(filledVendor(40))
    await side.sync(side.only('refunds', 'notes'))
    const failure = failAt(side, 60, 'before')
    await expect(side.sync({ ...side.only('refunds', 'notes'), mode: 'full' })).rejects.toThrow()
    expect(failure.happened()).toBe(true)
    side.ask = side.vendor.ask
    side.store.before = () => undefined
    await side.sync(side.only('refunds'))
    expect(side.store.shelf('notes').pass).toBeDefined()
    side.pass(hour)
    expect(Side.states(await side.sync(side.only('refunds', 'notes')))).toEqual({ refunds: 'changes', notes: 'complete' })
    expect(side.store.shelf('notes').pass).toBeUndefined()
  })

  test('writes nothing any more once it has ended', async () => {
    const side = new Side(filledVendor(40))
    let isWriting = false
    const slow = new Proxy(side.store, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name)
        if (typeof method !== 'function') return method
        if (name !== ('writeBatch' satisfies keyof Side['store'])) return method.bind(target)
        return async (...given: readonly unknown[]): Promise<unknown> => {
          isWriting = true
          for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
          const result: unknown = await Reflect.apply(method, target, given)
          isWriting = false
          return result
        }
      },
    })
    side.vendor.before = () => {
      if (isWriting) throw fail('upstream_unreachable', { vendor: 'Acme', reason: 'none' })
    }
    await expect(side.sync({ ...side.only('notes', 'refunds'), store: slow })).rejects.toThrow('cannot be reached')
    expect(isWriting).toBe(false)
  })

  test('ends with the reason of its signal, and goes on later', async () => {
    const side = await prepared()
    const abort = new AbortController()
    const { ask } = side.vendor
    side.ask = async (call) => {
      if (call.entity === 'notes') abort.abort(new Error('the lease is lost'))
      return ask(call)
    }
    await expect(side.sync({ mode: 'full', signal: abort.signal })).rejects.toThrow('the lease is lost')
    const { changes } = side.store
    await new Promise((resolve) => setImmediate(resolve))
    expect(side.store.changes).toBe(changes)
    side.ask = ask
    await side.sync({ mode: 'full' })
    expect(copies(side)).toEqual(truths(side))
  })
})
