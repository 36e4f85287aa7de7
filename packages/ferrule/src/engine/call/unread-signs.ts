/** Finds signs of more records in an answer that ends a list: what the definition of the list does not read. Pure. */
import { isObject } from '../../definition/object.ts'
import type { PageDefinition } from '../../definition/page.ts'
import { readHeaders } from '../http/answer.ts'
import { getAt } from '../json/paths.ts'
import type { WireAnswer } from './answer.ts'
import { findLink, findPageDefinition } from './meta.ts'
import { readMore } from './next-pages.ts'
import type { CompiledOperation } from './operation.ts'

/** Names, in lower case without separators, of flags that are true while there is more, and of flags that are false while there is. */
const flags: Readonly<Record<string, boolean>> = {
  hasmore: true,
  hasnext: true,
  hasnextpage: true,
  moreitems: true,
  moreresults: true,
  moreavailable: true,
  incomplete: true,
  truncated: true,
  istruncated: true,
  islast: false,
  islastpage: false,
  lastpage: false,
  done: false,
  endofstream: false,
  complete: false,
}
/** Names of positions and addresses of a next page. */
const positions: ReadonlySet<string> = new Set([
  'next',
  'nextpage',
  'nextpageurl',
  'nextpagetoken',
  'nextcursor',
  'nexttoken',
  'nextlink',
  'nexturl',
  'nextrecordsurl',
  'nexthref',
  'nextoffset',
  'nextmarker',
  'continuation',
  'continuationtoken',
  'odatanextlink',
  'pagetoken',
  'endcursor',
  'aftercursor',
  'scrollid',
])
/** Sizes of pages that vendors use when nobody asks for another. */
const usualSizes: ReadonlySet<number> = new Set([10, 20, 25, 50, 100, 200, 250, 500, 1_000])

/** Names of the number of all records. */
const totals: ReadonlySet<string> = new Set(['total', 'totalcount', 'totalrecords', 'totalresults', 'totalsize', 'totalitems'])

const flatten = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/g, '')

/** Lists the paths that the definition of a list reads, so that they are no unread signs. */
function listReadPaths(page: PageDefinition | undefined): ReadonlySet<string> {
  if (page === undefined) return new Set()
  if (!('position' in page)) return new Set(Object.values(page.read))
  const { position, more = '', total = '' } = page
  return new Set([position, more.replace(/^!/, ''), total])
}

const isPosition = (value: unknown): boolean => (typeof value === 'string' && value !== '') || (typeof value === 'number' && value > 0)

const isSign = (name: string, value: unknown): boolean => {
  const flag = flags[flatten(name)]
  return flag === undefined ? positions.has(flatten(name)) && isPosition(value) : value === flag
}

/** Levels of objects around the rows that are searched: vendors write `meta.page.next` at most. */
const deepest = 3

function findSign(
  value: unknown,
  rows: unknown,
  path: string,
  { reads, depth }: { reads: ReadonlySet<string>; depth: number },
): string | undefined {
  if (!isObject(value) || value === rows || depth === 0) return undefined
  for (const [name, inner] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`
    // What a definition reads below an object is its own: the object is read.
    const isRead = reads.has(at) || [...reads].some((read) => read.startsWith(`${at}.`))
    if (!isRead && isSign(name, inner)) return at
    const found = inner === rows ? undefined : findSign(inner, rows, at, { reads, depth: depth - 1 })
    if (found !== undefined) return found
  }
  return undefined
}

/** What is known of the answer that ends a list. */
export interface LastAnswer {
  readonly answer: WireAnswer
  readonly body: unknown
  readonly listed: number | undefined
}

/**
 * Describes a sign that there are more records although nothing of the definition says so.
 * @returns a sentence without a period; undefined without a sign
 */
export function describeUnreadSign(operation: CompiledOperation, { answer, body, listed }: LastAnswer): string | undefined {
  const { onePage, at, one } = operation.operation
  if (operation.action !== 'list' || one === true || onePage !== undefined) return undefined
  const { title } = operation.kind.definition
  const page = findPageDefinition(operation)
  // The vendor's own flag is believed, whatever stands beside it.
  if (page !== undefined && 'position' in page && readMore(page, body) === false) return undefined
  const reads = listReadPaths(page)
  const sign = findSign(body, at === '' ? undefined : getAt(body, operation.at), '', { reads, depth: deepest })
  if (sign !== undefined) return `${title} may have more records: the answer has ${sign}, which the definition of this list does not read`
  if (!reads.has('link:next') && findLink(readHeaders(answer, 'link').join(', '), 'next') !== null)
    return `${title} may have more records: the answer has a Link header with a next page, which the definition of this list does not read`
  const total =
    page === undefined && isObject(body)
      ? Object.entries(body).find(([name, value]) => totals.has(flatten(name)) && Number(value) > (listed ?? 0))
      : undefined
  if (total !== undefined) return `${title} may have more records: ${total[0]} is ${String(total[1])}, and ${listed ?? 0} came`
  if (page === undefined && listed !== undefined && usualSizes.has(listed))
    return `${title} may have more records: exactly ${listed} came, and the definition of this list has no pages`
  return undefined
}
