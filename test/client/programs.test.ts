/** Runs one table of programs in both modes: what they print must be the same. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sandboxCredentials, snowflakeCredentials } from '../../packages/sandbox/src/index.ts'
import { onlyUsers, startCopyWorld, syncedConnector } from '../http/search-support.ts'
import { sandboxWarehouse } from '../http/snowflake-support.ts'
import { client, type World } from '../http/support.ts'
import { buildSourceEnvironment } from '../support/commands.ts'

const file = join(import.meta.dirname, 'programs/programs.mjs')

let world: World
beforeAll(async () => {
  world = await startCopyWorld('postgres')
  await syncedConnector(world, 'program copy', onlyUsers)
  await world.connect('program calls')
  await world.connect('program warehouse', sandboxWarehouse('program warehouse'))
}, 60_000)
afterAll(() => world.close())

/** The environment of both modes. */
const buildEnvironment = () => ({
  ...buildSourceEnvironment(),
  FERRULE_URL: world.url,
  FERRULE_CLIENT_ID: client.id,
  FERRULE_CLIENT_SECRET: client.secret,
  LOCAL_OPTIONS: JSON.stringify({
    gong: {
      credentials: { access_key: sandboxCredentials.accessKey, access_key_secret: sandboxCredentials.accessKeySecret },
      origin: world.sandbox.origins.gong,
      limits: false,
    },
    snowflake: {
      credentials: { programmatic_access_token: snowflakeCredentials.token },
      config: { account: 'sandbox-account', database: 'SANDBOX', warehouse: 'SANDBOX_WH', role: 'SANDBOX_ROLE' },
      origin: world.sandbox.origins.snowflake,
      limits: false,
    },
    callId: world.sandbox.gong.world.callId,
  }),
})

async function runPrograms(mode: 'local' | 'hosted'): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(process.execPath, [file, mode], { env: buildEnvironment(), maxBuffer: 64 * 1024 * 1024 })
  return JSON.parse(stdout)
}

test('programs print the same in both modes', { timeout: 60_000 }, async () => {
  const [{ search: noSearch, ...local }, { search, ...hosted }] = await Promise.all([runPrograms('local'), runPrograms('hosted')])
  expect(hosted).toEqual(local)
  expect(Object.keys(hosted)).toEqual(['list', 'walk', 'download', 'statement', 'abort', 'errors'])
  expect(noSearch).toBe('needs a service')
  expect(search).toEqual({ found: true, exported: true })
  expect(local).toMatchObject({
    walk: { bounded: { code: 'page_budget_exhausted' } },
    download: { file: { status: 200 }, part: 10 },
    statement: { rows: 30_000, sum: String((30_000 * 29_999) / 2), several: true, exact: [['12345678901234567890']], inserted: 1 },
    abort: { walk: { message: 'the user left' }, early: { message: 'never wanted' } },
    errors: {
      parameter: { code: 'invalid_parameter' },
      missing: { code: 'record_not_found' },
      required: { code: 'missing_parameter' },
      selector: { code: 'media_selector_required' },
      entity: { code: 'entity_not_found' },
      action: { code: 'action_not_supported' },
      options: { code: 'validation_failed', places: ['/deadlineMs'] },
    },
  })
})
