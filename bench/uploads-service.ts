/** The whole service with its thread for uploads, for `uploads.ts`. A process of its own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startService } from '../packages/server/src/index.ts'
import { serve } from './child.ts'

const folder = mkdtempSync(join(tmpdir(), 'ferrule-bench-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const { url } = await startService({
  ...{ FERRULE_DATA: folder, FERRULE_PORT: '0', FERRULE_SANDBOX: 'off', FERRULE_LOG_LEVEL: 'silent', FERRULE_RATE_LIMIT: '0' },
  FERRULE_OPERATOR_CLIENT_ID: process.env['FERRULE_OPERATOR_CLIENT_ID'],
  FERRULE_OPERATOR_CLIENT_SECRET: process.env['FERRULE_OPERATOR_CLIENT_SECRET'],
})
serve({ port: Number(new URL(url).port) })
