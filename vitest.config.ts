import { defineConfig } from 'vitest/config'
import { CountsReporter } from './test/support/counts-reporter.ts'

// Soak runs take minutes by design; `npm run soak` is the only way in.
const soak = process.env['FERRULE_SOAK'] === '1'

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What happens in the background has no time of its own: a poll ends before its test only to say what it saw last.
    expect: { poll: { timeout: 20_000 } },
    allowOnly: false,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', ...(soak ? [] : ['test/soak/**'])],
    globalSetup: ['test/support/postgres-setup.ts'],
    reporters: ['default', new CountsReporter()],
  },
})
