/** Finds the connector that a command names: by id, by name, or by kind when there is one of that kind. */
import { Hosted } from '../../client/connector.ts'
import { Connectors } from '../../client/resources/connectors.ts'
import { Definitions } from '../../client/resources/definitions.ts'
import { Workspaces } from '../../client/resources/workspaces.ts'
import type { Transport } from '../../client/transport.ts'
import type { KindDocument } from '../../document/kind-document.ts'
import { fail } from '../../errors.ts'
import { listSome, uuid } from '../../values/texts.ts'
import type { ConnectorRecord, ConnectorSummary } from '../../wire/connectors.ts'
import type { CommandContext } from '../context.ts'
import { callOptions, openSession } from '../session.ts'
import { findLocalKind, readRemoteKind } from './kinds.ts'
import { connectLocal, type Executor } from './local.ts'

/** Maximum number of connectors that an error lists. */
const longestList = 20

/** A connector, as far as every record of it agrees. */
export type Found = Pick<ConnectorSummary | ConnectorRecord, 'id' | 'name' | 'connector_type'>

const describe = ({ name, connector_type, id }: Found): string => `${name} (${connector_type}, ${id})`

const describeAll = (connectors: readonly Found[]): string => listSome(connectors.map(describe), longestList)

/**
 * Refuses the name of a workspace that does not exist. An empty list says nothing of it; `default` may come with its first connector.
 * @throws FerruleError `workspace_not_found`, with those that there are
 */
export async function requireWorkspace(transport: Transport, context: CommandContext): Promise<void> {
  const { workspace } = transport.settings
  const names: string[] = []
  for await (const { name } of new Workspaces(transport).list({}, callOptions(context))) names.push(name)
  const isKnown = names.some((name) => name.toLowerCase() === workspace.toLowerCase())
  if (isKnown || workspace === 'default') return
  throw fail('workspace_not_found', {}, { hint: `There is no workspace ${workspace}. There are: ${listSome(names, longestList)}.` })
}

/**
 * Finds a connector.
 * @param given its id, its name, or its kind
 * @throws FerruleError `connector_not_found` and `connector_ambiguous`, with what there is
 */
export async function findConnector(transport: Transport, given: string, context: CommandContext): Promise<Found> {
  const connectors = new Connectors(transport)
  if (uuid.test(given)) return connectors.get(given, callOptions(context))
  const { workspace } = transport.settings
  const all: Found[] = []
  for await (const each of connectors.list({ workspace_name: workspace }, callOptions(context))) all.push(each)
  const wanted = given.toLowerCase()
  const tests: readonly ((each: Found) => boolean)[] = [
    ({ name }) => name === given,
    ({ name }) => name.toLowerCase() === wanted,
    ({ connector_type }) => connector_type === wanted,
  ]
  const fitting = tests.map((fits) => all.filter(fits)).find((found) => found.length > 0) ?? []
  const [only] = fitting
  if (fitting.length > 1) throw fail('connector_ambiguous', { given, known: describeAll(fitting) }, { hint: 'Name one of them by its id.' })
  if (only !== undefined) return only
  if (all.length === 0) await requireWorkspace(transport, context)
  const has = all.length === 0 ? 'It has no connectors.' : `It has ${describeAll(all)}.`
  throw fail('connector_not_found', {}, { hint: `The workspace ${workspace} has no connector ${given}. ${has}` })
}

/** A connector and what is known about its kind. */
export interface Target {
  /** As the user named it, for hints. */
  readonly name: string
  readonly executor: Executor
  /** Reads the kind; the service is asked when it is wanted only. */
  readKind(): Promise<KindDocument>
}

/** A connector of the service. */
export interface HostedTarget extends Target {
  readonly hosted: Hosted
  readonly transport: Transport
  readonly id: string
}

/** Opens a connector of the service. */
export async function openHosted(name: string, context: CommandContext): Promise<HostedTarget> {
  const transport = await openSession(context)
  const { id, connector_type: kind } = await findConnector(transport, name, context)
  const hosted = new Hosted(transport, { kind, connector: id })
  return { name, hosted, transport, id, executor: hosted, readKind: () => readRemoteKind(new Definitions(transport), kind, context) }
}

/** Connects to the vendor in this process, with credentials of the environment. */
export async function openLocal(kind: string, context: CommandContext): Promise<Target> {
  const found = await findLocalKind(kind)
  const { document } = found
  return { name: `--local ${document.kind}`, executor: connectLocal(found, context.env), readKind: async () => document }
}
