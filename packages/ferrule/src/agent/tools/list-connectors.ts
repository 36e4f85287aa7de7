/** `list_connectors`: what is connected, with its state, and how fresh the copies are. */
import { quoteName, writeLines } from '../answers/bounds.ts'
import { defineTool, type RunningCall, readString, reads } from '../context.ts'
import { quoteVendor } from '../failures.ts'
import type { LinesPosition } from '../reading.ts'
import type { AgentConnector, EntityFreshness } from '../source.ts'
import type { AgentAnswer } from '../types.ts'

/** Maximum number of connectors of a page whose copies are described at once. */
const mostWithCopies = 5

const describeConnector = ({ id, name, kind, workspace, state, reason }: AgentConnector): string => {
  const shownWorkspace = workspace === null ? '' : `, workspace ${quoteName(workspace)}`
  const own = id === name ? '' : `, id ${id}`
  return `${quoteName(name)}: ${kind}, ${state}${shownWorkspace}${own}${reason === null ? '' : `. ${quoteVendor(reason)}`}`
}

/** Describes copies: a line for each that can be searched, one for all others of a state. */
function describeStates(copies: readonly EntityFreshness[]): readonly string[] {
  const ready = copies.filter(({ searchable }) => searchable)
  const lines = ready.map(
    ({ entity, state, records, syncedAt }) =>
      `  ${entity}: ${state}, ${records} records, ${syncedAt === null ? 'never synced' : `synced ${syncedAt}`}`,
  )
  const others = Map.groupBy(
    copies.filter(({ searchable }) => !searchable),
    ({ state }) => state,
  )
  return [...lines, ...[...others].map(([state, list]) => `  ${state}, not searchable: ${list.map(({ entity }) => entity).join(', ')}`)]
}

/** Describes the copies of a connector. What cannot be read now is told, because the list itself is good. */
async function describeCopies({ context, limits }: RunningCall, connector: AgentConnector): Promise<readonly string[]> {
  const { source } = context.reach
  if (source.readFreshness === undefined) return []
  try {
    const copies = await source.readFreshness(connector, limits)
    return copies.length === 0 ? [] : ['  Copies for search:', ...describeStates(copies)]
  } catch (thrown) {
    limits.signal?.throwIfAborted()
    return [thrown instanceof Error ? '  The state of its copies cannot be read now.' : '']
  }
}

async function run(running: RunningCall): Promise<AgentAnswer> {
  const { context, limits, from, args } = running
  const wanted = readString(running, 'connector')
  const cursor = from?.cursor
  const { connectors, next } =
    wanted === undefined ? await context.reach.list(cursor, limits) : { connectors: [await context.reach.find(wanted, limits)], next: null }
  const withCopies = connectors.length <= mostWithCopies
  const each = await Promise.all(
    connectors.map(async (one) => [describeConnector(one), ...(withCopies ? await describeCopies(running, one) : [])]),
  )
  const lines = each.flat()
  const { handles } = context
  const locate = (at: number, page = cursor): LinesPosition => {
    return { type: 'lines', tool: 'list_connectors', args, offset: { at, cursor: page } }
  }
  const following = next === null ? undefined : await handles.write(locate(0, next))
  const closing = following === undefined ? [] : [`More connectors follow: read_more {"handle":"${following}"}`]
  if (lines.length === 0 && next === null)
    return { text: 'No connector is connected. Ask the user to connect one.', isError: false, result: [] }
  if (!withCopies) closing.push('For the state of its searchable copies: list_connectors with the name of one connector.')
  const text = await writeLines({
    lines: [...lines, ...closing],
    at: from?.at ?? 0,
    maxTokens: context.maxTokens,
    writeHandle: (at) => handles.write(locate(at)),
  })
  return { text, isError: false, result: connectors }
}

/** Lists connectors with their state. */
export const listConnectors = defineTool({
  name: 'list_connectors',
  description: 'List the connected systems with their state, and how fresh their searchable copies are.',
  rules: { connector: { type: 'string', about: 'Name or id of one connector; leave out for all' } },
  annotations: reads('List connectors', false),
  scope: 'connectors:read',
  example: {},
  run,
})
