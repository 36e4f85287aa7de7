/** Reads records that lie within the records of a page. */
import { copyJson, getAt, setAt } from 'ferrule/internal'
import { readList } from './lists.ts'
import type { Params } from './page-params.ts'
import type { Nested } from './plan.ts'
import type { Met } from './project.ts'
import { isTaken, type Walking } from './walking.ts'

/** A page of the root. */
interface RootPage {
  readonly rows: readonly unknown[]
  readonly params: Params
  /** Called before every call. */
  called(): void
  /** Returns whether to ask for the own list of a record. */
  isOpen(parent: unknown): boolean
  /** Called with what reading the list of a record threw. Throws what concerns the walk. @returns false when the record no longer exists */
  unread(parent: unknown, thrown: unknown): Promise<boolean>
  /** Called when the list of a record was read. */
  read(parent: unknown): void
}

/** Builds the parameters of the own list of a record. */
function buildOwnParams({ sync, take }: Nested, parent: unknown): Record<string, unknown> {
  const params: Record<string, unknown> = copyJson({ ...sync.params })
  for (const { param, from } of take) setAt(params, param, getAt(parent, from))
  return params
}

/** Returns the records that a record shows, and whether these may be only some. */
function readShown({ at, most }: Nested, parent: unknown): { readonly shown: readonly unknown[]; readonly isAll: boolean } {
  const found = getAt(parent, at)
  const shown: readonly unknown[] = Array.isArray(found) ? found : []
  return { shown, isAll: shown.length < most }
}

/** Returns whether the records are stored, or asked for what is below them. */
export const isNeeded = (walking: Walking, nested: Nested): boolean =>
  isTaken(walking, nested) || walking.tree.children.some((child) => child.parent === nested.entity && isTaken(walking, child))

/** Reads the records of an entity within a page's records. Where the vendor may show only some, reads their own list. */
export async function readNested(walking: Walking, nested: Nested, page: RootPage): Promise<readonly Met[]> {
  if (!isNeeded(walking, nested)) return []
  const met: Met[] = []
  for (const parent of page.rows) {
    const { shown, isAll } = readShown(nested, parent)
    const params = isAll ? page.params : buildOwnParams(nested, parent)
    const records = isAll ? shown : await readOwn(walking, nested, { page, parent, params, shown })
    for (const record of records) met.push({ record, params, parent })
  }
  return met
}

/** Reads the own list of a record; what the record shows where that fails. */
async function readOwn(
  walking: Walking,
  { entity }: Nested,
  { page, parent, params, shown }: { page: RootPage; parent: unknown; params: Params; shown: readonly unknown[] },
): Promise<readonly unknown[]> {
  if (!page.isOpen(parent)) return shown
  const records: unknown[] = []
  try {
    for await (const { rows } of readList(walking, { entity, params, called: page.called })) records.push(...rows)
  } catch (thrown) {
    return (await page.unread(parent, thrown)) ? shown : []
  }
  page.read(parent)
  return records
}
