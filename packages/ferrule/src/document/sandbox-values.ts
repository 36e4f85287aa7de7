/** What the sandbox of the service takes instead of accounts of vendors. These values are public and open nothing else. */
import { isObject } from '../definition/object.ts'
import { buildExample } from './example.ts'

/** Values of a connector in the sandbox. */
export interface SandboxValues {
  /** Name of the authentication scheme. */
  readonly scheme: string
  readonly credentials: Readonly<Record<string, unknown>>
  readonly configuration: Readonly<Record<string, unknown>>
}

/** Values by kind, of those with a stand-in of their own. */
export const sandboxValues: Readonly<Record<string, SandboxValues>> = {
  gong: { scheme: 'access_key', credentials: { access_key: 'sandbox', access_key_secret: 'sandbox-secret' }, configuration: {} },
  shopify: { scheme: 'token', credentials: { api_key: `shpat_${'0'.repeat(32)}` }, configuration: { shop: 'sandbox-store' } },
  snowflake: {
    scheme: 'programmatic_access_token',
    credentials: { programmatic_access_token: 'sandbox-pat' },
    configuration: { account: 'sandbox-account', database: 'SANDBOX', warehouse: 'SANDBOX_WH', role: 'SANDBOX_ROLE' },
  },
  'tiktok-marketing': { scheme: 'access_token', credentials: { access_token: 'sandbox-token' }, configuration: {} },
}

const inventValues = (schema: unknown): Readonly<Record<string, unknown>> => {
  const values = buildExample(schema, 'sandbox')
  return isObject(values) ? values : {}
}

/**
 * Returns values of a connector in the sandbox. A stand-in that is made from recordings takes any, so the required ones are invented.
 * @param document the kind's schemes and the schema of its configuration
 */
export function buildSandboxValues(
  kind: string,
  {
    credentials: [first],
    configuration,
  }: { readonly credentials: readonly { readonly scheme: string; readonly schema: unknown }[]; readonly configuration: unknown },
): SandboxValues {
  const known = sandboxValues[kind]
  return known ?? { scheme: first?.scheme ?? '', credentials: inventValues(first?.schema), configuration: inventValues(configuration) }
}
