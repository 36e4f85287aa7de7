/** The hosted service as `npm start` builds it, but without the vendor's rate limits, the sandbox and syncs. A process of its own. */
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kinds } from '../packages/ferrule/src/connectors/index.ts'
import { createEngine } from '../packages/ferrule/src/engine/call/execute.ts'
import { createServer } from '../packages/server/src/http/server.ts'
import { createContextServices, openContext } from '../packages/server/src/main/context-store.ts'
import { createLogger } from '../packages/server/src/main/logger.ts'
import { createMetrics } from '../packages/server/src/main/metrics.ts'
import { openPlatform } from '../packages/server/src/main/platform.ts'
import { readSettings } from '../packages/server/src/main/settings/settings.ts'
import { serve } from './child.ts'

const folder = mkdtempSync(join(tmpdir(), 'ferrule-bench-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const settings = readSettings(
  {
    FERRULE_DATA: folder,
    FERRULE_SANDBOX: 'off',
    FERRULE_RATE_LIMIT: '0',
    FERRULE_MCP_RATE_LIMIT: '0',
    FERRULE_CONCURRENCY: '10000',
    FERRULE_OPERATOR_CLIENT_ID: process.env['FERRULE_OPERATOR_CLIENT_ID'],
    FERRULE_OPERATOR_CLIENT_SECRET: process.env['FERRULE_OPERATOR_CLIENT_SECRET'],
    FERRULE_ORIGINS: process.env['FERRULE_ORIGINS'],
    FERRULE_CONTEXT_INDEXES: process.env['FERRULE_CONTEXT_INDEXES'],
    FERRULE_CONTEXT_FOLDER: process.env['FERRULE_CONTEXT_FOLDER'],
    FERRULE_CONTEXT_SEARCHES: process.env['FERRULE_CONTEXT_SEARCHES'],
    FERRULE_SEARCH_SECONDS: process.env['FERRULE_SEARCH_SECONDS'],
    DATABASE_URL: process.env['DATABASE_URL'],
    FERRULE_MASTER_KEY: process.env['FERRULE_MASTER_KEY'],
    CONTEXT_DATABASE_URL: process.env['CONTEXT_DATABASE_URL'],
  },
  { kinds: Object.keys(kinds) },
)
const served = Object.values(kinds)
const logger = createLogger({ level: settings.logLevel })
const store = openContext({ settings, kinds: served, logger, platform: () => undefined })
const engine = () => createEngine({ limits: false, searchRefusal: 'context_store_unavailable' })
const platform = await openPlatform({ settings, kinds: served, contextStore: store, engine })
const metrics = createMetrics()
const { copies, vendorEventWorker } = createContextServices({ store, platform, settings, metrics, logger })
const app = await createServer({ platform, copies, metrics, settings, kinds: served, logger })
await app.listen({ host: '127.0.0.1', port: 0 })
if (process.env['BENCH_VENDOR_EVENTS'] === 'on') vendorEventWorker?.start()
// `kind entity connector`: begins this copy, which live reads and events fill from then on.
async function beginCopy(message: string): Promise<void> {
  const [kind = '', entity = '', connector = ''] = message.split(' ')
  await store.writeBatch({ connector, kind, entity }, { records: [], asked: 0 })
}
serve({ port: (app.server.address() as AddressInfo).port }, beginCopy) // it listens on a port
