/** Seconds from the start of the program until it is ready, and its memory when it has nothing to do. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureBundle } from '../scripts/bundles.mjs'
import { type Result, time } from './result.ts'
import { alternate, type Effort, median, type Sides } from './rounds.ts'

/** How often readiness is asked for, in milliseconds. */
const pollEvery = 5
/** A program that is not ready after this long is broken, in milliseconds. A first start checks 200 kinds, and a machine can be busy. */
const patience = 120_000
/** Idle for this long before its memory is read, in milliseconds. */
const rest = 2_000

/** Where `npm start` keeps compiled code; the first round, which does not count, fills it. */
const compileCache = join(import.meta.dirname, '../node_modules/.cache/node-compile')

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  for (const end = performance.now() + patience; performance.now() < end; await sleep(pollEvery)) {
    if (child.exitCode !== null) throw new Error(`the program ended with ${child.exitCode}`)
    const status = await fetch(url).then(
      (answer) => answer.status,
      () => 0,
    )
    if (status === 200) return
  }
  throw new Error(`${url} was not ready within ${patience} ms`)
}

/** Resident memory of a process, in megabytes; 0 where there is no /proc. */
async function residentMegabytes(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) / 1000
}

/** Seconds until a program was ready, and its memory in megabytes. */
export interface Started {
  readonly seconds: number
  readonly idle: number
}

/** Starts a program, and ends it. @param file of the program. @param more its data folder, which stays, its other folder and settings */
export async function startOnce(
  file: string,
  more: { readonly data?: string; readonly cwd?: string; readonly env?: object } = {},
): Promise<Started> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrule-bench-'))
  const port = String(await freePort())
  const own = { NODE_COMPILE_CACHE: compileCache, FERRULE_PORT: port, FERRULE_DATA: more.data ?? folder, NODE_ENV: 'production' }
  const begin = performance.now()
  const child = spawn(process.execPath, [file], {
    cwd: more.cwd,
    env: { ...process.env, ...own, ...more.env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const exit = once(child, 'exit')
  try {
    await untilReady(`http://127.0.0.1:${port}/health/ready`, child)
    const seconds = (performance.now() - begin) / 1000
    await sleep(rest)
    return { seconds, idle: await residentMegabytes(child.pid) }
  } finally {
    child.kill('SIGTERM')
    await exit
    await rm(folder, { recursive: true, force: true })
  }
}

/** Runs the benchmark: each start has an empty folder, so it makes its database and keys too. */
export async function startUp(effort: Effort): Promise<Result> {
  const figures = await alternate(
    { ours: await ensureBundle('service'), baseline: join(import.meta.dirname, 'baseline.ts') },
    effort,
    startOnce,
  )
  return toStartResult('start', figures)
}

/** Returns the medians of starts. */
export function toStartResult(name: string, figures: Sides<Started[]>): Result {
  const seconds = (of: readonly Started[]) => median(of.map((one) => one.seconds))
  const idle = (of: readonly Started[]) => median(of.map((one) => one.idle))
  return time({
    name,
    unit: 's',
    ours: seconds(figures.ours),
    baseline: seconds(figures.baseline),
    idle_mb: idle(figures.ours),
    baseline_idle_mb: idle(figures.baseline),
  })
}
