/**
 * What syncs keep between runs and within one. A change here is a change of what older versions of the service left in the database: when the
 * code cannot read that, raise `shape` in `packages/server/src/copies/sync/walk/state.ts`.
 */
import { expect, test } from 'vitest'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { kept, Side } from '../context/sync-double.ts'
import { filledVendor } from '../context/sync-vendor.ts'

/** Members whose keys are names of entities or parents. */
const maps = new Set([
  ...['state.through', 'walk.through', 'walk.through.*', 'walk.flawed', 'walk.unread'],
  ...['walk.parents.met', 'walk.parents.done', 'walk.within.after', 'walk.within.windows'],
])
/** Members that hold what vendors name. */
const leaves = new Set(['position', 'record', 'values'])

/** Adds the paths of a value with their types. */
function addPaths(paths: Set<string>, value: unknown, path: string): void {
  const member = path.split('.').at(-1) ?? ''
  if (typeof value !== 'object' || value === null || leaves.has(member)) {
    paths.add(`${path}: ${leaves.has(member) ? 'of the vendor' : typeof value}`)
    return
  }
  if (Array.isArray(value)) for (const each of value) addPaths(paths, each, `${path}[]`)
  else for (const [key, each] of Object.entries(value)) addPaths(paths, each, `${path}.${maps.has(path) ? '*' : key}`)
}

test('checkpoints', async () => {
  const paths = new Set<string>()
  const side = new Side(filledVendor(12))
  side.configuration = { start: '2026-02-01' }
  side.vendor.before = ({ params }) => {
    if (params['order_id'] === 3 || params['account_id'] === 'a2') throw fail('upstream_error', { vendor: 'Acme', reason: 'a bug' })
  }
  const note = () => {
    for (const { checkpoints } of kept.map((name) => side.store.shelf(name)))
      for (const [part, text] of checkpoints) addPaths(paths, JSON.parse(text), part.split(':')[0] ?? part)
  }
  side.store.before = note
  await side.sync()
  side.pass(2 * 3_600_000)
  side.vendor.put('orders', { id: 2, refunds: [{ id: 98, amount: '3.00' }] })
  await side.sync()
  note()
  expect([...paths].toSorted()).toMatchInlineSnapshot(`
    [
      "state.calls: number",
      "state.configured: string",
      "state.ended: string",
      "state.flaw.code: string",
      "state.flaw.message: string",
      "state.flaw.skipped: boolean",
      "state.fullAt: number",
      "state.latest: string",
      "state.shape: number",
      "state.through.*: string",
      "state.triedAt: number",
      "state.unfinished: number",
      "state.unread.more: number",
      "state.unread.units[].error.code: string",
      "state.unread.units[].error.message: string",
      "state.unread.units[].key: string",
      "state.unread.units[].met: boolean",
      "state.unread.units[].record: of the vendor",
      "state.unread.units[].tries: number",
      "state.unread.units[].values: of the vendor",
      "state.unread.units[].window.from: string",
      "state.unread.units[].window.to: string",
      "state.walking: string",
      "walk.calls: number",
      "walk.configured: string",
      "walk.full: boolean",
      "walk.fullWindows[]: string",
      "walk.latest: string",
      "walk.met: boolean",
      "walk.parents.done.*: number",
      "walk.parents.met.*: number",
      "walk.parents.rows: number",
      "walk.parents.size: number",
      "walk.pass: string",
      "walk.position: of the vendor",
      "walk.reached[]: string",
      "walk.retried: boolean",
      "walk.segments.starts[]: number",
      "walk.segments.until: number",
      "walk.shape: number",
      "walk.since: string",
      "walk.startedAt: number",
      "walk.through.*.*: string",
      "walk.unread.*.more: number",
      "walk.unread.*.units[].error.code: string",
      "walk.unread.*.units[].error.message: string",
      "walk.unread.*.units[].key: string",
      "walk.unread.*.units[].met: boolean",
      "walk.unread.*.units[].record: of the vendor",
      "walk.unread.*.units[].tries: number",
      "walk.unread.*.units[].values: of the vendor",
      "walk.unread.*.units[].window.from: string",
      "walk.unread.*.units[].window.to: string",
      "walk.within.after.*: string",
      "walk.within.page: string",
      "walk.within.windows.*.first: string",
      "walk.within.windows.*.last: string",
      "walk.within.windows.*.parent: string",
    ]
  `)
})
