/** What a search is held against: the same SQL with the same values, by pgbench, or by named statements of `pg` where pgbench is missing. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { Pool } from 'pg'
import { searchSettings } from '../packages/server/src/copies/search/functions.ts'
import type { Statement, Value } from '../packages/server/src/copies/store/database/database.ts'

/** How statements are run. */
export interface BaselineOptions {
  readonly url: string
  readonly clients: number
  readonly seconds: number
}

/** Runs statements as often as the time allows. */
export interface Baseline {
  readonly name: 'pgbench' | 'pg'
  /** @returns milliseconds of each statement, as its client sees it; each of the statements has the same part in it */
  run(statements: readonly Statement[], options: BaselineOptions): Promise<readonly number[]>
}

/** The settings that the service's own sessions have. */
const settings = { ...searchSettings, random_page_cost: '1.1', work_mem: '32MB' }
const options = Object.entries(settings)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ')

const element = (value: unknown): string => (value === null ? 'NULL' : `"${String(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`)
const literal = (value: Value): string => (Array.isArray(value) ? `{${value.map(element).join(',')}}` : String(value))

/** One run of pgbench: a script of one statement, whose values are variables. It logs each statement's microseconds as the third word. */
async function pgbench({ text, values = [] }: Statement, folder: string, { url, clients, seconds }: BaselineOptions): Promise<number[]> {
  const [file, log] = [join(folder, 'search.sql'), join(folder, 'log')]
  // `::` before a name would be read as a variable of pgbench; a space between makes no difference to SQL.
  writeFileSync(file, `${text.replaceAll('::', ':: ').replace(/\$(\d+)/g, ':p$1')};\n`)
  const { hostname, port, username, password, pathname } = new URL(url)
  const variables = values.flatMap((value, index) => ['-D', `p${index + 1}=${literal(value)}`])
  const load = ['-n', '-M', 'prepared', '-c', String(clients), '-j', '1', '-T', String(seconds)]
  const child = spawn('pgbench', [...load, '-l', `--log-prefix=${log}`, '-f', file, ...variables, pathname.slice(1)], {
    env: { ...process.env, PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: decodeURIComponent(password), PGOPTIONS: options },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [problems, [code]] = await Promise.all([textOf(child.stderr), once(child, 'exit')])
  if (code !== 0) throw new Error(`pgbench: ${problems}`)
  const lines = readdirSync(folder)
    .filter((name) => name.startsWith('log'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'))
  return lines.map((line) => Number(line.split(' ')[2]) / 1_000)
}

/** Some of each, as many as there are of the fewest: statements that take longer come as often as the others. */
function evenly(all: readonly (readonly number[])[]): number[] {
  const least = Math.min(...all.map(({ length }) => length))
  return all.flatMap((times) => Array.from({ length: least }, (_, index) => times[Math.floor((index * times.length) / least)] ?? 0))
}

const byPgbench: Baseline = {
  name: 'pgbench',
  run: async (statements, given) => {
    const seconds = Math.max(1, Math.round(given.seconds / statements.length))
    const times: number[][] = []
    for (const statement of statements) {
      const folder = mkdtempSync(join(tmpdir(), 'ferrule-pgbench-'))
      times.push(await pgbench(statement, folder, { ...given, seconds }))
      rmSync(folder, { recursive: true, force: true })
    }
    return evenly(times)
  },
}

const byPg: Baseline = {
  name: 'pg',
  run: async (statements, { url, clients, seconds }) => {
    const pool = new Pool({ connectionString: url, max: clients, options })
    const times: number[] = []
    const end = performance.now() + seconds * 1_000
    const loop = async (first: number): Promise<void> => {
      for (let index = first; performance.now() < end; index += 1) {
        const { name = '', text = '', values = [] } = statements[index % statements.length] ?? {}
        const begin = performance.now()
        await pool.query({ name, text, values: values.map((value) => (Array.isArray(value) ? [...value] : value)) })
        times.push(performance.now() - begin)
      }
    }
    await Promise.all(Array.from({ length: clients }, (_, index) => loop(index)))
    await pool.end()
    return times
  },
}

/** The best that this machine has. */
export const findBaseline = (): Baseline => (spawnSync('pgbench', ['--version']).status === 0 ? byPgbench : byPg)
