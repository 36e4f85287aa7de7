import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { checkBrowser, checkPages, checkPooler, checkSources, printFindings } from './checks.mjs'
import { cache, vitest } from './paths.mjs'
import { runNode } from './run-node.mjs'

/**
 * Checks everything: a browser, a pooler, the pages, types, style, generated files, English, all tests. Nothing stops at the first failure;
 * the last line counts what passed and failed, where a failed check counts as one. What no test waits for runs beside the tests, in the
 * time in which they only wait.
 * @param {string[]} args handed to Vitest, such as a part of a file's name
 * @returns {Promise<number>} 0 when nothing failed
 */
export async function runTests(args) {
  const sources = checkSources()
  const needed = await Promise.all([checkBrowser(), checkPooler(), checkPages()])
  printFindings(needed)
  const tests = await vitestCounts(args)
  printFindings(await sources)
  const checks = [...needed, ...(await sources)]
  const failed = tests.failed + checks.filter((check) => !check.passed).length
  console.log(['', ...checks.map((check) => `${check.name}: ${check.passed ? 'passed' : 'FAILED'}`), ...tests.notes].join('\n'))
  console.log(`${tests.passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

/**
 * Runs Vitest; its counts come from test/support/counts-reporter.ts. A run that ends badly without a counted failure
 * (a broken configuration, a crash) counts as one.
 * @param {string[]} args
 * @returns {Promise<{ passed: number, failed: number, notes: string[] }>}
 */
async function vitestCounts(args) {
  mkdirSync(cache, { recursive: true })
  const file = join(cache, `counts-${process.pid}.json`)
  const code = await runNode([vitest, 'run', ...args], { FERRULE_TEST_COUNTS: file })
  const counts = readCounts(file)
  if (code !== 0 && counts.failed === 0) counts.failed = 1
  return counts
}

/**
 * @param {string} file
 * @returns {{ passed: number, failed: number, notes: string[] }}
 */
function readCounts(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { passed: 0, failed: 1, notes: ['tests: ended without a count'] }
  } finally {
    rmSync(file, { force: true })
  }
}
