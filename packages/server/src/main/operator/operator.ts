/** The command `ferrule-server`: the service, and the operator's commands beside it. */

import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import { FerruleError } from 'ferrule'
import { createEngine, type Secret } from 'ferrule/engine'
import { fail, isErrorCode, isObject } from 'ferrule/internal'
import { exportFormatNames } from 'ferrule/wire'
import { type ServedKind, summarize } from '../../connectors/connector-types.ts'
import type { OwnKindSummary } from '../../connectors/kind-promotions.ts'
import { makeViews, removeViews, type ViewsResult } from '../../copies/store/views/views.ts'
import { openApiDocument } from '../../http/openapi/openapi.ts'
import { routes } from '../../http/routes/index.ts'
import type { ApplicationRecord, OrganizationReach } from '../../tenancy/applications/applications.ts'
import { viewOrganization } from '../../values/access.ts'
import { asId } from '../../values/ids.ts'
import { version } from '../../values/version.ts'
import { openContext } from '../context-store.ts'
import { findExitCode, formatFailure } from '../failure.ts'
import { readServedKinds } from '../kinds/served.ts'
import { createLogger } from '../logger.ts'
import { openPlatform } from '../platform.ts'
import type { Platform } from '../platform-types.ts'
import { serve } from '../serve.ts'
import { readSettings, type Settings } from '../settings/settings.ts'
import { describeSettings, settingsTable } from '../settings/table.ts'
import { showSecret } from './show-secret.ts'

const print = (text: string): void => void process.stdout.write(`${text}\n`)

const formatPair = (clientId: string, secret: Secret<string>): string =>
  `Client id ${clientId}, client secret ${showSecret(secret)} (shown this once: keep it)`

/** Pause between two looks for a database that does not answer, in milliseconds. */
const pauseMs = 1_000

/** The opened state, with what it was opened from. */
interface StateParts {
  readonly platform: Platform
  readonly settings: Settings
  readonly kinds: readonly ServedKind[]
}

/** Opens the state. A database that does not answer yet gets some seconds. @throws FerruleError `unavailable` afterwards */
async function open(waitSeconds: number): Promise<StateParts> {
  const kinds = await readServedKinds(process.env)
  const settings = readSettings(process.env, { kinds: kinds.map((each) => summarize(each).kind) })
  const until = performance.now() + waitSeconds * 1_000
  for (let looks = 0; ; looks += 1)
    try {
      return { platform: await openPlatform({ settings, kinds, engine: createEngine, role: 'administration' }), settings, kinds }
    } catch (thrown) {
      const isLast = performance.now() + pauseMs > until
      if (isLast || !(thrown instanceof FerruleError) || thrown.code !== 'unavailable') throw thrown
      if (looks === 0) process.stderr.write(`The database does not answer yet. Waiting for ${waitSeconds} seconds.\n`)
      await sleep(pauseMs)
    }
}

/** Opens the state for one command, and closes it after success and failure. */
async function withPlatform(run: (platform: Platform, parts: StateParts) => Promise<void>, waitSeconds = 0): Promise<void> {
  const parts = await open(waitSeconds)
  const { platform } = parts
  try {
    const { clientId, clientSecret } = platform.first
    if (clientSecret !== undefined) print(`First start. ${formatPair(clientId, clientSecret)}`)
    await run(platform, parts)
  } finally {
    await platform.close()
  }
}

const formatApplication = ({ client_id, name, organization_ids }: ApplicationRecord): string =>
  `${client_id}  ${name}  (${organization_ids.join(', ')})`

const createApplication = (name: string, { organization }: { readonly organization?: string }) =>
  withPlatform(async ({ applications, first }) => {
    const made = await applications.create({ name, organizationId: organization ?? first.organizationId })
    print(formatPair(made.clientId, made.clientSecret))
  })

const rotate = (clientId: string | undefined) =>
  withPlatform(async ({ applications }) => {
    const { clientId: id, clientSecret } = await applications.rotate(clientId)
    print(clientSecret === undefined ? `Client id ${id}, client secret of FERRULE_OPERATOR_CLIENT_SECRET` : formatPair(id, clientSecret))
  })

const formatOrganization = ({ id, name, client_ids }: OrganizationReach): string => `${id}  ${name}  (${client_ids.join(', ')})`

/** Builds `ferrule-server organizations …`. */
function buildOrganizationCommand(): Command {
  const command = new Command('organizations').description('organizations and their applications')
  command
    .command('list')
    .description('list organizations with the client ids of their applications')
    .action(() => withPlatform(async ({ applications }) => print((await applications.organizations()).map(formatOrganization).join('\n'))))
  return command
}

const grant = (clientId: string, organizationId: string) => withPlatform(({ applications }) => applications.grant(clientId, organizationId))
const revoke = (clientId: string, organizationId: string) =>
  withPlatform(({ applications }) => applications.revoke(clientId, organizationId))

/** Builds `ferrule-server applications …`. */
function buildApplicationCommand(): Command {
  const command = new Command('applications').description('applications: client ids and secrets')
  command
    .command('list')
    .description('list applications with the ids of their organizations')
    .action(() => withPlatform(async ({ applications }) => print((await applications.list()).map(formatApplication).join('\n'))))
  command
    .command('create')
    .description('create an application and show its secret once')
    .argument('<name>', 'display name')
    .option('--organization <id>', 'organization that the application may reach; default: the first one')
    .action(createApplication)
  command
    .command('grant')
    .description('let an application reach another organization')
    .argument('<client id>')
    .argument('<organization id>')
    .action(grant)
  command
    .command('revoke')
    .description('revoke a grant; issued tokens expire within 20 minutes')
    .argument('<client id>')
    .argument('<organization id>')
    .action(revoke)
  command
    .command('delete')
    .description('delete an application and its grants; issued tokens expire within 20 minutes')
    .argument('<client id>')
    .action((clientId) => withPlatform(({ applications }) => applications.delete(clientId)))
  command
    .command('rotate')
    .description('replace the secret of an application and show the new one once')
    .argument(
      '[client id]',
      'default: the first application, which gets the pair of FERRULE_OPERATOR_CLIENT_ID and _SECRET if they are set',
    )
    .action(rotate)
  return command
}

/** Reads a number of seconds, an hour at most. */
function readSeconds(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) <= 3_600) return Number(text)
  throw new InvalidArgumentError('It must be an integer from 0 to 3600.')
}

/** Builds `ferrule-server migrate`: opening the state does all of it. */
const buildMigrateCommand = (): Command =>
  new Command('migrate')
    .description('bring the tables of the state to this version, then end; nodes do the same when they start')
    .addOption(new Option('--wait <seconds>', 'time for a database that does not answer yet').default(60).argParser(readSeconds))
    .action(({ wait }: { readonly wait: number }) => withPlatform(async () => print('The tables are those of this version.'), wait))

/** Builds `ferrule-server vault …`. */
function buildVaultCommand(): Command {
  const command = new Command('vault').description('keys of the stored credentials')
  command
    .command('rotate-master-key')
    .description('wrap every data key with the current master key')
    .action(() => withPlatform(async ({ vault }) => print(`${(await vault.rotateMasterKey()).rewrapped} data keys wrapped again`)))
  command
    .command('rotate-data-keys')
    .description('create a new data key for each workspace and encrypt all credentials with it')
    .action(() => withPlatform(async ({ vault }) => print(`${(await vault.rotateDataKeys()).resealed} credentials encrypted again`)))
  return command
}

const refuseDatabase = (reason: string) => fail('setting_invalid', { name: 'CONTEXT_DATABASE_URL', reason })

const printStatements = (about: string, statements: readonly string[]): void =>
  print([about, ...statements.map((text) => `  ${text};`)].join('\n'))

function printResult(result: ViewsResult): void {
  switch (result.type) {
    case 'empty':
      throw refuseDatabase('nothing of this connector was ever stored; run this again after its first sync')
    case 'distributed':
      throw refuseDatabase('its tables are distributed by Citus, and views are for one machine; use exports or the feed of changes')
    case 'refused':
      process.exitCode = 1
      printStatements(
        `Nothing was made: the reader would also have ${result.rights.map(({ what }) => what).join(', ')}. Let an administrator of the database run:`,
        result.rights.map(({ remedy }) => remedy),
      )
      break
    case 'needs-administrator':
      process.exitCode = 1
      printStatements(
        'The user of the database may not create roles. Let an administrator run this, then run the command again:',
        result.statements,
      )
      break
    case 'made': {
      const { names, views, without, password } = result
      print(`The schema ${names.schema} has the views: ${views.join(', ') || 'none'}.`)
      if (without.length > 0) print(`Nothing was ever read of: ${without.join(', ')}. Run this again when one of them is synced.`)
      print(
        password === undefined
          ? `Reader ${names.reader}, with its password.`
          : `Reader ${names.reader}, password ${password} (shown this once: keep it)`,
      )
    }
  }
}

async function withStore(parts: StateParts, run: (store: ReturnType<typeof openContext>) => Promise<void>): Promise<void> {
  if (parts.settings.context.engine === 'embedded')
    throw refuseDatabase('views need the copy on a PostgreSQL server; the embedded database takes no connections')
  const store = openContext({ ...parts, logger: createLogger({ level: parts.settings.logLevel }), platform: () => parts.platform })
  try {
    await run(store)
  } finally {
    await store.close()
  }
}

const dropViewsOf = (connector: string, parts: StateParts): Promise<void> =>
  withStore(parts, async (store) => {
    const statements = await removeViews(await store.openDatabase(), connector)
    if (statements.length === 0) return print('The views and their roles are gone.')
    process.exitCode = 1
    return printStatements('The views are gone. Let an administrator drop their roles:', statements)
  })

const makeViewsOf = (connector: string, organization: string, parts: StateParts): Promise<void> =>
  withStore(parts, async (store) => {
    const { definition, own } = await parts.platform.connectors.readKind(viewOrganization(organization), connector)
    const { kind, entities } = definition
    const searchable = Object.keys(entities).filter((entity) => entities[entity]?.context_store_search !== undefined)
    const tables = searchable.map((entity) => store.getTable(kind, entity, own))
    printResult(await makeViews(await store.openDatabase(), connector, tables))
  })

const runViews = (given: string, { organization, drop: isDropped }: { readonly organization?: string; readonly drop?: true }) =>
  withPlatform(async (platform, parts) => {
    const connector = asId(given)
    if (connector === undefined) throw fail('connector_not_found', {})
    return isDropped ? dropViewsOf(connector, parts) : makeViewsOf(connector, organization ?? platform.first.organizationId, parts)
  })

/** Builds `ferrule-server views`. */
const buildViewsCommand = (): Command =>
  new Command('views')
    .description('make SQL views of a connector on PostgreSQL, with a role that may read only these')
    .argument('<connector id>')
    .option('--organization <id>', 'organization of the connector; default: the first one')
    .option('--drop', 'drop the views and their roles, also of a deleted connector')
    .addHelpText('after', '\nRun it again after an upgrade, and when more entities are synced.')
    .action(runViews)

interface ExportOptions {
  readonly url: string
  readonly organization?: string
  readonly format: string
  readonly formulas?: string
  readonly filter?: string
  readonly sort?: string
  readonly fields?: string
  readonly maxAge?: string
  readonly output?: string
}

const connectorsPath = '/api/v1/integrations/connectors'
const tokenPath = '/api/v1/account/applications/token'

/** Finds the address of the service: that of the client whose secret is sent, else that of the service with these settings. */
const findUrl = ({ FERRULE_URL: url, FERRULE_PUBLIC_URL: publicUrl, FERRULE_PORT: port }: NodeJS.ProcessEnv): string =>
  url || publicUrl || `http://127.0.0.1:${port || settingsTable.port.default}`

async function readRefusal(answer: Response): Promise<FerruleError> {
  const problem: unknown = await answer.json().catch(() => undefined)
  const { code, detail, hint } = isObject(problem) ? problem : {}
  if (typeof code === 'string' && isErrorCode(code) && typeof detail === 'string')
    return new FerruleError(code, { message: detail, hint: String(hint ?? '') }, {})
  return fail('unavailable', { reason: `${new URL(answer.url).origin} answered with status ${answer.status}` })
}

async function ask(url: URL, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, init).catch((thrown: unknown) => {
    const cause = thrown instanceof Error ? thrown.cause : undefined
    const reason = `${url.origin} cannot be reached${cause instanceof Error ? ` (${cause.message})` : ''}`
    throw fail('unavailable', { reason }, { cause: thrown, hint: 'Start the service, or give its address with --url.' })
  })
  if (!answer.ok) throw await readRefusal(answer)
  return answer
}

/** Requests a bearer token for the client of the environment. @returns headers of a request */
async function requestToken({ url, organization }: ExportOptions, env: NodeJS.ProcessEnv): Promise<Record<string, string>> {
  const { FERRULE_CLIENT_ID: id, FERRULE_CLIENT_SECRET: secret } = env
  if (!id || !secret) {
    const reason = 'an export needs both FERRULE_CLIENT_ID and FERRULE_CLIENT_SECRET, of a client that may read the connector'
    throw fail('setting_invalid', { name: id ? 'FERRULE_CLIENT_SECRET' : 'FERRULE_CLIENT_ID', reason })
  }
  const own = organization === undefined ? {} : { 'x-organization-id': organization }
  const body = JSON.stringify({ client_id: id, client_secret: secret })
  const answer = await ask(new URL(url + tokenPath), { method: 'POST', body, headers: { ...own, 'content-type': 'application/json' } })
  const { access_token: token } = (await answer.json()) as { readonly access_token: string } // the service's own answer
  return { ...own, authorization: `Bearer ${token}` }
}

function buildAddress(
  connector: string,
  entity: string,
  { url, format, formulas, filter, sort, fields, maxAge }: ExportOptions & { url: string },
): URL {
  const address = new URL(`${url}${connectorsPath}/${encodeURIComponent(connector)}/entities/${encodeURIComponent(entity)}/export`)
  for (const [name, value] of Object.entries({ format, formulas, filter, sort, fields, max_age: maxAge }))
    if (value !== undefined) address.searchParams.set(name, value)
  return address
}

async function exportTo(connector: string, entity: string, options: ExportOptions): Promise<void> {
  const given = { ...options, url: options.url.replace(/\/+$/, '') }
  const headers = await requestToken(given, process.env)
  const { body } = await ask(buildAddress(connector, entity, given), { headers })
  if (body === null) return
  const records = Readable.fromWeb(body as ReadableStream) // Node's own type of the same stream
  if (options.output === undefined) await pipeline(records, process.stdout, { end: false })
  else await pipeline(records, createWriteStream(options.output))
}

/** Builds `ferrule-server export …`. */
function buildExportCommand(): Command {
  return new Command('export')
    .description("write an entity's records from its copy in a running service")
    .argument('<connector id>')
    .argument('<entity>')
    .addOption(new Option('--format <format>', 'ndjson, csv or parquet').choices([...exportFormatNames]).default('ndjson'))
    .addOption(new Option('--formulas <mode>', 'CSV text that a spreadsheet would run: mark or keep').choices(['mark', 'keep']))
    .option('--filter <json>', 'filter of a search, for example \'{"eq":{"active":true}}\'')
    .option('--sort <json>', 'sort of a search; default: the primary key')
    .option('--fields <paths>', 'field paths, separated by commas; default: all')
    .option('--max-age <seconds>', 'refresh an older copy first')
    .option('--output <file>', 'file to write; default: standard output')
    .option('--url <address>', 'address of the service', findUrl(process.env))
    .option('--organization <id>', 'organization; required when the client reaches several')
    .addHelpText('after', '\nFERRULE_CLIENT_ID and FERRULE_CLIENT_SECRET name the client, and FERRULE_URL its service.')
    .action(exportTo)
}

// Commands on kinds run while the service runs, with the same settings.

const formatKind = ({ name, title, organizationId, version, isPromoted }: OwnKindSummary): string =>
  `${name}  ${title}  version ${version}${isPromoted ? ', with tables of its own' : ''}  (${organizationId})`

const setPromotion = (name: string, isPromoted: boolean) =>
  withPlatform(async ({ kindPromotions }) => {
    const { version, connectors } = await kindPromotions.set(name, isPromoted)
    print(
      `Version ${version} of ${name} has ${isPromoted ? 'tables of its own' : 'the table of all such kinds'}. ${connectors} connectors moved.`,
    )
  })

/** Builds `ferrule-server kinds …`. */
function buildKindCommand(): Command {
  const command = new Command('kinds').description('kinds that organizations brought, and their tables')
  command
    .command('list')
    .description('list the kinds of all organizations by their names, slug~id')
    .action(() =>
      withPlatform(async ({ kindPromotions }) => {
        for (const kind of await kindPromotions.list()) print(formatKind(kind))
      }),
    )
  command
    .command('promote')
    .description('give a large kind tables of its own; searches of its connectors wait until their records are read again')
    .argument('<slug~id>')
    .action((name: string) => setPromotion(name, true))
  command
    .command('demote')
    .description('take the tables back; searches of its connectors wait until their records are read again')
    .argument('<slug~id>')
    .action((name: string) => setPromotion(name, false))
  return command
}

/** Builds `ferrule-server settings`. */
function buildSettingsCommand(): Command {
  const lines = () =>
    describeSettings().flatMap(({ name, type, default: standard, about }) => [name, `    ${about}`, `    ${type}; default: ${standard}`])
  return new Command('settings')
    .description('print every setting (environment variable) of the service')
    .action(() => void process.stdout.write(`${lines().join('\n')}\n`))
}

/** Builds `ferrule-server openapi`. */
function buildOpenApiCommand(): Command {
  const print = async () => {
    const document = openApiDocument({ routes, kinds: await readServedKinds(process.env) })
    process.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
  }
  return new Command('openapi').description('print the OpenAPI 3.1 document').action(print)
}

const buildServeCommand = (): Command =>
  new Command('serve')
    .description('run the service until a signal')
    .option('--role <role>', 'role of this process: all, api or worker; overrides FERRULE_ROLE')
    .action(({ role }: { readonly role?: string }) => serve(role === undefined ? process.env : { ...process.env, FERRULE_ROLE: role }))

/** Lets a command and those below it print their help after a wrong use: commander hands the setting to what `command()` makes only. */
function showHelp(command: Command): Command {
  command.showHelpAfterError()
  for (const below of command.commands) showHelp(below)
  return command
}

const program = new Command('ferrule-server')
  .description('The self-hosted service of Ferrule, and the commands of its operator')
  .version(version)
  .addCommand(buildServeCommand())
  .addCommand(buildMigrateCommand())
  .addCommand(buildExportCommand())
  .addCommand(buildApplicationCommand())
  .addCommand(buildOrganizationCommand())
  .addCommand(buildKindCommand())
  .addCommand(buildViewsCommand())
  .addCommand(buildVaultCommand())
  .addCommand(buildSettingsCommand())
  .addCommand(buildOpenApiCommand())

try {
  await showHelp(program).parseAsync()
} catch (thrown) {
  process.stderr.write(`${formatFailure(thrown)}\n`)
  process.exitCode = findExitCode(thrown)
}
