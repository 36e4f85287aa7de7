/** One node of the service. The vendor's rate is not watched: a storm would otherwise pass at three calls a second. */
import { kinds as kindTable } from '../../packages/ferrule/src/connectors/index.ts'
import { createEngine } from '../../packages/ferrule/src/engine/call/execute.ts'
import type { Sandbox } from '../../packages/sandbox/src/index.ts'
import { createServer } from '../../packages/server/src/http/server.ts'
import { createLogger } from '../../packages/server/src/main/logger.ts'
import { createMetrics } from '../../packages/server/src/main/metrics.ts'
import { openPlatform } from '../../packages/server/src/main/platform.ts'
import { readSettings } from '../../packages/server/src/main/settings/settings.ts'
import type { Json } from '../http/support.ts'
import { ask } from './client.ts'

const client = { id: 'faults', secret: 'a-secret-for-tests' } as const
const kinds = Object.values(kindTable)

/** What a node is started with. */
export interface NodeOptions {
  /** Settings beside the defaults of a test. */
  readonly env: Readonly<Record<string, string>>
  /** Milliseconds since 1970. */
  readonly clock?: () => number
}

/** A node that listens. */
export interface ServiceNode {
  readonly url: string
  close(): Promise<void>
}

/** Settings of a node whose vendor is this sandbox. @param folder of the embedded database; unused with DATABASE_URL */
export const settingsFor = ({ origins }: Pick<Sandbox, 'origins'>, folder: string): Readonly<Record<string, string>> => ({
  FERRULE_DATA: folder,
  FERRULE_PORT: '0',
  FERRULE_RATE_LIMIT: '0',
  FERRULE_SANDBOX: 'off',
  FERRULE_OPERATOR_CLIENT_ID: client.id,
  FERRULE_OPERATOR_CLIENT_SECRET: client.secret,
  FERRULE_ORIGINS: JSON.stringify({ gong: origins.gong, 'tiktok-marketing': origins['tiktok-marketing'], snowflake: origins.snowflake }),
})

/** Starts a node. Errors of the service are logged to standard error. */
export async function startNode({ env, clock = Date.now }: NodeOptions): Promise<ServiceNode> {
  const settings = readSettings(env, { kinds: Object.keys(kindTable) })
  const platform = await openPlatform({ settings, kinds, clock, engine: () => createEngine({ limits: false, clock }) })
  const app = await createServer({
    platform,
    settings,
    kinds,
    clock,
    metrics: createMetrics(),
    logger: createLogger({ level: 'error' }),
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    url,
    close: async () => {
      app.server.closeAllConnections()
      await app.close()
      await platform.close()
    },
  }
}

/** What a client of a node does. */
export interface NodeClient {
  /** Makes a connector and returns its id. @param more what differs from a connector of Gong without configuration */
  connect(name: string, credentials: Readonly<Record<string, string>>, more?: Readonly<Record<string, unknown>>): Promise<string>
  /** Gets another token: one ends after 15 minutes of the node's clock, which a test may hasten. */
  renew(): Promise<void>
  /** Address and head of an execute request. */
  execute(connectorId: string): { readonly url: string; readonly token: string }
  /** A connector as it is stored. */
  connector(id: string): Promise<Json>
}

/** Makes a client of a node, and gets its first token. */
export async function clientOf({ url }: Pick<ServiceNode, 'url'>): Promise<NodeClient> {
  let token = ''
  const renew = async (): Promise<void> => {
    const body = { client_id: client.id, client_secret: client.secret }
    const { json } = await ask({ url: `${url}/api/v1/account/applications/token`, body })
    token = String(json.access_token)
  }
  await renew()
  const connectors = `${url}/api/v1/integrations/connectors`
  return {
    renew,
    connect: async (name, credentials, more = {}) => {
      const body = { workspace_name: 'default', check: false, connector_type: 'gong', name, credentials, ...more }
      const made = await ask({ url: connectors, token, body })
      if (made.status >= 300) throw new Error(`The connector was not made: ${made.text}`)
      return String(made.json.id)
    },
    execute: (id) => ({ url: `${connectors}/${id}/execute`, token }),
    connector: async (id) => (await ask({ url: `${connectors}/${id}`, token })).json,
  }
}
