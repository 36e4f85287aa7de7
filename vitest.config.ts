import { defineConfig } from 'vitest/config'
import { CountsReporter } from './test/support/counts-reporter.ts'
import { drawnTests, versionTests } from './test/support/database-tests.ts'
import { findVersions } from './test/support/postgres-binaries.ts'
import { resolution, testFiles, testOptions } from './test/support/vitest-options.ts'

// Soak runs take minutes by design; `npm run soak` is the only way in.
const soak = process.env['FERRULE_SOAK'] === '1'
const soakTests = 'test/soak/**'
const exclude = ['**/node_modules/**', ...(soak ? [] : [soakTests])]
const root = import.meta.dirname
const ofVersions = versionTests(root).filter((file) => !soak || file.startsWith('test/soak/'))
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
          include: soak ? [`${soakTests}/*.test.ts`, ...drawnTests(root)] : testFiles,
          provide: { installations: versions.found, isFurtherVersion: false },
        },
      },
      // Tests whose outcome the version of PostgreSQL can change run once more on each other version of this machine.
      ...further.map((installation) => ({
        extends: true as const,
        test: {
          name: `PostgreSQL ${installation.major}`,
          include: ofVersions,
          provide: { installations: [installation], isFurtherVersion: true },
        },
      })),
    ],
  },
})
