/** Nodes of the service over one PostgreSQL database, with a connector of the warehouse. */
import { snowflakeCredentials as known, type Sandbox } from '../../packages/sandbox/src/index.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { clientOf, type NodeClient, settingsFor, startNode } from './node.ts'

/** What nodes are started with. */
export interface InstallationOptions {
  readonly sandbox: Sandbox
  /** Name of the database, for readers of the server's log. */
  readonly name: string
  /** Milliseconds since 1970. */
  readonly clock?: () => number
  /** The setting FERRULE_OPERATION_SECONDS. */
  readonly operationSeconds?: number
  /** The setting FERRULE_PUBLIC_URL: MCP tokens are bound to it, on all nodes. */
  readonly publicUrl?: string
}

/** Clients of two nodes, and a connector that both serve. */
export interface Installation extends AsyncDisposable {
  readonly clients: readonly [NodeClient, NodeClient]
  readonly connectorId: string
  /** The database of both, for looks into it. */
  readonly databaseUrl: string
}

/** Body of a connector of the documented warehouse, beside its credentials. */
export const warehouseOptions = {
  connector_type: 'snowflake',
  replication_config: { account: known.account, database: known.database, warehouse: known.warehouse, role: known.role },
}
/** The documented credentials. */
export const warehouseCredentials = { programmatic_access_token: known.token }

/** Starts two nodes. */
export async function install({ sandbox, name, clock, operationSeconds = 60, publicUrl }: InstallationOptions): Promise<Installation> {
  await using undo = new AsyncDisposableStack()
  const { url, drop } = await createTestDatabase(name)
  undo.defer(drop)
  const env = {
    ...settingsFor(sandbox, ''),
    DATABASE_URL: url,
    FERRULE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    FERRULE_OPERATION_SECONDS: String(operationSeconds),
    ...(publicUrl === undefined ? {} : { FERRULE_PUBLIC_URL: publicUrl }),
  }
  const start = async (): Promise<NodeClient> => {
    const node = await startNode({ env, ...(clock === undefined ? {} : { clock }) })
    undo.defer(node.close)
    return clientOf(node)
  }
  const clients = [await start(), await start()] as const
  const connectorId = await clients[0].connect('warehouse', warehouseCredentials, warehouseOptions)
  const installed = undo.move()
  return { clients, connectorId, databaseUrl: url, [Symbol.asyncDispose]: () => installed.disposeAsync() }
}
