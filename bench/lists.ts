/** Lists and status over HTTP with 10,000 connectors in one organization and as many in others, against the same service with a hundred. */
import { sql } from 'kysely'
import { Client } from 'undici'
import { Secret } from '../packages/ferrule/src/engine/credentials/source.ts'
import { openPostgres } from '../packages/server/src/db/postgres.ts'
import { connectorId, fillMany, workspaceId } from '../test/support/many-connectors.ts'
import { startCluster } from '../test/support/postgres-cluster.ts'
import { type Child, start } from './child.ts'
import { connectTo, serviceCredentials } from './hosted.ts'
import { type Result, time } from './result.ts'
import { alternate, type Effort, median } from './rounds.ts'

const [many, few] = [10_000, 100]
const connectors = '/api/v1/integrations/connectors'

/** What is asked for, by the name of its result. */
const paths: Readonly<Record<string, string>> = {
  connectors,
  'connectors-100': `${connectors}?limit=100`,
  'connectors-of-workspace': `${connectors}?workspace_id=${workspaceId}`,
  'connectors-of-kind': `${connectors}?connector_type=shopify`,
  overview: '/api/v1/overview',
  'unfinished-syncs': '/api/v1/syncs',
  workspaces: '/api/v1/workspaces',
  'workspaces-named': '/api/v1/workspaces?name_contains=space%207',
  organizations: '/api/v1/organizations',
  status: `${connectors}/${connectorId}/context_store`,
  syncs: `${connectors}/${connectorId}/syncs`,
  ready: '/health/ready',
}

interface Side {
  readonly child: Child
  readonly client: Client
  readonly headers: Readonly<Record<string, string>>
}

async function startSide(cluster: string, count: number, stack: AsyncDisposableStack): Promise<Side> {
  const admin = openPostgres({ url: new Secret(cluster) })
  const create = async (name: string): Promise<string> => {
    await sql.raw(`create database ${name} template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8'`).execute(admin.db)
    return Object.assign(new URL(cluster), { pathname: `/${name}` }).href
  }
  const [url, context] = [await create(`platform_${count}`), await create(`context_${count}`)]
  await admin.close()
  const env = { DATABASE_URL: url, CONTEXT_DATABASE_URL: context, FERRULE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }
  const child = stack.use(await start('service.ts', { ...serviceCredentials, ...env }))
  const { headers } = await connectTo(child, { connector_type: 'gong', credentials: { access_key: 'key', access_key_secret: 'secret' } })
  const database = openPostgres({ url: new Secret(url) })
  const { organization_id: organizationId } = await database.db.selectFrom('connectors').select('organization_id').executeTakeFirstOrThrow()
  await fillMany(database, { organizationId, connectors: count })
  await database.close()
  const client = new Client(child.origin)
  stack.defer(() => client.close())
  return { child, client, headers }
}

interface Round {
  readonly ms: number
  readonly longestMs: number
  readonly cpu: number
}

/** Asks one request after the other. */
async function ask({ child, client, headers }: Side, path: string, seconds: number): Promise<Round> {
  const times: number[] = []
  const before = await child.usage()
  for (const end = performance.now() + seconds * 1_000; performance.now() < end; ) {
    const begin = performance.now()
    const answer = await client.request({ path, method: 'GET', headers })
    const text = await answer.body.text()
    times.push(performance.now() - begin)
    if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${text.slice(0, 200)}`)
  }
  const after = await child.usage()
  const sorted = times.toSorted((one, other) => one - other)
  const longestMs = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN
  return { ms: median(times), longestMs, cpu: (after.cpu - before.cpu) / times.length }
}

/** Median time of each request, with its 99th percentile and the CPU time of the service. */
export async function* lists(effort: Effort): AsyncIterable<Result> {
  await using stack = new AsyncDisposableStack()
  const cluster = await startCluster()
  stack.defer(() => cluster.stop())
  const sides = { ours: await startSide(cluster.url, many, stack), baseline: await startSide(cluster.url, few, stack) }
  for (const [name, path] of Object.entries(paths)) {
    const { ours, baseline } = await alternate(sides, effort, (side) => ask(side, path, effort.seconds))
    const middle = (rounds: readonly Round[], of: (round: Round) => number) => median(rounds.map(of))
    const cpu = { ours: middle(ours, (round) => round.cpu), baseline: middle(baseline, (round) => round.cpu) }
    yield time({
      name: `lists-${name}`,
      unit: 'ms',
      ours: middle(ours, (round) => round.ms),
      baseline: middle(baseline, (round) => round.ms),
      ours_p99_ms: middle(ours, (round) => round.longestMs),
      ours_cpu_us: cpu.ours,
      baseline_cpu_us: cpu.baseline,
      cpu_ratio: cpu.baseline / cpu.ours,
    })
  }
}
