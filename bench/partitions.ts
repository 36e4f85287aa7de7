/** A result of a million rows, walked through its parts by the library and over HTTP, against bare requests and JSON.parse. */
import { type Child, start } from './child.ts'
import { connectTo, serviceCredentials } from './hosted.ts'
import { type Result, rate } from './result.ts'
import { type Effort, median } from './rounds.ts'
import { type Counted, configuration, counter, isWhole, statementOf, token } from './statements.ts'

const rows = 1_000_000
const megabyte = 1_000_000
/** A walk takes seconds by itself, so fewer rounds do. */
const maxRounds = 3

/** A way to walk. */
interface Side {
  readonly child: Child
  readonly walk: (rows: number) => Promise<Counted>
}

/** What one walk gave. */
interface Walked {
  /** Rows a second. */
  readonly speed: number
  /** How much larger the process became, in megabytes. */
  readonly grew: number
}

async function walked({ child, walk }: Side, wanted: number): Promise<Walked> {
  const { rss } = await child.usage()
  const begin = performance.now()
  const counted = await walk(wanted)
  const seconds = (performance.now() - begin) / 1000
  if (!isWhole(counted, wanted)) throw new Error(`a walk over ${wanted} rows met ${counted.rows}`)
  const { peak } = await child.usage()
  return { speed: wanted / seconds, grew: (peak - rss) / megabyte }
}

const byChild = (child: Child): Side => ({
  child,
  walk: async (wanted) => (await (await fetch(`${child.origin}/?rows=${wanted}`)).json()) as Counted, // see walker.ts
})

/** The part of an answer that a plain client reads. */
interface Page {
  readonly data: { readonly data: readonly (readonly (string | null)[])[] }
  readonly meta: {
    readonly next_operation: { readonly entity: string; readonly action: string } | null
    readonly next_params: object | null
  }
}

/** A client of the service, which sends what `next_operation` and `next_params` say. */
async function byService(child: Child): Promise<Side> {
  const connector = {
    connector_type: 'snowflake',
    credentials: { programmatic_access_token: token },
    replication_config: configuration,
  }
  const { headers, url } = await connectTo(child, connector)
  const walk = async (wanted: number): Promise<Counted> => {
    const { count, counted } = counter()
    let call: object | null = { entity: 'record', action: 'list', params: { statement: statementOf(wanted) } }
    while (call !== null) {
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(call) })
      if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
      const { data, meta } = (await answer.json()) as Page // the shapes of our own API
      for (const [number] of data.data) count(number)
      call = meta.next_operation === null ? null : { ...meta.next_operation, params: meta.next_params }
    }
    return counted()
  }
  return { child, walk }
}

/**
 * Runs the benchmark. `first_grew_mb` and its like are the growth of each process in its first walk, in which V8 takes its allowances
 * for what waits for a collection; `grew_mb` the largest of the others: whether memory grows with what passes.
 */
export async function partitions({ rounds }: Effort): Promise<Result> {
  await using stack = new AsyncDisposableStack()
  const vendor = stack.use(await start('warehouse.ts'))
  const walker = async (kind: string) => byChild(stack.use(await start('walker.ts', { BENCH_VENDOR: vendor.origin, BENCH_WALK: kind })))
  const origins = { FERRULE_ORIGINS: JSON.stringify({ snowflake: vendor.origin }) }
  const service = stack.use(await start('service.ts', { ...serviceCredentials, ...origins }))
  const sides = { library: await walker('library'), hosted: await byService(service), bare: await walker('bare') }
  const met: Record<keyof typeof sides, Walked[]> = { library: [], hosted: [], bare: [] }
  const names = ['bare', 'library', 'hosted'] as const
  for (const name of names) met[name].push(await walked(sides[name], rows))
  for (let round = 0; round < Math.min(rounds, maxRounds); round++)
    for (const name of round % 2 === 0 ? names : names.toReversed()) met[name].push(await walked(sides[name], rows))
  const speed = (name: keyof typeof sides) => median(met[name].slice(1).map((each) => each.speed))
  const grew = (name: keyof typeof sides) => Math.max(...met[name].slice(1).map((each) => each.grew))
  const first = (name: keyof typeof sides) => met[name][0]?.grew ?? Number.NaN
  return rate({
    name: 'partitions',
    unit: 'rows/s',
    ours: speed('library'),
    baseline: speed('bare'),
    hosted: speed('hosted'),
    grew_mb: grew('library'),
    hosted_grew_mb: grew('hosted'),
    baseline_grew_mb: grew('bare'),
    first_grew_mb: first('library'),
    hosted_first_grew_mb: first('hosted'),
    baseline_first_grew_mb: first('bare'),
  })
}
