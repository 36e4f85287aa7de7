#!/usr/bin/env node
// Runs one task of package.json on the project's own Node: installs what is missing, then hands over arguments, streams,
// signals and the exit code. Plain JavaScript, because on a fresh clone the only Node may be too old for the sources.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { build } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { biome, environment, root, tsc, vitest } from './paths.mjs'
import { putPackageBack, refuseFolderPublish, trimPackage } from './publish.mjs'
import { runNode } from './run-node.mjs'
import { runTests } from './test.mjs'

/**
 * glibc makes a heap for each thread and gives little of it back; two of them save the service 50 MB and cost nothing. The Dockerfile
 * says the same.
 */
const fewHeaps = () => ({ MALLOC_ARENA_MAX: process.env['MALLOC_ARENA_MAX'] ?? '2' })

/**
 * A task takes the arguments after its name and answers the exit code.
 * @type {Record<string, (args: string[]) => number | Promise<number>>}
 */
const tasks = {
  start: (args) => runNode(['src/main.ts', ...args], fewHeaps()),
  dev: (args) => runNode(['--watch', 'src/main.ts', ...args], fewHeaps()),
  test: runTests,
  'test:watch': (args) => runNode([vitest, 'watch', ...args]),
  check,
  ferrule: (args) => runNode(['src/surfaces/cli.ts', ...args]),
  gen: (args) => runNode(['scripts/gen.ts', ...args]),
  contract: (args) => runNode(['scripts/contract.ts', ...args]),
  sandbox: (args) => runNode(['src/sandbox/main.ts', ...args]),
  bench: (args) => runNode(['bench/main.ts', ...args]),
  soak: (args) => runNode([vitest, 'run', 'test/soak/', ...args], { FERRULE_SOAK: '1' }),
  build,
  prepack: async () => (await build()) || trimPackage(),
  postpack: putPackageBack,
  prepublishOnly: refuseFolderPublish,
}

/** Types, style and, where the generator exists, the freshness of generated files; all three run, one failure fails. */
async function check() {
  const codes = [await runNode([tsc, '--noEmit']), await runNode([biome, 'check'])]
  if (existsSync(join(root, 'scripts/gen.ts'))) codes.push(await runNode(['scripts/gen.ts', '--check']))
  return codes.find((code) => code !== 0) ?? 0
}

const [name = '', ...args] = process.argv.slice(2)
const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined
if (!task) {
  console.error(`There is no task '${name}'; there are ${Object.keys(tasks).join(', ')}.`)
  process.exit(2)
}
process.chdir(root)
try {
  Object.assign(process.env, environment())
  if (name !== 'postpack') ensureInstalled()
  process.exitCode = await task(args)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
