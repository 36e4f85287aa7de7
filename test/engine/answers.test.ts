import { expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { readRows } from '../../packages/ferrule/src/engine/call/answer.ts'
import { findOperation } from '../../packages/ferrule/src/engine/call/operation.ts'

const coaching = findOperation(kinds.gong, 'coaching', 'list')

test('a rule that makes no rows is an error, and not an empty list', () => {
  const body = { coachingData: [{ manager: { id: '1' } }] }
  expect(readRows(coaching, body)).toHaveLength(1)
  expect(() => readRows({ ...coaching, rule: () => JSON.parse('7') }, body)).toThrow('the rows of coaching cannot be made of it')
})
