import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { buildProgram } from '../../packages/ferrule/src/cli/main.ts'
import type { CommandSpec } from '../../packages/ferrule/src/cli/spec.ts'
import { commands } from '../../packages/ferrule/src/cli/specs/index.ts'
import { base } from '../http/support.ts'
import { isSoak } from '../support/draws.ts'
import { share } from '../support/share.ts'
import { buildEnvironment, cli, runFerrule } from './support.ts'
import { type CommandWorld, startCommandWorld } from './world.ts'

const running = await share(startCommandWorld())
const bin = join(running.caller.folder, 'bin')
mkdirSync(bin)
writeFileSync(join(bin, 'ferrule'), `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`, { mode: 0o755 })

/** Runs a line of the help in a shell, with the service of the test instead of the invented one. */
async function runLine(
  line: string,
  caller: { readonly config: string },
): Promise<{ code: number | null; stderr: string; stdout: string }> {
  const { folder } = running.caller
  const real = line.replaceAll('https://ferrule.example.com', running.world.url)
  const env = { ...buildEnvironment(caller), PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}` }
  const child = spawn('sh', ['-c', real], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr, code] = await Promise.all([readAll(child.stdout), readAll(child.stderr), ended])
  return { code, stdout, stderr }
}

/** Ids that help shows, and what has them in the test. */
async function fillIds(line: string, { world }: CommandWorld): Promise<string> {
  const ask = async (path: string, method = 'GET') => (await world.ask(path, { token: world.token, method })).json
  let filled = line.replaceAll('11111111-1111-4111-8111-111111111111', world.organizationId)
  for (const shown of ['66666666-6666-4666-8666-666666666666', '77777777-7777-4777-8777-777777777777']) {
    if (!filled.includes(shown)) continue
    const { id } = (await world.ask(`${base}/organizations`, { token: world.token, body: { name: `deleted ${shown}` } })).json
    await runFerrule(running.caller, 'organizations', 'delete', id, '--yes')
    filled = filled.replaceAll(shown, id)
  }
  for (const shown of ['22222222-2222-4222-8222-222222222222', '33333333-3333-4333-8333-333333333333']) {
    if (!filled.includes(shown)) continue
    const { id } = (await world.ask(`${base}/workspaces`, { token: world.token, body: { name: `deleted ${shown}` } })).json
    await ask(`${base}/workspaces/${id}`, 'DELETE')
    filled = filled.replaceAll(shown, id)
  }
  if (filled.includes('44444444-4444-4444-8444-444444444444')) {
    const [connector] = (await ask(`${base}/integrations/connectors`)).data.filter(({ name }: { name: string }) => name === 'gong')
    const [run] = (await ask(`${base}/integrations/connectors/${connector.id}/syncs`)).data
    filled = filled.replaceAll('44444444-4444-4444-8444-444444444444', run.id)
  }
  return filled
}

/** Commands in an order in which each finds what it needs. */
const last = ['sync reset', 'connectors delete', 'workspaces delete', 'logout']
const ordered = (all: readonly CommandSpec[]): readonly CommandSpec[] =>
  all.toSorted((one, other) => last.indexOf(one.name) - last.indexOf(other.name))

const prepare: Readonly<Record<string, () => Promise<unknown>>> = {
  search: () => running.world.context.sync(),
  // A run that is waited for needs a worker.
  'sync start': async () => running.world.context.worker.start(),
  // Without a worker the run waits until it is cancelled.
  'sync cancel': async () => {
    await running.world.context.worker.stop()
    await runFerrule(running.caller, 'sync', 'start', 'gong')
  },
}

/** Splits a line as a shell does, with the words of `ferrule` alone. */
function splitLine(line: string): readonly string[] {
  const { output } = spawnSync('sh', ['-c', `ferrule() { printf '%s\\0' "$@" >&3; }; ${line}`], {
    cwd: running.caller.folder,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  return (output[3] ?? '').split('\0').slice(0, -1)
}

test('every example is a line that its command takes', async () => {
  const taken: string[] = []
  const program = buildProgram(async ({ name }) => void taken.push(name))
  for (const { name, examples } of commands)
    for (const line of examples) {
      await program.parseAsync(splitLine(line), { from: 'user' })
      expect(taken.pop(), line).toBe(name)
    }
})

/** Runs every example; every-command.test.ts runs each command once in `npm test`. */
async function runExamples(): Promise<void> {
  const failed: string[] = []
  for (const { name, examples } of ordered(commands)) {
    await prepare[name]?.()
    // It ends with Ctrl+C only: every-command.test.ts runs it.
    if (name === 'webhooks listen') continue
    for (const example of examples) {
      const line = await fillIds(example, running)
      const { code, stderr } = await runLine(line, running.caller)
      if (code !== 0) failed.push(`${line}: exit code ${code}: ${stderr}`)
    }
  }
  expect(failed).toEqual([])
}
if (isSoak) test('every example runs', { timeout: 600_000 }, runExamples)

test('every help has its examples, and two of them differ', async () => {
  for (const { name, examples } of commands) {
    expect(new Set(examples).size).toBe(2)
    expect(examples.every((line) => line.startsWith(`ferrule ${name}`))).toBe(true)
  }
  const { stdout } = await runFerrule(running.caller, 'connectors', 'create', '--help')
  expect(stdout).toContain('ferrule connectors create gong --from-file gong.json')
  rmSync(join(running.caller.folder, 'call.mp3'), { force: true })
})
