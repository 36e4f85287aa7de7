import { type CredentialScheme, connector, find, normalised, opt, secret, str, time } from '../../definition/index.ts'
import { columns, databases, record, result_partitions, schemas, tables, views, warehouses } from './records.ts'
import { rules } from './rules.ts'

const account = '[a-z][a-z0-9_-]{0,62}(\\.[a-z0-9_-]{1,63}){0,3}'
/** Accounts in China and of the United States' defence: their value is the whole host. */
const domains = ['snowflakecomputing.cn', 'snowflakecomputing.mil']
const elsewhere = `${account}\\.snowflakecomputing\\.(?:cn|mil)`

const integration = { role: 'ACCOUNTADMIN', url: 'https://docs.snowflake.com/en/user-guide/oauth-custom' }
const secrets = "SELECT SYSTEM$SHOW_OAUTH_CLIENT_SECRETS('NAME_OF_THE_INTEGRATION')"

/** The consent of a user, for one role, to a security integration of the account (OAUTH_CLIENT = CUSTOM). */
const oauth = {
  title: 'OAuth 2.0',
  fields: {
    refresh_token: find(
      { says: 'Snowflake returns the refresh token when a user agrees; a connect link fills it in.' },
      secret('Refresh token; single use, if the integration says so'),
    ),
    access_token: opt(
      find({ says: 'Snowflake returns the access token with the refresh token; leave it out to get a new one.' }, secret('Access token')),
    ),
    client_id: opt(
      find(
        { says: `An administrator reads the client id by ${secrets}.`, ...integration },
        str('Client id of the integration', { minLength: 1 }),
      ),
    ),
    client_secret: opt(
      find({ says: `An administrator reads the client secret by ${secrets}.`, ...integration }, secret('Client secret of the integration')),
    ),
    token_expiry_date: opt(
      find(
        { says: 'Snowflake returns the lifetime in seconds with the access token; leave the date out if you do not know it.' },
        time('When the access token expires'),
      ),
    ),
  },
  send: { headers: { authorization: 'Bearer {access_token}' } },
  headers: { 'x-snowflake-authorization-token-type': 'OAUTH' },
  exchange: {
    call: 'POST /oauth/token-request',
    headers: { authorization: 'Basic {client_id}:{client_secret}' },
    as: 'form',
    read: { access_token: 'access_token', refresh_token: 'refresh_token' },
    expires: { seconds: 'expires_in', field: 'token_expiry_date' },
    refresh: { constant: { grant_type: 'refresh_token' }, send: { refresh_token: 'refresh_token' } },
    code: { constant: { grant_type: 'authorization_code' }, send: {}, code: 'code', redirectUri: 'redirect_uri' },
  },
  consent: {
    page: 'GET /oauth/authorize',
    send: { client_id: 'client_id' },
    constant: { response_type: 'code' },
    // The encoded form takes every name of a role.
    scopes: ['refresh_token', 'session:role-encoded:{role}'],
    pkce: true,
    oauthClient: ['client_id', 'client_secret'],
    who: 'A user of the account who has the role can consent; Snowflake refuses ACCOUNTADMIN, ORGADMIN and SECURITYADMIN unless the account allows them.',
    code: ['code'],
  },
} as const satisfies CredentialScheme

/** Snowflake, SQL API v2. */
export const snowflake = connector(
  {
    kind: 'snowflake',
    title: 'Snowflake',
    category: 'data warehouse',
    about: 'A data warehouse: databases, schemas, tables, views, warehouses, columns, and rows by SQL',
    id: 'e2d65910-8c8b-40a1-ae7d-ee2416b2bfa2',
    documentation: 'https://docs.snowflake.com/en/developer-guide/sql-api/index',
    origins: { api: 'https://{account}.snowflakecomputing.com', oauth: 'https://{account}.snowflakecomputing.com' },
    domains,
    credentials: {
      programmatic_access_token: {
        title: 'Programmatic access token',
        fields: {
          programmatic_access_token: find(
            {
              says: 'Generate a token there and copy it at once: Snowflake shows it only then. Its user needs a network policy that lets this service in.',
              menu: 'Your name > Settings > Authentication > Programmatic access tokens',
              url: 'https://docs.snowflake.com/en/user-guide/programmatic-access-tokens',
            },
            secret('Programmatic access token: a key that Snowflake generates for a user, instead of a password'),
          ),
        },
        send: { headers: { authorization: 'Bearer {programmatic_access_token}' } },
        headers: { 'x-snowflake-authorization-token-type': 'PROGRAMMATIC_ACCESS_TOKEN' },
      },
      key_pair: {
        title: 'Key pair',
        fields: {
          user: find(
            { says: 'It is the name that you type to sign in to Snowflake, not your display name.' },
            str('Name that the user signs in to Snowflake with', { minLength: 1 }),
          ),
          private_key: find(
            {
              says: 'You or an administrator create a pair of keys; copy the whole file of the private one, with its first and last line. ALTER USER … SET RSA_PUBLIC_KEY gives the public one to the user.',
              url: 'https://docs.snowflake.com/en/user-guide/key-pair-auth',
            },
            secret('Private key of the user: the text between the lines BEGIN and END, with both (RSA, PEM, PKCS #8)'),
          ),
          private_key_passphrase: opt(
            find(
              { says: 'It was chosen when the key was created; leave it out for a key without a passphrase.' },
              secret('Password of the private key, if it has one'),
            ),
          ),
        },
        send: { as: 'signed', key: 'private_key', passphrase: 'private_key_passphrase', claims: 'rule:key_pair', seconds: 3_540 },
        headers: { 'x-snowflake-authorization-token-type': 'KEYPAIR_JWT' },
      },
      oauth,
    },
    configuration: {
      account: find(
        {
          says: 'It is the part before .snowflakecomputing.com in the URL of your account; you can paste that whole URL. One that ends with .cn or .mil is kept whole.',
          menu: 'Account selector > View account details',
          url: 'https://docs.snowflake.com/en/user-guide/admin-account-identifier',
        },
        normalised(
          [`^(?:https://)?(${account})\\.snowflakecomputing\\.com/?$`, `^(?:https://)?(${elsewhere})/?$`, `^(${account})$`],
          str('Your Snowflake account: the part before .snowflakecomputing.com, such as myorg-my_account', {
            // Part of a host is no account, unless it is the whole host of another domain.
            pattern: `^(?:(?!.*\\.snowflakecomputing)${account}|${elsewhere})$`,
            says: 'must be an account identifier such as myorg-my_account or xy12345.us-east-2.aws',
          }),
        ),
      ),
      database: find(
        { says: 'Run SHOW DATABASES in Snowflake and copy the name from its result; upper and lower case count.' },
        str('Database to read from, where a call names no other', { minLength: 1 }),
      ),
      warehouse: find(
        { says: 'Run SHOW WAREHOUSES in Snowflake and copy the name from its result; upper and lower case count.' },
        str('Warehouse that runs the statements, where a call names no other', { minLength: 1 }),
      ),
      role: find(
        {
          says: 'Run SHOW ROLES in Snowflake and copy the name from its result; upper and lower case count. A token can be restricted to one role.',
        },
        str('Role that decides what can be read, where a call names no other', { minLength: 1 }),
      ),
      schema: opt(
        find(
          {
            says: 'Run SHOW SCHEMAS in Snowflake and copy the name from its result; leave it out to name schemas in each statement.',
          },
          str('Schema within the database, where a call names no other', { minLength: 1 }),
        ),
      ),
    },
    known: {
      database: { configuration: 'database' },
      schema: { configuration: 'schema' },
      warehouse: { configuration: 'warehouse' },
      role: { configuration: 'role' },
    },
    pages: {
      statement: {
        shape: 'statement',
        read: {
          next_page_url: 'link:next',
          request_id: 'requestId',
          statement_handle: 'statementHandle',
          partition_info: 'resultSetMetaData.partitionInfo',
        },
        parts: {
          entity: 'result_partitions',
          handle: { meta: 'statement_handle', param: 'statementHandle' },
          number: 'partition',
          known: 'partition_info',
          url: 'next_page_url',
          rows: { part: 'rowCount', all: 'resultSetMetaData.numRows' },
        },
      },
    },
    problem: { message: ['message'], requestId: 'requestId', code: 'code' },
    errors: [
      { status: 200, codes: ['391908'], is: 'upstream_result_too_large' },
      {
        codes: ['390432'],
        is: 'upstream_auth_failed',
        hint: 'The user of the token needs a network policy that lists the addresses of this service.',
      },
      {
        codes: ['394400'],
        is: 'upstream_auth_failed',
        hint: 'The token is wrong, has ended, or its user has no network policy that lets this service in.',
      },
      {
        codes: ['390186', '390189'],
        is: 'upstream_permission_denied',
        hint: 'The token may be for another role; names of roles are case-sensitive.',
      },
      {
        codes: ['391918', '391920'],
        is: 'upstream_invalid_request',
        hint: 'Names of databases and warehouses are case-sensitive: write them as SHOW prints them.',
      },
      { codes: ['000606'], is: 'upstream_permission_denied', hint: 'Name a warehouse that the role may use; names are case-sensitive.' },
      { codes: ['003001'], is: 'upstream_permission_denied' },
      { codes: ['000709'], is: 'record_not_found', hint: 'Results are kept for 24 hours: run the statement again.' },
      { codes: ['000604'], is: 'statement_failed', hint: 'The statement was cancelled.' },
      { codes: ['000630'], is: 'statement_timeout' },
      { status: 408, is: 'statement_timeout' },
      { status: 422, is: 'statement_failed' },
      { status: 401, is: 'upstream_auth_failed' },
      {
        status: 403,
        is: 'upstream_permission_denied',
        hint: 'The SQL API may be switched off, or a network policy keeps this service out.',
      },
      {
        status: 404,
        actions: ['get'],
        sent: 'statementHandle',
        is: 'record_not_found',
        hint: 'Results are kept for 24 hours: run the statement again.',
      },
      {
        status: 404,
        is: 'upstream_invalid_request',
        hint: 'The account is unknown at this host: locators outside of AWS us-west-2 need their region.',
      },
      { statuses: [405, 406], is: 'upstream_unsupported' },
      { status: 415, is: 'upstream_unsupported' },
      { status: 429, is: 'upstream_rate_limited', wait: { first: 1, longest: 60 } },
      { statuses: [400, 499], is: 'upstream_invalid_request' },
      { statuses: [500, 599], is: 'upstream_error' },
    ],
    // The vendor states no rate: the account and its warehouses limit concurrent statements, and 429 slows calls down.
    limits: { key: ['account'], rates: [] },
    // The vendor answers a statement within 45 seconds, with its result or with "still running". Parts of results are larger than usual
    // answers.
    patience: { seconds: 55, bytes: 64 * 1024 * 1024 },
    // Administrators can rename an account, but not its locator.
    account: {
      entity: 'record',
      action: 'list',
      params: { statement: "SELECT CURRENT_REGION() || '.' || CURRENT_ACCOUNT()" },
      id: 'data[0][0]',
    },
    check: { entity: 'databases', action: 'list', params: {} },
    entities: { databases, schemas, tables, views, warehouses, columns, record, result_partitions },
  },
  rules,
)
