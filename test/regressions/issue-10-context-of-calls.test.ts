/** `context` of extensive calls: the documents call it an object, the vendor sends a list; either is found as what it is. */
import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { buildSearchTable } from '../../packages/server/src/copies/search/columns.ts'
import { parseSearch } from '../../packages/server/src/copies/search/parse.ts'
import { openApiDocument } from '../../packages/server/src/http/openapi/openapi.ts'

const { calls_extensive } = kinds.gong.definition.entities
const table = buildSearchTable('gong', 'calls_extensive', calls_extensive)
const conditions: readonly object[] = [
  { contains: { context: { system: 'Salesforce' } } },
  { any: { context: { eq: { system: 'Salesforce' } } } },
  { eq: { 'context.system': 'Salesforce' } },
  { eq: { 'context[].system': 'Salesforce' } },
  { eq: { 'context.objects.objectId': '7' } },
]

describe('context of extensive calls', () => {
  test.each(conditions)('is searched as a list and as an object: %j', (filter) => {
    expect(parseSearch(table, { query: { filter } }).filter).toBeDefined()
  })

  test('is told as either by the document', () => {
    const document = openApiDocument({ routes: [], kinds: Object.values(kinds) })
    const schemas: unknown = Reflect.get(Object(document['components']), 'schemas')
    const record: unknown = Reflect.get(Object(schemas), 'gong.calls_extensive.SearchRecord')
    expect(record).toMatchObject({
      properties: { context: { anyOf: [{ type: ['object', 'null'] }, { type: 'array', items: { type: 'object' } }] } },
    })
  })
})
