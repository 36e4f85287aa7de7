/** Words that the editor of kind files offers. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findKindWords } from './kind-words.ts'

const schema = JSON.parse(readFileSync(new URL('../../../../../ferrule/kind.schema.json', import.meta.url), 'utf8'))
const find = (text: string) => findKindWords(text, schema)
const labels = (text: string) => find(text)?.words.map(({ label }) => label) ?? []

test('the first lines of a file have the names of a kind, each with its sentence', () => {
  expect(labels('')).toEqual(expect.arrayContaining(['kind', 'title', 'auth', 'entities']))
  expect(find('kind: acme\nti')).toMatchObject({ from: 11 })
  expect(find('')?.words.find(({ label }) => label === 'title')?.info).toContain('Name of the vendor')
})

test('an entity has its own names, also behind a blank line and a comment', () => {
  const above = 'kind: acme\nentities:\n  things:\n    about: Things\n'
  expect(labels(`${above}    `)).toEqual(expect.arrayContaining(['fields', 'list', 'get', 'sync']))
  expect(labels(`${above}\n    # more\n    li`)).toContain('list')
  expect(labels(`${above}    list:\n      `)).toEqual(expect.arrayContaining(['call', 'pages']))
  expect(labels(`${above}    list: { call: GET /things, pa`)).toEqual(expect.arrayContaining(['pages', 'params']))
})

test('a value that can only be some words has these', () => {
  expect(labels('entities:\n  things:\n    sync: ')).toContain('full')
})

test('names that the author chooses have no words, nor has the middle of a sentence', () => {
  expect(find('entities:\n  ')).toBeUndefined()
  expect(find('about: All the th')).toBeUndefined()
})
