import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const texts = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.test-d.ts'))
  .map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'))

/** Counts how often a pattern occurs in the type tests. */
const count = (pattern: RegExp): number => texts.reduce((sum, text) => sum + [...text.matchAll(pattern)].length, 0)

describe('type tests', () => {
  test('hold at least forty right uses', () => {
    expect(count(/\byes<Same</g)).toBeGreaterThanOrEqual(40)
  })

  test('hold at least forty wrong uses, each with its reason and on one line', () => {
    expect(count(/@ts-expect-error/g)).toBeGreaterThanOrEqual(40)
    expect(count(/^\/\/ @ts-expect-error \S.+\n[^/\n]\S*.*[^{([,]$/gm)).toBe(count(/@ts-expect-error/g))
  })
})
