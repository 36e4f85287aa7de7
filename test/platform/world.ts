import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, onTestFinished } from 'vitest'
import { sandboxValues } from '../../packages/ferrule/src/document/sandbox-values.ts'
import { type CredentialValues, Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import type { FerruleError } from '../../packages/ferrule/src/errors.ts'
import type { Database } from '../../packages/server/src/db/database.ts'
import { openPostgres } from '../../packages/server/src/db/postgres.ts'
import { openSqlite } from '../../packages/server/src/db/sqlite.ts'
import { openPlatform, type PlatformOptions } from '../../packages/server/src/main/platform.ts'
import type { Platform } from '../../packages/server/src/main/platform-types.ts'
import { readSettings } from '../../packages/server/src/main/settings/settings.ts'
import type { Principal } from '../../packages/server/src/values/access.ts'
import { createStubEngine } from '../support/engines.ts'
import { createTestDatabase, databasesOfStatements, databasesUnderTest } from '../support/postgres.ts'
import { keyPair, notes, stall } from './kinds.ts'

export { keyPair, notes, oauth, stall } from './kinds.ts'

/** Both databases that the platform runs on. */
export type DatabaseName = 'sqlite' | 'postgres'

/** An installation: its database, its settings and a clock that only the test moves. */
export interface World {
  readonly database: DatabaseName
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  now: number
  /** Opens the platform; closing the world closes it. */
  open(options?: Partial<PlatformOptions> & { readonly env?: Readonly<Record<string, string>> }): Promise<Platform>
  /** Opens the database beside the platform. */
  raw(): Database
  close(): Promise<void>
}

/** Returns a master key for the settings. */
export const masterKey = (byte: number): string => Buffer.alloc(32, byte).toString('base64')

/** Returns the URL by which a database is reached, for example through a pooler. */
export type Through = (url: string) => string

/** Creates an empty installation. */
export async function createWorld(database: DatabaseName, name: string, through: Through = (url) => url): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-platform-'))
  const server = database === 'postgres' ? await createTestDatabase(name) : undefined
  const env: Record<string, string> = { FERRULE_DATA: join(folder, 'data'), FERRULE_SANDBOX: 'on' }
  if (server !== undefined) Object.assign(env, { DATABASE_URL: through(server.url), FERRULE_MASTER_KEY: masterKey(1) })
  const opened: { close(): Promise<void> }[] = []
  const world: World = {
    database,
    folder: join(folder, 'data'),
    env,
    now: Date.parse('2026-03-01T12:00:00Z'),
    open: async ({ env: more, ...options } = {}) => {
      const settings = readSettings({ ...env, ...more }, { kinds: ['notes', 'market-stall'] })
      // Waiting moves the clock; the turn of the event loop lets other work continue, as a real wait does.
      const sleep = async (milliseconds: number) => {
        world.now += milliseconds
        await new Promise((resolve) => setImmediate(resolve))
      }
      const platform = await openPlatform({
        settings,
        kinds: [notes, stall],
        standIns: ['notes', ...Object.keys(sandboxValues)],
        engine: () => createStubEngine(),
        clock: () => world.now,
        sleep,
        ...options,
      })
      opened.push(platform)
      return platform
    },
    raw: () => {
      const raw =
        server === undefined ? openSqlite(join(folder, 'data'), { exclusive: false }) : openPostgres({ url: new Secret(server.url) })
      opened.push(raw)
      return raw
    },
    close: async () => {
      for (const each of opened) await each.close()
      await server?.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return world
}

/** Creates an empty installation for one test, which closes it at its end. */
export async function createWorldOfTest(database: DatabaseName, name: string): Promise<World> {
  const world = await createWorld(database, name)
  onTestFinished(() => world.close())
  return world
}

/** Runs a suite over both databases. */
export const overBoth = (name: string, suite: (database: DatabaseName) => void | Promise<void>): void =>
  describe.each(databasesUnderTest(['sqlite', 'postgres']))(`${name} on %s`, suite)

/** Runs a suite over PostgreSQL, in `npm run soak` over SQLite too: all tests over HTTP, of the command and of the pages run on SQLite. */
export const overServer = (name: string, suite: (database: DatabaseName) => void | Promise<void>): void =>
  describe.each(databasesOfStatements(['sqlite', 'postgres']))(`${name} on %s`, suite)

/** Opens another process or node over the same database. */
export const openBeside = (world: World, options: Parameters<World['open']>[0] = {}): Promise<Platform> =>
  world.open({ role: world.database === 'sqlite' ? 'administration' : 'service', ...options })

/** Returns the principal of the first application, from a platform in its first start. */
export async function firstPrincipal(platform: Platform): Promise<Principal> {
  const { clientId, clientSecret } = platform.first
  const token = await platform.tokens.issueApplicationToken({ clientId, clientSecret: clientSecret?.reveal() ?? '' })
  return platform.tokens.authenticate(token.access_token, platform.first.organizationId)
}

/** Creates a principal in a new organization. */
export async function newTenant(platform: Platform, first: Principal, name = 'Tenant'): Promise<Principal> {
  const organization = await platform.organizations.create(first, { name })
  return { ...first, organizationId: organization.id }
}

/** Creates a principal of one workspace, through a real token. */
export async function scopedPrincipal(platform: Platform, principal: Principal, workspace: string): Promise<Principal> {
  const { token } = await platform.tokens.issueScopedToken(principal, { workspace_name: workspace })
  return platform.tokens.authenticate(token, undefined)
}

/** Returns a valid body of a connector; members can be replaced. */
export const connectorBody = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  workspace_name: 'default',
  create_workspace: true,
  name: 'Notes of sales',
  connector_type: 'notes',
  credentials: keyPair,
  ...more,
})

/** Body of a connector of the kind `market-stall`, for `create`. */
export const stallBody = (more: Record<string, unknown> = {}) =>
  connectorBody({ connector_type: 'market-stall', credentials: { token: 't' }, replication_config: { stall: 'fruit' }, ...more })

/** Opens the credentials of a connector. */
export async function openCredentials(platform: Platform, principal: Principal, id: string): Promise<CredentialValues> {
  const { connection } = await platform.connectors.readAccess(principal, id)
  return (await connection.credentials.open()).values.reveal()
}

/** Returns the error of a rejected promise as `code: message`; fails when the promise is fulfilled. */
export const refusal = async (work: Promise<unknown> | (() => Promise<unknown>)): Promise<string> => {
  try {
    await (typeof work === 'function' ? work() : work)
  } catch (error) {
    const { code, message } = error as FerruleError // another error has no code, and the comparison shows it
    return `${code}: ${message}`
  }
  throw new Error('it was not refused')
}

/** Wraps credentials for exchanges. */
export const secretOf = (values: CredentialValues): Secret<CredentialValues> => new Secret(values)
