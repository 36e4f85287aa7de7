/**
 * Files of our sources that one warmed call passes, by V8's precise coverage: what a reader of it has to open. The baseline is the bar
 * (docs/decisions/packages.md).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectorsPath, sandboxConnector, startWorld, type World } from '../test/http/support.ts'
import { type Result, time } from './result.ts'

/** Time for the background work of calls, in milliseconds. */
const restMs = 500

/** What a call passed. */
interface Passed {
  readonly files: number
  readonly functions: number
}

/** Counts what runs between two looks. Coverage begins before the sources are loaded, so each function counts its calls. */
class Coverage {
  readonly #session = new Session()

  async start(): Promise<void> {
    this.#session.connect()
    await this.#session.post('Profiler.enable')
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  }

  /** Runs a call three times, and counts the fourth, with the work that it leaves in the background. */
  async count(call: () => Promise<unknown>): Promise<Passed> {
    for (let turn = 0; turn < 3; turn += 1) await call()
    await sleep(restMs)
    await this.#session.post('Profiler.takePreciseCoverage') // sets the counts to zero
    await call()
    await sleep(restMs)
    const { result } = await this.#session.post('Profiler.takePreciseCoverage')
    const counts = result
      .filter(({ url }) => /\/packages\/(ferrule|server)\/src\//.test(url))
      .map(({ functions }) => functions.filter(({ ranges: [whole] }) => whole !== undefined && whole.count > 0).length)
      .filter((functions) => functions > 0)
    return { files: counts.length, functions: counts.reduce((sum, functions) => sum + functions, 0) }
  }
}

async function expectOk(answer: ReturnType<World['ask']>): Promise<void> {
  const { status, text } = await answer
  if (status >= 300) throw new Error(`a call of the benchmark was answered with ${status}: ${text}`)
}

/** Counts a list, a search, a creation and a sync of hosted connectors in the sandbox. `list-copied` is a list that writes the copy as well. */
export async function* flows(): AsyncIterable<Result> {
  const coverage = new Coverage()
  await coverage.start()
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-flows-'))
  const world = await startWorld({ context: { engine: 'embedded', folder, memoryMb: 16, waiting: 100, searchSeconds: 10 } })
  const connect = async (name: string) => `${connectorsPath}/${await world.connect(name, { entities: [{ entity: 'users' }] })}`
  const execute = (path: string, body: object) => expectOk(world.ask(`${path}/execute`, { token: world.token, body }))
  const list = (path: string) => execute(path, { entity: 'users', action: 'list' })
  const uncopied = await connect('uncopied')
  yield* report(coverage, 'list', 55, () => list(uncopied))
  const copied = await connect('copied')
  await world.context.sync()
  yield* report(coverage, 'list-copied', 55, () => list(copied))
  const params = { query: { filter: { fuzzy: { title: 'a' } } } }
  yield* report(coverage, 'search', 55, () => execute(copied, { entity: 'users', action: 'context_store_search', params }))
  let created = 0
  yield* report(coverage, 'creation', 65, () => {
    created += 1
    const body = { ...sandboxConnector(`flow ${created}`), check: true, entities: [{ entity: 'users' }] }
    return expectOk(world.ask(connectorsPath, { token: world.token, body }))
  })
  yield* report(coverage, 'sync', 95, async () => {
    await expectOk(world.ask(`${copied}/syncs`, { token: world.token, body: { mode: 'full' } }))
    world.clock.now += 2_000
    await world.context.sync()
  })
  await world.close()
  rmSync(folder, { recursive: true, force: true })
}

async function* report(coverage: Coverage, name: string, bar: number, call: () => Promise<unknown>): AsyncIterable<Result> {
  const { files, functions } = await coverage.count(call)
  yield time({ name: `flow-${name}`, unit: 'files', ours: files, baseline: bar, functions })
}
