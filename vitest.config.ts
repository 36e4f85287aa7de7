import { defineConfig } from 'vitest/config'
import { CountsReporter } from './test/support/counts-reporter.ts'
import { versionTests } from './test/support/database-tests.ts'
import { findVersions } from './test/support/postgres-binaries.ts'
import { resolution, testFiles, testOptions } from './test/support/vitest-options.ts'

// Soak runs take minutes by design; `npm run soak` is the only way in.
const soak = process.env['FERRULE_SOAK'] === '1'
const exclude = ['**/node_modules/**', ...(soak ? [] : ['test/soak/**'])]
const given = process.env['TEST_DATABASE_URL'] !== undefined
const versions = findVersions()
const [, ...further] = given ? [] : versions.found

export default defineConfig({
  ...resolution,
  test: {
    ...testOptions,
    reporters: ['default', new CountsReporter(given ? undefined : versions)],
    exclude,
    projects: [
      {
        extends: true,
        test: {
          name: 'all',
          include: testFiles,
          provide: { installations: versions.found, isFurtherVersion: false },
        },
      },
      // Tests whose outcome the version of PostgreSQL can change run once more on each other version of this machine.
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
