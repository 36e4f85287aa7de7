/** `list_connectors`: what is connected. */
import { writeJson } from '../../json/json.ts'
import { type RunningCall, readString, reads, type ToolDefinition } from '../context.ts'
import type { AgentAnswer } from '../types.ts'

async function run(running: RunningCall): Promise<AgentAnswer> {
  const { context, limits } = running
  const wanted = readString(running, 'connector')
  const connectors =
    wanted === undefined ? (await context.reach.list(undefined, limits)).connectors : [await context.reach.find(wanted, limits)]
  return { text: connectors.map(writeJson).join('\n') || 'No connector is connected.', isError: false, result: connectors }
}

/** Lists connectors with their state. */
export const listConnectors: ToolDefinition = {
  name: 'list_connectors',
  description: 'List the connected systems, with their state and the freshness of their searchable copies.',
  rules: { connector: { type: 'string', about: 'Name or id of one connector; leave out for all' } },
  annotations: reads('List connectors', false),
  example: {},
  run,
}
