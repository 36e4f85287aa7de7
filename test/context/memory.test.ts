import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { choose } from '../support/draws.ts'
import { makeFolder } from '../support/folder.ts'
import { copyEmbeddedDatabase } from '../support/postgres.ts'

const findProgram = (name: string) => fileURLToPath(new URL(name, import.meta.url))

// V8's optimizing compiler alone takes 600 MB for the server's interpreter of expressions once that is hot.
test('an embedded store never needs more than 450 MB, however long it is searched', async () => {
  const folder = makeFolder('memory', onTestFinished)
  await copyEmbeddedDatabase(join(folder, 'context'))
  const { stdout } = await promisify(execFile)(process.execPath, [findProgram('./memory-child.ts'), join(folder, 'context')])
  expect(Number(stdout)).toBeGreaterThan(100)
  expect(Number(stdout)).toBeLessThan(450)
})

// A file in memory would be kept: 40 MB, in `npm run soak` 400 MB.
test('an export as Parquet keeps no more than a row group, however many records it has', async () => {
  const count = choose(20_000, 200_000)
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', findProgram('./parquet-child.ts'), String(count)])
  const { file, kept, peak } = JSON.parse(stdout)
  expect(file).toBeGreaterThan(count / 500)
  expect(kept).toBeLessThan(45)
  expect(peak).toBeLessThan(500)
})
