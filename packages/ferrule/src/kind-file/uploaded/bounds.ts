/** How much a file of a stranger may hold, beside what every file may. */
import { isObject } from '../../definition/object.ts'
import { listSlots } from '../../definition/templates.ts'
import type { Findings } from '../check-tree.ts'
import { findAt, listWithin } from './visit.ts'

/** Most entries of maps and lists, by their places. An entity has at most one operation of each action. */
const most: readonly (readonly [place: string, entries: number])[] = [
  ['headers', 20],
  ['configuration', 30],
  ['api.of', 50],
  ['auth', 10],
  ['auth.*.fields', 20],
  ['auth.*.send', 10],
  ['auth.*.query', 10],
  ['auth.*.headers', 20],
  ['auth.*.login.send', 20],
  ['auth.*.login.headers', 10],
  ['auth.*.oauth.scopes', 200],
  ['auth.*.oauth.always', 20],
  ['auth.*.oauth.returns', 10],
  ['auth.*.oauth.signed.claims', 20],
  ['limits.rates', 10],
  ['limits.budgets', 20],
  ['limits.budgets.*', 10],
  ['errors.rows', 200],
  ['errors.message', 10],
  ['errors.warnings', 10],
  ['webhooks.challenge.when', 5],
  ['webhooks.account.at', 5],
  ['webhooks.account', 5],
  ['webhooks.id', 10],
  ['webhooks.topic', 5],
  ['webhooks.events', 200],
  ['webhooks.events.*', 10],
  ['webhooks.events.*.key', 10],
  ['webhooks.events.*.params', 20],
  ['pages', 20],
  ['types', 50],
  ['entities', 100],
  ['entities.*.scope', 50],
  ['entities.*.*.headers', 10],
  ['entities.*.*.text', 10],
  ['entities.*.*.text.*.parts', 50],
  ['entities.*.*.merge', 20],
  ['entities.*.sync.each', 10],
  ['entities.*.sync.values', 5],
  ['entities.*.sync.values.*', 100],
]

/** Most values in one list that requests carry, and its levels. */
const [mostValues, deepest] = [500, 8]

/** Most slots in one text, and the longest text that is no text of a query language, in characters. */
const [mostSlots, longestText] = [20, 2_000]

const count = (value: unknown): number => (Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : 0)

/** Describes what is wrong with the slots of a path; undefined if nothing is. */
function findSlotFlaw(call: string): string | undefined {
  const slots = listSlots(call)
  if (new Set(slots).size < slots.length) return 'has the same slot twice'
  if (call.includes('}{')) return 'has two slots side by side: nobody can tell where one ends'
  return call.split('/').some((part) => listSlots(part).length > 2) ? 'has more than two slots between two slashes' : undefined
}

/** Notes paths whose slots cannot be told apart. */
export function checkSlots(file: unknown, found: Findings): void {
  const calls = ['list', 'get', 'create', 'update', 'delete'].flatMap((action) => [`entities.*.${action}`, `entities.*.${action}.call`])
  for (const place of [...calls, 'path', 'elsewhere.path', 'auth.*.oauth.page', 'auth.*.oauth.token', 'auth.*.login.call'])
    for (const { steps, value } of findAt(file, place)) {
      const message = typeof value === 'string' ? findSlotFlaw(value) : undefined
      if (message !== undefined) found.note(steps, { message, example: 'GET /repos/{owner}/{repo}' })
    }
}

/** Notes what a file has too much of. */
export function checkBounds(file: unknown, found: Findings): void {
  for (const [place, entries] of most)
    for (const { steps, value } of findAt(file, place))
      if (count(value) > entries)
        found.note(steps, { message: `has ${count(value)} entries; an uploaded kind has at most ${entries}` }, 'key')
  for (const { steps, value } of findAt(file, 'entities.*.*.always.*')) {
    const levels = [...listWithin(value)].map((inner) => inner.steps.length)
    if (levels.length - 1 > mostValues || Math.max(...levels) > deepest)
      found.note(steps, { message: `has more than ${mostValues} values or ${deepest} levels: an uploaded kind has at most that many` })
  }
  for (const { steps, value } of listWithin(file)) {
    if (typeof value !== 'string') continue
    if (value.length > longestText)
      found.note(steps, { message: `has ${value.length} characters; an uploaded kind has at most ${longestText} in one text` })
    else if (listSlots(value).length > mostSlots)
      found.note(steps, { message: `has ${listSlots(value).length} slots; an uploaded kind has at most ${mostSlots} in one text` })
  }
}
