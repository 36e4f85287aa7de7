import { biome, tsc } from './paths.mjs'
import { ensureChromium, ensurePgBouncer } from './programs.mjs'
import { runNode } from './run-node.mjs'
import { ensureWeb } from './web.mjs'

/**
 * Limits the type instantiations of a check of the whole project: an editor's wait grows with them. The types of the wire's records, inferred
 * from their schemas, take about 160,000; the frameworks of agents and MCP's SDK, which tests and adapters import, about 70,000. The
 * console's pages come on top. Webhooks with their eleven routes took 45,000; the feed of a connector,
 * `records.changed` and the webhooks of vendors 58,000; the search of everything, aggregates and consumers 26,000.
 */
const instantiationBudget = 1_880_000

/**
 * A check and its outcome. `output` is for the caller to print, because others write meanwhile.
 * @typedef {{ name: string, passed: boolean, output?: string | undefined }} Check
 */

/**
 * The end of a step.
 * @typedef {{ code: number, output?: string | undefined }} Ended
 */

/** Checks types, style, generated files and English. @returns {Promise<Check[]>} */
export function checkSources() {
  return Promise.all([
    attempt('types', checkTypes),
    attempt('types of the pages', () => collect([tsc, '--noEmit', '-p', 'packages/web', '--checkers', '1'])),
    attempt('style', () => collect([biome, 'check'])),
    attempt('generated files', () => collect(['scripts/gen.ts', '--check'])),
    attempt('English', () => collect(['scripts/check-english.ts'])),
  ])
}

/** Builds the pages that tests open. @returns {Promise<Check>} */
export const checkPages = () => attempt('pages', async () => ({ code: await ensureWeb() }))

/** Finds a browser for the tests, or installs one; `CHROMIUM_PATH` names it. @returns {Promise<Check>} */
export function checkBrowser() {
  return attempt('browser', async () => {
    process.env['CHROMIUM_PATH'] = await ensureChromium()
    return { code: 0 }
  })
}

/** Finds PgBouncer for the tests, or installs it; `PGBOUNCER_PATH` names it. @returns {Promise<Check>} */
export function checkPooler() {
  return attempt('pooler', async () => {
    process.env['PGBOUNCER_PATH'] = await ensurePgBouncer()
    return { code: 0 }
  })
}

/**
 * @param {string} name
 * @param {() => Promise<Ended>} run
 * @returns {Promise<Check>}
 */
async function attempt(name, run) {
  try {
    const { code, output } = await run()
    return { name, passed: code === 0, output }
  } catch (error) {
    return { name, passed: false, output: `${error instanceof Error ? error.message : error}\n` }
  }
}

/**
 * @param {string[]} args
 * @returns {Promise<{ code: number, output: string }>}
 */
async function collect(args) {
  let output = ''
  const code = await runNode(args, process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}, (text) => {
    output += text
  })
  return { code, output }
}

/**
 * Checks all types. One checker takes the least CPU time, and its count of instantiations is the same each time.
 * @returns {Promise<Ended>}
 */
async function checkTypes() {
  const { code, output } = await collect([tsc, '--noEmit', '--extendedDiagnostics', '--checkers', '1'])
  // The table of diagnostics is the end of the output.
  const findings = output.slice(0, Math.max(0, output.search(/^Files:\s/m)))
  const instantiations = Number(/^Instantiations:\s+(\d+)/m.exec(output)?.[1])
  if (code !== 0 || instantiations <= instantiationBudget) return { code, output: findings }
  const sentence = `The types of the project take ${instantiations} instantiations; at most ${instantiationBudget} are allowed.\n`
  return { code: 1, output: findings + sentence }
}

/**
 * Prints what checks have found.
 * @param {readonly Check[]} checks
 * @returns {boolean} true when all passed
 */
export function printFindings(checks) {
  process.stdout.write(checks.map(({ output = '' }) => output).join(''))
  return checks.every(({ passed }) => passed)
}
