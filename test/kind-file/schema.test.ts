/** The schema for editors says what the reader says. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { printSchema } from '../../packages/ferrule/src/kind-file/print-schema.ts'
import { acme } from './acme.ts'

const validate = new Ajv2020({ strict: false, allowUnionTypes: true }).compile(printSchema())
const isValid = (text: string): boolean => validate(parse(text, { merge: true }))

test.each(['github', 'stripe'])('takes the file of %s', (name) => {
  const text = readFileSync(join(import.meta.dirname, 'files', `${name}.kind.yaml`), 'utf8')
  expect(isValid(text), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true)
})

test('takes the right file that tests make wrong', () => {
  expect(isValid(acme), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true)
})

describe('refuses', () => {
  const wrong: readonly (readonly [from: string, to: string])[] = [
    ['title: Acme', 'titel: Acme'],
    ['category: things\n', ''],
    ['kind: acme', 'kind: Acme'],
    ['keeps: 30d', 'keeps: long'],
    ['call: GET /things\n', 'call: FETCH /things\n'],
    ['name: string Name\n', 'name: text Name\n'],
    ['state: open|closed State', 'state: string? State'],
    ['403 too fast: rate_limited', '403 too fast: rate_limitd'],
    ['size: limit=100', 'size: 100 of them'],
    ['per: token', 'of: token'],
    ['sync: { params', 'sync: { param'],
    ['name: string Name\n', 'name: [string A, string B]\n'],
  ]
  test.each(wrong)('%j as %j', (from, to) => {
    expect(acme).toContain(from)
    expect(isValid(acme.replace(from, () => to))).toBe(false)
  })
})
