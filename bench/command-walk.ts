/** `ferrule execute … --all --format ndjson` over 100,000 records, against a walk by the hosted client: two whole processes. */
import { spawn } from 'node:child_process'
import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { start } from './child.ts'
import { type Result, rate } from './result.ts'
import { alternate, type Effort, median } from './rounds.ts'

const records = 100_000
const pageSize = 100
/** Output after which the process has warmed up, and its memory is measured: about a tenth. */
const warmBytes = 6_000_000
const megabyte = 1_000_000

/** What a process used. */
interface Used {
  readonly seconds: number
  /** Growth of the resident memory after the first records, in bytes; 0 where the system does not say. */
  readonly growth: number
}

/** Reads a line of /proc in bytes. */
function readMemory(pid: number | undefined): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0 // not Linux, or the process has ended
  }
}

const countLines = (text: string): number => text.split('\n').length - 1

/** Milliseconds between two looks at the memory. */
const lookEvery = 20

/** Runs a program to its end, with its output in a file. @param expected lines of its output */
async function run(args: readonly string[], env: Readonly<Record<string, string>>, expected: number): Promise<Used> {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-bench-'))
  const file = openSync(join(folder, 'output'), 'w')
  const begin = performance.now()
  const child = spawn(process.execPath, [...args], { env: { ...process.env, ...env }, stdio: ['ignore', file, 'inherit'] })
  let before = 0
  let peak = 0
  const look = setInterval(() => {
    if (fstatSync(file).size < warmBytes) return
    const memory = readMemory(child.pid)
    if (before === 0) before = memory
    peak = Math.max(peak, memory)
  }, lookEvery)
  const code = await new Promise((resolve) => child.once('close', resolve))
  const seconds = (performance.now() - begin) / 1_000
  clearInterval(look)
  const lines = countLines(readFileSync(join(folder, 'output'), 'utf8'))
  closeSync(file)
  rmSync(folder, { recursive: true })
  if (code !== 0 || lines !== expected) throw new Error(`${args.join(' ')} ended with ${code} after ${lines} lines`)
  return { seconds, growth: peak - before }
}

/** Runs the benchmark. */
export async function commandWalk(effort: Effort): Promise<Result> {
  await using service = await start('command-pages.ts', { BENCH_PAGES: String(records / pageSize) })
  const env = { FERRULE_URL: service.origin, FERRULE_TOKEN: 'a token', FERRULE_CONFIG_DIR: join(import.meta.dirname, 'none') }
  const command = join(import.meta.dirname, '../packages/ferrule/src/cli.ts')
  const sides = {
    ours: () => run([command, 'execute', 'gong', 'calls', 'list', '--all', '--format', 'ndjson'], env, records),
    baseline: () => run([join(import.meta.dirname, 'command-client.ts')], env, 1),
  }
  const figures = await alternate(sides, effort, (side) => side())
  const perSecond = (used: readonly Used[]): number => records / median(used.map(({ seconds }) => seconds))
  return rate({
    name: 'command-walk',
    unit: 'records/s',
    ours: perSecond(figures.ours),
    baseline: perSecond(figures.baseline),
    growthMb: Math.max(...figures.ours.map(({ growth }) => growth)) / megabyte,
  })
}
