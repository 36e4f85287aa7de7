// The inner loop, `npm run unit`: one project on one PostgreSQL, which starts when a test asks for it.
import { defineConfig } from 'vitest/config'
import { resolution, testFiles, testOptions } from './test/support/vitest-options.ts'

export default defineConfig({
  ...resolution,
  test: {
    ...testOptions,
    include: testFiles,
    exclude: ['**/node_modules/**', 'test/soak/**'],
    provide: { installations: undefined, isFurtherVersion: false },
  },
})
