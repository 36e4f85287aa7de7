import { describe, expect, test } from 'vitest'
import { findLargest, type Id, moveOn, Outline, type Segments } from '../../packages/server/src/copies/sync/walk/newest.ts'
import { type Lane, Slices } from '../../packages/server/src/copies/sync/walk/slices.ts'

const list = (entity: string): Lane => ({ isList: true, entities: [entity], sources: 1 })
const perRecord = (entity: string, sources = 1): Lane => ({ isList: false, entities: [entity], sources })

/** Lets lanes of some calls take slices of at most 25 calls, a single one at first. @returns the entity of each call */
function play(lanes: readonly (Lane & { readonly calls: number })[], asked: (entity: string, calls: number) => boolean = () => false) {
  const slices = new Slices(lanes)
  const left = lanes.map(({ calls }) => calls)
  const made: string[] = []
  for (;;) {
    const open = left.flatMap((calls, index) => (calls > 0 ? [index] : []))
    const index = slices.next(open, (entity) => asked(entity, made.length))
    if (index === undefined) return made
    const calls = Math.min(left[index] ?? 0, slices.isFirst(index) ? 1 : 25)
    for (let call = 0; call < calls; call += 1) made.push(lanes[index]?.entities[0] ?? '')
    left[index] = (left[index] ?? 0) - calls
    slices.spend(index, calls)
  }
}

describe('slices', () => {
  test('every lane gets its first call before any lane gets a second one, lists first', () => {
    const made = play([
      { ...perRecord('notes'), calls: 1_000 },
      { ...list('orders'), calls: 64 },
      { ...perRecord('fields'), calls: 1_000 },
      { ...list('people'), calls: 3 },
    ])
    expect(made.slice(0, 4)).toEqual(['orders', 'people', 'notes', 'fields'])
  })

  test('what calls for several lists has a first slice for each of them', () => {
    const made = play([
      { ...perRecord('three', 3), calls: 100 },
      { ...perRecord('one'), calls: 100 },
    ])
    expect(made.slice(0, 4)).toEqual(['three', 'one', 'three', 'three'])
  })

  test('lists that a few calls fill are complete before what is called for per record has had much', () => {
    const made = play([
      { ...list('orders'), calls: 640 },
      { ...list('people'), calls: 30 },
      { ...perRecord('notes'), calls: 5_000 },
      { ...perRecord('fields'), calls: 5_000 },
    ])
    const countUntil = (entity: string, end: number) => made.slice(0, end).filter((each) => each === entity).length
    const end = made.lastIndexOf('people')
    expect(countUntil('orders', end)).toBeLessThanOrEqual(60)
    const last = made.lastIndexOf('orders')
    expect(countUntil('notes', last) + countUntil('fields', last)).toBeLessThan(100)
  })

  test('what remains is shared fairly, and nothing starves beside a list without an end', () => {
    const shared = play([
      { ...perRecord('notes'), calls: 1_000 },
      { ...perRecord('fields'), calls: 1_000 },
    ])
    const notes = shared.slice(0, 1_000).filter((each) => each === 'notes').length
    expect(Math.abs(notes - 500)).toBeLessThanOrEqual(25)
    const endless = play([
      { ...list('orders'), calls: 20_000 },
      { ...perRecord('notes'), calls: 200 },
    ])
    expect(endless.lastIndexOf('notes')).toBeLessThan(19_000)
  })

  test('what a search waits for goes to the front, while the others still get slices', () => {
    const lanes = [
      { ...list('orders'), calls: 400 },
      { ...perRecord('notes'), calls: 5_000 },
      { ...perRecord('fields'), calls: 5_000 },
    ]
    const made = play(lanes, (entity, calls) => entity === 'fields' && calls >= 200)
    const then = made.slice(200, 1_200)
    expect(then.filter((each) => each === 'fields').length).toBeGreaterThan(500)
    expect(then).toContain('orders')
    expect(made.slice(200, 260).filter((each) => each === 'fields').length).toBeGreaterThanOrEqual(25)
    const all = play(lanes, () => true)
    expect(all.slice(0, 60).includes('notes')).toBe(true)
  })
})

/** Reads a list of ids in pages as a walk does, from its newest segment. @returns the pages, and the number of probes */
function readNewest(
  ids: readonly Id[],
  size: number,
): { readonly pages: readonly (readonly Id[])[]; readonly probes: number; readonly estimate: number } {
  const page = (after: Id): readonly Id[] => ids.filter((id) => id > after).slice(0, size)
  const isLast = (after: Id): boolean => ids.filter((id) => id > after).length <= size
  const outline = new Outline(page(0))
  let probes = 0
  for (let at = outline.probe(); at !== undefined; at = outline.probe()) {
    outline.note(at, page(at), isLast(at))
    probes += 1
  }
  const pages: (readonly Id[])[] = []
  let position: { readonly after: Id; readonly segments: Segments } | undefined = {
    after: outline.segments.starts.at(-1) ?? 0,
    segments: outline.segments,
  }
  while (position !== undefined) {
    const { after, segments }: { readonly after: Id; readonly segments: Segments } = position
    const found = page(after)
    pages.push(found.filter((id) => segments.until === undefined || id <= segments.until))
    position = moveOn(segments, { largest: findLargest(found), isLast: isLast(after) })
  }
  return { pages, probes, estimate: outline.size }
}

describe('a list that is read from its newest records', () => {
  const dense = Array.from({ length: 16_000 }, (_, index) => 5_400_000_000_000 + index * 32_768)
  const growing = Array.from({ length: 5_000 }, (_, index) => Math.round(1_000_000 + index ** 1.7))
  const huge = Array.from({ length: 1_000 }, (_, index) => 9_007_199_254_740_993n + BigInt(index * 7))
  const sparse = [...Array.from({ length: 300 }, (_, index) => index + 1), 9_000_000_000_000]

  test.each<readonly [name: string, ids: readonly Id[]]>([
    ['evenly spread', dense],
    ['ever denser', growing],
    ['beyond the integers of JavaScript', huge],
    ['one far behind the others', sparse],
  ])('meets every record once: ids that are %s', (_name, ids) => {
    const { pages, probes } = readNewest(ids, 250)
    expect(pages.flat().toSorted((one, other) => (one < other ? -1 : 1))).toEqual(ids)
    expect(probes).toBeLessThanOrEqual(40)
  })

  test('begins with the newest, for a few probes, and knows about how many there are', () => {
    const { pages, probes, estimate } = readNewest(dense, 250)
    expect(pages[0]?.at(-1)).toBe(dense.at(-1))
    expect(probes).toBeLessThanOrEqual(16)
    expect(Math.abs(estimate - dense.length) / dense.length).toBeLessThan(0.05)
  })
})
