/** Bodies and queries of the services: their schemas, which documents are printed from too, and reading them. */
import Type from 'typebox'
import { bool, type Field, type Fields, int, list, obj, oneOf, open, opt, orNull, str } from '../definition/fields.ts'
import { isObject } from '../definition/object.ts'
import { validationFailed } from '../engine/credentials.ts'
import { validatorOf } from '../engine/schema.ts'
import type { Flat } from '../engine/types.ts'
import type { Problem } from '../errors.ts'

const nameRules = {
  minLength: 1,
  maxLength: 256,
  pattern: '^[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$',
  says: 'must be 1 to 256 characters without control characters, and not begin with a space',
} as const
const uuid = (about: string) => str(about, { format: 'uuid' })
/** Half of a surrogate pair is no character: a database would keep another name than was given. */
const wellFormed = (schema: ReturnType<typeof str>) =>
  Type.Refine(
    Type.Unsafe<string>(schema),
    (value) => typeof value !== 'string' || value.isWellFormed(),
    () => 'must not hold half of a surrogate pair',
  )
const name = (about: string) => wellFormed(str(about, nameRules))

const entities = list(
  obj(
    {
      entity: str('Name of an entity of the kind.'),
      modes: opt(list(oneOf('What is wanted of it.', 'read', 'write'), 'Reading, writing, or both.', { maxItems: 2 })),
    },
    'An entity.',
  ),
  'The entities that the connector is meant for; an empty list means all.',
  { maxItems: 200 },
)
const workspaceNames = {
  workspace_name: opt(name('Name of the workspace.')),
  customer_name: opt(name('Old name of workspace_name.')),
  external_user_id: opt(name('Old name of workspace_name.')),
}
const checked = opt(
  bool(
    'Whether the credentials are tried at the vendor before anything is stored; true when left out. Stored unchecked, they are used by calls, ' +
      'and syncs wait for a call that passed.',
  ),
)
const paging = {
  limit: opt(int('Entries of a page.', { minimum: 1, maximum: 100, default: 20 })),
  cursor: opt(str('Position taken from `next` of the page before.', { maxLength: 1_000 })),
}

const syncedEntities = list(str('Name of a searchable entity.', { maxLength: 200 }), 'Entities; left out: all.', {
  minItems: 1,
  maxItems: 200,
})

/** Schemas of what the services take, by name. */
export const bodies = {
  createOrganization: { name: name('Display name.') },
  createWorkspace: { name: name('Name, unique in the organization.') },
  updateWorkspace: {
    name: opt(name('New name, unique in the organization.')),
    status: opt(oneOf('An inactive workspace keeps its connectors but executes nothing.', 'active', 'inactive')),
    cache_enabled: opt(orNull(bool('Whether results may be cached; null takes the setting of the organization.'))),
  },
  listWorkspaces: {
    name_contains: opt(wellFormed(str('Part of the name; case does not matter.', { maxLength: 256, pattern: '^[^\\u0000]*$' }))),
    status: opt(oneOf('Only workspaces of this status.', 'active', 'inactive')),
    ...paging,
  },
  createConnector: {
    ...workspaceNames,
    create_workspace: opt(bool('Makes the workspace when there is none of that name; otherwise only `default` is made.')),
    check: checked,
    name: name('Display name, unique in the workspace.'),
    connector_type: opt(
      str(
        'Kind: slug or title; case, space, `_` and `-` do not matter. One of connector_type, definition_id and source_template_id is required.',
      ),
    ),
    definition_id: opt(str('Kind, by the id of its definition.')),
    source_template_id: opt(str('The same as definition_id.')),
    credentials: open('Credential fields of the kind.'),
    replication_config: opt(open('Configuration values of the kind.')),
    environment: opt(open('`sandbox`: true for a connector of the stand-in. Other keys are configuration values.')),
    entities: opt(entities),
  },
  updateConnector: {
    name: opt(name('New display name, unique in the workspace.')),
    replication_config: opt(open('Configuration values; they replace the stored ones.')),
    entities: opt(entities),
  },
  patchConnector: {
    name: opt(name('New display name, unique in the workspace.')),
    replication_config: opt(open('Configuration values; they are merged into the stored ones, null removes.')),
    entities: opt(entities),
    credentials: opt(open('Credential fields; they are merged into the stored ones, null removes. Those of another scheme replace them.')),
    check: checked,
  },
  listConnectors: {
    workspace_id: opt(uuid('Only connectors of this workspace.')),
    ...workspaceNames,
    definition_id: opt(str('Only connectors of this kind, by the id of its definition.', { maxLength: 256 })),
    connector_type: opt(str('Only connectors of this kind, by slug or title.', { maxLength: 256 })),
    ...paging,
  },
  requestSync: {
    mode: opt(
      oneOf('incremental: what changed, where the vendor tells; full: everything, and what is gone is removed.', 'incremental', 'full'),
    ),
    entities: opt(syncedEntities),
  },
  listSyncs: {
    state: opt(oneOf('Only runs of this state.', 'queued', 'running', 'succeeded', 'partial', 'failed', 'cancelled')),
    ...paging,
  },
  setSchedule: {
    interval_seconds: opt(
      orNull(
        int('Seconds between two runs; null: the default, or with `entity` no interval of its own.', { minimum: 60, maximum: 2_592_000 }),
      ),
    ),
    paused: opt(bool('Whether nothing is run by the schedule.')),
    entity: opt(str('Entity; entities that are read with it have the same schedule. Left out: all others.', { maxLength: 200 })),
  },
  resetCopy: { entities: opt(syncedEntities) },
  scopedToken: {
    ...workspaceNames,
    workspace_name: opt(name('Workspace; it is made on the first use of a new name.')),
    region_id: opt(uuid('Taken for compatibility; there is one region.')),
  },
} as const satisfies Record<string, Fields>

const takesNull = (field: Field | undefined): boolean => {
  const type: unknown = field === undefined ? undefined : Reflect.get(field, 'type')
  return Array.isArray(type) && type.includes('null')
}

/**
 * Reads a body. Null counts as absent, except for fields whose value can be null.
 * @throws FerruleError `validation_failed` with every problem
 */
export function readBody<F extends Fields>(fields: F, body: unknown): Flat<F> {
  if (!isObject(body)) throw validationFailed([{ field: '', message: 'must be an object', error_code: 'type' }])
  const given = Object.fromEntries(Object.entries(body).filter(([key, value]) => value !== null || takesNull(fields[key])))
  const problems = validatorOf(fields).problems(given)
  if (problems.length > 0) throw validationFailed(problems)
  return given as Flat<F> // the validator has just said so
}

/** The members of a body that are right by themselves: of a body that is not valid, for finding the other mistakes too. */
export function validMembers<F extends Fields>(fields: F, body: unknown): Partial<Flat<F>> {
  const given = isObject(body) ? Object.entries(body) : []
  const valid = given.filter(([key, value]) => {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined
    return field !== undefined && value !== null && validatorOf({ [key]: field }).problems({ [key]: value }).length === 0
  })
  return Object.fromEntries(valid) as Partial<Flat<F>> // each was just checked against its own schema
}

/** Reads a query: as `readBody`, and digits count as integers. @throws FerruleError `validation_failed` */
export function readQuery<F extends Fields>(fields: F, query: unknown): Flat<F> {
  const given = isObject(query) ? query : {}
  const numbers = Object.entries(given).map(([key, value]) => [key, isInteger(fields[key]) && isDigits(value) ? Number(value) : value])
  return readBody(fields, Object.fromEntries(numbers))
}

const isInteger = (field: Field | undefined): boolean => field !== undefined && Reflect.get(field, 'type') === 'integer'
const isDigits = (value: unknown): boolean => typeof value === 'string' && /^\d{1,9}$/.test(value)

const required = (field: string): Problem => ({ field, message: 'is required', error_code: 'required' })

/** The workspace's name under its present or an old name. @throws FerruleError `validation_failed` when two differ */
export function workspaceNameOf(body: { workspace_name?: string; customer_name?: string; external_user_id?: string }): string | undefined {
  const given = [body.workspace_name, body.customer_name, body.external_user_id].filter((each) => each !== undefined)
  if (new Set(given).size > 1)
    throw validationFailed([{ field: '/workspace_name', message: 'differs from its old name that was given too', error_code: 'conflict' }])
  return given[0]
}

/** As `workspaceNameOf`. @throws FerruleError `validation_failed` when there is none */
export function requiredWorkspaceName(body: Parameters<typeof workspaceNameOf>[0]): string {
  const found = workspaceNameOf(body)
  if (found === undefined) throw validationFailed([required('/workspace_name')])
  return found
}
