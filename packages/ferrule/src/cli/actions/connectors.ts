/** `connectors` and `definitions`. */
import { readCheckFailure } from '../../client/problem.ts'
import { Connectors } from '../../client/resources/connectors.ts'
import { Definitions } from '../../client/resources/definitions.ts'
import type { ConnectorInput, ConnectorPatch } from '../../wire/connector-inputs.ts'
import { type CommandContext, readFlag, readText } from '../context.ts'
import { askCredentials } from '../credentials.ts'
import { failUsage } from '../failure.ts'
import { readObject } from '../input.ts'
import { collectPages } from '../pages.ts'
import { callOptions, openSession } from '../session.ts'
import { readSettings } from '../settings.ts'
import { listLocalKinds, readKind } from '../target/kinds.ts'
import { findConnector } from '../target/target.ts'

const columns = 'id,name,connector_type,status,workspace_name'

/** Lists the connectors of the workspace. */
export async function listConnectors(context: CommandContext): Promise<void> {
  const transport = await openSession(context)
  const kind = readText(context.options, 'kind')
  const { workspace } = transport.settings
  const all = readFlag(context.options, 'allWorkspaces')
  const query = { ...(all ? {} : { workspace_name: workspace }), ...(kind === undefined ? {} : { connector_type: kind }) }
  await context.output.list(collectPages(new Connectors(transport).list(query, callOptions(context))), columns)
}

/** Opens a connector that is named on the command line. */
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
    `${columns},status_reason,credential_scheme,created_at,updated_at`,
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
  const answers = given['credentials'] === undefined ? await askCredentials(await readKind(kind, context), given, context) : {}
  const named = typeof name === 'string' ? name : await askName(kind, context)
  const needsKind = given['definition_id'] === undefined && given['source_template_id'] === undefined
  const body = toInput({
    workspace_name: transport.settings.workspace,
    ...given,
    ...answers,
    name: named,
    ...(needsKind ? { connector_type: kind } : {}),
    ...(options['check'] === false ? { check: false } : {}),
  })
  await output.value(await new Connectors(transport).create(body, callOptions(context)), columns)
}

async function askKind({ ask }: CommandContext): Promise<string> {
  const kinds = await listLocalKinds()
  return ask.select({
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
  if (file === undefined && name === undefined && !wantsCredentials)
    throw failUsage('Nothing to change.', 'Give --name, --credentials or --from-file.')
  const given = file === undefined ? {} : await readObject(file)
  const answers = wantsCredentials ? await askCredentials(await readKind(kind, context), { replication_config: {} }, context) : undefined
  const body: ConnectorPatch = {
    ...given,
    ...(answers === undefined ? {} : { credentials: answers.credentials }),
    ...(name === undefined ? {} : { name }),
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
