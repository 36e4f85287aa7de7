/** What the configurations of Vitest share: vitest.config.ts for all tests, vitest.unit.config.ts for the inner loop. */
import { availableParallelism } from 'node:os'
import { defaultServerConditions } from 'vite'
import type { InlineConfig } from 'vitest/node'
import { sourceCondition, sourceOptions } from '../../scripts/paths.mjs'
import { findMemoryFolder } from './memory-folder.ts'
import { LongFilesFirst } from './order.ts'

// Forks of the tests resolve our packages themselves; their programs run from the sources too.
process.env['NODE_OPTIONS'] = sourceOptions(process.env['NODE_OPTIONS'])

// Databases of tests are written all the time.
const temporary = process.env['TMPDIR'] ?? findMemoryFolder()
if (temporary !== undefined) process.env['TMPDIR'] = temporary

/** Leads imports of our packages to their sources. */
const conditions = [sourceCondition, ...defaultServerConditions]
export const resolution = { resolve: { conditions }, ssr: { resolve: { conditions } } }

/** Every test file. */
export const testFiles = ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts']

/** Options of every run. */
export const testOptions = {
  pool: 'forks' as const,
  // Node reads the sources itself, as it does in use: no second form of each module, and the compiled ones are kept between runs.
  experimental: { viteModuleRunner: false },
  // Test files share processes, because loading the service for each file takes 40 % of the CPU time. So a file leaves nothing behind.
  isolate: false,
  execArgv: ['--import', new URL('./roomy-heap.mjs', import.meta.url).href],
  // Two more than there are cores use the time in which tests only wait: with one more, two cores idle for a quarter of it.
  maxWorkers: availableParallelism() + 2,
  sequence: { sequencer: LongFilesFirst },
  // Forty times what the slowest ordinary test needs alone: with eight busy processes beside it, a test has a tenth of the machine.
  testTimeout: 480_000,
  hookTimeout: 480_000,
  // Background work has no deadline of its own: a poll ends before its test only to report the last value.
  expect: { poll: { timeout: 240_000 } },
  allowOnly: false,
  globalSetup: ['test/support/bundles-setup.ts', 'test/support/postgres-setup.ts'],
} satisfies InlineConfig
