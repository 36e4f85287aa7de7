import { writeFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule, Vitest } from 'vitest/node'
import { findHelm } from './helm.ts'
import type { PostgresVersions } from './postgres-binaries.ts'

/**
 * Writes how many tests passed and failed to the file that `FERRULE_TEST_COUNTS` names, as
 * `{ passed: number, failed: number, notes: string[] }`. A skipped test is a failure, unless a name pattern left it out on
 * purpose; so is a file that could not be loaded, and an error outside of any test.
 */
export class CountsReporter implements Reporter {
  readonly #versions: PostgresVersions | undefined
  #narrowed = false

  /** @param versions the servers that database tests run on; undefined: the one of `TEST_DATABASE_URL` */
  constructor(versions: PostgresVersions | undefined) {
    this.#versions = versions
  }

  onInit(vitest: Vitest): void {
    this.#narrowed = vitest.config.testNamePattern !== undefined
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const file = process.env['FERRULE_TEST_COUNTS']
    if (!file) return
    const counts = modules.map((module) => count(module))
    const left = counts.flatMap((each) => each.skipped)
    const outside =
      left.length === 0 ? [] : this.#narrowed ? [`tests: ${left.length} left out by name`] : left.map((name) => `skipped: ${name}`)
    const failed = sum(counts.map((each) => each.failed)) + errors.length + (this.#narrowed ? 0 : left.length)
    writeFileSync(
      file,
      JSON.stringify({
        passed: sum(counts.map((each) => each.passed)),
        failed,
        notes: [serversNote(this.#versions), chartNote(), ...outside],
      }),
    )
  }
}

function serversNote(versions: PostgresVersions | undefined): string {
  if (versions === undefined) return 'databases: PostgreSQL of TEST_DATABASE_URL only'
  const { found, missing } = versions
  const named = found.map(({ major, from }) => `PostgreSQL ${major} (${from === 'npm' ? "npm's" : "this machine's"})`)
  const bundled = found.some(({ from }) => from === 'npm') ? [] : ["npm's newest one"]
  const absent = [...bundled, ...missing.map(String)]
  return `databases: ${named.join(', ') || 'no PostgreSQL'}${absent.length === 0 ? '' : `; missing here, so not tested: ${absent.join(', ')}`}`
}

function chartNote(): string {
  const missing = findHelm() === undefined ? '; missing here, so not compared with it: Helm' : ', and by Helm'
  return `chart: rendered by the tests' own reader${missing}`
}

function count(module: TestModule): { passed: number; failed: number; skipped: string[] } {
  const tests = [...module.children.allTests()]
  const named = (state: string) => tests.filter((test) => test.result().state === state)
  const failed = named('failed').length
  const skipped = tests.filter((test) => !['passed', 'failed'].includes(test.result().state))
  return {
    passed: named('passed').length,
    failed: module.state() === 'failed' && failed === 0 ? 1 : failed,
    skipped: skipped.map((test) => `${module.relativeModuleId} > ${test.fullName}`),
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
