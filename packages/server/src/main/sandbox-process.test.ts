import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { createLogger } from './logger.ts'
import { SandboxProcess } from './sandbox-process.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ferrule-sandbox-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const running: SandboxProcess[] = []
afterEach(async () => {
  for (const sandbox of running.splice(0)) await sandbox.close()
})

/** A sandbox that reports its process id and the names of its environment instead of addresses. */
const reportsItself = `
process.send({ type: 'other' })
process.send({ type: 'ready', origins: { gong: { api: String(process.pid), oauth: Object.keys(process.env).join() } } })
process.once('disconnect', () => process.exit())
`

async function launch(program: string) {
  const file = join(folder, `${crypto.randomUUID()}.mjs`)
  await writeFile(file, program)
  const log: string[] = []
  const logger = createLogger({ level: 'info', destination: { write: (line) => void log.push(line) } })
  const sandbox = new SandboxProcess({ program: pathToFileURL(file), logger, restartDelayMs: 1 })
  sandbox.start()
  running.push(sandbox)
  return { sandbox, log }
}

test('tells where it listens, and knows nothing of our settings', async () => {
  vi.stubEnv('DATABASE_URL', 'postgresql://user:secret@host/database')
  vi.stubEnv('FERRULE_MASTER_KEY', 'secret')
  const { sandbox } = await launch(reportsItself)
  await sandbox.ready
  await expect.poll(() => sandbox.origins()?.['gong']?.api).toMatch(/^\d+$/)
  expect(sandbox.origins()?.['gong']?.oauth).not.toMatch(/FERRULE|DATABASE/)
  vi.unstubAllEnvs()
})

test('is started again when it dies', async () => {
  const { sandbox, log } = await launch(reportsItself)
  await expect.poll(() => sandbox.origins()).toBeDefined()
  const first = Number(sandbox.origins()?.['gong']?.api)
  process.kill(first, 'SIGKILL')
  await expect.poll(() => Number(sandbox.origins()?.['gong']?.api ?? first)).not.toBe(first)
  expect(log.join('')).toContain('the sandbox exited and is restarted')
})

test('stays off after repeated exits, and the service starts without it', async () => {
  const { sandbox, log } = await launch('process.exit(3)')
  await sandbox.ready
  await expect.poll(() => log.at(-1)).toContain('exited too often')
  expect(log).toHaveLength(6)
  expect(sandbox.origins()).toBeUndefined()
})

test('ends with the service', async () => {
  const { sandbox } = await launch(reportsItself)
  await expect.poll(() => sandbox.origins()).toBeDefined()
  const id = Number(sandbox.origins()?.['gong']?.api)
  await sandbox.close()
  expect(() => process.kill(id, 0)).toThrow('ESRCH')
  await sandbox.close()
})
