import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { copyEmbeddedDatabase } from '../support/postgres.ts'

const program = fileURLToPath(new URL('./memory-child.ts', import.meta.url))

// V8's optimizing compiler alone takes 600 MB for the server's interpreter of expressions once that is hot.
test('an embedded store never needs more than 450 MB, however long it is searched', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ferrule-memory-'))
  await copyEmbeddedDatabase(join(folder, 'context'))
  const { stdout } = await promisify(execFile)(process.execPath, [program, join(folder, 'context')])
  await rm(folder, { recursive: true })
  expect(Number(stdout)).toBeGreaterThan(100)
  expect(Number(stdout)).toBeLessThan(450)
})
