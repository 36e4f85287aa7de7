import { defineConfig } from 'vitest/config'
import { CountsReporter } from './test/support/counts-reporter.ts'
import { versionTests } from './test/support/database-tests.ts'
import { findVersions } from './test/support/postgres-binaries.ts'

// Soak runs take minutes by design; `npm run soak` is the only way in.
const soak = process.env['FERRULE_SOAK'] === '1'
const exclude = ['**/node_modules/**', ...(soak ? [] : ['test/soak/**'])]
const given = process.env['TEST_DATABASE_URL'] !== undefined
const versions = findVersions()
const [, ...further] = given ? [] : versions.found

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What happens in the background has no time of its own: a poll ends before its test only to say what it saw last.
    expect: { poll: { timeout: 20_000 } },
    allowOnly: false,
    reporters: ['default', new CountsReporter(given ? undefined : versions)],
    globalSetup: ['test/support/postgres-setup.ts'],
    exclude,
    projects: [
      {
        extends: true,
        test: {
          name: 'all',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          provide: { installations: versions.found, isFurtherVersion: false },
        },
      },
      // What the version of PostgreSQL can change runs on each other one that this machine has.
      ...further.map((installation) => ({
        extends: true as const,
        test: {
          name: `PostgreSQL ${installation.major}`,
          include: [...versionTests(import.meta.dirname)],
          provide: { installations: [installation], isFurtherVersion: true },
        },
      })),
    ],
  },
})
