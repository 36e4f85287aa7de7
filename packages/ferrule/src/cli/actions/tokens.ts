/** `tokens`. */
import { McpTokens } from '../../client/resources/mcp-tokens.ts'
import type { Transport } from '../../client/transport.ts'
import { FerruleError } from '../../errors.ts'
import type { McpTokenRecord } from '../../wire/mcp-tokens.ts'
import { type CommandContext, readFlag, readList, readNumber } from '../context.ts'
import { callOptions, openSession } from '../session.ts'
import { findConnector } from '../target/target.ts'
import { collectPages } from '../walk.ts'

const columns = 'id,name,workspaces.name,scopes,expires_at,last_used_at'
const secretColumns = 'name,token,expires_at'

/** Finds a connector in each of the workspaces that has it. @throws FerruleError `connector_not_found` when none has it */
async function findInAny(sessions: readonly Transport[], given: string, context: CommandContext): Promise<readonly string[]> {
  const looks = await Promise.allSettled(sessions.map((session) => findConnector(session, given, context)))
  const found = looks.flatMap((look) => (look.status === 'fulfilled' ? [look.value.id] : []))
  const failed = looks.find((look) => look.status === 'rejected' && !isMissing(look.reason)) ?? looks.at(-1)
  if (failed?.status === 'rejected' && (found.length === 0 || !isMissing(failed.reason))) throw failed.reason
  return found
}

const isMissing = (thrown: unknown): boolean => thrown instanceof FerruleError && thrown.code === 'connector_not_found'

/** Finds the ids of the connectors of the options, which are named by their id, name or kind. */
async function findConnectorIds(workspaces: readonly string[], context: CommandContext): Promise<readonly string[]> {
  const given = readList(context.options, 'connector')
  if (given.length === 0) return []
  const flags = workspaces.length === 0 ? [context.flags] : workspaces.map((workspace) => ({ ...context.flags, workspace }))
  const sessions = await Promise.all(flags.map((each) => openSession({ ...context, flags: each })))
  const ids = await Promise.all(given.map((each) => findInAny(sessions, each, context)))
  return [...new Set(ids.flat())]
}

/** Creates a token for MCP and prints it. */
export async function createToken(context: CommandContext): Promise<void> {
  const { args, options, output } = context
  const transport = await openSession(context)
  const workspaces = readList(options, 'in')
  const connectors = await findConnectorIds(workspaces, context)
  const days = readNumber(options, 'days', 1)
  const body = {
    name: args[0] ?? '',
    ...(workspaces.length === 0 ? {} : { workspace_names: workspaces }),
    ...(connectors.length === 0 ? {} : { connector_ids: connectors }),
    ...(readFlag(options, 'write') ? { scopes: ['connectors:read', 'execute:read', 'execute:write'] as const } : {}),
    ...(days === undefined ? {} : { expires_in_days: days }),
  }
  await output.value(await new McpTokens(transport).create(body, callOptions(context)), secretColumns)
  context.note('The token is shown this once: keep it.')
}

/** Lists the tokens for MCP of the organization. */
export async function listTokens(context: CommandContext): Promise<void> {
  const tokens = new McpTokens(await openSession(context))
  await context.output.list(collectPages(tokens.list({}, callOptions(context))), columns)
}

/** Finds a token by its id or its name. */
async function findToken(tokens: McpTokens, context: CommandContext): Promise<McpTokenRecord> {
  const [given = ''] = context.args
  const fitting: McpTokenRecord[] = []
  for await (const token of tokens.list({}, callOptions(context))) {
    if (token.id === given) return token
    if (token.name === given) fitting.push(token)
  }
  const [only] = fitting
  if (only !== undefined && fitting.length === 1) return only
  const message = only === undefined ? `There is no token ${given}.` : `Several tokens have the name ${given}.`
  const hint = only === undefined ? 'List them: ferrule tokens list' : `Name one by its id: ${fitting.map(({ id }) => id).join(', ')}.`
  throw new FerruleError('mcp_token_not_found', { message, hint }, {})
}

/** Revokes a token for MCP. */
export async function revokeToken(context: CommandContext): Promise<void> {
  const tokens = new McpTokens(await openSession(context))
  const { id, name } = await findToken(tokens, context)
  await context.ask.confirm(`Revoke the token ${name}`, readFlag(context.options, 'yes'))
  await context.output.value(await tokens.revoke(id, callOptions(context)))
}
