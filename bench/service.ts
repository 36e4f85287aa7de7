/** The hosted service as `npm start` builds it, but without the vendor's rate limits and the sandbox. A process of its own. */
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kinds } from '../src/connectors/index.ts'
import { createEngine } from '../src/engine/execute.ts'
import { openPlatform } from '../src/platform/platform.ts'
import { readSettings } from '../src/platform/settings.ts'
import { createServer } from '../src/surfaces/http/server.ts'
import { createLogger } from '../src/surfaces/logger.ts'
import { serve } from './child.ts'

const folder = mkdtempSync(join(tmpdir(), 'ferrule-bench-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const settings = readSettings(
  {
    FERRULE_DATA: folder,
    FERRULE_SANDBOX: 'off',
    FERRULE_RATE_LIMIT: '0',
    FERRULE_CONCURRENCY: '10000',
    FERRULE_CLIENT_ID: process.env['FERRULE_CLIENT_ID'],
    FERRULE_CLIENT_SECRET: process.env['FERRULE_CLIENT_SECRET'],
    FERRULE_ORIGINS: process.env['FERRULE_ORIGINS'],
  },
  { kinds: Object.keys(kinds) },
)
const served = Object.values(kinds)
const platform = await openPlatform({ settings, kinds: served })
const app = await createServer({
  platform,
  engine: createEngine({ limits: false, searchRefusal: 'context_store_unavailable' }),
  settings,
  kinds: served,
  logger: createLogger({ level: settings.logLevel }),
})
await app.listen({ host: '127.0.0.1', port: 0 })
serve({ port: (app.server.address() as AddressInfo).port }) // it listens on a port
