/** One way to page every list: `has_next_page` and `end_cursor` of an answer, `params.cursor` of the next call. */

import { readJson, writeJson } from 'ferrule/engine'
import { fail, isObject } from 'ferrule/internal'

type Values = Readonly<Record<string, unknown>>

/** Begins every cursor made here. Other values of `cursor` are the vendor's. */
const mark = 'frl_page_'

/** Writes what the next call needs. A list with a parameter `cursor` of its own keeps the vendor's value. */
function writeCursor(params: Values, operation: unknown): string {
  const [only, ...more] = Object.entries(params)
  if (only?.[0] === 'cursor' && more.length === 0 && typeof only[1] === 'string') return only[1]
  return mark + Buffer.from(writeJson({ params, ...(isObject(operation) ? { operation } : {}) })).toString('base64url')
}

/** Builds the two uniform members of a page; none for an answer that has no pages. */
export function describePage(meta: Values): { readonly has_next_page: boolean; readonly end_cursor: string | null } | undefined {
  const next = meta['next_params']
  if (next === undefined) return undefined
  if (!isObject(next)) return { has_next_page: false, end_cursor: null }
  return { has_next_page: true, end_cursor: writeCursor(next, meta['next_operation']) }
}

function readCursor(cursor: string): { readonly params: Values; readonly operation?: Values } {
  try {
    const read = readJson(Buffer.from(cursor.slice(mark.length), 'base64url').toString())
    if (isObject(read) && isObject(read['params'])) {
      const { params, operation } = read
      if (operation === undefined) return { params }
      if (isObject(operation) && operation['action'] === 'get' && typeof operation['entity'] === 'string') return { params, operation }
    }
  } catch {
    // as for any other text that was not made here
  }
  throw fail('invalid_cursor', { reason: 'it was not made here' })
}

/**
 * Puts the position of a cursor into the body of a call. A result in parts continues with another operation, which takes none of the list's
 * parameters. A cursor grants nothing: its maker could send the same parameters.
 * @throws FerruleError `invalid_cursor`
 */
export function followCursor(body: Values): Values {
  const params = body['params']
  const cursor = isObject(params) ? params['cursor'] : undefined
  if (!isObject(params) || typeof cursor !== 'string' || !cursor.startsWith(mark)) return body
  const { cursor: _cursor, ...rest } = params
  const next = readCursor(cursor)
  if (next.operation === undefined) return { ...body, params: { ...rest, ...next.params } }
  return { ...body, entity: next.operation['entity'], action: next.operation['action'], params: next.params }
}
