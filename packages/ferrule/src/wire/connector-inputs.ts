/** Bodies and queries about connectors. */
import { bool, int, list, obj, oneOf, open, opt, orNull, str } from '../definition/index.ts'
import { entityModes } from './connectors.ts'
import { changesDays } from './feed/changes.ts'
import { displayName, workspaceNames } from './names.ts'
import { pageQuery } from './paging.ts'
import { body, query, uuid, type Wire } from './schemas.ts'

const entities = list(
  obj(
    {
      entity: str('Name of an entity of the kind.'),
      modes: opt(list(oneOf('Mode.', ...entityModes), 'Reading, writing, or both.', { maxItems: 2 })),
    },
    'An entity.',
  ),
  'Entities that are copied; an empty list means all. Calls reach all entities.',
  { maxItems: 200 },
)
const changes_days = opt(
  orNull(
    int(
      'Days for which changes of the copy are kept for those who read them; null: as long as the service keeps them by default.',
      changesDays,
    ),
  ),
)
const check = opt(
  bool(
    'true (default): the credentials are checked at the vendor before anything is stored. false: calls use the unchecked credentials, ' +
      'and syncs wait for the first successful call.',
  ),
)

export const connectorInput = body(
  'ConnectorInput',
  {
    ...workspaceNames,
    create_workspace: opt(bool('true: a new workspace name creates a workspace. Otherwise only `default` is created.')),
    check,
    name: displayName('Display name, unique in the workspace.'),
    connector_type: opt(
      str(
        'Kind: slug or title; case, space, `_` and `-` do not matter. One of connector_type, definition_id and source_template_id is required.',
      ),
    ),
    definition_id: opt(str('Kind, by the id of its definition.')),
    source_template_id: opt(str('The same as definition_id.')),
    credentials: open('Credential fields of the kind.'),
    replication_config: opt(open('Configuration values of the kind.')),
    environment: opt(open('`sandbox`: true for a connector to the stand-in. Other keys are configuration values.')),
    entities: opt(entities),
    changes_days,
  },
  'A new connector',
)
/** A new connector. */
export type ConnectorInput = Wire<typeof connectorInput>

export const connectorUpdate = body(
  'ConnectorUpdate',
  {
    name: opt(displayName('New display name, unique in the workspace.')),
    replication_config: opt(open('Configuration values; they replace the stored values.')),
    entities: opt(entities),
    changes_days,
  },
  'Members to change',
)
/** A change that replaces members. */
export type ConnectorUpdate = Wire<typeof connectorUpdate>

export const connectorPatch = body(
  'ConnectorPatch',
  {
    name: opt(displayName('New display name, unique in the workspace.')),
    replication_config: opt(open('Configuration values; they are merged into the stored values, null deletes a value.')),
    entities: opt(entities),
    changes_days,
    credentials: opt(
      open(
        'Credential fields; they are merged into the stored fields, null deletes a field. Fields of another scheme replace the stored fields.',
      ),
    ),
    check,
    kind_version: opt(
      int('Version that the connector moves to, of a kind of the organization. A version with other hosts needs the credentials again.', {
        minimum: 1,
      }),
    ),
  },
  'Members to change; objects are merged (RFC 7396): null deletes a key',
)
/** A change that merges members. */
export type ConnectorPatch = Wire<typeof connectorPatch>

export const connectorQuery = query({
  workspace_id: opt(uuid('Only connectors of this workspace.')),
  ...workspaceNames,
  definition_id: opt(str('Only connectors of this kind, by the id of its definition.', { maxLength: 256 })),
  connector_type: opt(str('Only connectors of this kind, by slug or title.', { maxLength: 256 })),
  ...pageQuery,
})
/** What the list of connectors is limited to. */
export type ConnectorQuery = Wire<typeof connectorQuery>
