import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { packages } from '../../scripts/paths.mjs'
import { digestOf, digestSources } from '../../scripts/web.mjs'
import { buildSourceEnvironment } from '../support/commands.ts'
import { makeFolder } from '../support/folder.ts'
import { copyEmbeddedDatabase } from '../support/postgres.ts'
import { copyWorkspace, listFiles } from './packing.ts'

const folder = makeFolder('sources')
const copy = join(folder, 'source')
beforeAll(() => copyWorkspace(copy))

/** Returns a data folder with an empty embedded database: creating one takes seconds of a core. */
async function useFolder(name: string): Promise<string> {
  await copyEmbeddedDatabase(join(folder, name, 'context'))
  return join(folder, name)
}

const running: ChildProcess[] = []
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
})

/** Starts Node in the copy, with the condition that leads to the sources. */
function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, args, { cwd: copy, env: { ...buildSourceEnvironment(), ...env } })
  running.push(child)
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (said.stdout += chunk))
  child.stderr.on('data', (chunk) => (said.stderr += chunk))
  return { child, said }
}

/** Runs Node to its end. @returns what it printed. @throws its errors, when it fails */
async function runToEnd(args: readonly string[]): Promise<string> {
  const { child, said } = start(args)
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(said.stderr)
  return said.stdout
}

/** Starts a program that runs until a signal, and ends it when it has printed what is expected. @returns its exit code */
async function startAndEnd(program: string, expected: string, env: Readonly<Record<string, string>>): Promise<number | null> {
  const { child, said } = start([program], env)
  await expect.poll(() => (child.exitCode === null ? said.stdout : said.stderr)).toContain(expected)
  const end = once(child, 'exit')
  child.kill('SIGTERM')
  const [code] = await end
  return code
}

describe('a checkout that nothing is compiled in', () => {
  test('has no compiled files', () => {
    for (const name of packages) {
      expect(listFiles(join(copy, 'packages', name)).filter((path) => path.endsWith('.js'))).toEqual([])
    }
  })

  test('gives its entries', async () => {
    const entries = [
      ['ferrule', 'connect'],
      ['ferrule/definition', 'connector'],
      ['ferrule/engine', 'createEngine'],
      ['ferrule/kind', 'loadKind'],
      ['ferrule/stand-in', 'startStandIn'],
      ['ferrule/internal', 'kinds'],
      ['@ferrule/sandbox', 'startSandbox'],
      ['@ferrule/server', 'startService'],
    ]
    const program = `for (const [entry, name] of ${JSON.stringify(entries)})
      console.log(typeof (await import(entry))[name], import.meta.resolve(entry))`
    expect(await runToEnd(['--input-type=module', '--eval', program])).toMatch(
      /^((function|object) file:.*\/source\/packages\/.*\/src\/.*\.ts\n){8}$/,
    )
  })

  test('runs the command, the service and the sandbox', async () => {
    expect(await runToEnd(['packages/server/src/cli.ts', '--help'])).toContain('Usage: ferrule-server')
    const settings = { FERRULE_PORT: '0', FERRULE_DATA: await useFolder('data') }
    expect(await startAndEnd('packages/server/src/main.ts', 'context_store_search', settings)).toBe(0)
    expect(await startAndEnd('packages/sandbox/src/main.ts', 'Ctrl+C', {})).toBe(0)
  })

  test('counts a source that changed while it was built as another one', () => {
    expect(digestSources(['package.json'], Date.now())).toEqual({ 'package.json': digestOf('package.json') })
    expect(digestSources(['package.json'], 0)).toEqual({ 'package.json': '' })
  })

  test('starts from one file, which is built again when a source has changed', async () => {
    const ensure = `const { ensureBundle } = await import('./scripts/bundles.mjs'); process.stdout.write(await ensureBundle('service'))`
    const build = async () => {
      const { child, said } = start(['--input-type=module', '--eval', ensure])
      await once(child, 'close')
      return said
    }
    const settings = { FERRULE_PORT: '0', FERRULE_DATA: await useFolder('bundled') }
    const { stdout: program, stderr } = await build()
    expect(stderr).toContain('Building the service (for the first time)')
    expect(readFileSync(program, 'utf8').match(/^import .* from "(?!node:).*$/gm)).toBeNull() // a start reads no other file
    expect(await startAndEnd(program, 'context_store_search', settings)).toBe(0)
    expect(await build()).toEqual({ stdout: program, stderr: '' })
    const banner = join(copy, 'packages/server/src/main/serve.ts')
    writeFileSync(banner, readFileSync(banner, 'utf8').replace('Ferrule listens on', 'Ferrule is at'))
    expect((await build()).stderr).toContain('its sources changed')
    expect(await startAndEnd(program, 'Ferrule is at', settings)).toBe(0)
  })
})
