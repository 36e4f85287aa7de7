import { describe, expect, test } from 'vitest'
import { type ListPage, walkPages, walkRecords } from '../../packages/ferrule/src/values/walks/walk.ts'
import { failure } from './support.ts'

/** A list whose pages follow each other by these cursors; the asked parameters are kept. */
function listOf(next: Readonly<Record<string, string | null>>) {
  const asked: Readonly<Record<string, unknown>>[] = []
  const load = async (params: Readonly<Record<string, unknown>>): Promise<ListPage> => {
    asked.push(params)
    const position = String(params['cursor'] ?? '')
    const cursor = next[position] ?? null
    return { data: [position], meta: { next_params: cursor === null ? null : { cursor } } }
  }
  return { load, asked }
}

async function walked(pages: AsyncIterable<ListPage>): Promise<unknown[]> {
  return await Array.fromAsync(walkRecords(pages))
}

describe('a walk', () => {
  test('asks for page after page with the same other parameters, and ends where there is no next one', async () => {
    const { load, asked } = listOf({ '': 'b', b: 'c', c: null })
    expect(await walked(walkPages(load, { filter: 1 }, { vendor: 'Gong' }))).toEqual(['', 'b', 'c'])
    expect(asked).toEqual([{ filter: 1 }, { filter: 1, cursor: 'b' }, { filter: 1, cursor: 'c' }])
  })

  test.each([
    ['the first page again and again', {}, { '': 'b', b: 'b' }],
    ['a ring', {}, { '': 'b', b: 'c', c: 'b' }],
    ['the cursor that the caller began with', { cursor: 'b' }, { b: 'b' }],
    ['a ring through the cursor that the caller began with', { cursor: 'b' }, { b: 'c', c: 'b' }],
  ])('%s: an error, and no record comes twice', async (_what, params, next) => {
    const seen: unknown[] = []
    const walk = async () => {
      for await (const page of walkPages(listOf(next).load, params, { vendor: 'Gong' })) seen.push(...page.data)
    }
    const error = await failure(walk())
    expect(error.code).toBe('upstream_answer_invalid')
    expect(error.message).toContain('a list that returns to a position it had before')
    expect(new Set(seen).size).toBe(seen.length)
  })

  test('a filter that a position takes back is no part of the position', async () => {
    let asked = 0
    const load = async ({ filter }: Readonly<Record<string, unknown>>): Promise<ListPage> => ({
      data: [],
      meta: { next_params: { ...(filter === null ? {} : { filter: null }), cursor: String(++asked % 3) } },
    })
    expect((await failure(walked(walkPages(load, { filter: 1 }, { vendor: 'Gong' })))).code).toBe('upstream_answer_invalid')
    expect(asked).toBe(4)
  })

  test('its budget is an error when there is more, and none when there is not', async () => {
    const next = { '': 'b', b: 'c', c: null }
    expect((await failure(walked(walkPages(listOf(next).load, {}, { vendor: 'Gong', maxPages: 2 })))).code).toBe('page_budget_exhausted')
    expect(await walked(walkPages(listOf(next).load, {}, { vendor: 'Gong', maxPages: 3 }))).toHaveLength(3)
  })

  test('a caller that stops early asks for no further page', async () => {
    const { load, asked } = listOf({ '': 'b', b: 'c', c: null })
    for await (const _record of walkRecords(walkPages(load, {}, { vendor: 'Gong' }))) break
    expect(asked).toHaveLength(1)
  })
})
