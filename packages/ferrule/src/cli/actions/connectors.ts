/** `connectors`, `definitions` and `links`; `sync`, whose table is drawn again when something changes. */
import { readCheckFailure } from '../../client/problem.ts'
import { Connectors } from '../../client/resources/connectors.ts'
import { ContextStore } from '../../client/resources/context-store.ts'
import { Definitions } from '../../client/resources/definitions.ts'
import { Links } from '../../client/resources/links.ts'
import { Syncs } from '../../client/resources/syncs.ts'
import { dropAbsent } from '../../definition/object.ts'
import type { KindDocument, Schema, SchemeDocument } from '../../document/kind-document.ts'
import { isRequired, readProperties } from '../../document/read-schema.ts'
import { buildSandboxValues } from '../../document/sandbox-values.ts'
import { FerruleError } from '../../errors.ts'
import { uuid } from '../../values/texts.ts'
import type { ConnectLinkInput, ConnectLinkQuery, ConnectLinkRecord, ConnectLinkStatus } from '../../wire/connect/links.ts'
import type { ConnectorInput, ConnectorPatch } from '../../wire/connector-inputs.ts'
import type { SyncStatusRecord } from '../../wire/context-store.ts'
import type { ScheduleInput, SyncRunRecord } from '../../wire/syncs.ts'
import type { ConnectorWebhooksInput } from '../../wire/vendor-webhooks.ts'
import { type CommandContext, type CommandOptions, readFlag, readList, readNumber, readText } from '../context.ts'
import { failUsage } from '../failure.ts'
import type { Output } from '../output/output.ts'
import { formatSeconds } from '../output/progress.ts'
import { formatHead, formatLine, layOut, listColumns } from '../output/table.ts'
import { readObject } from '../params.ts'
import { callOptions, openSession } from '../session.ts'
import { readSettings } from '../settings.ts'
import { listKinds, listLocalKinds, readKind } from '../target/kinds.ts'
import { findConnector, requireWorkspace } from '../target/target.ts'
import { parseTyped } from '../typed-values.ts'
import { collectPages } from '../walk.ts'

const columns = 'id,name,connector_type,status,workspace_name'
const webhookColumns = 'address,verified_by,subscribable,subscriptions,received,waiting,last_event_at,last_lag_ms,missing'

/** Lists the connectors of the workspace. */
export async function listConnectors(context: CommandContext): Promise<void> {
  const transport = await openSession(context)
  const kind = readText(context.options, 'kind')
  const { workspace } = transport.settings
  const all = readFlag(context.options, 'allWorkspaces')
  const query = { ...(all ? {} : { workspace_name: workspace }), ...(kind === undefined ? {} : { connector_type: kind }) }
  const found = collectPages(new Connectors(transport).list(query, callOptions(context)))
  await context.output.list(all ? found : refuseNowhere(found, () => requireWorkspace(transport, context)), columns)
}

/** Checks what was asked when nothing was found there. */
async function* refuseNowhere(batches: AsyncIterable<readonly unknown[]>, check: () => Promise<void>): AsyncIterable<readonly unknown[]> {
  let isEmpty = true
  for await (const rows of batches) {
    isEmpty &&= rows.length === 0
    if (rows.length > 0) yield rows
  }
  if (isEmpty) await check()
}

async function open(context: CommandContext) {
  const transport = await openSession(context)
  const found = await findConnector(transport, context.args[0] ?? '', context)
  return { connectors: new Connectors(transport), ...found }
}

/** Shows a connector. */
export async function getConnector(context: CommandContext): Promise<void> {
  const { connectors, id } = await open(context)
  await context.output.value(
    await connectors.get(id, callOptions(context)),
    `${columns},status_reason,credential_scheme,changes_days,created_at,updated_at`,
  )
}

/** The service checks the members; this command only completes them. */
const toInput = (body: Readonly<Record<string, unknown>>): ConnectorInput => body as ConnectorInput

/** Creates a connector: from a file, from standard input, or from answers. */
export async function createConnector(context: CommandContext): Promise<void> {
  const { options, args, output } = context
  const file = readText(options, 'fromFile')
  const transport = await openSession(context)
  const given = file === undefined ? {} : await readObject(file)
  const wanted = args[0] ?? given['connector_type'] ?? given['definition_id'] ?? given['source_template_id']
  const kind = typeof wanted === 'string' ? wanted : await askKind(context)
  const name = readText(options, 'name') ?? given['name']
  const known = readFlag(options, 'sandbox') ? { ...(await buildSandboxInput(kind, context)), ...given } : given
  const answers = known['credentials'] === undefined ? await askCredentials(await readKind(kind, context), known, context) : {}
  const named = typeof name === 'string' ? name : await askName(kind, context)
  const needsKind = given['definition_id'] === undefined && given['source_template_id'] === undefined
  const body = toInput({
    workspace_name: transport.settings.workspace,
    ...known,
    ...answers,
    name: named,
    ...(needsKind ? { connector_type: kind } : {}),
    ...readChangesDays(context),
    ...(options['check'] === false ? { check: false } : {}),
  })
  await output.value(await new Connectors(transport).create(body, callOptions(context)), columns)
}

/** Reads for how many days changes are kept: a number, or `default`. */
function readChangesDays({ options }: CommandContext): Pick<ConnectorPatch, 'changes_days'> {
  const days = readDefaultOr(options, 'changesDays')
  return days === undefined ? {} : { changes_days: days }
}

/** Reads a number, or null for the word `default`. */
const readDefaultOr = (options: CommandOptions, name: string): number | null | undefined =>
  readText(options, name) === 'default' ? null : readNumber(options, name, 1)

async function buildSandboxInput(kind: string, context: CommandContext): Promise<Schema> {
  const { credentials, configuration } = buildSandboxValues(kind, await readKind(kind, context))
  return { environment: { sandbox: true }, credentials, replication_config: configuration }
}

async function askKind(context: CommandContext): Promise<string> {
  const kinds = await listKinds(context)
  return context.ask.select({
    message: 'Kind',
    instead: 'the kind as an argument, or --from-file',
    options: kinds.map((kind) => ({ value: kind, label: kind })),
  })
}

/** Asks for a name. Without a terminal the kind is the name. */
const askName = async (kind: string, { ask }: CommandContext): Promise<string> =>
  ask.canAsk ? ask.text({ message: 'Name of the connector', instead: '--name', initial: kind }) : kind

/** Changes a connector: members from a file, a new name, or new credentials by prompts. */
export async function updateConnector(context: CommandContext): Promise<void> {
  const { options, output } = context
  const { connectors, id, connector_type: kind } = await open(context)
  const file = readText(options, 'fromFile')
  const name = readText(options, 'name')
  const wantsCredentials = readFlag(options, 'credentials')
  const days = readChangesDays(context)
  if (file === undefined && name === undefined && !wantsCredentials && days.changes_days === undefined)
    throw failUsage('Nothing to change.', 'Give --name, --credentials, --changes-days or --from-file.')
  const given = file === undefined ? {} : await readObject(file)
  const answers = wantsCredentials ? await askCredentials(await readKind(kind, context), { replication_config: {} }, context) : undefined
  const body: ConnectorPatch = {
    ...given,
    ...(answers === undefined ? {} : { credentials: answers.credentials }),
    ...(name === undefined ? {} : { name }),
    ...days,
    ...(options['check'] === false ? { check: false } : {}),
  }
  await output.value(await connectors.patch(id, body, callOptions(context)), columns)
}

/** Checks the credentials of a connector at the vendor. */
export async function checkConnector(context: CommandContext): Promise<void> {
  const { connectors, id, name } = await open(context)
  const result = await connectors.check(id, {}, callOptions(context))
  if (result.status === 'failed') throw readCheckFailure(result)
  await context.output.value({ connector_id: id, name, ...result }, 'name,status')
}

/** Reads what the webhooks of a connector are set to; undefined: nothing changes. */
async function readWebhookInput({ options, ask }: CommandContext): Promise<ConnectorWebhooksInput | undefined> {
  const file = readText(options, 'fromFile')
  const wantsSecret = readFlag(options, 'secret')
  const subscribe = readFlag(options, 'subscribe')
  if (!readFlag(options, 'make') && file === undefined && !wantsSecret && !subscribe) return undefined
  const given = file === undefined ? {} : await readObject(file)
  const asked = wantsSecret ? { secret: await ask.secret({ message: 'Secret that the vendor signs with', instead: '--from-file' }) } : {}
  return { ...given, ...asked, ...(subscribe ? { subscribe } : {}) }
}

/** Shows, makes or deletes the address that the vendor sends webhooks to. */
export async function showWebhooks(context: CommandContext): Promise<void> {
  const { options, output, ask } = context
  const { connectors, id, name } = await open(context)
  const input = await readWebhookInput(context)
  if (!readFlag(options, 'delete')) {
    const call = callOptions(context)
    return output.value(
      await (input === undefined ? connectors.webhooks(id, call) : connectors.setWebhooks(id, input, call)),
      webhookColumns,
    )
  }
  if (input !== undefined) throw failUsage('--delete goes with no other change.', 'Delete the address first, then make another one.')
  await ask.confirm(`Delete the address for webhooks of ${name}, with its secret`, readFlag(options, 'yes'))
  return output.value(await connectors.removeWebhooks(id, callOptions(context)), webhookColumns)
}

/** Deletes a connector with its credentials and its copy. */
export async function deleteConnector(context: CommandContext): Promise<void> {
  const { connectors, id, name, connector_type: kind } = await open(context)
  await context.ask.confirm(`Delete the connector ${name} (${kind})`, readFlag(context.options, 'yes'))
  await context.output.value(await connectors.delete(id, { ...callOptions(context), wait: true }))
}

const definitionColumns = 'connector_type,name,description'

/** Lists the kinds with their fields, or shows one. */
export async function listDefinitions(context: CommandContext): Promise<void> {
  const { args, output } = context
  const [name] = args
  if (name !== undefined) return output.value(await readKind(name, context), 'kind,title,description,documentation')
  const { url, caller } = await readSettings(context.flags, context.env)
  if (url !== undefined && caller !== undefined) {
    const definitions = new Definitions(await openSession(context))
    return void (await output.list([await definitions.list({}, callOptions(context))], definitionColumns))
  }
  const kinds = await Promise.all((await listLocalKinds()).map((kind) => readKind(kind, context)))
  const rows = kinds.map(({ kind, title, description }) => ({ connector_type: kind, name: title, description }))
  await output.list([rows], definitionColumns)
}

const instead = '--from-file with credentials and replication_config, or - for standard input'

async function chooseScheme({ title, credentials }: KindDocument, { ask }: CommandContext): Promise<SchemeDocument> {
  const [first, second] = credentials
  if (first === undefined) throw failUsage(`${title} takes no credentials.`, `Give ${instead}.`)
  if (second === undefined) return first
  const options = credentials.map(({ scheme, title: label }) => ({ value: scheme, label }))
  const chosen = await ask.select({ message: `Credentials of ${title}`, instead, options })
  return credentials.find(({ scheme }) => scheme === chosen) ?? first
}

async function askField(name: string, schema: Schema, { ask }: CommandContext): Promise<unknown> {
  const { description, pattern, enum: choices } = schema
  const message = typeof description === 'string' ? `${name}: ${description}` : name
  if (schema['writeOnly'] === true) return ask.secret({ message, instead })
  if (Array.isArray(choices))
    return ask.select({ message, instead, options: choices.map(String).map((value) => ({ value, label: value })) })
  const rule = typeof pattern === 'string' ? new RegExp(pattern, 'u') : undefined
  const check = (text: string): string | undefined => (rule === undefined || rule.test(text) ? undefined : `It must match ${pattern}.`)
  return parseTyped(name, await ask.text({ message, instead, check }), schema)
}

async function askFields(schema: Schema, context: CommandContext): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {}
  for (const [name, field] of readProperties(schema)) if (isRequired(schema, name)) values[name] = await askField(name, field, context)
  return values
}

/** Asks for credentials, and for the configuration unless it is given. */
async function askCredentials(kind: KindDocument, given: Schema, context: CommandContext) {
  if (!context.ask.canAsk) throw failUsage(`Credentials of ${kind.title} are missing.`, `There is no terminal to ask on. Give ${instead}.`)
  const { schema } = await chooseScheme(kind, context)
  const credentials = await askFields(schema, context)
  if (given['replication_config'] !== undefined) return { credentials }
  const configuration = await askFields(kind.configuration, context)
  return { credentials, ...(Object.keys(configuration).length === 0 ? {} : { replication_config: configuration }) }
}

const linkColumns = 'id,status,end_user.id,kinds,workspace_name,connector_id,expires_at'
const secretColumns = 'id,url,expires_at'
const daySeconds = 86_400
/** The statuses of the wire, which the compiler compares: loading `connectLinkStatuses` itself takes a tenth of a second. */
const statuses: Readonly<Record<ConnectLinkStatus, true>> = { open: true, used: true, revoked: true, expired: true }
const isStatus = (text: string): text is ConnectLinkStatus => Object.hasOwn(statuses, text)

function readTexts({ options }: CommandContext): Pick<ConnectLinkInput, 'name' | 'redirect_url' | 'allowed_origin'> {
  const [name, redirect_url, allowed_origin] = ['name', 'redirectUrl', 'allowedOrigin'].map((each) => readText(options, each))
  return dropAbsent({ name, redirect_url, allowed_origin })
}

function readEndUser({ args, options }: CommandContext): ConnectLinkInput['end_user'] {
  const [name, email] = [readText(options, 'userName'), readText(options, 'email')]
  return { id: args[0] ?? '', ...(name === undefined ? {} : { name }), ...(email === undefined ? {} : { email }) }
}

/** Creates a link and prints its address. */
export async function createLink(context: CommandContext): Promise<void> {
  const { options, output } = context
  const transport = await openSession(context)
  const given = readText(options, 'connector')
  const connector = given === undefined ? undefined : await findConnector(transport, given, context)
  const kinds = readList(options, 'kind')
  const days = readNumber(options, 'days')
  const body: ConnectLinkInput = {
    end_user: readEndUser(context),
    ...readTexts(context),
    ...(connector === undefined ? {} : { connector_id: connector.id }),
    ...(readFlag(options, 'allowOtherAccount') ? { allow_other_account: true } : {}),
    ...(kinds.length === 0 ? {} : { kinds }),
    ...(days === undefined ? {} : { expires_in: Math.round(days * daySeconds) }),
    ...(readFlag(options, 'sandbox') ? { sandbox: true } : {}),
  }
  await output.value(await new Links(transport).create(body, callOptions(context)), secretColumns)
  context.note('The address is shown this once. Send it to the end user only.')
}

function readQuery({ options }: CommandContext): ConnectLinkQuery {
  const [text, endUser] = [readText(options, 'status'), readText(options, 'endUser')]
  if (text !== undefined && !isStatus(text))
    throw failUsage(`--status must be one of ${Object.keys(statuses).join(', ')}.`, 'Correct the option.')
  return dropAbsent({ status: text, end_user_id: endUser })
}

/** Lists links. */
export async function listLinks(context: CommandContext): Promise<void> {
  const links = new Links(await openSession(context))
  await context.output.list(collectPages(links.list(readQuery(context), callOptions(context))), linkColumns)
}

/** Finds an open link by its id or its end user. */
async function findLink(links: Links, context: CommandContext): Promise<ConnectLinkRecord> {
  const [given = ''] = context.args
  if (uuid.test(given)) return links.get(given, callOptions(context))
  const fitting: ConnectLinkRecord[] = []
  for await (const link of links.list({ status: 'open', end_user_id: given }, callOptions(context))) fitting.push(link)
  const [only] = fitting
  if (only !== undefined && fitting.length === 1) return only
  const message = only === undefined ? `There is no open link for ${given}.` : `Several open links are for ${given}.`
  const hint = only === undefined ? 'List them: ferrule links list' : `Name one by its id: ${fitting.map(({ id }) => id).join(', ')}.`
  throw new FerruleError('connect_link_not_found', { message, hint }, {})
}

/** Revokes a link. */
export async function revokeLink(context: CommandContext): Promise<void> {
  const links = new Links(await openSession(context))
  const { id, end_user } = await findLink(links, context)
  await context.ask.confirm(`Revoke the link for ${end_user.id}`, readFlag(context.options, 'yes'))
  await context.output.value(await links.revoke(id, callOptions(context)), linkColumns)
}

async function openSynced(context: CommandContext) {
  const transport = await openSession(context)
  const { id, name } = await findConnector(transport, context.args[0] ?? '', context)
  return { id, name, syncs: new Syncs(transport), store: new ContextStore(transport) }
}

const runColumns = 'id,state,mode,entities,cause,created_at'

/** Entities that `--entity` names. */
function readEntities({ options }: CommandContext): { readonly entities?: readonly string[] } {
  const entities = readList(options, 'entity')
  return entities.length === 0 ? {} : { entities }
}

/** Starts a run; with `--wait` until its end. */
export async function startSync(context: CommandContext): Promise<void> {
  const { options, output } = context
  const { id, syncs } = await openSynced(context)
  const mode = readFlag(options, 'full') ? 'full' : 'incremental'
  const run = await syncs.start(id, { mode, ...readEntities(context) }, callOptions(context))
  if (!readFlag(options, 'wait')) return output.value(run, runColumns)
  await output.value(await awaitRun(syncs, run, context), `${runColumns},finished_at`)
}

async function awaitRun(syncs: Syncs, run: SyncRunRecord, context: CommandContext): Promise<SyncRunRecord> {
  const progress = await context.openProgress({ isOutputShown: false })
  let last = run
  try {
    for await (last of syncs.watch(run.connector_id, run.id, callOptions(context)))
      progress.show(`${last.state}: ${last.progress.records.toLocaleString('en')} records, ${last.progress.pages} pages`)
    return last
  } finally {
    progress.end()
  }
}

/** Describes what an entity waits for in the run that has it left: a start, or another attempt after a failure. */
function describeWait({ running, queued }: SyncStatusRecord, entity: string): string | null {
  for (const run of [running, queued]) {
    const isLeft = run !== null && (run.entities?.includes(entity) ?? true) && !run.results.some((each) => each.entity === entity)
    if (!isLeft) continue
    if (run.error !== null && run.attempts > 0) return `waits, attempt ${run.attempts}: ${run.error.message}`
    if (run.state === 'queued' || run.progress.calls === 0) return 'waiting'
  }
  return null
}

const toRows = (status: SyncStatusRecord) =>
  status.entities.map(({ entity, state, records, lag_seconds, last_error, progress }) => ({
    entity,
    state,
    records,
    read: progress?.records ?? null,
    age: lag_seconds === null ? null : formatSeconds(lag_seconds),
    error: last_error?.message ?? describeWait(status, entity),
  }))

/** Shows the status of the copy; with `--watch` after every change. */
export async function showSync(context: CommandContext): Promise<void> {
  const { options, output, env } = context
  const { id, store } = await openSynced(context)
  const isTable = output.options.format === 'table' && output.options.jq === undefined
  if (!readFlag(options, 'watch')) {
    const status = await store.status(id, callOptions(context))
    return isTable ? void (await output.list([toRows(status)])) : output.value(status)
  }
  const query = readFlag(options, 'untilFilled') ? ({ until: 'filled' } as const) : {}
  const statuses = store.watch(id, query, callOptions(context))
  if (isTable && process.stdout.isTTY && env['TERM'] !== 'dumb') return drawLive(statuses, toRows, output)
  for await (const status of statuses) await (isTable ? output.list([toRows(status)]) : output.list([[status]]))
}

/** Cancels a run: the named one, else the one that runs or waits. */
export async function cancelSync(context: CommandContext): Promise<void> {
  const { id, name, syncs, store } = await openSynced(context)
  const [, given] = context.args
  const { running, queued } = await store.status(id, callOptions(context))
  const run = given ?? running?.id ?? queued?.id
  if (run === undefined) throw failUsage(`No run of ${name} is running or waiting.`, 'There is nothing to cancel.')
  await context.output.value(await syncs.cancel(id, run, callOptions(context)), runColumns)
}

/** Shows the schedules, or sets one. */
export async function scheduleSync(context: CommandContext): Promise<void> {
  const { options, output } = context
  const { id, store } = await openSynced(context)
  const seconds = readDefaultOr(options, 'every')
  const paused = readFlag(options, 'pause') ? true : readFlag(options, 'resume') ? false : undefined
  const [entity] = readList(options, 'entity')
  const body: ScheduleInput = dropAbsent({ interval_seconds: seconds, paused, entity })
  const isChange = seconds !== undefined || paused !== undefined
  const schedules = isChange
    ? await store.schedule(id, body, callOptions(context))
    : (await store.status(id, callOptions(context))).schedules
  await output.list([schedules], 'entities,interval_seconds,default,paused,next_run_at')
}

/** Empties the copy, which is filled again. */
export async function resetSync(context: CommandContext): Promise<void> {
  const { id, name, store } = await openSynced(context)
  const { entities } = readEntities(context)
  await context.ask.confirm(`Empty the copy of ${name} (${entities?.join(', ') ?? 'all entities'})`, readFlag(context.options, 'yes'))
  const body = entities === undefined ? {} : { entities: [...entities] }
  await context.output.value(await store.reset(id, body, callOptions(context)), runColumns)
}

const sequence = '\u001b['

/** Draws the rows of each value until the last. The last table stays. */
async function drawLive<T>(values: AsyncIterable<T>, toRows: (value: T) => readonly unknown[], output: Output): Promise<void> {
  const { stream, width, fields } = output.options
  let lines = 0
  for await (const value of values) {
    const rows = toRows(value)
    const layout = layOut(rows, fields ?? listColumns(rows, undefined), width)
    const text = formatHead(layout, stream) + rows.map((row) => formatLine(layout, row)).join('')
    const back = lines === 0 ? '' : `${sequence}${lines}A${sequence}J`
    lines = text.split('\n').length - 1
    await output.sink.writeBytes(back + text)
  }
}
