/** Parameters that the caller left out and the connector knows: from its configuration, else from what its credentials discovered. */
import { fail } from '../errors.ts'
import type { Connection, CredentialValues } from './connection.ts'
import { writeJson } from './json.ts'
import type { CompiledOperation, FilledParameter } from './operation.ts'
import type { Params } from './params.ts'

/** Values that a sentence names at most. */
const namedValues = 20

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [])

/** The values that a connector knows under a name of the kind. */
async function knownValues(connection: Connection, name: string, credentials: () => Promise<CredentialValues>): Promise<readonly string[]> {
  const { configuration = '', credential } = connection.kind.definition.known?.[name] ?? {}
  const configured = textsOf(connection.configuration[configuration])
  if (configured.length > 0 || credential === undefined) return configured
  return ((await credentials())[credential] ?? '').split(',').filter((value) => value !== '')
}

const sentence = ({ fill }: FilledParameter, configuration: string, values: readonly string[]): string => {
  if (values.length === 0) return `is required: give it with the call, or set ${configuration} in the configuration of the connector`
  const more = values.length > namedValues ? ` and ${values.length - namedValues} more` : ''
  return `is required, as several are known: ${fill.known} ${values.slice(0, namedValues).join(', ')}${more}`
}

const refused = (connection: Connection, parameter: FilledParameter, values: readonly string[]) => {
  const { configuration = '' } = connection.kind.definition.known?.[parameter.fill.known] ?? {}
  const message = sentence(parameter, configuration, values)
  const field = `/params/${parameter.name}`
  return fail(
    'missing_parameter',
    { reason: `${field} ${message}` },
    {
      problems: [{ field, message, error_code: 'required' }],
      hint: `Send ${parameter.name}, or set ${configuration} (replication_config on the platform, config in the library).`,
    },
  )
}

/**
 * The parameters with what the connector supplies for those that the caller left out.
 * @param credentials opens the credentials, and exchanges them first where that discovers the values; asked only when needed
 * @throws FerruleError `missing_parameter`, with the known values where there are several and the call takes one
 */
export async function filledParams(
  connection: Connection,
  { operation, params, credentials }: { operation: CompiledOperation; params: Params; credentials: () => Promise<CredentialValues> },
): Promise<Params> {
  let filled = params
  for (const parameter of operation.fills) {
    const { name, fill } = parameter
    if (params[name] !== undefined) continue
    const values = await knownValues(connection, fill.known, credentials)
    if (values.length === 0 || (fill.as === 'one' && values.length > 1)) throw refused(connection, parameter, values)
    filled = { ...filled, [name]: fill.as === 'one' ? values[0] : writeJson(values) }
  }
  return filled
}
