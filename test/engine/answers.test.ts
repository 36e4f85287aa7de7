import { expect, test } from 'vitest'
import { kinds } from '../../src/connectors/index.ts'
import { rowsOf } from '../../src/engine/answer.ts'
import { operationOf } from '../../src/engine/operation.ts'

const coaching = operationOf(kinds.gong, 'coaching', 'list')

test('a rule that makes no rows is an error, and not an empty list', () => {
  const body = { coachingData: [{ manager: { id: '1' } }] }
  expect(rowsOf(coaching, body)).toHaveLength(1)
  expect(() => rowsOf({ ...coaching, rule: () => JSON.parse('7') }, body)).toThrow('the rows of coaching cannot be made of it')
})
