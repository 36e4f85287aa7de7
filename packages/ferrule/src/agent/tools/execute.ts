/** `execute`: runs an action that reads. */
import { isObject } from '../../definition/object.ts'
import { fail } from '../../errors.ts'
import { writeJson } from '../../json/json.ts'
import { type RunningCall, readString, reads, type ToolDefinition } from '../context.ts'
import type { AgentAnswer } from '../types.ts'

const readActions = ['list', 'get', 'download']

async function run(running: RunningCall): Promise<AgentAnswer> {
  const { context, limits, args } = running
  const connector = await context.reach.find(readString(running, 'connector'), limits)
  const [entity, action] = [readString(running, 'entity') ?? '', readString(running, 'action') ?? '']
  if (!readActions.includes(action)) throw fail('action_not_supported', { entity, action, known: readActions.join(', ') })
  const { params } = args
  const { fields } = args
  const chosen = Array.isArray(fields) ? fields.map(String) : undefined
  const request = { entity, action, params: isObject(params) ? params : {}, fields: chosen }
  const result = await context.reach.source.execute(connector, request, limits)
  return { text: writeJson(result), isError: false, result }
}

/** Reads records of a vendor. */
export const execute: ToolDefinition = {
  name: 'execute',
  description: 'Read from a connected system: list or get records, or look at a file. Changes nothing.',
  rules: {
    connector: { type: 'string', about: 'Name or id of the connector', required: true },
    entity: { type: 'string', about: 'Entity, from describe', required: true },
    action: { type: 'string', about: 'list, get or download, from describe', required: true },
    params: { type: 'object', about: 'Parameters of the action, from describe' },
    fields: { type: 'strings', about: 'Only these fields of each record, for example ["id","title"]: saves most' },
  },
  annotations: reads('Execute a read', true),
  example: { connector: 'gong', entity: 'calls', action: 'list', params: { fromDateTime: '2026-01-01T00:00:00Z' } },
  run,
}
