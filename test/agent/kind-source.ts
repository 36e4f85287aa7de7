/** Every kind as a source of the test: its real entities and operations, and answers of the test. */
import type { AgentConnector, AgentKind, AgentRequest, AgentSource } from '../../packages/ferrule/src/agent/index.ts'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { buildKindDocument } from '../../packages/ferrule/src/document/build-documents.ts'

/** What is known about each kind. */
export const agentKinds: readonly AgentKind[] = Object.values(kinds).map(({ definition }) => {
  const { kind, title, description, entities } = buildKindDocument(definition)
  return { kind, title, description, entities }
})

/** An operation of a kind. */
export interface KindOperation {
  readonly kind: string
  readonly entity: string
  /** An action, or `search`. */
  readonly action: string
}

/** Lists all operations: the actions of each entity, and its search. */
export const allOperations: readonly KindOperation[] = agentKinds.flatMap(({ kind, entities }) =>
  entities.flatMap(({ entity, actions, searchable }) =>
    [...actions.map(({ action }) => action), ...(searchable === null ? [] : ['search'])].map((action) => ({ kind, entity, action })),
  ),
)

const toConnector = ({ kind }: AgentKind): AgentConnector => ({
  ...{ id: `id-of-${kind}`, name: `My ${kind}`, kind, workspace: 'default', state: 'active', reason: null },
})

/**
 * Makes a source with one connector of each kind.
 * @param answer what an operation answers
 */
export function makeKindSource(answer: (request: AgentRequest, connector: AgentConnector) => unknown): AgentSource {
  const connectors = agentKinds.map(toConnector)
  return {
    listConnectors: async () => ({ connectors, next: null }),
    getConnector: async (id) => connectors.find((each) => each.id === id),
    readKind: async ({ kind }) => {
      const found = agentKinds.find((each) => each.kind === kind)
      if (found === undefined) throw new Error(`there is no kind ${kind}`)
      return found
    },
    execute: async (connector, request) => answer(request, connector),
  }
}
