/** What a connector is made from or changed with, checked against its kind. */
import type { Kind } from '../definition/connector.ts'
import type { CredentialValues } from '../engine/connection.ts'
import { checkConfiguration, checkCredentials, validationFailed } from '../engine/credentials.ts'
import { Secret } from '../engine/secret.ts'
import { FerruleError, type Problem } from '../errors.ts'
import { bodies, readBody, requiredWorkspaceName } from './bodies.ts'
import type { EntitySelection } from './records.ts'
import type { Catalogue } from './types.ts'

/** A connector before it is stored. */
export interface ConnectorDraft {
  readonly workspaceName: string
  readonly name: string
  readonly kind: Kind
  readonly scheme: string
  readonly credentials: Secret<CredentialValues>
  readonly configuration: Readonly<Record<string, unknown>>
  readonly entities: readonly EntitySelection[]
  readonly sandbox: boolean
}

const problem = (field: string, message: string, error_code: string): Problem => ({ field, message, error_code })

/**
 * Reads the body of a creation.
 * @param sandbox whether connectors of the sandbox are taken
 * @throws FerruleError `validation_failed`, `connector_type_not_found`, `credentials_mismatch`
 */
export function readDraft(catalogue: Catalogue, given: unknown, sandbox: boolean): ConnectorDraft {
  const body = readBody(bodies.createConnector, given)
  const workspaceName = requiredWorkspaceName(body)
  const kind = kindOf(catalogue, [body.connector_type, body.definition_id, body.source_template_id])
  const { sandbox: wanted, ...variables } = body.environment ?? {}
  if (wanted !== undefined && wanted !== null && typeof wanted !== 'boolean')
    throw validationFailed([problem('/environment/sandbox', 'must be true or false', 'type')])
  if (wanted === true && !sandbox)
    throw validationFailed([
      problem('/environment/sandbox', 'cannot be true: this service runs without the sandbox (FERRULE_SANDBOX)', 'sandbox'),
    ])
  const configuration = readConfiguration(kind, variables, body.replication_config)
  const { scheme, values } = checkCredentials(kind.definition, body.credentials)
  return {
    workspaceName,
    name: body.name,
    kind,
    scheme,
    credentials: new Secret(values),
    configuration,
    entities: checkEntities(kind, body.entities),
    sandbox: wanted === true,
  }
}

/** The kind that the identifiers name; all that are given must name the same. */
function kindOf(catalogue: Catalogue, identifiers: readonly (string | undefined)[]): Kind {
  const [first, ...more] = identifiers.filter((each) => each !== undefined)
  if (first === undefined) throw validationFailed([problem('/connector_type', 'is required, or definition_id in its place', 'required')])
  const kind = catalogue.kindOf(first)
  if (more.some((each) => catalogue.kindOf(each) !== kind))
    throw validationFailed([problem('/connector_type', 'names another kind than definition_id or source_template_id', 'conflict')])
  return kind
}

/** Values of `environment` are configuration values too; a problem is reported where the value was given. */
function readConfiguration(kind: Kind, variables: Record<string, unknown>, given: Record<string, unknown> | undefined) {
  const config = withoutNulls(given ?? {})
  const twice = Object.keys(variables).find((key) => key in config)
  if (twice !== undefined) throw validationFailed([problem(`/environment/${twice}`, 'is given in replication_config too', 'conflict')])
  try {
    return checkConfiguration(kind.definition, { ...withoutNulls(variables), ...config })
  } catch (error) {
    if (!(error instanceof FerruleError)) throw error
    const place = (field: string) =>
      field.slice('/replication_config/'.length) in variables ? field.replace('/replication_config', '/environment') : field
    throw validationFailed(error.problems.map((each) => ({ ...each, field: place(each.field) })))
  }
}

/** An object without the keys whose value is null. */
export const withoutNulls = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null))

/** Entities that a connector is meant for, each known to the kind. @throws FerruleError `validation_failed` */
export function checkEntities(kind: Kind, entities: readonly EntitySelection[] | undefined): readonly EntitySelection[] {
  const known = Object.keys(kind.definition.entities)
  const problems = (entities ?? []).flatMap(({ entity }, index) =>
    known.includes(entity) ? [] : [problem(`/entities/${index}/entity`, `must be one of: ${known.join(', ')}`, 'enum')],
  )
  if (problems.length > 0) throw validationFailed(problems)
  return entities ?? []
}
