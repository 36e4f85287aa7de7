/** Walks over pages that are counted, while the vendor's records change their places. */
import { describe, expect, test } from 'vitest'
import { date, id, opt, str, time, unixTime } from '../../packages/ferrule/src/definition/fields.ts'
import type { Since } from '../../packages/ferrule/src/definition/sync.ts'
import { Random } from '../../packages/sandbox/src/random.ts'
import { entity, type Params, page, type Row, World } from './sync-words.ts'

const pages = { numbers: { shape: 'next', position: 'pages', send: 'page' } } as const
const second = 1_000

/** A vendor with numbered pages, sorted by the time of change. */
class Shelf {
  rows: Row[] = []
  readonly world: World
  size = 3
  /** The vendor ends a list after so many records. */
  cap = Number.POSITIVE_INFINITY

  constructor(since: Partial<Since>, form: 'iso' | 'seconds' = 'iso') {
    const record = { changed: form === 'iso' ? time('Changed') : unixTime('Changed'), name: str('Name') }
    const sync = { since: { param: 'since', field: 'changed', lookback: 60, ...since } }
    const definition = entity(record, sync, { params: { since: opt(str('Since')) }, page: 'numbers' })
    this.world = new World({ rows: definition }, { rows: (params) => this.#list(params) }, pages)
    this.form = form
  }

  readonly form: 'iso' | 'seconds'

  #list(params: Params) {
    const { since } = params
    const isDue = ({ changed }: Row) =>
      since === undefined || (this.form === 'iso' ? String(changed) >= String(since) : Number(changed) >= Number(since))
    const due = this.rows.filter(isDue).toSorted((one, other) => (String(one['changed']) < String(other['changed']) ? -1 : 1))
    return page(due.slice(0, this.cap), params, this.size)
  }

  change(id: number, at = this.world.now): void {
    const changed = this.form === 'iso' ? new Date(at).toISOString() : Math.floor(at / second)
    this.rows = [...this.rows.filter((row) => row['id'] !== id), { id, changed, name: `${id} at ${at}` }]
  }

  expectTruth(): void {
    expect(this.world.copy('rows')).toEqual(this.rows.toSorted((one, other) => Number(one['id']) - Number(other['id'])))
  }
}

/** Fills a shelf with records, of which `equal` have one time each. */
function fill(shelf: Shelf, count: number, equal = 1): void {
  for (let id = 1; id <= count; id += 1) shelf.change(id, shelf.world.now - 7_200_000 + Math.ceil(id / equal) * 5 * second)
}

describe.each([
  ['that the sync asks for from its last record on', { sorted: true }],
  ['that is read again until nothing new comes', {}],
] as const)('a list %s', (_name, sorted) => {
  test('loses no record that another one shifts to a page that was read', async () => {
    const shelf = new Shelf(sorted)
    fill(shelf, 40)
    let calls = 0
    shelf.world.before = () => {
      calls += 1
      if (calls === 3) for (const id of [1, 2, 3, 4]) shelf.change(id)
    }
    await shelf.world.sync()
    shelf.world.before = () => undefined
    expect(shelf.world.ids('rows')).toHaveLength(40)
    await shelf.world.sync()
    shelf.expectTruth()
  })

  test('equals the vendor after the next run, with equal times and changes during walks', async () => {
    const random = new Random(7)
    const shelf = new Shelf({ ...sorted, as: 'seconds' }, 'seconds')
    fill(shelf, 60, 12)
    for (let round = 0; round < 25; round += 1) {
      shelf.world.before = () => {
        if (random.chance(0.2)) shelf.change(random.int(1, 80))
      }
      await shelf.world.sync({ fullEvery: 3_600_000 * 5 })
      shelf.world.before = () => undefined
      await shelf.world.sync()
      shelf.expectTruth()
      shelf.world.now += random.int(0, 100) * second
    }
  })

  test('over a thousand records of one time are all read', async () => {
    const shelf = new Shelf(sorted)
    shelf.size = 100
    fill(shelf, 1_250, 1_250)
    await shelf.world.sync()
    shelf.expectTruth()
  })
})

test('a sorted list goes on by the time, and by pages within one instant', async () => {
  const shelf = new Shelf({ sorted: true, as: 'seconds' }, 'seconds')
  fill(shelf, 3, 1)
  const at = shelf.world.now - 3_600_000
  for (const id of [4, 5, 6, 7, 8]) shelf.change(id, at)
  shelf.change(9, at + second)
  await shelf.world.sync()
  const [third, fourth] = [3, 4].map((id) => shelf.rows.find((row) => row['id'] === id)?.['changed'])
  // Just before the last record, because a vendor may leave out the time itself.
  const [since, next] = [third, fourth].map((changed) => `rows since=${Number(changed) - 1}`)
  expect(shelf.world.taken().slice(0, 4)).toEqual(['rows', since, next, `${next} cursor=3`])
  shelf.expectTruth()
})

test('a cap of the vendor ends no sorted list', async () => {
  const shelf = new Shelf({ sorted: true })
  shelf.cap = 10
  fill(shelf, 50)
  await shelf.world.sync()
  shelf.expectTruth()
})

test('a list that is in another order than it should be is read by its pages', async () => {
  const shelf = new Shelf({ sorted: true })
  fill(shelf, 20)
  const { rows } = shelf
  const world = new World(
    {
      rows: entity(
        { changed: time('Changed'), name: str('Name') },
        { since: { param: 'since', field: 'changed', lookback: 60, sorted: true } },
        { params: { since: opt(str('Since')) }, page: 'numbers' },
      ),
    },
    { rows: (params) => page(rows.toReversed(), params) },
    pages,
  )
  await world.sync()
  expect(world.ids('rows')).toHaveLength(20)
})

test('a list that changes all the time is read again a few times only', async () => {
  const shelf = new Shelf({})
  fill(shelf, 9)
  shelf.world.before = () => shelf.change(1 + (shelf.world.now % 9))
  await shelf.world.sync()
  expect(shelf.world.taken().length).toBeLessThanOrEqual(5 * 4)
  shelf.world.before = () => undefined
  await shelf.world.sync()
  shelf.expectTruth()
})

test('one page is read once', async () => {
  const shelf = new Shelf({})
  fill(shelf, 3)
  await shelf.world.sync()
  expect(shelf.world.taken()).toEqual(['rows'])
})

test('a list of days that shifts while it is read is looked at again before anything is deleted', async () => {
  let days: Row[] = Array.from({ length: 12 }, (_, index) => ({
    id: index + 1,
    shelf: 1 + (index % 2),
    day: `2026-03-${10 + (index % 6)}`,
  }))
  const world = new World(
    {
      shelves: entity({}, {}),
      reports: entity(
        { shelf: id('Shelf'), day: date('Day') },
        {
          each: { entity: 'shelves', take: { shelf: 'id' } },
          windows: { from: 'start', to: 'end', days: 10, first: 'start', lookback: 2 },
        },
        { params: { shelf: id('Shelf'), start: date('First day'), end: date('Last day') }, page: 'cursor' },
      ),
    },
    {
      shelves: (params) => page([{ id: 1 }, { id: 2 }], params),
      reports: ({ shelf, start, end, ...params }) =>
        page(
          days.filter((row) => row['shelf'] === shelf && String(row['day']) >= String(start) && String(row['day']) <= String(end)),
          params,
        ),
    },
  )
  const configuration = { start: '2026-03-10' }
  await world.sync({ configuration })
  expect(world.copy('reports')).toEqual(days)
  world.before = (name, { shelf, cursor }) => {
    if (name === 'reports' && shelf === 1 && cursor === '3') days = days.filter((row) => row['id'] !== 1)
  }
  await world.sync({ configuration, mode: 'full' })
  world.before = () => undefined
  // The one that was read before it went stays until the next pass. Those behind it had moved to a page that was read.
  expect(world.ids('reports')).toEqual([1, ...days.map((row) => row['id'])])
  await world.sync({ configuration, mode: 'full' })
  expect(world.copy('reports')).toEqual(days)
})
