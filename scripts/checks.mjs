import { biome, tsc } from './paths.mjs'
import { ensureChromium, ensurePgBouncer } from './programs.mjs'
import { runNode } from './run-node.mjs'
import { ensureWeb } from './web.mjs'

/**
 * Limits the type instantiations of a check of the whole project: an editor's wait grows with them. The types of the wire's records, inferred
 * from their schemas, take about 160,000; the frameworks of agents and MCP's SDK, which tests and adapters import, about 70,000. The
 * console's pages come on top. Webhooks with their eleven routes took 45,000.
 */
const instantiationBudget = 1_770_000

/**
 * A check and its outcome.
 * @typedef {{ name: string, passed: boolean }} Check
 */

/** Checks types, style, generated files and English. @returns {Promise<Check[]>} */
export function checkSources() {
  return Promise.all([
    attempt('types', checkTypes),
    attempt('types of the pages', () => runAndPrint([tsc, '--noEmit', '-p', 'packages/web', '--checkers', '1'])),
    attempt('style', () => runAndPrint([biome, 'check'])),
    attempt('generated files', () => runAndPrint(['scripts/gen.ts', '--check'])),
    attempt('English', () => runAndPrint(['scripts/check-english.ts'])),
  ])
}

/** Builds the pages that tests open. @returns {Promise<Check>} */
export const checkPages = () => attempt('pages', ensureWeb)

/** Finds a browser for the tests, or installs one; `CHROMIUM_PATH` names it. @returns {Promise<Check>} */
export function checkBrowser() {
  return attempt('browser', async () => {
    process.env['CHROMIUM_PATH'] = await ensureChromium()
    return 0
  })
}

/** Finds PgBouncer for the tests, or installs it; `PGBOUNCER_PATH` names it. @returns {Promise<Check>} */
export function checkPooler() {
  return attempt('pooler', async () => {
    process.env['PGBOUNCER_PATH'] = await ensurePgBouncer()
    return 0
  })
}

/**
 * @param {string} name
 * @param {() => Promise<number>} run answers an exit code
 * @returns {Promise<Check>}
 */
async function attempt(name, run) {
  try {
    return { name, passed: (await run()) === 0 }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return { name, passed: false }
  }
}

/**
 * Runs a check whose output appears at its end, because others run meanwhile.
 * @param {string[]} args
 */
async function runAndPrint(args) {
  const { code, output } = await collect(args)
  process.stdout.write(output)
  return code
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

/** Checks all types. One checker takes the least CPU time, and its count of instantiations is the same each time. */
async function checkTypes() {
  const { code, output } = await collect([tsc, '--noEmit', '--extendedDiagnostics', '--checkers', '1'])
  // The table of diagnostics is the end of the output.
  process.stdout.write(output.slice(0, Math.max(0, output.search(/^Files:\s/m))))
  const instantiations = Number(/^Instantiations:\s+(\d+)/m.exec(output)?.[1])
  if (code !== 0 || instantiations <= instantiationBudget) return code
  console.error(`The types of the project take ${instantiations} instantiations; at most ${instantiationBudget} are allowed.`)
  return 1
}
