/** Connectors as clients see them: the body of a new or changed one, checked against its kind, and the wire form of a stored one. */
import { FerruleError, type Problem } from 'ferrule'
import type { Kind } from 'ferrule/definition'
import { type CredentialValues, checkConfiguration, checkCredentials, Secret } from 'ferrule/engine'
import { failValidation, isObject, moveProblem, readSlug } from 'ferrule/internal'
import {
  type ConnectorCommon,
  type ConnectorRecord,
  type ConnectorStatus,
  type ConnectorSummary,
  connectorInput,
  type EntitySelection,
} from 'ferrule/wire'
import { iso } from '../values/ids.ts'
import { failField, problem, type Read, readBody, requireWorkspaceName, validMembers } from '../values/read.ts'
import { type Catalogue, type ServedKind, summarize } from './connector-types.ts'
import { buildConfigurationSchema, sayNoStandIn } from './kinds.ts'
import type { ConnectorRow } from './sql/connectors.ts'

/** Placeholder of a kind that this version of the service lacks. */
const missing = { id: '00000000-0000-0000-0000-000000000000', schema: { type: 'object' } } as const

/** Returns the status of a connector; an inactive workspace overrides its own status. */
export const getConnectorStatus = (row: ConnectorRow): ConnectorStatus => (row.workspace_status === 'inactive' ? 'disabled' : row.status)

const unchecked = 'The credentials are unchecked. Syncs wait until a call succeeds with them: check the connector, or make a call.'

function getStatusReason(row: ConnectorRow, kind: ServedKind | undefined): string | null {
  if (row.workspace_status === 'inactive') return 'Its workspace is inactive; set the status of the workspace to active.'
  if (row.status === 'active' && row.unchecked && kind !== undefined && summarize(kind).copied) return unchecked
  return row.status_reason
}

/** Converts what records, summaries and overviews share. */
export const toCommon = (row: ConnectorRow, kind: ServedKind | undefined): ConnectorCommon => ({
  id: row.id,
  name: row.name,
  replication_config: JSON.parse(row.configuration),
  entities: JSON.parse(row.entities),
  changes_days: row.changes_days,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  workspace_id: row.workspace_id,
  workspace_name: row.workspace_name,
  organization_id: row.organization_id,
  connector_type: readSlug(row.kind),
  ...(kind?.own === undefined ? {} : { kind_version: kind.own.version }),
  definition_id: kind === undefined ? missing.id : summarize(kind).id,
  status: getConnectorStatus(row),
  status_reason: getStatusReason(row, kind),
  credential_scheme: row.scheme,
  credential_fields: JSON.parse(row.credential_fields),
  environment: { sandbox: Boolean(row.sandbox) },
  notices: JSON.parse(row.notices),
})

const toTemplate = (row: ConnectorRow, kind: ServedKind | undefined) => {
  const {
    id,
    title,
    copied: isSearchable,
  } = kind === undefined ? { ...missing, title: readSlug(row.kind), copied: false } : summarize(kind)
  return {
    id,
    name: title,
    icon: null,
    tags: [],
    mode: 'DIRECT',
    runtime_mode: isSearchable ? 'direct_and_context_store' : 'direct_only',
    supports_context_store: isSearchable,
  } as const
}

/** Converts a connector to the answer of create, get, update and patch. */
export function toConnectorRecord(row: ConnectorRow, kind: ServedKind | undefined): ConnectorRecord {
  const template = toTemplate(row, kind)
  return {
    ...toCommon(row, kind),
    source_template: {
      ...template,
      source_definition_id: template.id,
      user_config_spec: { connectionSpecification: kind === undefined ? missing.schema : buildConfigurationSchema(kind.definition) },
      partial_default_config: {},
      is_experimental: false,
    },
  }
}

/** Converts a connector to an item of lists. */
export function toConnectorSummary(row: ConnectorRow, kind: ServedKind | undefined): ConnectorSummary {
  const template = toTemplate(row, kind)
  return {
    ...toCommon(row, kind),
    summarized_source_template: {
      ...template,
      actor_definition_id: template.id,
      connector_name: readSlug(row.kind),
      organization_id: row.organization_id,
    },
  }
}

interface Mistakes {
  /** Returns the result of `read`, or undefined after collecting its error. Errors without a field get the given one. */
  take<T>(field: string, read: () => T): T | undefined
  add(field: string, error: FerruleError): void
  /** @throws FerruleError the single error, or `validation_failed` with all problems */
  refuse(): void
}

const toProblems = (field: string, error: FerruleError): readonly Problem[] =>
  error.errors.length > 0 ? error.errors : [{ field, message: error.message.replace(/\.$/, ''), error_code: error.code }]

function collectMistakes(): Mistakes {
  const found: { readonly field: string; readonly error: FerruleError }[] = []
  const add = (field: string, error: FerruleError): void => {
    found.push({ field, error })
  }
  return {
    add,
    take: (field, read) => {
      try {
        return read()
      } catch (error) {
        if (!(error instanceof FerruleError) || error.fault === 'service') throw error
        add(field, error)
        return undefined
      }
    },
    refuse: () => {
      const [first] = found
      if (first === undefined) return
      if (found.length === 1) throw first.error
      throw failValidation(found.flatMap(({ field, error }) => toProblems(field, error)))
    },
  }
}

/** A connector before it is stored. */
export interface ConnectorDraft {
  readonly workspaceName: string
  readonly name: string
  readonly kind: ServedKind
  readonly scheme: string
  readonly credentials: Secret<CredentialValues>
  readonly configuration: Readonly<Record<string, unknown>>
  readonly entities: readonly EntitySelection[]
  /** Days for which changes are kept; null: the default. */
  readonly changesDays: number | null
  readonly sandbox: boolean
}

/** A body as far as it could be read, with its problems. */
export interface ReadDraft {
  readonly mistakes: Mistakes
  /** Undefined when the name is invalid. */
  readonly workspaceName: string | undefined
  readonly name: string | undefined
  /** True to create a missing workspace. */
  readonly createWorkspace: boolean
  /** True to try the credentials first. */
  readonly check: boolean
  /** Returns the draft. @throws FerruleError the collected problems */
  draft(): ConnectorDraft
}

/** Lists the names by which a body of a creation names its kind. */
export const listKindNames = (given: unknown): readonly unknown[] =>
  isObject(given) ? [given['connector_type'], given['definition_id'], given['source_template_id']] : []

/**
 * Reads the body of a creation to its end, whatever is invalid.
 * @param sandbox true when the service accepts sandbox connectors
 * @throws FerruleError `validation_failed` when the body is no object
 */
export function readDraft(catalogue: Catalogue, given: unknown, sandbox: boolean): ReadDraft {
  if (!isObject(given)) readBody(connectorInput, given)
  const mistakes = collectMistakes()
  const body = mistakes.take('', () => readBody(connectorInput, given)) ?? validMembers(connectorInput, given)
  const workspaceName = mistakes.take('/workspace_name', () => requireWorkspaceName(body))
  const kind = mistakes.take('/connector_type', () =>
    readKind(catalogue, [body.connector_type, body.definition_id, body.source_template_id]),
  )
  const wanted = mistakes.take('/environment/sandbox', () => readSandbox(body.environment, { sandbox, kind, catalogue })) ?? false
  const parts = kind === undefined ? undefined : readKindValues(mistakes, kind, body)
  return {
    mistakes,
    workspaceName,
    name: body.name,
    createWorkspace: body.create_workspace ?? false,
    check: body.check ?? true,
    draft: () => {
      mistakes.refuse()
      if (workspaceName === undefined || body.name === undefined || parts === undefined) throw failValidation([])
      return { workspaceName, name: body.name, changesDays: body.changes_days ?? null, sandbox: wanted, ...parts }
    },
  }
}

type Body = Partial<Read<typeof connectorInput>>
type KindValues = Pick<ConnectorDraft, 'kind' | 'scheme' | 'credentials' | 'configuration' | 'entities'>

function readKindValues(
  mistakes: Mistakes,
  kind: ServedKind,
  { environment, replication_config, credentials, entities }: Body,
): KindValues | undefined {
  const { sandbox: _sandbox, ...variables } = environment ?? {}
  const configuration = mistakes.take('/replication_config', () => readConfiguration(kind, variables, replication_config))
  // The body's schema has reported credentials that are no object.
  const checked =
    credentials === undefined ? undefined : mistakes.take('/credentials', () => checkCredentials(kind.definition, credentials))
  const wanted = mistakes.take('/entities', () => checkEntities(kind, entities))
  if (configuration === undefined || checked === undefined || wanted === undefined) return undefined
  return { kind, scheme: checked.scheme, credentials: new Secret(checked.values), configuration, entities: wanted }
}

function readSandbox(
  environment: Readonly<Record<string, unknown>> | undefined,
  { sandbox, kind, catalogue }: { readonly sandbox: boolean; readonly kind: ServedKind | undefined; readonly catalogue: Catalogue },
): boolean {
  const wanted = environment?.['sandbox'] ?? false
  const field = '/environment/sandbox'
  if (typeof wanted !== 'boolean') throw failField(field, 'must be true or false', 'type')
  if (wanted && !sandbox) throw failField(field, 'cannot be true: this service runs without the sandbox (FERRULE_SANDBOX)', 'sandbox')
  if (wanted && kind !== undefined && !catalogue.hasStandIn(kind)) throw failField(field, sayNoStandIn(kind), 'sandbox')
  return wanted
}

/** Returns the kind of the identifiers, which must all name the same kind. */
function readKind(catalogue: Catalogue, identifiers: readonly (string | undefined)[]): ServedKind {
  const [first, ...more] = identifiers.filter((each) => each !== undefined)
  if (first === undefined) throw failField('/connector_type', 'is required, or definition_id instead', 'required')
  const kind = catalogue.getKind(first)
  if (more.some((each) => catalogue.getKind(each) !== kind))
    throw failField('/connector_type', 'names another kind than definition_id or source_template_id', 'conflict')
  return kind
}

/** Reads the configuration, including values of `environment`. A problem names the member that held the value. */
function readConfiguration(kind: Kind, variables: Record<string, unknown>, given: Record<string, unknown> | undefined) {
  const config = omitNulls(given ?? {})
  const twice = Object.keys(variables).find((key) => key in config)
  if (twice !== undefined) throw failField(`/environment/${twice}`, 'is given in replication_config too', 'conflict')
  try {
    return checkConfiguration(kind.definition, { ...omitNulls(variables), ...config })
  } catch (error) {
    if (!(error instanceof FerruleError)) throw error
    const toGiven = (field: string) =>
      field.slice('/replication_config/'.length) in variables ? field.replace('/replication_config', '/environment') : field
    throw failValidation(error.errors.map((each) => moveProblem(each, toGiven(each.field))))
  }
}

/** Returns an object without members of value null. */
export const omitNulls = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null))

/** Validates the entities of a connector. @throws FerruleError `validation_failed` */
export function checkEntities(kind: Kind, entities: readonly EntitySelection[] | undefined): readonly EntitySelection[] {
  const known = Object.keys(kind.definition.entities)
  const problems = (entities ?? []).flatMap(({ entity }, index) =>
    known.includes(entity) ? [] : [problem(`/entities/${index}/entity`, `must be one of: ${known.join(', ')}`, 'enum')],
  )
  if (problems.length > 0) throw failValidation(problems)
  return entities ?? []
}
