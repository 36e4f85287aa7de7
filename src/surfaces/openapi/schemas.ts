/** Shared schemas of the API's document: the platform's records in wire form. */
import { bool, type Field, int, list, obj, oneOf, open, opt, orNull, str } from '../../definition/fields.ts'
import { errorTable } from '../../errors.ts'
import { bodies } from '../../platform/bodies.ts'
import { contextSchemas } from './context-schemas.ts'
import { answer, moment, page, ref, uuid } from './shared.ts'

const status = oneOf(
  'active; auth_error: the vendor refused the credentials; disabled: the workspace is inactive',
  'active',
  'auth_error',
  'disabled',
)
const schema = (about: string) => open(`${about}, as JSON Schema`)

const template = {
  id: uuid('Definition id'),
  name: str('Title of the kind'),
  icon: orNull(str('Address of the icon')),
  tags: list(str('Tag'), 'Tags'),
  mode: oneOf('How records are reached', 'DIRECT'),
  runtime_mode: oneOf('What the kind offers', 'direct_only', 'direct_and_context_store'),
  supports_context_store: bool('Whether records can be searched'),
}

const connector = {
  id: uuid('Connector id'),
  name: str('Display name, unique in the workspace'),
  connector_type: str('Slug of the kind'),
  definition_id: uuid('Definition id of the kind'),
  workspace_id: uuid('Workspace id'),
  workspace_name: str('Workspace name'),
  organization_id: uuid('Organization id'),
  status,
  status_reason: orNull(str('Why it is not active, and what to do')),
  notices: list(
    obj(
      {
        type: oneOf('What it is about', 'api_version', 'deprecated'),
        message: str('What the vendor told'),
        since: moment('When it was told first'),
      },
      'Notice',
    ),
    'What the vendor told beside its answers',
  ),
  credential_scheme: str('How it authenticates'),
  credential_fields: list(str('Name'), 'Names of the stored credential fields; values are never returned'),
  replication_config: open('Configuration values'),
  entities: list(ref('EntitySelection'), 'Entities that it is limited to; empty: all'),
  environment: answer({ sandbox: bool('Whether it talks to the stand-in of the vendor') }, 'Where it runs'),
  created_at: moment('When it was created'),
  updated_at: moment('When it was last changed'),
}

const kindSummary = {
  sourceDefinitionId: uuid('Definition id'),
  name: str('Title'),
  connector_type: str('Slug'),
  description: str('What it is'),
  iconUrl: orNull(str('Address of the icon')),
  custom: bool('Whether it was added by the operator'),
  supportLevel: str('Support level'),
}

/** Requests. */
const requests = {
  TokenRequest: obj(
    {
      client_id: opt(str('Client id; left out with HTTP Basic')),
      client_secret: opt(str('Client secret; left out with HTTP Basic')),
      grant_type: opt(oneOf('As RFC 6749 names it', 'client_credentials')),
      scope: opt(str('Space-separated scopes; left out: all')),
    },
    'Client credentials',
  ),
  ScopedTokenRequest: obj(bodies.scopedToken, 'Workspace of the token; it is made when there is none'),
  OrganizationInput: obj(bodies.createOrganization, 'A new organization'),
  WorkspaceInput: obj(bodies.createWorkspace, 'A new workspace'),
  WorkspaceChange: obj(bodies.updateWorkspace, 'What to change'),
  ConnectorInput: obj(bodies.createConnector, 'A new connector'),
  ConnectorUpdate: obj(bodies.updateConnector, 'What to change'),
  ConnectorPatch: obj(bodies.patchConnector, 'What to change; objects are merged (RFC 7396): null removes a key'),
}

/** Answers. */
const answers = {
  Token: answer(
    {
      access_token: str('Bearer token'),
      token_type: oneOf('How to send it', 'bearer'),
      expires_in: int('Seconds'),
      organization_id: orNull(uuid('Organization of requests that name none; null when each request has to name one')),
      scope: opt(str('Scopes, when the request narrowed them')),
    },
    'A bearer token',
  ),
  ScopedToken: answer({ token: str('Bearer token of one workspace'), expires_in: int('Seconds') }, 'A token of one workspace'),
  ScopedTokenInfo: answer(
    { organization_id: uuid('Organization id'), workspace_id: uuid('Workspace id'), workspace_name: str('Workspace name') },
    'What a scoped token is for',
  ),
  Organization: answer(
    {
      id: uuid('Organization id'),
      name: str('Name'),
      role: oneOf('Role of the caller', 'admin'),
      created_at: moment('When it was created'),
    },
    'An organization',
  ),
  OrganizationList: answer({ data: list(ref('Organization'), 'Organizations') }, 'Organizations that the client reaches'),
  Workspace: answer(
    {
      id: uuid('Workspace id'),
      name: str('Name, unique in the organization'),
      organization_id: uuid('Organization id'),
      status: oneOf('State', 'active', 'inactive'),
      cache_enabled: orNull(bool('Whether records are synced; null: as the organization')),
      tombstone: bool('Whether it is removed'),
      visibility: oneOf('Who sees it', 'shared', 'private'),
      color: orNull(str('Colour')),
      created_at: moment('When it was created'),
      updated_at: moment('When it was last changed'),
    },
    'A workspace',
  ),
  WorkspacePage: page('Workspace', 'workspaces'),
  WorkspaceStats: answer(
    { active_count: int('Active'), inactive_count: int('Inactive'), total_count: int('All') },
    'How many workspaces there are',
  ),
  WorkspaceRemoval: answer(
    { id: uuid('Workspace id'), deleted_at: moment('When it was removed; it can be restored for 30 days') },
    'A removed workspace',
  ),
  EntitySelection: answer(
    { entity: str('Entity'), modes: opt(list(oneOf('Mode', 'read', 'write'), 'Modes; left out: all')) },
    'An entity that a connector is limited to',
  ),
  Connector: answer(
    {
      ...connector,
      source_template: answer(
        {
          ...template,
          source_definition_id: uuid('Definition id'),
          user_config_spec: answer({ connectionSpecification: schema('Configuration') }, 'What can be configured'),
          partial_default_config: open('Preset configuration'),
          is_experimental: bool('Whether the kind is experimental'),
        },
        'The kind',
      ),
    },
    'A connector',
  ),
  ConnectorSummary: answer(
    {
      ...connector,
      summarized_source_template: answer(
        { ...template, actor_definition_id: uuid('Definition id'), connector_name: str('Slug'), organization_id: uuid('Organization id') },
        'The kind',
      ),
    },
    'A connector in lists',
  ),
  ConnectorPage: page('ConnectorSummary', 'connectors'),
  JobReference: answer({ job_id: uuid('Job id') }, 'Work that was started'),
  Job: answer(
    {
      id: uuid('Job id'),
      type: oneOf('What is done', 'connector_delete'),
      status: oneOf('State', 'succeeded'),
      connector_id: uuid('Connector id'),
      created_at: moment('When it was asked for'),
      finished_at: moment('When it ended'),
    },
    'A job',
  ),
  CheckResult: answer(
    {
      id: uuid('Id of this check'),
      status: oneOf('Outcome', 'succeeded', 'failed'),
      error_message: opt(str('Why it failed')),
      failure_reason: opt(open('{ timestamp, failure_origin, failure_type, external_message, internal_message, retryable }')),
      entity_check_results: list(open('{ entity, status, status_code?, error_message? }'), 'What was tried'),
    },
    'Outcome of a check',
  ),
  DefinitionSummary: answer(kindSummary, 'A kind'),
  DefinitionList: answer({ definitions: list(ref('DefinitionSummary'), 'Kinds') }, 'Kinds of external systems'),
  Definition: answer(
    {
      id: uuid('Definition id'),
      definition: answer(
        {
          ...kindSummary,
          spec: answer(
            { documentationUrl: str('Page of the vendor'), connectionSpecification: schema('Credentials and configuration') },
            'What it needs',
          ),
        },
        'The kind',
      ),
      example_questions: open('{ direct, search }'),
      credentials: list(answer({ scheme: str('Name'), title: str('Title'), schema: schema('Fields') }, 'A scheme'), 'Ways to authenticate'),
      configuration: schema('replication_config'),
      check: answer({ entity: str('Entity'), action: str('Action') }, 'The operation that proves credentials'),
      entities: list(open('{ entity, description, key, actions, record, searchable }'), 'Entities'),
    },
    'A kind in full',
  ),
  Health: answer({ status: oneOf('State', 'ok') }, 'The service answers'),
}

/** All shared schemas that do not depend on a kind. */
export const sharedSchemas: Readonly<Record<string, Field>> = { ...requests, ...answers, ...contextSchemas }

/** Problem details (RFC 9457) with all codes. */
export const problemSchema: Field = answer(
  {
    type: str('urn:ferrule:error:<code>'),
    title: str('The code as words'),
    status: int('HTTP status'),
    detail: str('What is wrong, in one sentence'),
    instance: opt(str('urn:request:<request id>')),
    code: oneOf('Stable code; branch on it', ...Object.keys(errorTable)),
    message: str('The same as detail'),
    fault: oneOf('Whose fault it is', 'caller', 'credentials', 'vendor', 'service'),
    retryable: bool('Whether the same request can succeed later'),
    retry_after_seconds: opt(int('Seconds to wait')),
    hint: str('What to do next'),
    errors: list(
      answer(
        {
          field: str('JSON pointer of the place'),
          message: str('What is wrong there'),
          error_code: str('Rule'),
          line: opt(int('Line within the text at that place, from 1')),
          column: opt(int('Column of it, from 1, in UTF-16 code units')),
        },
        'A problem',
      ),
      'Problems of the request',
    ),
    request_id: opt(str('Id of the request')),
    upstream: opt(
      answer(
        { status: int('Status'), code: opt(str('Code')), message: opt(str('Message')), request_id: opt(str('Request id')) },
        'What the vendor said, without secrets',
      ),
    ),
  },
  'What went wrong',
)
