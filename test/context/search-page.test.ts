/** The example of docs/search.md is a valid search and finds the record that the page shows. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { buildSearchTable } from '../../packages/server/src/copies/search/columns.ts'
import { parseSearch } from '../../packages/server/src/copies/search/parse.ts'
import { answered, isFound } from './oracle.ts'

const page = readFileSync(new URL('../../docs/search.md', import.meta.url), 'utf8')
const [, asked = '{}'] = / -d '(\{.*?\})'\n```/s.exec(page) ?? []
const [, shown = '{}'] = /```json\n(.*?)\n```/s.exec(page) ?? []

test('the example of the page finds what the page shows', () => {
  const { entity, params } = JSON.parse(asked)
  const [record] = JSON.parse(shown).data
  const { calls } = kinds.gong.definition.entities
  const fields = calls.context_store_search
  expect(entity).toBe('calls')
  expect(parseSearch(buildSearchTable('gong', 'calls', calls), params)).toMatchObject({ limit: params.limit })
  const whole = { ...Object.fromEntries(Object.keys(fields).map((name) => [name, null])), ...record }
  expect(isFound(fields, whole, params.query.filter)).toBe(true)
  expect(answered(fields, whole, params.fields)).toEqual(record)
})
