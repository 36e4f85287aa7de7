import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const texts = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.test-d.ts'))
  .map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'))

/** Counts how often a pattern occurs in the type tests. */
const count = (pattern: RegExp): number => texts.reduce((sum, text) => sum + [...text.matchAll(pattern)].length, 0)

/**
 * Limits the type instantiations of a check of the whole project: an editor's wait grows with them. The types of the wire's records, inferred
 * from their schemas, take about 120,000.
 */
const budget = 1_100_000

/** Output of the type check; several checkers would each count what they share. A failed check is no matter here: the numbers are printed all the same. */
async function diagnostics(): Promise<string> {
  const run = promisify(execFile)
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const failed = (error: unknown): { stdout: string } => ({
    stdout: error instanceof Error && 'stdout' in error ? String(error.stdout) : '',
  })
  const { stdout } = await run(process.execPath, [compiler, '--noEmit', '--extendedDiagnostics', '--checkers', '1'], { cwd: root }).catch(
    failed,
  )
  return stdout
}

describe('type tests', () => {
  test('hold at least forty right uses', () => {
    expect(count(/\byes<Same</g)).toBeGreaterThanOrEqual(40)
  })

  test('hold at least forty wrong uses, each with its reason and on one line', () => {
    expect(count(/@ts-expect-error/g)).toBeGreaterThanOrEqual(40)
    expect(count(/^\/\/ @ts-expect-error \S.+\n[^/\n]\S*.*[^{([,]$/gm)).toBe(count(/@ts-expect-error/g))
  })

  test('and the whole project checks without mistakes in them, within the budget of instantiations', async () => {
    const output = await diagnostics()
    expect(output.split('\n').filter((line) => line.startsWith('test/types/'))).toEqual([])
    const instantiations = Number(/^Instantiations:\s+(\d+)/m.exec(output)?.[1])
    expect(instantiations).toBeGreaterThan(0)
    expect(instantiations).toBeLessThanOrEqual(budget)
  }, 180_000) // one checker needs 9 seconds alone, and several times that beside other tests
})
