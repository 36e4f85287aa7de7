/** The operator's own OAuth clients at vendors on the wire, and the start of an authorization in the form of the platform's clients. */
import { int, list, oneOf, open, opt, orNull, str, time } from '../../definition/index.ts'
import { displayName, workspaceNames } from '../names.ts'
import { body, query, record, uuid, type Wire } from '../schemas.ts'
import { webhookSecret } from '../vendor-webhooks.ts'

const credentials = {
  id: uuid('Id of the OAuth client'),
  scope_type: oneOf('Whose OAuth client it is', 'organization'),
  scope_id: uuid('Organization id'),
  connector_type: str('Slug of the kind'),
  connector_definition_id: uuid('Definition id of the kind'),
  created_at: time('Time of creation'),
  updated_at: time('Time of the last change'),
}

export const oauthCredentialsRecord = record(
  'OAuthCredentials',
  {
    ...credentials,
    configuration_fields: list(str('Name'), 'Names of the stored fields; values are never returned'),
    connectors: int('Connectors that use it'),
    redirect_uri: str('Address to register at the vendor as the redirect URI'),
    webhook_uri: orNull(str('Address to register at the vendor for webhooks of all accounts; null: the kind reads no webhooks')),
  },
  'An OAuth client at a vendor, without its secret',
)
/** An OAuth client at a vendor. */
export type OAuthCredentialsRecord = Wire<typeof oauthCredentialsRecord>

export const oauthCredentialsList = record(
  'OAuthCredentialsList',
  { data: list(oauthCredentialsRecord, 'OAuth clients, by kind') },
  'The OAuth clients of the organization at vendors',
)
/** The OAuth clients of an organization. */
export type OAuthCredentialsList = Wire<typeof oauthCredentialsList>

export const oauthCredentialsRemoval = record(
  'OAuthCredentialsRemoval',
  {
    id: uuid('Id of the OAuth client'),
    connectors: int('Connectors that used it; each needs a new authorization before its token expires'),
  },
  'A deleted OAuth client',
)
/** A deleted OAuth client. */
export type OAuthCredentialsRemoval = Wire<typeof oauthCredentialsRemoval>

export const oauthCredentialsInput = body(
  'OAuthCredentialsInput',
  {
    connector_type: opt(
      str('Kind: slug or title. One of connector_type and connector_definition_id is required; `source` counts as left out.', {
        maxLength: 256,
      }),
    ),
    connector_definition_id: opt(str('Kind, by the id of its definition.', { maxLength: 256 })),
    configuration: open('Fields of the OAuth client at the vendor, such as client_id and client_secret.'),
    webhook_secret: webhookSecret(
      'Secret that the vendor signs webhooks with, where it is none of these fields; null deletes it. Left out: it stays.',
    ),
  },
  'An OAuth client at a vendor',
)
/** An OAuth client at a vendor. */
export type OAuthCredentialsInput = Wire<typeof oauthCredentialsInput>

export const oauthCredentialsRemovalQuery = query({
  force: opt(oneOf('true: also when connectors use it.', 'true', 'false')),
})
/** Query of a deletion. */
export type OAuthCredentialsRemovalQuery = Wire<typeof oauthCredentialsRemovalQuery>

export const oauthInitiateInput = body(
  'OAuthInitiateInput',
  {
    ...workspaceNames,
    connector_type: opt(str('Kind: slug or title. One of connector_type, definition_id and source_template_id is required.')),
    definition_id: opt(str('Kind, by the id of its definition.')),
    source_template_id: opt(str('The same as definition_id.')),
    redirect_url: str('Address that the browser is led to at the end. Its origin has to be in FERRULE_CONNECT_REDIRECTS.', {
      maxLength: 2_000,
    }),
    name: opt(displayName('Name of the new connector; left out: the page asks.')),
    replication_config: opt(open('Configuration values of the kind, which the end user cannot change.')),
    environment: opt(open('`sandbox`: true for a connector to the stand-in. Other keys are configuration values.')),
    oauth_input_configuration: opt(open('The same as replication_config.')),
  },
  'An authorization in a browser',
)
/** Body that starts an authorization. */
export type OAuthInitiateInput = Wire<typeof oauthInitiateInput>

export const oauthConsent = record(
  'OAuthConsent',
  { consent_url: str('Address of a connect link for the end user; it is shown once') },
  'A started authorization',
)
/** Answer of a started authorization. */
export type OAuthConsent = Wire<typeof oauthConsent>
