import { FerruleError } from 'ferrule/core'
import { expect, test } from 'vitest'
import { describeError } from './describe-error.ts'

const errors = [
  { field: '/name', message: 'is required', error_code: 'required' },
  { field: '/credentials/key', message: 'is required', error_code: 'required' },
]
const refuse = (message: string, given = errors) => new FerruleError('validation_failed', { message, hint: '' }, { errors: given })
const whole = refuse('The request is not valid: /name is required; /credentials/key is required.')

test('the refusals of an error are said once: in its list, or at their fields', () => {
  const named = ['/name is required.', '/credentials/key is required.']
  expect(describeError(whole)).toMatchObject({ sentence: 'The request is not valid.', details: named })
  expect(describeError(whole, ['/name', '/credentials'])).toMatchObject({ sentence: 'The request is not valid.', details: [] })
  expect(describeError(whole, ['/credentials/key/a'])).toMatchObject({ details: named })
  expect(describeError(refuse('/name is required.', errors.slice(0, 1)))).toMatchObject({ sentence: '/name is required.', details: [] })
  const own = { field: '/credentials', message: '/credentials: Gong refused them.', error_code: 'refused' }
  expect(describeError(refuse('Gong refused them.', [own]))).toMatchObject({ sentence: 'Gong refused them.', details: [] })
  expect(describeError(refuse('Another sentence.'))).toMatchObject({ sentence: 'Another sentence.', details: named })
})
