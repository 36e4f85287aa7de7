/** Fills omitted parameters from the connector's configuration, else from what the credentials discovered. */
import { fail } from '../../errors.ts'
import { writeJson } from '../../values/json/json.ts'
import type { Connection } from '../connection.ts'
import type { CompiledOperation, FilledParameter } from './operation.ts'
import type { Params } from './params.ts'

/** Maximum number of values that a message names. */
const namedValues = 20

const toStrings = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [])

/** Reads a field of the credentials that is no secret. */
type Discovered = (field: string) => Promise<string>

/** Finds the values that a connector knows under a name of the kind. */
async function findKnownValues(connection: Connection, name: string, discovered: Discovered): Promise<readonly string[]> {
  const { configuration = '', credential } = connection.kind.definition.known?.[name] ?? {}
  const configured = toStrings(connection.configuration[configuration])
  if (configured.length > 0 || credential === undefined) return configured
  return (await discovered(credential)).split(',').filter((value) => value !== '')
}

const describeMissing = ({ fill }: FilledParameter, configuration: string, values: readonly string[]): string => {
  if (values.length === 0) return `is required: give it with the call, or set ${configuration} in the configuration of the connector`
  const more = values.length > namedValues ? ` and ${values.length - namedValues} more` : ''
  const many = fill.most === undefined ? 'several' : `more than ${fill.most}`
  return `is required, as ${many} are known: ${fill.known} ${values.slice(0, namedValues).join(', ')}${more}`
}

const failMissing = (connection: Connection, parameter: FilledParameter, values: readonly string[]) => {
  const { configuration = '' } = connection.kind.definition.known?.[parameter.fill.known] ?? {}
  const message = describeMissing(parameter, configuration, values)
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
 * Fills the parameters that the caller omitted and the connector knows.
 * @param discovered called only when needed, because it may exchange the credentials first
 * @throws FerruleError `missing_parameter`, with the known values if there are more than the call takes
 */
export async function fillParams(
  connection: Connection,
  { operation, params, discovered }: { operation: CompiledOperation; params: Params; discovered: Discovered },
): Promise<Params> {
  let filled = params
  for (const parameter of operation.fills) {
    const { name, fill } = parameter
    if (params[name] !== undefined) continue
    const values = await findKnownValues(connection, fill.known, discovered)
    if (values.length === 0 && fill.as === 'if_known') continue
    const most = fill.as === 'json_array' ? (fill.most ?? Number.POSITIVE_INFINITY) : 1
    if (values.length === 0 || values.length > most) throw failMissing(connection, parameter, values)
    filled = { ...filled, [name]: fill.as === 'json_array' ? writeJson(values) : values[0] }
  }
  return filled
}
