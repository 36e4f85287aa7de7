/** `describe`: what a connector offers, sized to what was asked. */
import { writeJson } from '../../json/json.ts'
import { type RunningCall, readString, reads, type ToolDefinition } from '../context.ts'
import type { AgentAnswer } from '../types.ts'

async function run(running: RunningCall): Promise<AgentAnswer> {
  const { context, limits } = running
  const connector = await context.reach.find(readString(running, 'connector'), limits)
  const kind = await context.reach.source.readKind(connector, limits)
  const wanted = readString(running, 'entity')
  const result =
    wanted === undefined
      ? kind.entities.map(({ entity, description }) => ({ entity, description }))
      : kind.entities.find(({ entity }) => entity === wanted)
  return { text: writeJson(result), isError: false, result }
}

/** Describes a connector, an entity or an action. */
export const describe: ToolDefinition = {
  name: 'describe',
  description:
    'Describe a connector: its entities; or one entity: actions, parameters, fields, searchable fields. Call it before execute and search.',
  rules: {
    connector: { type: 'string', about: 'Name or id of the connector', required: true },
    entity: { type: 'string', about: 'Entity; leave out to list all entities' },
    action: { type: 'string', about: 'Only this action of the entity' },
  },
  annotations: reads('Describe', false),
  example: { connector: 'gong', entity: 'calls' },
  run,
}
