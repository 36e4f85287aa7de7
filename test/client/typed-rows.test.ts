/** Rows as objects with typed cells, from the vendor's stand-in and by way of the service. */
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import type { RowOptions } from '../../packages/ferrule/src/index.ts'
import { sandboxWarehouse } from '../http/snowflake-support.ts'
import { startWorld } from '../http/support.ts'
import { openWarehouse, type Warehouse } from '../library/snowflake-support.ts'
import { connectTo } from './support.ts'

const connected = new Map<string, Warehouse>()
const world = await startWorld()
await world.connect('warehouse', sandboxWarehouse('warehouse'))
connected.set('local', openWarehouse(world.sandbox))
connected.set('hosted', connectTo(world, 'snowflake'))
afterEach(() => world.sandbox.snowflake.reset())
afterAll(async () => {
  await connected.get('local')?.close()
  await world.close()
})

const everyType = 'SELECT * EXCLUDE (ID) FROM SANDBOX.PUBLIC.EVERY_TYPE ORDER BY ID'
const nines = 99_999_999_999_999_999_999_999_999_999_999_999_999n

describe.each(['local', 'hosted'])('rows as objects, %s', (mode) => {
  const open = (): Warehouse => {
    const warehouse = connected.get(mode)
    if (warehouse === undefined) throw new Error('not connected')
    return warehouse
  }

  test('every type has its value', async () => {
    expect(await Array.fromAsync(open().record.rows({ statement: everyType }, { as: 'objects' }))).toEqual([
      {
        ...{ EXACT: 2, MONEY: 12.5, APPROXIMATE: 1.5, WORDS: 'HELP', FLAG: true, BYTES: '48454C50', DAY: '2019-03-27', CLOCK: '23:01:59' },
        ...{ NTZ: '2021-01-28T22:09:37.123456789', LTZ: '2021-01-28T22:09:37.123456Z', TZ: '2021-03-19T21:06:59+01:00' },
        ...{ ANYTHING: { a: 1, b: ['x', null] }, KEYED: { k: 'v' }, LISTED: [1, 'two'] },
      },
      {
        ...{ EXACT: -nines, MONEY: -0.01, APPROXIMATE: -1e100, WORDS: '', FLAG: false, BYTES: '', DAY: '1969-12-30', CLOCK: '00:00:00' },
        ...{ NTZ: '1969-12-31T23:59:59.5', LTZ: '1969-12-31T23:59:58.25Z', TZ: '1969-12-31T12:00:00.5-05:30' },
        ...{ ANYTHING: null, KEYED: {}, LISTED: [] },
      },
      {
        ...{ EXACT: nines, MONEY: 9_999_999_999.99, APPROXIMATE: Number.NaN, WORDS: 'quote " backslash \\ newline \n emoji 🏬' },
        ...{ FLAG: null, BYTES: '00FF', DAY: '9999-12-31', CLOCK: '23:59:59.999999', NTZ: '2200-02-28T00:00:00.000000001' },
        ...{ LTZ: '9999-12-31T23:59:59Z', TZ: '2200-01-01T00:00:00.000000001+00:00' },
        ...{ ANYTHING: 'text', KEYED: { '': null }, LISTED: [{}] },
      },
      Object.fromEntries(
        'EXACT MONEY APPROXIMATE WORDS FLAG BYTES DAY CLOCK NTZ LTZ TZ ANYTHING KEYED LISTED'.split(' ').map((name) => [name, null]),
      ),
    ])
  })

  test('arrays of strings come without the option, and with the option that says so', async () => {
    const arrays = await Array.fromAsync(open().record.rows({ statement: everyType }))
    expect(arrays[0]?.slice(0, 2)).toEqual(['2', '12.50'])
    expect(await Array.fromAsync(open().record.rows({ statement: everyType }, { as: 'arrays' }))).toEqual(arrays)
  })

  test.each([
    ['small', { firstPartitionBytes: 2_000, partitionBytes: 10_000 }],
    ['large', { firstPartitionBytes: 20_000, partitionBytes: 150_000 }],
  ])('the columns of the first part are those of all: %s parts', async (_what, sizes) => {
    const count = 10_000
    const statement = `SELECT SEQ8() AS N, 'a note that makes rows long' AS NOTE, SEQ8() + 1 AS N FROM TABLE(GENERATOR(ROWCOUNT => ${count}))`
    world.sandbox.snowflake.switches.set(sizes)
    const rows = await Array.fromAsync(open().record.rows({ statement }, { as: 'objects' }))
    expect(rows).toEqual(Array.from({ length: count }, (_, n) => ({ N: n, NOTE: 'a note that makes rows long', N_2: n + 1 })))
    expect(world.sandbox.snowflake.requests().length).toBeGreaterThan(3)
    expect(world.sandbox.snowflake.executed()).toHaveLength(1)
  })

  test('a session parameter that formats dates leaves them as they come', async () => {
    const parameters = { DATE_OUTPUT_FORMAT: 'YYYYMMDD' }
    const statement = 'SELECT DAY, CLOCK FROM SANDBOX.PUBLIC.EVERY_TYPE WHERE ID = 1'
    const rows = await Array.fromAsync(open().record.rows({ statement, parameters }, { as: 'objects' }))
    expect(rows).toEqual([{ DAY: '20190327', CLOCK: '23:01:59' }])
  })

  test('the lists of the warehouse have them too', async () => {
    const rows = await Array.fromAsync(open().tables.rows({}, { as: 'objects' }))
    expect(rows).toContainEqual(expect.objectContaining({ name: 'EVERY_TYPE', rows: 4, created_on: expect.stringMatching(/^20.*Z$/) }))
  })

  test('another form is refused with its field, before anything is sent', async () => {
    const wrong = { as: 'object' } as unknown as RowOptions
    await expect(Array.fromAsync(open().record.rows({ statement: everyType }, wrong))).rejects.toMatchObject({
      code: 'validation_failed',
      errors: [{ field: '/as', message: "/as must be 'arrays' or 'objects'." }],
    })
    expect(world.sandbox.snowflake.requests()).toEqual([])
  })

  test('parts have rows in the form of the vendor, so the option is refused', async () => {
    const parts = open().record.parts({ statement: everyType }, { as: 'objects' } as object)
    await expect(Array.fromAsync(parts)).rejects.toMatchObject({ code: 'validation_failed', errors: [{ field: '/as' }] })
  })
})
