/** The body of a connector to the sandbox: it works on every service that runs one. */
export const exampleConnector = {
  workspace_name: 'default',
  connector_type: 'gong',
  name: 'My calls',
  credentials: { access_key: 'sandbox', access_key_secret: 'sandbox-secret' },
  environment: { sandbox: true },
} as const
