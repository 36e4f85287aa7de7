/** Parameters that the caller left out and the connector knows: from its configuration, else from what its credentials discovered. */
import { fail } from '../errors.ts'
import type { Connection } from './connection.ts'
import { writeJson } from './json.ts'
import type { CompiledOperation, FilledParameter } from './operation.ts'
import type { Params } from './params.ts'

/** Values that a sentence names at most. */
const namedValues = 20

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [])

/** What the credentials discovered, by a field of theirs that is no secret. */
type Discovered = (field: string) => Promise<string>

/** The values that a connector knows under a name of the kind. */
async function knownValues(connection: Connection, name: string, discovered: Discovered): Promise<readonly string[]> {
  const { configuration = '', credential } = connection.kind.definition.known?.[name] ?? {}
  const configured = textsOf(connection.configuration[configuration])
  if (configured.length > 0 || credential === undefined) return configured
  return (await discovered(credential)).split(',').filter((value) => value !== '')
}

const sentence = ({ fill }: FilledParameter, configuration: string, values: readonly string[]): string => {
  if (values.length === 0) return `is required: give it with the call, or set ${configuration} in the configuration of the connector`
  const more = values.length > namedValues ? ` and ${values.length - namedValues} more` : ''
  const many = fill.most === undefined ? 'several' : `more than ${fill.most}`
  return `is required, as ${many} are known: ${fill.known} ${values.slice(0, namedValues).join(', ')}${more}`
}

const refused = (connection: Connection, parameter: FilledParameter, values: readonly string[]) => {
  const { configuration = '' } = connection.kind.definition.known?.[parameter.fill.known] ?? {}
  const message = sentence(parameter, configuration, values)
  const field = `/params/${parameter.name}`
  return fail(
    'missing_parameter',
    { reason: `${field} ${message}` },
    {
      errors: [{ field, message, error_code: 'required' }],
      hint: `Send ${parameter.name}, or set ${configuration} (replication_config on the platform, config in the library).`,
    },
  )
}

/**
 * The parameters with what the connector supplies for those that the caller left out.
 * @param discovered asked only when needed: it may exchange the credentials first
 * @throws FerruleError `missing_parameter`, with the known values where there are more than the call takes
 */
export async function filledParams(
  connection: Connection,
  { operation, params, discovered }: { operation: CompiledOperation; params: Params; discovered: Discovered },
): Promise<Params> {
  let filled = params
  for (const parameter of operation.fills) {
    const { name, fill } = parameter
    if (params[name] !== undefined) continue
    const values = await knownValues(connection, fill.known, discovered)
    if (values.length === 0 && fill.as === 'if_known') continue
    const most = fill.as === 'json_array' ? (fill.most ?? Number.POSITIVE_INFINITY) : 1
    if (values.length === 0 || values.length > most) throw refused(connection, parameter, values)
    filled = { ...filled, [name]: fill.as === 'json_array' ? writeJson(values) : values[0] }
  }
  return filled
}
