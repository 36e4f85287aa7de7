import { expect, test } from 'vitest'
import { readFormBody } from '../../packages/server/src/http/body.ts'

const form = (text: string) => readFormBody(Buffer.from(text))

test('a form is an object of texts', () => {
  expect(form('grant_type=client_credentials&client_id=a+b%26&empty=')).toEqual({
    grant_type: 'client_credentials',
    client_id: 'a b&',
    empty: '',
  })
})

test.each(['scope=a&client_id=b&scope=a', '__proto__=a'])('a name that must not be there is refused: %s', (text) => {
  expect(() => form(text)).toThrow('must be given once')
})

test('the largest form that the limit of bodies lets through is read without a comparison of each name with all others', () => {
  const names = Array.from({ length: 200_000 }, (_, index) => index.toString(36))
  expect(Object.keys(form(names.join('&')))).toHaveLength(names.length)
})
