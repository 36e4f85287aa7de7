/** Pages of a list that the vendor answers at once. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { findOperation } from '../../packages/ferrule/src/engine/call/operation.ts'
import { readMeta, slicePage } from '../../packages/ferrule/src/engine/call/page-records.ts'

const sliced = findOperation(kinds['tiktok-marketing'], 'advertisers', 'list')
const rowsOf = (count: number) => Array.from({ length: count }, (_each, id) => ({ id }))

/** The rows of a page, its meta, and the number of the next. */
function pageOf(count: number, params: Readonly<Record<string, unknown>>) {
  const { rows, made } = slicePage(sliced, params, rowsOf(count))
  if (made === undefined) throw new Error('it is not sliced')
  const { next_params, page_info } = readMeta(sliced, { answer: { status: 200, headers: {}, text: '' }, body: {}, params, made })
  return { rows, page_info, next: next_params?.['page'] }
}

describe('a slice', () => {
  test('of any size: a walk gets each row once, in order, and then it ends', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 1, max: 120 }), (count, page_size) => {
        const met: unknown[] = []
        let page: unknown = 1
        for (let pages = 1; page !== undefined; pages++) {
          const { rows, page_info, next } = pageOf(count, { page, page_size })
          expect(page_info).toEqual({ page, page_size, total_number: count, total_page: Math.ceil(count / page_size) })
          expect(pages).toBeLessThanOrEqual(Math.max(1, Math.ceil(count / page_size)))
          met.push(...rows)
          page = next
        }
        expect(met).toEqual(rowsOf(count))
      }),
    )
  })

  test('without a size all rows are one page; it begins with the first', () => {
    expect(pageOf(3, {})).toEqual({
      rows: rowsOf(3),
      page_info: { page: 1, page_size: 3, total_number: 3, total_page: 1 },
      next: undefined,
    })
    expect(pageOf(3, { page_size: 2 })).toMatchObject({ rows: [{ id: 0 }, { id: 1 }], page_info: { page: 1 }, next: 2 })
  })

  test('of nothing, and beyond the last page, is empty', () => {
    expect(pageOf(0, {})).toEqual({ rows: [], page_info: { page: 1, page_size: 0, total_number: 0, total_page: 0 }, next: undefined })
    expect(pageOf(3, { page: 2 })).toMatchObject({ rows: [], page_info: { page: 2, total_page: 1 }, next: undefined })
    expect(pageOf(3, { page: 9, page_size: 2 })).toMatchObject({ rows: [], page_info: { page: 9, total_page: 2 }, next: undefined })
    expect(pageOf(3, { page: Number.MAX_SAFE_INTEGER, page_size: 100 })).toMatchObject({ rows: [], next: undefined })
  })

  test('a list that the vendor pages itself is left as it is', () => {
    const campaigns = findOperation(kinds['tiktok-marketing'], 'campaigns', 'list')
    const rows = rowsOf(3)
    expect(slicePage(campaigns, { page: 2, page_size: 1 }, rows)).toEqual({ rows })
  })
})
