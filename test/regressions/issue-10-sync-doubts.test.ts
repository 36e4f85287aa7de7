/** What a sync makes of answers that do not say whether they are whole, and of records without their key. */
import { describe, expect, test } from 'vitest'
import { Side } from '../context/sync-double.ts'
import { filledVendor } from '../context/sync-vendor.ts'

const doubt = 'Acme answered without a list, and did not say how many records there are'

describe('an answer of which it is not known whether it is whole', () => {
  test('removes nothing, says so, and a later whole one mends it', async () => {
    const side = new Side(filledVendor())
    await side.sync({ ...side.only('accounts', 'reports'), mode: 'full' })
    const before = { accounts: side.store.copy('accounts').size, reports: side.store.copy('reports').size }
    expect([before.accounts > 0, before.reports > 0]).toEqual([true, true])
    side.ask = async (call) => (call.entity === 'accounts' ? { rows: [], next: null, doubt } : side.vendor.ask(call))
    const result = await side.sync({ ...side.only('accounts', 'reports'), mode: 'full' })
    expect(result.entities).toMatchObject([
      { entity: 'accounts', state: 'partial', error: { code: 'upstream_answer_invalid', message: `${doubt}.` } },
      { entity: 'reports', state: 'partial' },
    ])
    expect({ accounts: side.store.copy('accounts').size, reports: side.store.copy('reports').size }).toEqual(before)
    side.ask = side.vendor.ask
    side.vendor.drop('accounts', ({ id }) => id === 'a1')
    expect(Side.states(await side.sync({ ...side.only('accounts'), mode: 'full' }))).toEqual({ accounts: 'complete' })
    expect(side.store.copy('accounts').size).toBe(before.accounts - 1)
  })

  test('below a record concerns what hangs there', async () => {
    const side = new Side(filledVendor())
    await side.sync({ ...side.only('accounts', 'reports'), mode: 'full' })
    const before = side.store.copy('reports').size
    side.ask = async (call) => (call.entity === 'reports' ? { rows: [], next: null, doubt } : side.vendor.ask(call))
    expect(Side.states(await side.sync({ ...side.only('accounts', 'reports'), mode: 'full' }))).toEqual({
      accounts: 'complete',
      reports: 'partial',
    })
    expect(side.store.copy('reports').size).toBe(before)
  })
})

test('records without their key are counted: they are in lists, and cannot be in the copy', async () => {
  const side = new Side(filledVendor())
  side.vendor.accounts.push({ name: 'no id' }, { id: null, name: 'null' })
  await side.sync({ ...side.only('accounts'), mode: 'full' })
  const sums = side.progress.filter(({ entity }) => entity === 'accounts')
  expect(sums.reduce((sum, { withoutKey }) => sum + withoutKey, 0)).toBe(2)
  expect(sums.reduce((sum, { records }) => sum + records, 0)).toBe(side.store.copy('accounts').size + 2)
})
