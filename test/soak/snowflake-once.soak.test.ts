/**
 * A thousand inserts each through a link that cuts, delays and fails at random: by the library and by two nodes, at a vendor where a
 * retry that meets its running original joins it and at one where it runs again. `FERRULE_SOAK_SEED` repeats the draws of a run,
 * `FERRULE_SOAK_INSERTS` sets the number.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../packages/sandbox/src/index.ts'
import { install } from '../faults/installation.ts'
import { insertOnce, linesOf, type OnceReport, type Write } from '../faults/once.ts'
import { hostedWriter, libraryWriter } from '../faults/once-doors.ts'
import { openWarehouse } from '../library/snowflake-support.ts'

const seed = Number(process.env['FERRULE_SOAK_SEED'] ?? Date.now() % 1_000_000)
const inserts = Number(process.env['FERRULE_SOAK_INSERTS'] ?? 1_000)
/** Long enough for two repetitions of a statement that may run for a second. */
const deadlineSeconds = 8

interface Door extends AsyncDisposable {
  readonly write: Write
}
const doors: Readonly<Record<string, (sandbox: Sandbox) => Promise<Door>>> = {
  'the library': async (sandbox) => {
    const warehouse = openWarehouse(sandbox)
    return { write: libraryWriter(warehouse, deadlineSeconds * 1000), [Symbol.asyncDispose]: () => warehouse.close() }
  },
  'two nodes': async (sandbox) => {
    const installed = await install({ sandbox, name: 'once', operationSeconds: deadlineSeconds })
    const write = hostedWriter(installed.clients, installed.connectorId)
    return { write, [Symbol.asyncDispose]: () => installed[Symbol.asyncDispose]() }
  },
}

async function run(name: string, mode: string, repeats: number): Promise<OnceReport> {
  await using sandbox = await startSandbox({ limits: false })
  sandbox.snowflake.switches.set({ retryWhileRunning: mode, windowMs: 200 })
  await using door = await (doors[name] ?? (() => Promise.reject(new Error(name))))(sandbox)
  const begin = performance.now()
  const options = { seed, inserts, lanes: 25, repeats, hasKeys: name === 'two nodes', longestDelay: 500 }
  const report = await insertOnce(sandbox, door.write, { ...options, wait: (milliseconds) => wait(milliseconds) })
  const seconds = Math.round((performance.now() - begin) / 1000)
  console.log([`${name}, ${mode}, ${repeats} repeats, seed ${seed}, ${seconds} s`, ...linesOf(report)].join('\n'))
  return report
}

describe.each(Object.keys(doors))('%s', (name) => {
  test.each(['join', 'run_again'])(
    `%s: ${inserts} inserts, repeated by their clients, are ${inserts} rows`,
    async (mode) => {
      const report = await run(name, mode, 50)
      expect(report, linesOf(report).join('\n')).toMatchObject({ rows: inserts, twice: [], missing: 0, wrong: [] })
    },
    1_800_000,
  )

  test('run_again: no row is there twice, and each that is missing was told as unknown, or as not made', async () => {
    const report = await run(name, 'run_again', 0)
    expect(report, linesOf(report).join('\n')).toMatchObject({ twice: [], lost: [], wrong: [], unreported: [] })
  }, 1_800_000)
})
