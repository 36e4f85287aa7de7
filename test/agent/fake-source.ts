/** A source of the test: connectors without a system behind them, which note what they are asked. */
import type { AgentConnector, AgentKind, AgentRequest, AgentSource } from '../../packages/ferrule/src/agent/index.ts'

const params = (properties: Readonly<Record<string, unknown>>, required: readonly string[] = []) => ({
  ...{ type: 'object', properties, additionalProperties: false },
  ...(required.length === 0 ? {} : { required }),
})
const text = (description: string) => ({ type: 'string', description })

/** A kind with every action. */
const fakeKind: AgentKind = {
  kind: 'notes',
  title: 'Notes',
  description: 'Notes of a team',
  entities: [
    {
      entity: 'notes',
      description: 'Notes',
      key: ['id'],
      actions: [
        { action: 'list', description: 'Lists notes', params: params({ page: { type: ['integer', 'null'] }, author: text('Author') }) },
        { action: 'get', description: 'Reads a note', params: params({ id: text('Id') }, ['id']) },
        { action: 'create', description: 'Creates a note', params: params({ title: text('Title') }, ['title']) },
      ],
      record: params({ id: text('Id'), title: text('Title') }),
      searchable: params({ title: text('Title'), at: { type: 'string', format: 'date-time' } }),
    },
    {
      entity: 'statements',
      description: 'Statements',
      key: ['handle'],
      actions: [{ action: 'list', description: 'Runs a statement', params: params({ statement: text('Statement') }, ['statement']) }],
      record: params({ resultSetMetaData: { type: 'object' }, data: { type: 'array' } }),
      searchable: null,
    },
  ],
}

/** Makes a connector of the kind. */
export const fakeConnector = (name: string, more: Partial<AgentConnector> = {}): AgentConnector => ({
  ...{ id: `id-of-${name}`, name, kind: fakeKind.kind, workspace: 'default', state: 'active', reason: null },
  ...more,
})

/** A source and what it was asked. */
export interface FakeSource extends AgentSource {
  readonly calls: (AgentRequest & { readonly connector: string })[]
}

/**
 * Makes a source.
 * @param answer what an operation answers: `{ data, meta }`
 * @param connectors its connectors; default: one
 */
export function makeFakeSource(
  answer: (request: AgentRequest) => unknown,
  connectors: readonly AgentConnector[] = [fakeConnector('team')],
): FakeSource {
  const calls: FakeSource['calls'] = []
  return {
    calls,
    listConnectors: async ({ workspace, cursor }) => {
      const from = Number(cursor ?? 0)
      const all = connectors.filter((each) => workspace === undefined || each.workspace === workspace)
      return { connectors: all.slice(from, from + 100), next: from + 100 < all.length ? String(from + 100) : null }
    },
    getConnector: async (id) => connectors.find((each) => each.id === id),
    readChanges: async () => ({ data: [], next: 'after', has_more: false }),
    readKind: async () => fakeKind,
    execute: async ({ name }, request) => {
      calls.push({ ...request, connector: name })
      return answer(request)
    },
  }
}
