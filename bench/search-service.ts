/** A service whose copies are filled by the benchmark: one large connector beside many small ones, and searches of them over HTTP. */
import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import type { ContextStoreSettings } from '../packages/server/src/copies/store/database/settings.ts'
import { ContextStore } from '../packages/server/src/copies/store/store.ts'
import { type Child, start } from './child.ts'
import { kind, recordsOf } from './store-records.ts'

/** How much is stored. */
export interface SearchSizes {
  /** Records of the large connector. */
  readonly records: number
  /** Small connectors beside it. */
  readonly connectors: number
  /** Records of each of them. */
  readonly smallRecords: number
}

/** A service with copies. */
export interface SearchService {
  readonly child: Child
  /** Ids of the two connectors that are searched. */
  readonly large: string
  readonly small: string
  /** A search; the records that it found. @throws when it is refused */
  search(connector: string, params: unknown): Promise<number>
  /** One of the service's other requests. */
  read(connector: string): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const batch = 1_000
const entity = 'calls'
const credentials = {
  FERRULE_OPERATOR_CLIENT_ID: '0195f3a0-0000-7000-8000-000000000001',
  FERRULE_OPERATOR_CLIENT_SECRET: 'a secret of the benchmark',
}

async function fill(store: ContextStore, connector: string, records: number): Promise<void> {
  const ref = { connector, kind: kind.kind, entity }
  for (let from = 0; from < records; from += batch)
    await store.writeBatch(ref, { records: recordsOf(from, Math.min(batch, records - from)), asked: Date.now() })
}

/** Fills a store, and leaves it as the upkeep of a running service would. */
async function fillAll(
  settings: ContextStoreSettings,
  { large, small }: { large: string; small: string },
  sizes: SearchSizes,
): Promise<void> {
  const store = new ContextStore({ settings, kinds: [kind] })
  const others = Array.from({ length: Math.max(0, sizes.connectors - 1) }, () => randomUUID())
  await fill(store, large, sizes.records)
  for (const connector of [small, ...others]) await fill(store, connector, sizes.smallRecords)
  const database = await store.openDatabase()
  await database.withConnection((run) => run({ text: 'vacuum (analyze)' }), { timeoutMs: 1_800_000 })
  await store.close()
}

const json = { 'content-type': 'application/json' }

interface Client {
  post(path: string, body: unknown): Promise<string>
  get(path: string): Promise<string>
  close(): Promise<void>
}

async function clientOf({ origin }: Child): Promise<Client> {
  const pool = new Pool(origin, { connections: 16 })
  const send = async (path: string, { body, headers }: { body?: unknown; headers: Record<string, string> }): Promise<string> => {
    const sent = body === undefined ? { method: 'GET' as const } : { method: 'POST' as const, body: JSON.stringify(body) }
    const answer = await pool.request({ path, headers, ...sent })
    const text = await answer.body.text()
    if (answer.statusCode >= 300) throw new Error(`${path} answered ${answer.statusCode}: ${text.slice(0, 1_000)}`)
    return text
  }
  const secrets = { client_id: credentials.FERRULE_OPERATOR_CLIENT_ID, client_secret: credentials.FERRULE_OPERATOR_CLIENT_SECRET }
  const issue = async (): Promise<Record<string, string>> => {
    const token = JSON.parse(await send('/api/v1/account/applications/token', { body: secrets, headers: json }))
    return { ...json, authorization: `Bearer ${token.access_token}` }
  }
  let headers = await issue()
  const renewal = setInterval(() => {
    issue().then(
      (issued) => {
        headers = issued
      },
      () => undefined, // the next request shows it
    )
  }, 300_000)
  return {
    post: (path, body) => send(path, { body, headers }),
    get: (path) => send(path, { headers }),
    close: () => {
      clearInterval(renewal)
      return pool.close()
    },
  }
}

const connectors = '/api/v1/integrations/connectors'
const newConnector = async (client: Client, name: string): Promise<string> => {
  const gong = { connector_type: 'gong', credentials: { access_key: 'key', access_key_secret: 'secret' } }
  const body = { workspace_name: 'default', name, check: false, ...gong }
  return JSON.parse(await client.post(connectors, body)).id
}

/**
 * Starts a service and fills its copies.
 * @param environment of the service: where the copies are
 * @param settings the same database, for filling
 */
export async function startSearchService(
  environment: Readonly<Record<string, string>>,
  settings: ContextStoreSettings,
  sizes: SearchSizes,
): Promise<SearchService> {
  await using stack = new AsyncDisposableStack()
  const child = stack.use(await start('service.ts', { ...credentials, ...environment }))
  const client = await clientOf(child)
  stack.defer(() => client.close())
  const large = await newConnector(client, 'large')
  const small = await newConnector(client, 'small')
  await fillAll(settings, { large, small }, sizes)
  const kept = stack.move()
  return {
    child,
    large,
    small,
    search: async (connector, params) => {
      // Nothing was synced here, so the copy counts as one that is being filled; it is looked up all the same.
      const body = { entity, action: 'context_store_search', params, allow_partial: true }
      const text = await client.post(`${connectors}/${connector}/execute`, body)
      return text.startsWith('{"data":[]') ? 0 : 1
    },
    read: async (connector) => void (await client.get(`${connectors}/${connector}`)),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
