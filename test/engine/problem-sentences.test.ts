import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { listLiveActions } from '../../packages/ferrule/src/definition/entity.ts'
import { checkParams, findOperation } from '../../packages/ferrule/src/engine/call/operation.ts'
import { failValidation, moveProblem, type Problem } from '../../packages/ferrule/src/errors.ts'
import { findRefusal } from '../support/refusal.ts'

const state = (field: string, message: string): Problem | undefined => failValidation([{ field, message, error_code: 'x' }]).errors[0]

describe('a problem is a whole sentence that names its field', () => {
  test.each([
    ['/params/id', 'must be an integer', '/params/id must be an integer.'],
    ['Idempotency-Key', 'is too long.', 'Idempotency-Key is too long.'],
    ['', 'must be an object', 'The request must be an object.'],
    ['/credentials', 'Gong refused the credentials.', '/credentials: Gong refused the credentials.'],
  ])('%s %s', (field, message, sentence) => {
    expect(state(field, message)?.message).toBe(sentence)
    expect(state(field, sentence)?.message).toBe(sentence)
    expect(failValidation([{ field, message: sentence, error_code: 'x' }]).message).toBe(`The request is not valid: ${sentence}`)
  })

  test('also after it moved to another field', () => {
    const [problem] = failValidation([{ field: '/params/query/sort', message: 'must be an array', error_code: 'type' }]).errors
    expect(problem === undefined ? undefined : moveProblem(problem, '/sort')).toMatchObject({
      field: '/sort',
      message: '/sort must be an array.',
    })
  })

  test('for wrong parameters of every operation', () => {
    for (const kind of Object.values(kinds))
      for (const [name, entity] of Object.entries(kind.definition.entities))
        for (const action of listLiveActions(entity)) {
          const operation = findOperation(kind, name, action)
          const wrong = Object.fromEntries(Object.keys(operation.operation.params).map((parameter) => [parameter, [{}]]))
          for (const params of ['text', {}, wrong, { no_such_parameter: 1 }]) expectSentences(() => checkParams(operation, params))
        }
  })
})

function expectSentences(run: () => unknown): void {
  const error = findRefusal(run)
  if (error === undefined) return
  expect(error.errors.length).toBeGreaterThan(0)
  for (const { field, message } of error.errors) {
    expect(message.startsWith(`${field} `)).toBe(true)
    expect(message).toMatch(/[^.;:,]\.$/)
  }
}
