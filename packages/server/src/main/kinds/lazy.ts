/** Kinds whose definition is read when it is first used: most kinds of a service have no connector, and cost nothing but a line of lists. */
import type { ConnectorDefinition } from 'ferrule/definition'
import type { KindSummary, ServedKind } from '../../connectors/connector-types.ts'

/** Where the definition of a kind comes from, and what it is served with. */
export interface LazyParts extends Pick<ServedKind, 'ships' | 'rulesModule' | 'recordings'> {
  /** Reads the checked long form as JSON. */
  read(): string
  readonly rules?: ServedKind['rules']
}

/** Makes a kind. Its definition is read once. */
export function makeLazyKind(summary: KindSummary, { read, rules = {}, ...rest }: LazyParts): ServedKind {
  let definition: ConnectorDefinition | undefined
  return {
    ...rest,
    summary,
    rules,
    get definition() {
      definition ??= JSON.parse(read()) as ConnectorDefinition // checked when it was kept, or when the service was made
      return definition
    },
  }
}
