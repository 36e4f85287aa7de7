import type { Account } from './accounts.ts'
import { accounts } from './accounts.ts'
import type { Answer, Failure, JsonRecord } from './answers.ts'
import { failure, invalid, isFailure, missing } from './answers.ts'
import type { Rows } from './lists.ts'
import type { Page, PageSizes } from './parameters.ts'
import { listIn, pageIn, textIn } from './parameters.ts'
import type { TiktokSwitches } from './switches.ts'
import type { Access } from './tokens.ts'
import type { View } from './world.ts'

/** One request after its token and the limits let it through. */
export interface Call {
  readonly view: View
  readonly access: Access
  readonly switches: TiktokSwitches
  /** As it was asked, with the version. */
  readonly path: string
  readonly query: URLSearchParams
  /** True when the request meets this fault of a page. */
  take(kind: 'same-cursor' | 'expired-cursor'): boolean
  /** Counts the request for an advertiser; a refusal when it has too many. */
  spend(account: Account): Failure | undefined
}

/** The account with an id, if the token may read it. */
export function accountOf({ access, spend }: Pick<Call, 'access' | 'spend'>, id: string, name: string): Account | Failure {
  if (!/^\d{1,20}$/.test(id)) return invalid(name, 'Not a valid id.')
  const account = accounts.find((known) => known.id === id && known.environment === access.environment)
  if (!account) return failure(40300, `The advertiser ${id} does not exist.`)
  if (!access.advertiserIds.includes(id)) return failure(40001, `No permission to operate advertiser: ${id}`)
  return spend(account) ?? account
}

/** The account that `advertiser_id` names. */
export function accountIn(call: Call): Account | Failure {
  const id = textIn(call.query, 'advertiser_id')
  return id === undefined ? missing('advertiser_id') : accountOf(call, id, 'advertiser_id')
}

/** Which records of how many are sent. */
export interface Slice {
  readonly page: Page
  readonly first: number
  readonly last: number
}

/** The page of a request, or what a fault makes of it. */
export function sliceOf(call: Call, page: Page, total: number): Slice | Failure {
  if (page.page > 1 && call.take('expired-cursor')) return invalid('page', 'The page has expired.')
  const shown = page.page > 1 && call.take('same-cursor') ? { ...page, page: page.page - 1 } : page
  const first = Math.min((shown.page - 1) * shown.size, total)
  return { page: shown, first, last: Math.min(first + shown.size, total) }
}

/** What the vendor tells about a page; an empty list is always page 1. */
export function pageInfo({ page, size }: Page, total: number): JsonRecord {
  return { page: total === 0 ? 1 : page, page_size: size, total_number: total, total_page: Math.ceil(total / size) }
}

function withFields(record: JsonRecord, fields: readonly string[] | undefined): JsonRecord {
  if (!fields) return record
  return Object.fromEntries(Object.entries(record).filter(([name]) => fields.includes(name)))
}

function withoutNulls(record: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null))
}

/** What a request makes of every record: the fields that it asks for. */
export function shapeIn(query: URLSearchParams): ((record: JsonRecord) => JsonRecord) | Failure {
  const fields = listIn(query, 'fields')
  if (isFailure(fields)) return fields
  const excluded = listIn(query, 'exclude_field_types_in_response')
  if (isFailure(excluded)) return excluded
  const unknown = excluded?.find((type) => type !== 'NULL_FIELD')
  if (unknown) return invalid('exclude_field_types_in_response', 'Must be one of: NULL_FIELD.')
  return (record) => (excluded?.length ? withoutNulls(withFields(record, fields)) : withFields(record, fields))
}

/** Makes records while they are read. */
export function* made({ first, last }: Pick<Slice, 'first' | 'last'>, make: (index: number) => JsonRecord): Generator<JsonRecord> {
  for (let index = first; index < last; index += 1) yield make(index)
}

/** Answers one page of a list. */
export function answerPage(call: Call, sizes: PageSizes, find: (call: Call) => Rows | Failure): Answer {
  const page = pageIn(call.query, sizes)
  if (isFailure(page)) return page
  const shape = shapeIn(call.query)
  if (isFailure(shape)) return shape
  const rows = find(call)
  if (isFailure(rows)) return rows
  const slice = sliceOf(call, page, rows.size)
  if (isFailure(slice)) return slice
  const { first, last } = slice
  return { data: { page_info: pageInfo(slice.page, rows.size) }, list: made({ first, last }, (index) => shape(rows.record(index))) }
}
