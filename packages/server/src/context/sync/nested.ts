/** Reads records that lie within the records of a page. */
import { FerruleError } from 'ferrule'
import { walkPages } from 'ferrule/engine'
import { copyJson, getAt, setAt } from 'ferrule/internal'
import type { Params } from './page-params.ts'
import type { Nested } from './plan.ts'
import type { Met } from './project.ts'
import { isTaken, noteDoubt, type Walking } from './walking.ts'

/** A page of the root. */
interface RootPage {
  readonly rows: readonly unknown[]
  readonly params: Params
  /** Called before every call. */
  readonly called: () => void
}

const buildOwnParams = ({ sync, take }: Nested, parent: unknown): Record<string, unknown> => {
  const params: Record<string, unknown> = copyJson({ ...sync.params })
  for (const { param, from } of take) setAt(params, param, getAt(parent, from))
  return params
}

/** Reads all pages of a list; empty when its parent was deleted meanwhile. */
async function readList(walking: Walking, { entity }: Nested, { params, called }: Omit<RootPage, 'rows'>): Promise<readonly unknown[]> {
  const { task } = walking
  const load = async (current: Params) => {
    task.signal.throwIfAborted()
    called()
    const { rows, next, doubt } = await task.ask({ entity, action: 'list', params: current })
    noteDoubt(walking, [entity], doubt)
    return { data: [...rows], meta: { next_params: next } }
  }
  const records: unknown[] = []
  try {
    for await (const { data } of walkPages(load, params, { vendor: task.kind.definition.title })) records.push(...data)
  } catch (error) {
    if (error instanceof FerruleError && error.code === 'record_not_found') return []
    throw error
  }
  return records
}

/** Reads the records of an entity within a page's records. Where the vendor may show only some, reads their own list. */
export async function readNested(walking: Walking, nested: Nested, { rows, params, called }: RootPage): Promise<readonly Met[]> {
  const { tree } = walking
  const isNeeded = isTaken(walking, nested) || tree.children.some((child) => child.parent === nested.entity && isTaken(walking, child))
  if (!isNeeded) return []
  const met: Met[] = []
  for (const parent of rows) {
    const found = getAt(parent, nested.at)
    const shown: readonly unknown[] = Array.isArray(found) ? found : []
    const own = shown.length < nested.most ? params : buildOwnParams(nested, parent)
    const records = shown.length < nested.most ? shown : await readList(walking, nested, { params: own, called })
    for (const record of records) met.push({ record, params: own, parent })
  }
  return met
}
