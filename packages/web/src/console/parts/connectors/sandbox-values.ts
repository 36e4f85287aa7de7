/** What the sandbox of the service takes in place of accounts of vendors. These values are public and open nothing else. */
import type { ConnectorInput } from 'ferrule/wire'

/** Values of a connector. */
export interface ConnectorValues {
  /** Name of the authentication scheme. */
  readonly scheme: string
  readonly credentials: Readonly<Record<string, unknown>>
  readonly configuration: Readonly<Record<string, unknown>>
}

/** Values by kind. */
export const sandboxValues: Readonly<Record<string, ConnectorValues>> = {
  gong: { scheme: 'access_key', credentials: { access_key: 'sandbox', access_key_secret: 'sandbox-secret' }, configuration: {} },
  shopify: { scheme: 'token', credentials: { api_key: `shpat_${'0'.repeat(32)}` }, configuration: { shop: 'sandbox-store' } },
  snowflake: {
    scheme: 'programmatic_access_token',
    credentials: { programmatic_access_token: 'sandbox-pat' },
    configuration: { account: 'sandbox-account', database: 'SANDBOX', warehouse: 'SANDBOX_WH', role: 'SANDBOX_ROLE' },
  },
  'tiktok-marketing': { scheme: 'access_token', credentials: { access_token: 'sandbox-token' }, configuration: {} },
}

/** Prints the body of a connector that shows what the service does. @param workspace its name; undefined: `default` */
export const printSandboxConnector = (workspace: string | undefined): ConnectorInput => ({
  workspace_name: workspace ?? 'default',
  name: 'Sandbox calls',
  connector_type: 'gong',
  credentials: { ...sandboxValues['gong']?.credentials },
  environment: { sandbox: true },
})
