/** What the tests of the Snowflake connector in the library share. */
import { generateKeyPairSync } from 'node:crypto'
import { afterAll } from 'vitest'
import { type ConfigurationOf, type CredentialsOf, connect, type Kinds, type LocalConnector } from '../../packages/ferrule/src/index.ts'
import { snowflakeCredentials as known, type Sandbox } from '../../packages/sandbox/src/index.ts'

type Kind = Kinds['snowflake']
/** A connector of the warehouse. */
export type Warehouse = LocalConnector<Kind>
/** Credentials of either scheme. */
export type SnowflakeCredentials = CredentialsOf<Kind>
type SnowflakeConfiguration = ConfigurationOf<Kind>

interface More {
  /** Those of the documented token when they are left out. */
  readonly credentials?: SnowflakeCredentials
  /** What differs from the documented context. */
  readonly config?: Partial<SnowflakeConfiguration>
}

/** The documented token. */
export const token: SnowflakeCredentials = { programmatic_access_token: known.token }
/** The documented context. */
export const configuration: SnowflakeConfiguration = {
  account: known.account,
  database: known.database,
  warehouse: known.warehouse,
  role: known.role,
}

/** A statement for each action of records. */
export const statements: Readonly<Record<string, string>> = {
  get: 'SELECT * FROM SALES.ORDERS WHERE ORDER_ID = 7',
  list: 'SELECT * FROM SALES.ORDERS ORDER BY ORDER_ID',
  create: "INSERT INTO SCRATCH.COUNTERS VALUES (1, 'one')",
  update: "UPDATE SCRATCH.COUNTERS SET NOTE = 'two'",
  delete: 'DELETE FROM SCRATCH.COUNTERS',
}

/** Connects to the sandbox's warehouse; whoever connects closes it. */
export const openWarehouse = ({ origins }: Sandbox, { credentials = token, config }: More = {}): Warehouse =>
  connect('snowflake', { credentials, config: { ...configuration, ...config }, origin: origins.snowflake, limits: false })

/** Connects to the sandbox's warehouse; the connector is closed with the test file. */
export function connectWarehouse(sandbox: Sandbox, more: More = {}): Warehouse {
  const warehouse = openWarehouse(sandbox, more)
  afterAll(() => warehouse.close())
  return warehouse
}

/** Credentials of a new key pair, which the sandbox knows; with a passphrase, the key is encrypted. */
export function keyPair(sandbox: Sandbox, passphrase?: string): SnowflakeCredentials {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  sandbox.snowflake.registerPublicKey(publicKey.export({ type: 'spki', format: 'pem' }).toString())
  const sealed = passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase }
  return {
    user: known.user,
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem', ...sealed }).toString(),
    ...(passphrase === undefined ? {} : { private_key_passphrase: passphrase }),
  }
}

/** An operation named by data: the typed door is tested elsewhere. */
export const execute = (warehouse: Warehouse, ...args: [entity: string, action: string, params?: unknown, options?: unknown]) =>
  Reflect.apply(warehouse.execute, warehouse, args) as Promise<{
    readonly data: Readonly<Record<string, unknown>>
    readonly meta: Readonly<Record<string, unknown>>
  }>
