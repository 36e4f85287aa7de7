/** What the address says about a search, so that a copied address shows the same. */
import { useMemo } from 'react'
import { useAddressParams } from '../../data/params.ts'
import type { DataSort } from '../../parts/table/header-row.tsx'
import { type GroupChoice, type RelatedField, readChoice, readRelated } from './groups/choice.ts'

/** Views of a filter. */
export const views = ['conditions', 'text', 'json'] as const
/** View of a filter. */
export type View = (typeof views)[number]

/** Pages that an address can ask for at most. */
export const mostPages = 40

/** Groups of a page that are offered; the first is the usual number. */
export const groupLimits = [1_000, 10_000, 100, 10] as const

const readView = (text: string | undefined): View => views.find((view) => view === text) ?? 'conditions'

/** Reads an order such as `started:desc`; a field can hold colons. */
function readSort(text: string | undefined): DataSort | undefined {
  const [, column, direction] = /^(.+):(asc|desc)$/s.exec(text ?? '') ?? []
  return column === undefined ? undefined : { column, direction: direction === 'desc' ? 'desc' : 'asc' }
}

/** Returns the order after a press on a header: ascending, descending, none. */
export function turnSort(sort: DataSort | undefined, column: string): string | undefined {
  if (sort?.column !== column) return `${column}:asc`
  return sort.direction === 'asc' ? `${column}:desc` : undefined
}

/** A search as the address has it. */
export interface SearchAddress {
  /** Slug that limits the connectors until one is chosen: a link of the reference knows no connector. */
  readonly kind: string | undefined
  readonly connector: string | undefined
  readonly entity: string | undefined
  /** Key of the one record that is looked for; the page makes a filter of it. */
  readonly record: string | undefined
  /** Filter as text; '' finds everything. */
  readonly filter: string
  readonly sort: DataSort | undefined
  /** Paths of the chosen columns; none: all fields. */
  readonly fields: readonly string[]
  /** Fields of related records that stand beside them. */
  readonly related: readonly RelatedField[]
  /** Greatest age of the copy in seconds. */
  readonly maxAge: number | undefined
  readonly allowPartial: boolean
  readonly view: View
  readonly pages: number
  /** true: groups are shown instead of records. */
  readonly isGrouped: boolean
  readonly groups: GroupChoice
  /** true: the address has the zone of periods. */
  readonly isZoned: boolean
  /** Groups of a page. */
  readonly limit: number
  /** Measure that the chart draws; undefined: the first that can be drawn. */
  readonly drawn: string | undefined
}

const ofRecords = ['kind', 'connector', 'entity', 'record', 'filter', 'sort', 'fields', 'max_age', 'partial', 'view', 'pages'] as const
const ofGroups = ['show', 'by', 'include', 'measures', 'zone', 'order', 'limit', 'draw'] as const

/** Reads the search of the address, and returns a function that changes its parameters. */
export function useSearchAddress() {
  const [params, change] = useAddressParams(...ofRecords, ...ofGroups)
  const { kind, connector, entity, record, filter = '', sort, fields, max_age: age, partial, view, pages } = params
  const { show, by, include, measures, zone, order, limit, draw } = params
  const groups = useMemo(() => readChoice({ by, include, measures, zone, order: readSort(order) }), [by, include, measures, zone, order])
  const address = useMemo(
    (): SearchAddress => ({
      kind,
      connector,
      entity,
      record,
      filter,
      sort: readSort(sort),
      fields: fields === undefined ? [] : fields.split(','),
      related: readRelated(include),
      maxAge: age !== undefined && /^\d{1,9}$/.test(age) ? Number(age) : undefined,
      allowPartial: partial === '1',
      view: readView(view),
      pages: Math.min(mostPages, Math.max(1, Math.trunc(Number(pages ?? 1)) || 1)),
      isGrouped: show === 'groups',
      groups,
      isZoned: zone !== undefined,
      limit: groupLimits.find((each) => String(each) === limit) ?? groupLimits[0],
      drawn: draw,
    }),
    [kind, connector, entity, record, filter, sort, fields, include, age, partial, view, pages, show, groups, zone, limit, draw],
  )
  return [address, change] as const
}

/** Changes parameters of the address. */
export type ChangeAddress = ReturnType<typeof useSearchAddress>[1]
