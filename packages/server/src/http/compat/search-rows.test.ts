import { JsonText } from 'ferrule/engine'
import { kinds } from 'ferrule/internal'
import { describe, expect, test } from 'vitest'
import { adaptRows, findListedObjects, toSnakeCase } from './index.ts'

const none = new Set<string>()

describe('rows of a search', () => {
  test('have snake_case names beside their own, and all digits', () => {
    const rows = adaptRows(new JsonText('[{"id":7398164205713920517,"metaData":{"aB":1},"meta_data":2,"firstName":"A"}]'), none)
    expect(rows).toEqual(new JsonText('[{"id":7398164205713920517,"metaData":{"aB":1},"meta_data":2,"firstName":"A","first_name":"A"}]'))
    expect(toSnakeCase('meetingConsentPageUrl')).toBe('meeting_consent_page_url')
  })

  test('have an object where one is documented, also when the vendor sends a list', () => {
    const objects = findListedObjects(Object.values(kinds), 'calls_extensive')
    expect([...objects]).toEqual(['context'])
    expect([...findListedObjects(Object.values(kinds), 'users')]).toEqual([])
    const rows = adaptRows(new JsonText('[{"id":1,"context":[{"system":"x"}]},{"context":{"a":1}},{"context":null}]'), objects)
    expect(rows).toEqual(new JsonText('[{"id":1,"context":{"items":[{"system":"x"}]}},{"context":{"a":1}},{"context":null}]'))
  })

  test('stay as they are where nothing is to change', () => {
    const rows = new JsonText('[{"campaign_id":1}]')
    expect(adaptRows(rows, none)).toBe(rows)
  })
})
