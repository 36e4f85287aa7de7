import { connector, find, oneOf, opt, secret, str, time, type Webhooks } from '../../definition/index.ts'
import { call_audio, call_transcripts, call_video, calls, calls_extensive } from './calls.ts'
import { rules } from './rules.ts'
import { library_folder_content, library_folders, settings_scorecards, settings_trackers } from './settings.ts'
import { stats_activity_aggregate, stats_activity_day_by_day, stats_activity_scorecards, stats_interaction } from './statistics.ts'
import { coaching, users, workspaces } from './users.ts'

const keys = { menu: 'Admin center > Settings > Ecosystem > API', url: 'https://app.gong.io/company/api', role: 'technical administrator' }
const integrations = { ...keys, menu: `${keys.menu} > Integrations` }
const customerBase = 'Base address of the customer, for example https://company-17.api.gong.io'

const scopes = [
  'api:users:read',
  'api:calls:read:basic',
  'api:calls:read:extensive',
  'api:calls:read:media-url',
  'api:calls:read:transcript',
  'api:workspaces:read',
  'api:stats:user-actions',
  'api:stats:user-actions:detailed',
  'api:stats:interaction',
  'api:stats:scorecards',
  'api:settings:scorecards:read',
  'api:settings:trackers:read',
  'api:library:read',
  'api:coaching:read',
]

const call = 'callData.metaData.id'
const byCall = { key: [call], parameters: { 'filter.callIds': call } }

/**
 * What rules of Gong send when a call was processed: https://help.gong.io/docs/create-a-webhook-rule. A rule with a signed header sends a token
 * instead of a key in the address: https://help.gong.io/docs/prepare-your-receiving-application-to-receive-a-webhook-jwt-header
 * Rules have neither topics nor ids, and say nothing of the account.
 */
const webhooks: Webhooks = {
  signature: {
    scheme: 'jwt',
    secret: 'webhook_public_key',
    find: {
      says: 'Gong shows the public key in a rule that fires a webhook with a signed JWT header.',
      menu: 'Admin center > Settings > Ecosystem > Automation rules',
      role: 'technical administrator',
    },
    header: 'authorization',
    body: 'body_sha256',
    url: 'webhook_url',
  },
  events: {
    '*': [
      { does: 'changed', entity: 'calls', key: [call] },
      { does: 'changed', entity: 'calls_extensive', ...byCall },
      { does: 'changed', entity: 'call_transcripts', ...byCall },
    ],
  },
}

/** Gong, Public API V2. */
export const gong = connector(
  {
    kind: 'gong',
    title: 'Gong',
    category: 'conversation intelligence',
    about: 'Conversation intelligence: calls, transcripts, users and their statistics',
    id: '32382e40-3b49-4b99-9c5c-4076501914e7',
    documentation: 'https://help.gong.io/apidocs',
    origins: { api: 'https://api.gong.io', oauth: 'https://app.gong.io' },
    base: { fields: ['api_base_url_for_customer'], matches: '^https://[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.api\\.gong\\.io/?$' },
    credentials: {
      access_key: {
        title: 'Access key',
        fields: {
          access_key: find(
            { says: 'Gong shows the access key to administrators who create one.', ...keys },
            str('Access key', { minLength: 1 }),
          ),
          access_key_secret: find(
            { says: 'Gong shows the secret together with the access key.', ...keys },
            secret('Secret of the access key'),
          ),
        },
        send: { headers: { authorization: 'Basic {access_key}:{access_key_secret}' } },
      },
      oauth: {
        title: 'OAuth 2.0',
        fields: {
          refresh_token: find(
            { says: 'Gong returns the refresh token for the consent of a technical administrator; a connect link fills it in.' },
            secret('Refresh token; single use: the vendor replaces it with every refresh'),
          ),
          access_token: opt(
            find({ says: 'Gong returns the access token with the refresh token; leave it out to get a new one.' }, secret('Access token')),
          ),
          client_id: opt(
            find(
              { says: 'Gong lists the client id in the row of your integration.', ...integrations },
              str('Client id of the integration; needed to refresh', { minLength: 1 }),
            ),
          ),
          client_secret: opt(
            find(
              { says: 'Gong lists the client secret in the row of your integration.', ...integrations },
              secret('Client secret of the integration; needed to refresh'),
            ),
          ),
          token_expiry_date: opt(
            find(
              { says: 'Gong returns the lifetime in seconds with the access token; leave the date out if you do not know it.' },
              time('When the access token expires'),
            ),
          ),
          api_base_url_for_customer: opt(
            find(
              { says: 'Gong returns the address with the access token; it looks like https://company-17.api.gong.io.' },
              str(customerBase),
            ),
          ),
        },
        send: { headers: { authorization: 'Bearer {access_token}' } },
        exchange: {
          call: 'POST /oauth2/generate-customer-token',
          headers: { authorization: 'Basic {client_id}:{client_secret}' },
          as: 'query',
          read: { access_token: 'access_token', refresh_token: 'refresh_token', api_base_url_for_customer: 'api_base_url_for_customer' },
          expires: { seconds: 'expires_in', field: 'token_expiry_date' },
          refresh: { constant: { grant_type: 'refresh_token' }, send: { refresh_token: 'refresh_token' } },
          code: {
            constant: { grant_type: 'authorization_code' },
            send: { client_id: 'client_id' },
            code: 'code',
            redirectUri: 'redirect_uri',
          },
        },
        consent: {
          page: 'GET /oauth2/authorize',
          constant: { response_type: 'code' },
          send: { client_id: 'client_id' },
          scopes,
          oauthClient: ['client_id', 'client_secret'],
          who: 'A technical administrator of Gong can consent; Gong refuses everybody else.',
          code: ['code'],
        },
      },
    },
    configuration: {
      private_calls: opt(
        find(
          { says: 'Gong asks integrations not to show private calls.' },
          oneOf('Private calls are hidden everywhere (exclude, the default) or returned (include)', 'exclude', 'include'),
        ),
      ),
      api_base_url_for_customer: opt(
        find(
          { says: 'Gong shows the base address beside the access keys; leave it out for https://api.gong.io.', ...keys },
          str(customerBase),
        ),
      ),
    },
    pages: {
      cursor: {
        shape: 'cursor',
        read: { cursor: 'records.cursor', total_records: 'records.totalRecords', current_page_number: 'records.currentPageNumber' },
        next: { meta: 'cursor', param: 'cursor' },
        counted: { all: 'records.totalRecords', page: 'records.currentPageNumber', size: 100 },
      },
    },
    problem: { message: ['errors'], requestId: 'requestId' },
    errors: [
      // A position has records behind it: an answer without any would end the list before its end.
      {
        ...{
          status: 404,
          actions: ['list'],
          sent: 'cursor',
          matches: 'found corresponding to the provided filters|^No (calls|users) found',
        },
        is: 'invalid_cursor',
        hint: 'Gong found nothing at a position that it had given: start again without a cursor.',
      },
      // The vendor answers 404 to a list without records, with one of these messages. Any other 404 is a failure.
      {
        status: 404,
        actions: ['list'],
        matches: 'found corresponding to the provided filters|^No (calls|stats|folders) found|^(answered )?scorecards not found',
        is: 'empty',
      },
      { status: 404, actions: ['get'], matches: '^(Call ID \\S+ was|User) not found', is: 'record_not_found', gone: true },
      { status: 404, is: 'record_not_found' },
      // A missing scope is a 401 here; a new token cannot help.
      { status: 401, matches: "^You don't have permission to use", is: 'upstream_permission_denied' },
      { status: 401, is: 'upstream_auth_failed' },
      { status: 403, is: 'upstream_permission_denied' },
      { status: 429, is: 'upstream_rate_limited' },
      {
        status: 400,
        sent: 'cursor',
        matches: 'cursor',
        is: 'invalid_cursor',
        hint: 'Gong cursors live for one hour: start again without a cursor.',
      },
      { status: 405, is: 'upstream_unsupported' },
      { status: 415, is: 'upstream_unsupported' },
      { statuses: [400, 499], is: 'upstream_invalid_request' },
      { statuses: [500, 599], is: 'upstream_error' },
    ],
    // Per company: 3 calls a second and 10,000 a day, shared by all its keys.
    limits: {
      key: ['access_key', 'api_base_url_for_customer', 'client_id'],
      rates: [
        { calls: 3, seconds: 1 },
        { calls: 10_000, seconds: 86_400 },
      ],
    },
    // The vendor documents no maximum number of ids; public clients use 100.
    lookups: {
      call: {
        entity: 'calls_extensive',
        action: 'list',
        ids: 'filter.callIds',
        batch: 100,
        key: 'metaData.id',
        // A new call is known there later than to the lists. Its own record has the same fields.
        single: { entity: 'calls', action: 'get', param: 'id', as: 'metaData', most: 10 },
      },
    },
    // Gong asks integrations not to show private calls.
    hidden: {
      unless: { field: 'private_calls', is: 'include' },
      count: 'private_calls_excluded',
      error: 'private_call',
      flag: 'metaData.isPrivate',
      recheck: { entity: 'calls', lookup: 'call', seconds: 86_400 },
    },
    webhooks,
    check: { entity: 'users', action: 'list', params: {} },
    account: { entity: 'workspaces', action: 'list', params: {}, id: 'id' },
    entities: {
      users,
      calls,
      calls_extensive,
      call_audio,
      call_video,
      workspaces,
      call_transcripts,
      stats_activity_aggregate,
      stats_activity_day_by_day,
      stats_interaction,
      settings_scorecards,
      settings_trackers,
      library_folders,
      library_folder_content,
      coaching,
      stats_activity_scorecards,
    },
  },
  rules,
)
