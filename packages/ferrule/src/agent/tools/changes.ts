/** `changes`: what changed in the copy that the service keeps. */
import { failValidation } from '../../errors.ts'
import { defineTool, type RunningCall, readString, reads } from '../context.ts'
import { findCopied } from '../copied.ts'
import { changes as action, answerRead, start } from '../reading.ts'
import type { AgentAnswer } from '../types.ts'
import { connectorRule } from './execute.ts'

const usualLimit = 50
/** Maximum number of entries of a page of the service. */
const mostEntries = 1_000

async function run(running: RunningCall): Promise<AgentAnswer> {
  const [{ connector, kind }, { entity }] = await findCopied(running, action)
  const { limit = usualLimit } = running.args
  if (Number(limit) < 1 || Number(limit) > mostEntries)
    throw failValidation([{ field: '/limit', message: `must be 1 to ${mostEntries}`, error_code: 'value' }])
  const after = readString(running, 'after')
  const params = { limit, ...(after === undefined ? {} : { cursor: after }) }
  return answerRead(running, { connector, kind, request: { entity, action, params }, offset: start })
}

/** Reads what changed in the copy. */
export const changes = defineTool({
  name: action,
  description:
    'What was added, changed and removed in the synced copy of an entity, with records as they are now. Without after all records come first. ' +
    'Beside the rows stands after: give it the next time, once all rows are read.',
  rules: {
    connector: connectorRule,
    entity: { type: 'string', about: 'Searchable entity', required: true },
    after: { type: 'string', about: 'Only what changed since; now: begin now, with no rows' },
    limit: { type: 'integer', about: 'Entries of a page, up to 1000; 50 by default' },
  },
  annotations: reads('Changes of records', false),
  scope: 'execute:read',
  example: { connector: 'gong', entity: 'calls', after: 'now' },
  run,
})
