import { expect, test } from 'vitest'
import type { DefinitionReference } from '../wire/definitions.ts'
import { findReferenceEntries, findTrial, listReferenceEntries, readInline, readPlain, splitSection } from './reference.ts'

const calls: DefinitionReference['sections'][number] = {
  id: 'entity:calls',
  title: 'calls',
  summary: 'Recorded calls',
  blocks: [
    { type: 'paragraph', text: 'Recorded calls.' },
    { type: 'heading', level: 3, text: 'calls list' },
    { type: 'table', headers: ['Name', 'Meaning'], rows: [['`from`', 'Start of the **window**']] },
    { type: 'heading', level: 3, text: 'calls record' },
    { type: 'table', headers: ['Name', 'Meaning'], rows: [['`from`', 'Caller']] },
  ],
}
const reference: DefinitionReference = { id: 'gong', title: 'Gong', sections: [calls], examples: [], searches: [] }

test('splits a line into code, strong words and links, and never reads HTML', () => {
  expect(readInline('See [**Menu > `x`**](https://a.example/b) or `[c](d)`: <b>')).toEqual([
    { at: 0, text: 'See ' },
    { at: 5, text: 'Menu > `x`', look: 'strong', url: 'https://a.example/b' },
    { at: 41, text: ' or ' },
    { at: 45, text: '[c](d)', look: 'code' },
    { at: 53, text: ': <b>' },
  ])
  expect(readPlain('`a` **b** [c](https://a.example)')).toBe('a b c')
  expect(readInline('')).toEqual([])
})

test('splits a section at its headings, without the name of the entity', () => {
  expect(splitSection(calls).map(({ id, blocks }) => [id, blocks.length])).toEqual([
    ['', 1],
    ['list', 1],
    ['record', 1],
  ])
  const scheme = { ...calls, title: 'Credentials', blocks: [{ type: 'heading', level: 3, text: 'Access key (`access_key`)' }] as const }
  expect(splitSection({ ...scheme, blocks: [...scheme.blocks] })[0]?.id).toBe('access_key')
})

test('finds what has every word, the name that was typed last first', () => {
  const entries = listReferenceEntries(reference)
  const find = (typed: string) => findReferenceEntries(entries, typed, 2).map(({ title, part }) => `${title} in ${part}`)
  expect(find('FROM')).toEqual(['Gong › calls › list › from in list', 'Gong › calls › record › from in record'])
  expect(find('calls')[0]).toBe('Gong › calls in ')
  expect(find('gong window')).toEqual(['Gong › calls › list › from in list'])
  expect([find('  '), find('calls nothing')]).toEqual([[], []])
})

test('leads to the page that tries an example, without what only the caller knows', () => {
  const params = { id: '<id>', kept: ['<one>', 'two'], within: { from: '2025-03-01' } }
  expect(findTrial('gong', { entity: 'calls', action: 'get', params })).toEqual({
    path: '/explorer',
    params: { kind: 'gong', entity: 'calls', action: 'get', params: '{"kept":["two"],"within":{"from":"2025-03-01"}}' },
  })
  const query = { filter: { eq: { id: '<id>' } } }
  expect(findTrial('gong', { entity: 'calls', action: 'context_store_search', params: { query } })).toEqual({
    path: '/search',
    params: { kind: 'gong', entity: 'calls', filter: 'id = "<id>"' },
  })
})
