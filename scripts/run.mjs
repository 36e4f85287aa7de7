#!/usr/bin/env node
// Runs one task of package.json on the project's own Node: installs what is missing, then hands over arguments, streams,
// signals and the exit code. Plain JavaScript, because on a fresh clone the only Node may be too old for the sources.
import { build } from './build.mjs'
import { ensureBundle } from './bundles.mjs'
import { checkSources, printFindings } from './checks.mjs'
import { ensureInstalled } from './install.mjs'
import { packAll } from './pack.mjs'
import { buildEnvironment, root, vitest } from './paths.mjs'
import { runNode } from './run-node.mjs'
import { runTests } from './test.mjs'
import { ensureWeb } from './web.mjs'

/**
 * Limits glibc to two heaps. With a heap for each thread, which it seldom returns, the service takes 50 MB more. The Dockerfile sets
 * the same.
 */
const fewHeaps = () => ({ MALLOC_ARENA_MAX: process.env['MALLOC_ARENA_MAX'] ?? '2' })

/**
 * Each task takes the arguments after its name and returns the exit code.
 * @type {Record<string, (args: string[]) => number | Promise<number>>}
 */
const tasks = {
  start: async (args) => startService([await ensureBundle('service'), ...args]),
  dev: (args) => startService(['--watch', 'packages/server/src/main.ts', ...args]),
  test: runTests,
  unit: runUnit,
  'test:watch': (args) => runNode([vitest, 'watch', ...args]),
  check,
  ferrule: (args) => runNode(['packages/ferrule/src/cli.ts', ...args]),
  'ferrule-server': async (args) => runNode([await ensureBundle('ferrule-server'), ...args]),
  gen: (args) => runNode(['scripts/gen.ts', ...args]),
  openapi: async (args) => runNode([await ensureBundle('ferrule-server'), 'openapi', ...args]),
  contract: (args) => runNode(['scripts/contract.ts', ...args]),
  sandbox: (args) => runNode(['packages/sandbox/src/main.ts', ...args]),
  bench: (args) => runNode(['bench/main.ts', ...args]),
  soak: runSoak,
  web: ensureWeb,
  build,
  pack: packAll,
}

/**
 * Starts the service, after its pages are built.
 * @param {string[]} args of Node
 */
async function startService(args) {
  const code = await ensureWeb()
  return code === 0 ? runNode(args, fewHeaps()) : code
}

/** Checks types, style, the freshness of generated files, and English; all run, one failure fails. */
async function check() {
  return printFindings(await checkSources()) ? 0 : 1
}

/**
 * Runs the matching test files only: no types, no style, no browser, one PostgreSQL when a test asks for it.
 * @param {string[]} args a part of a test file's path, and options of Vitest
 */
function runUnit(args) {
  if (args.length > 0) return runNode([vitest, 'run', '--config', 'vitest.unit.config.ts', ...args])
  console.error('Name a part of a test file: npm run unit -- engine/fill')
  return 2
}

/**
 * Runs the soak tests and the suites that draw in full then, or the matching ones only.
 * @param {string[]} args parts of the names of files in test/soak, or of paths of any, then options of Vitest
 */
function runSoak(args) {
  const found = args.findIndex((arg) => arg.startsWith('-'))
  const count = found < 0 ? args.length : found
  const patterns = args.slice(0, count).map((part) => (part.includes('/') ? part : `test/soak/${part}`))
  return runNode([vitest, 'run', ...patterns, ...args.slice(count)], { FERRULE_SOAK: '1' })
}

const [name = '', ...args] = process.argv.slice(2)
const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined
if (!task) {
  console.error(`There is no task '${name}'; there are ${Object.keys(tasks).join(', ')}.`)
  process.exit(2)
}
process.chdir(root)
try {
  Object.assign(process.env, buildEnvironment())
  ensureInstalled()
  process.exitCode = await task(args)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
