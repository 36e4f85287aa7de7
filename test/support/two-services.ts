/** Starts two services over one PostgreSQL server, whose connectors reach the stand-in of Gong with its limits. */

import { join } from 'node:path'
import pg from 'pg'
import { type Sandbox, sandboxCredentials, startSandbox } from '../../packages/sandbox/src/index.ts'
import { startService } from '../../packages/server/src/index.ts'
import { clientOf, type NodeClient, settingsFor } from '../faults/node.ts'
import { createTestDatabase } from './postgres.ts'

/** Two services with a connector of the same credentials on each. */
export interface TwoServices extends AsyncDisposable {
  readonly sandbox: Sandbox
  readonly clients: readonly [NodeClient, NodeClient]
  readonly connectorIds: readonly [string, string]
  /** Lists the calls that each stored budget of the vendor counts. */
  listCalls(): Promise<readonly number[]>
}

/** Starts them. @param folder for their data */
export async function startTwoServices(name: string, folder: string): Promise<TwoServices> {
  await using undo = new AsyncDisposableStack()
  const sandbox = undo.use(await startSandbox())
  const [platform, context] = [await createTestDatabase(name), await createTestDatabase(`${name} context`)]
  undo.defer(platform.drop)
  undo.defer(context.drop)
  const start = async (node: string): Promise<NodeClient> => {
    const service = await startService({
      ...settingsFor(sandbox, join(folder, node)),
      DATABASE_URL: platform.url,
      CONTEXT_DATABASE_URL: context.url,
      FERRULE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      FERRULE_ROLE: 'api',
      FERRULE_LOG_LEVEL: 'silent',
      FERRULE_HOST: '127.0.0.1',
    })
    undo.defer(() => service.close())
    return clientOf(service)
  }
  const clients = [await start('one'), await start('two')] as const
  const { accessKey, accessKeySecret } = sandboxCredentials
  const credentials = { access_key: accessKey, access_key_secret: accessKeySecret }
  const connectorIds = [await clients[0].connect('one', credentials), await clients[1].connect('two', credentials)] as const
  const database = new pg.Client({ connectionString: platform.url })
  await database.connect()
  undo.defer(() => database.end())
  const listCalls = async () => {
    const { rows } = await database.query<{ readonly total: string }>('select total from vendor_budgets')
    return rows.map(({ total }) => Number(total))
  }
  const kept = undo.move()
  return { sandbox, clients, connectorIds, listCalls, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}
