/** Lists for clients that read one page only and take it for everything. */

import { isObject } from 'ferrule/internal'
import type { Answer } from '../route.ts'
import { prefix } from './door.ts'
import { changeExchange } from './exchange.ts'
import type { ClientCall } from './execute.ts'

/** Entries of a page, the most that lists take. */
const pageSize = '100'
/** Entries that are put together at most; what follows has its address in `next`. */
const mostEntries = 1_000

const readPage = (answer: Answer): { readonly data: readonly unknown[]; readonly next: unknown } | undefined => {
  const page = 'json' in answer && isObject(answer.json) ? answer.json : {}
  return Array.isArray(page['data']) ? { data: page['data'], next: page['next'] } : undefined
}

/** Finds the cursor in the address of a next page. */
const readCursor = (next: unknown): string | null =>
  typeof next === 'string' ? new URLSearchParams(next.split('?')[1]).get('cursor') : null

/** Answers a list. Without `limit` and `cursor` its pages are put together. */
export async function listForClient({ exchange, answer }: ClientCall): Promise<Answer> {
  const { query, door } = exchange
  const isPaged = query['limit'] !== undefined || query['cursor'] !== undefined
  const data: unknown[] = []
  let [cursor, next]: [string | null, unknown] = [null, null]
  do {
    const more = isPaged ? query : { ...query, limit: pageSize, ...(cursor === null ? {} : { cursor }) }
    const given = await answer(changeExchange(exchange, { query: more }))
    const page = readPage(given)
    if (page === undefined) return given
    data.push(...page.data)
    next = page.next
    cursor = readCursor(next)
  } while (!isPaged && cursor !== null && data.length < mostEntries)
  return { json: { data, next: typeof next === 'string' && door !== 'marked' ? prefix + next : next } }
}
