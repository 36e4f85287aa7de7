/** Runs the conformance suite of the protocol once for a revision, and reads what each scenario found. */
import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** One check of a scenario. */
interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}
/** The checks of each scenario. */
export type Findings = ReadonlyMap<string, readonly Check[]>

/** The package has a command and no entry, so nothing resolves its name. */
const suite = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js')

function run(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [suite, 'server', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const said: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => said.push(bytes))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve(Buffer.concat(said).toString()))
  })
}

async function readFindings(folder: string): Promise<Findings> {
  const found = new Map<string, readonly Check[]>()
  for (const name of await readdir(folder)) {
    const scenario = /^server-(.+?)-\d{4}-\d{2}-\d{2}T/.exec(name)?.[1]
    if (scenario !== undefined) found.set(scenario, JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8')))
  }
  return found
}

/**
 * Runs all scenarios that a revision requires of servers.
 * @param url the endpoint
 * @param revision for example `2026-07-28`
 */
export async function runConformance(url: string, revision: string): Promise<Findings> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrule-conformance-'))
  try {
    const said = await run(['--url', url, '--requirements', revision, '-o', folder])
    const findings = await readFindings(folder)
    if (findings.size === 0) throw new Error(said)
    return findings
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const isFailed = ({ status }: Check): boolean => status === 'FAILURE'

/** Lists the failed checks of the named scenarios, with what the suite says; a scenario that did not run is one too. */
export function listFailures(findings: Findings, scenarios: readonly string[]): readonly string[] {
  return scenarios.flatMap((scenario) => {
    const checks = findings.get(scenario)
    if (checks === undefined || checks.length === 0) return [`${scenario}: did not run`]
    return checks.filter(isFailed).map(({ id, errorMessage }) => `${scenario}: ${id}: ${errorMessage ?? ''}`)
  })
}
