/** A service with connectors of the sandbox for the table of programs, and what the programs must print. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { sandboxCredentials, snowflakeCredentials } from '../../../packages/sandbox/src/index.ts'
import { onlyUsers, startCopyWorld, syncedConnector } from '../../http/search-support.ts'
import { sandboxWarehouse } from '../../http/snowflake-support.ts'
import { client, type World } from '../../http/support.ts'

/** Modes of a program. */
export type Mode = 'local' | 'hosted'
/** What a program printed. */
export type Printed = Readonly<Record<string, unknown>>

/** Starts the service. Close it in `afterAll`. */
export async function startProgramWorld(): Promise<World> {
  const world = await startCopyWorld('postgres')
  await syncedConnector(world, 'program copy', onlyUsers)
  await world.connect('program calls')
  await world.connect('program warehouse', sandboxWarehouse('program warehouse'))
  return world
}

/** Builds the environment of both modes. */
export const buildProgramEnvironment = ({ url, sandbox }: World): Readonly<Record<string, string>> => ({
  FERRULE_URL: url,
  FERRULE_CLIENT_ID: client.id,
  FERRULE_CLIENT_SECRET: client.secret,
  LOCAL_OPTIONS: JSON.stringify({
    gong: {
      credentials: { access_key: sandboxCredentials.accessKey, access_key_secret: sandboxCredentials.accessKeySecret },
      origin: sandbox.origins.gong,
      limits: false,
    },
    snowflake: {
      credentials: { programmatic_access_token: snowflakeCredentials.token },
      config: { account: 'sandbox-account', database: 'SANDBOX', warehouse: 'SANDBOX_WH', role: 'SANDBOX_ROLE' },
      origin: sandbox.origins.snowflake,
      limits: false,
    },
    callId: sandbox.gong.world.callId,
  }),
})

/** A command that runs the programs; the mode is its last argument. */
export interface ProgramCommand {
  readonly executable: string
  readonly args: readonly string[]
  readonly cwd?: string
  readonly env: Readonly<Record<string, string>>
}

/** Runs all programs in one mode. Returns what each printed. */
export async function runPrograms({ executable, args, cwd, env }: ProgramCommand, mode: Mode): Promise<Printed> {
  const { stdout } = await promisify(execFile)(executable, [...args, mode], { cwd, env, maxBuffer: 64 * 1024 * 1024 })
  return JSON.parse(stdout)
}

/** Expects that the programs did their work in hosted mode. */
export function expectHosted({ search, ...printed }: Printed): void {
  expect(search).toEqual({ found: true, exported: true })
  expectWork(printed)
}

/** Expects that the programs did their work in local mode. */
export function expectLocal({ search, ...printed }: Printed): void {
  expect(search).toBe('needs a service')
  expectWork(printed)
}

function expectWork(printed: Printed): void {
  expect(Object.keys(printed)).toEqual(['list', 'walk', 'download', 'statement', 'abort', 'errors'])
  expect(printed).toMatchObject({
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
      options: { code: 'validation_failed', fields: ['/deadlineMs'] },
    },
  })
}
