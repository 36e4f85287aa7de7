/** Connections for replays: invented credentials, which no request needs. */
import { randomBytes } from 'node:crypto'
import type { ConnectorDefinition, CredentialScheme, Kind } from '../definition/connector.ts'
import { type Fields, isOptional } from '../definition/fields.ts'
import { listSlots } from '../definition/templates.ts'
import type { Connection } from '../engine/connection.ts'
import { checkConfiguration } from '../engine/credentials/check-credentials.ts'
import { type CredentialValues, Secret } from '../engine/credentials/source.ts'
import { createMemoryClaims } from '../engine/writes/claims.ts'

/** Invents a value of a field of the configuration: its example, or one of its values; undefined if nothing says which would fit. */
export function inventValue({ pattern, enum: values = [], examples = values }: Fields[string]): string | undefined {
  const [first = pattern === undefined ? 'acme' : undefined] = examples
  return first === undefined ? undefined : String(first)
}

const inventConfiguration = ({ configuration }: ConnectorDefinition): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(configuration).flatMap(([name, field]) => {
      if (isOptional(configuration, name) || field.default !== undefined) return []
      const fitting = inventValue(field)
      return fitting === undefined ? [] : [[name, fitting] as const]
    }),
  )

/** Lists the credential fields that requests carry. */
const listSent = ({ send }: CredentialScheme): readonly string[] =>
  'as' in send ? [] : [...Object.values(send.headers ?? {}), ...Object.values(send.query ?? {})].flatMap(listSlots)

/** Chooses the scheme that needs the least: one without an exchange of tokens, if there is one. */
function inventCredentials({ credentials }: ConnectorDefinition): CredentialValues {
  const schemes = Object.values(credentials)
  const scheme = schemes.find(({ exchange, send }) => exchange === undefined && !('as' in send)) ?? schemes[0]
  const needed = scheme === undefined ? [] : [...listSent(scheme), ...(scheme.exchange === undefined ? Object.keys(scheme.fields) : [])]
  return Object.fromEntries(needed.map((name) => [name, `recorded-${name}`]))
}

/** Lists the names of the query that carry credentials, of all schemes. */
export const listSecretQuery = ({ credentials }: ConnectorDefinition): ReadonlySet<string> =>
  new Set(Object.values(credentials).flatMap(({ send }) => ('as' in send ? [] : Object.keys(send.query ?? {}))))

/** Lists the headers that carry credentials, of all schemes, in lower case. */
export const listSecretHeaders = ({ credentials }: ConnectorDefinition): ReadonlySet<string> =>
  new Set(
    Object.values(credentials).flatMap(({ send }) =>
      'as' in send ? ['authorization'] : Object.keys(send.headers ?? {}).map((name) => name.toLowerCase()),
    ),
  )

/** Makes a connection for replays. @throws FerruleError `validation_failed` for a configuration that the kind does not take */
export function createReplayConnection(kind: Kind, configuration: Readonly<Record<string, unknown>>): Connection {
  const values = new Secret(inventCredentials(kind.definition))
  const opened = { values, version: '0' }
  return {
    kind,
    configuration: checkConfiguration(kind.definition, { ...inventConfiguration(kind.definition), ...configuration }, '/config'),
    credentials: { open: async () => opened, renew: async () => opened },
    writes: createMemoryClaims(),
    cursorKey: randomBytes(32), // descriptions of fields are kept by it
  }
}
