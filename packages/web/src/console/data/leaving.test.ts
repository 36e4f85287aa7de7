import { expect, test } from 'vitest'
import { leadsAway } from './leaving.ts'

const from = 'https://example.com/console/links?organization=1&new=1&tab=vendors#page'
const ways: readonly (readonly [away: boolean, to: string])[] = [
  [false, '/console/links?organization=1&new=1&tab=links'],
  [false, '/console/links?workspace=a&new=1&organization=1#other'],
  [true, '/console/links?organization=1&tab=vendors'],
  [true, '/console/links?organization=2&new=1'],
  [true, '/console/tokens?organization=1&new=1'],
]

test.each(ways)('a way that leads away (%s): %s', (away, to) => {
  expect(leadsAway(new URL(from), new URL(to, from), ['new'])).toBe(away)
})
