/** `read_more`: continues where a bounded answer ended. */

import { defineTool, type RunningCall, readString, reads, type ToolDefinition } from '../context.ts'
import { failHandle } from '../handles.ts'
import { writeActions } from '../operations.ts'
import { isPosition, type KeptPosition, type ReadPosition } from '../positions.ts'
import { answerKept, answerRead } from '../reading.ts'
import type { AgentAnswer } from '../types.ts'

async function readRows(running: RunningCall, position: ReadPosition | KeptPosition): Promise<AgentAnswer> {
  const { reach } = running.context
  const connector = await reach.get(position.connector, running.limits)
  const kind = await reach.source.readKind(connector, running.limits)
  const { row } = running.args
  const place = typeof row === 'number' ? { at: row - 1, character: 0 } : position.place
  if (position.type === 'kept') return answerKept(running, { connector, kind, place, keptId: position.id })
  const { request, columns: id } = position
  // No handle of ours holds a write: this is the last line of defence.
  if (writeActions.includes(request.action)) throw failHandle('a write is never sent again')
  const list = id === undefined ? undefined : await running.context.handles.readKept(id)
  const columns = id !== undefined && Array.isArray(list) ? { id, list } : undefined
  return answerRead(running, { connector, kind, request, place, columns })
}

/** Makes the tool. @param lineTools tools whose answers are lines, which are run again */
export const buildReadMore = (lineTools: readonly ToolDefinition[]): ToolDefinition =>
  defineTool({
    name: 'read_more',
    description: 'Continue where an answer ended: give the handle that it named, unchanged.',
    rules: {
      handle: { type: 'string', about: 'The handle', required: true },
      row: { type: 'integer', about: 'Only this row, in full: its number' },
    },
    annotations: reads('Read more', true),
    scope: 'execute:read',
    example: { handle: 'the handle of the answer' },
    run: async (running) => {
      const position = await running.context.handles.read(readString(running, 'handle') ?? '')
      if (!isPosition(position)) throw failHandle('another version made the handle')
      if (position.type !== 'lines') return readRows(running, position)
      const tool = lineTools.find(({ name }) => name === position.tool)
      if (tool === undefined) throw failHandle('these tools have no such tool')
      return tool.run({ ...running, args: position.args, from: position.place })
    },
  })
