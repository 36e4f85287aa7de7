import { writeFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule, Vitest } from 'vitest/node'

/**
 * Writes how many tests passed and failed to the file that `FERRULE_TEST_COUNTS` names, as
 * `{ passed: number, failed: number, notes: string[] }`. A skipped test is a failure, unless a name pattern left it out on
 * purpose; so is a file that could not be loaded, and an error outside of any test.
 */
export class CountsReporter implements Reporter {
  #narrowed = false

  onInit(vitest: Vitest): void {
    this.#narrowed = vitest.config.testNamePattern !== undefined
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const file = process.env['FERRULE_TEST_COUNTS']
    if (!file) return
    const counts = modules.map((module) => count(module))
    const left = counts.flatMap((each) => each.skipped)
    const notes =
      left.length === 0 ? [] : this.#narrowed ? [`tests: ${left.length} left out by name`] : left.map((name) => `skipped: ${name}`)
    const failed = sum(counts.map((each) => each.failed)) + errors.length + (this.#narrowed ? 0 : left.length)
    writeFileSync(file, JSON.stringify({ passed: sum(counts.map((each) => each.passed)), failed, notes }))
  }
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
