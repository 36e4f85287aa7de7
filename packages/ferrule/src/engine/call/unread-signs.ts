/** Finds signs of more records in an answer that ends a list: what the definition of the list does not read. Pure. */
import { isObject } from '../../definition/object.ts'
import { everyRow, type PageDefinition } from '../../definition/page.ts'
import { readHeader, readHeaders } from '../http/http.ts'
import { getAt, parsePath } from '../json/paths.ts'
import type { WireAnswer } from './answer.ts'
import { isToldEnd, type Position, readMore } from './next-pages.ts'
import type { CompiledOperation } from './operation.ts'
import { findLink, findPageDefinition } from './page-records.ts'

type Flags = ReadonlyMap<string, boolean>

/** Builds flags by their names, in lower case and letters only: those that are true while there is more, and those that are false. */
const buildFlags = (whenTrue: string, whenFalse: string): Flags =>
  new Map([...whenTrue.split(' ').map((name) => [name, true] as const), ...whenFalse.split(' ').map((name) => [name, false] as const)])

const flags = buildFlags(
  'hasmore hasmoreitems hasmorepages hasmoreresults hasnext hasnextpage more moreitems morepages moreresults moreavailable',
  'islast islastpage last lastpage endofstream',
)
/** Flags of the same kind that say nothing when they do not say that there is more: of a query that ran to its end. */
const weakFlags = buildFlags('incomplete incompleteresults truncated istruncated', 'done complete')
/** Names of positions and addresses of a next page. */
const positions: ReadonlySet<string> = new Set(
  (
    'next nextpage nextpagecursor nextpageurl nextpagetoken nextcursor nexttoken nextkey nextlink nexturl nexturi ' +
    'nextrecordsurl nexthref nextoffset nextmarker cursor continuation continuationtoken odatanextlink pagetoken ' +
    'paginationtoken resumptiontoken lastevaluatedkey endcursor aftercursor scrollid'
  ).split(' '),
)
/** What an object that is named as a position holds the position in: `next: { href }`. */
const withinPositions: ReadonlySet<string> = new Set(['href', 'url', 'uri', 'link', 'after', 'cursor', 'token', 'page', 'offset'])
/** Names of lists of links, of which each says what it leads to. */
const links: ReadonlySet<string> = new Set(['links', 'link'])
/** Names of the number of all records. */
const totals: ReadonlySet<string> = new Set(
  'total totalcount totalrecords totalresults totalsize totalitems totalelements totalentries totalrows totalhits numfound'.split(' '),
)
/** Names of the number of all pages. */
const pageCounts: ReadonlySet<string> = new Set(['totalpages', 'pagecount', 'numpages', 'lastpage'])
/** Sizes of pages that vendors use when nobody asks for another. */
const usualSizes: ReadonlySet<number> = new Set([10, 20, 25, 50, 100, 200, 250, 500, 1_000])

const flatten = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/g, '')

/** Lists the paths that the definition of a list reads, so that they are no unread signs. */
function listReadPaths({ entity }: CompiledOperation, page: PageDefinition | undefined): ReadonlySet<string> {
  const token = entity.sync?.token?.read ?? ''
  if (page === undefined) return new Set([token])
  if (!('position' in page)) return new Set(Object.values(page.read))
  return new Set([token, page.position, page.more?.replace(/^!/, '') ?? ''])
}

const isText = (value: unknown): boolean => (typeof value === 'string' && value !== '') || (typeof value === 'number' && value > 0)
const isPosition = (value: unknown): boolean =>
  isText(value) || (isObject(value) && Object.entries(value).some(([name, inner]) => withinPositions.has(flatten(name)) && isText(inner)))
const isNextLink = (value: unknown): boolean => isObject(value) && (value['rel'] ?? value['relation']) === 'next'
const readCount = (value: unknown): number =>
  typeof value === 'number' || (typeof value === 'string' && /^\d{1,15}$/.test(value)) ? Number(value) : 0

/** Returns whether a flag says that there is more; undefined for what is no flag. */
function readFlag(all: Flags, name: string, value: unknown): boolean | undefined {
  const flag = all.get(flatten(name))
  if (flag === undefined || !['true', 'false'].includes(String(value))) return undefined
  return String(value) === String(flag)
}

/** What is known of the answer that ends a list. */
export interface LastAnswer {
  readonly answer: WireAnswer
  readonly body: unknown
  readonly listed: number | undefined
  /** Number of rows of the whole walk; undefined where nobody counts them. */
  readonly brought: number | undefined
  /** Position of this page, which the vendor may repeat. */
  readonly asked: Position | undefined
}

interface PageSigns {
  /** Flags of more, positions of a next page, and numbers above what came. */
  readonly more: string[]
  readonly positions: string[]
  readonly counts: string[]
  /** A flag says that there is no more. */
  saysNo: boolean
}

/** Levels of objects beside the rows that are searched: vendors write `meta.page.next` at most. */
const deepest = 2

class Search {
  readonly found: PageSigns = { more: [], positions: [], counts: [], saysNo: false }
  readonly #reads: ReadonlySet<string>
  readonly #around: ReadonlySet<unknown>
  readonly #rows: unknown
  readonly #last: LastAnswer
  readonly #isPaged: boolean

  constructor(operation: CompiledOperation, page: PageDefinition | undefined, last: LastAnswer) {
    this.#reads = listReadPaths(operation, page)
    this.#around = new Set(operation.list.map((_step, index) => getAt(last.body, operation.list.slice(0, index))))
    this.#rows = getAt(last.body, operation.list)
    this.#last = last
    this.#isPaged = page !== undefined
  }

  /** Returns whether the definition reads what stands there. What it reads below an object is its own: the object is read. */
  isRead = (at: string): boolean => this.#reads.has(at) || [...this.#reads].some((read) => read.startsWith(`${at}.`))

  /** Notes what one value says. @param at where it stands, for people */
  note(name: string, value: unknown, at: string): void {
    const flag = readFlag(flags, name, value)
    if (flag === false) this.found.saysNo = true
    if (flag === true || readFlag(weakFlags, name, value) === true) this.found.more.push(`the answer has ${at}`)
    else if (positions.has(flatten(name)) && isPosition(value) && String(value) !== String(this.#last.asked))
      this.found.positions.push(`the answer has ${at}`)
    else if (links.has(flatten(name)) && Array.isArray(value) && value.some(isNextLink)) this.found.positions.push(`the answer has ${at}`)
    else if (!this.#isPaged && pageCounts.has(flatten(name)) && readCount(value) > 1) this.found.counts.push(`${at} is ${String(value)}`)
    this.noteTotal(name, value, at)
  }

  /** Notes a number of all records above those that came. */
  noteTotal(name: string, value: unknown, at: string): void {
    const { brought } = this.#last
    if (brought !== undefined && totals.has(flatten(name)) && readCount(value) > brought)
      this.found.counts.push(`${at} is ${String(value)}, and ${brought} came`)
  }

  /** Searches what is around the rows, and objects beside them. What holds a list of its own speaks of that list. */
  look(value: unknown, path: string, depth = deepest): void {
    if (!isObject(value) || value === this.#rows) return
    const isAround = this.#around.has(value)
    if (!isAround && (depth === 0 || Object.entries(value).some(([name, inner]) => !links.has(flatten(name)) && isList(inner)))) return
    for (const [name, inner] of Object.entries(value)) {
      const at = path === '' ? name : `${path}.${name}`
      if (!this.isRead(at)) this.note(name, inner, at)
      this.look(inner, at, isAround ? deepest : depth - 1)
    }
  }

  lookAtHeaders(): void {
    const { answer } = this.#last
    if (!this.isRead('link:next') && findLink(readHeaders(answer, 'link').join(', '), 'next') !== null)
      this.found.more.push('the answer has a Link header with a next page')
    for (const name of Object.keys(answer.headers)) {
      const at = `header:${name}`
      if (name !== 'link' && !this.isRead(at)) this.note(name.replace(/^x-/, ''), readHeader(answer, name), at)
    }
    this.noteTotal('total', /\/(\d+)$/.exec(readHeader(answer, 'content-range') ?? '')?.[1], 'header:content-range')
  }
}

/** Describes a number of all records above those that came, where the definition says which page this is. */
function describeTotal(page: PageDefinition | undefined, { body, listed = 0 }: LastAnswer): string | undefined {
  if (page === undefined || !('next' in page) || page.counted === undefined) return undefined
  const { all, page: at, size } = page.counted
  const number = getAt(body, parsePath(at))
  if (typeof number !== 'number') return undefined
  const brought = number * size + listed
  const total = readCount(getAt(body, parsePath(all)))
  return total > brought ? `${all} is ${total}, and ${brought} came` : undefined
}

const isList = (value: unknown): boolean => Array.isArray(value) && value.some(isObject)

/**
 * Describes a sign that there are more records although nothing of the definition says so.
 * @returns a sentence without a period; undefined without a sign
 */
export function describeUnreadSign(operation: CompiledOperation, last: LastAnswer): string | undefined {
  const { onePage, one } = operation.operation
  if (operation.action !== 'list' || one === true || onePage !== undefined) return undefined
  const page = findPageDefinition(operation)
  const own = page !== undefined && 'position' in page ? page : undefined
  // The vendor's own flag is believed, whatever stands beside it.
  if (own !== undefined && (readMore(own, last.body) === false || (own.more === everyRow && last.listed === 0))) return undefined
  const isTold = own !== undefined && isToldEnd(own, last.body)
  const search = new Search(operation, page, last)
  search.look(last.body, '')
  search.lookAtHeaders()
  const { found } = search
  const [sign] = [...found.more, ...(found.saysNo ? [] : found.positions)]
  const says = `${operation.kind.definition.title} may have more records`
  if (sign !== undefined) return `${says}: ${sign}, which the definition of this list does not read`
  const [count = describeTotal(page, last)] = isTold ? [] : found.counts
  if (count !== undefined) return `${says}: ${count}`
  const hasSize = page !== undefined && (own === undefined || own.size !== undefined || isTold)
  if (!hasSize && last.listed !== undefined && usualSizes.has(last.listed))
    return `${says}: exactly ${last.listed} came, and the definition of this list ${page === undefined ? 'has no pages' : 'names no size of a page'}`
  return undefined
}
