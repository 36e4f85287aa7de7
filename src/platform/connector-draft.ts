/** What a connector is made from or changed with, checked against its kind. */
import type { Kind } from '../definition/connector.ts'
import { isObject } from '../definition/object.ts'
import type { CredentialValues } from '../engine/connection.ts'
import { checkConfiguration, checkCredentials, validationFailed } from '../engine/credentials.ts'
import { Secret } from '../engine/secret.ts'
import { FerruleError, type Problem } from '../errors.ts'
import { bodies, readBody, requiredWorkspaceName, validMembers } from './bodies.ts'
import { collectMistakes, type Mistakes } from './mistakes.ts'
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

/** A draft as far as it can be read, with all that is wrong with it. */
export interface ReadDraft {
  readonly mistakes: Mistakes
  /** What the request asks for the workspace; undefined where that is wrong itself. */
  readonly workspaceName: string | undefined
  readonly name: string | undefined
  /** Whether a missing workspace is to be made. */
  readonly createWorkspace: boolean
  /** Whether the credentials are to be tried first. */
  readonly check: boolean
  /** @throws FerruleError the mistakes, when there are any */
  draft(): ConnectorDraft
}

/**
 * Reads the body of a creation, to its end whatever is wrong with it.
 * @param sandbox whether connectors of the sandbox are taken
 * @throws FerruleError `validation_failed` when it is no object
 */
export function readDraft(catalogue: Catalogue, given: unknown, sandbox: boolean): ReadDraft {
  const fields = bodies.createConnector
  if (!isObject(given)) readBody(fields, given)
  const mistakes = collectMistakes()
  const body = mistakes.take('', () => readBody(fields, given)) ?? validMembers(fields, given)
  const workspaceName = mistakes.take('/workspace_name', () => requiredWorkspaceName(body))
  const kind = mistakes.take('/connector_type', () => kindOf(catalogue, [body.connector_type, body.definition_id, body.source_template_id]))
  const wanted = mistakes.take('/environment/sandbox', () => readSandbox(body.environment, sandbox)) ?? false
  const parts = kind === undefined ? undefined : readParts(mistakes, kind, body)
  return {
    ...{ mistakes, workspaceName, name: body.name, createWorkspace: body.create_workspace ?? false, check: body.check ?? true },
    draft: () => {
      mistakes.refuse()
      if (workspaceName === undefined || body.name === undefined || parts === undefined) throw validationFailed([])
      return { workspaceName, name: body.name, sandbox: wanted, ...parts }
    },
  }
}

type Body = Partial<ReturnType<typeof readBody<typeof bodies.createConnector>>>
type KindParts = Pick<ConnectorDraft, 'kind' | 'scheme' | 'credentials' | 'configuration' | 'entities'>

/** What depends on the kind. */
function readParts(
  mistakes: Mistakes,
  kind: Kind,
  { environment, replication_config, credentials, entities }: Body,
): KindParts | undefined {
  const { sandbox: _sandbox, ...variables } = environment ?? {}
  const configuration = mistakes.take('/replication_config', () => readConfiguration(kind, variables, replication_config))
  // Credentials that are no object were told by the body's schema.
  const checked =
    credentials === undefined ? undefined : mistakes.take('/credentials', () => checkCredentials(kind.definition, credentials))
  const wanted = mistakes.take('/entities', () => checkEntities(kind, entities))
  if (configuration === undefined || checked === undefined || wanted === undefined) return undefined
  return { kind, scheme: checked.scheme, credentials: new Secret(checked.values), configuration, entities: wanted }
}

function readSandbox(environment: Readonly<Record<string, unknown>> | undefined, sandbox: boolean): boolean {
  const wanted = environment?.['sandbox'] ?? false
  const place = '/environment/sandbox'
  if (typeof wanted !== 'boolean') throw validationFailed([problem(place, 'must be true or false', 'type')])
  if (wanted && !sandbox)
    throw validationFailed([problem(place, 'cannot be true: this service runs without the sandbox (FERRULE_SANDBOX)', 'sandbox')])
  return wanted
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
    throw validationFailed(error.errors.map((each) => ({ ...each, field: place(each.field) })))
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
