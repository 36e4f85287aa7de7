/** Accounts of other domains than .com, and replicated accounts in key-pair tokens. */
import { generateKeyPairSync } from 'node:crypto'
import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { findVendorOrigin } from '../../packages/ferrule/src/engine/http/origin.ts'
import { connect } from '../../packages/ferrule/src/index.ts'
import { resultOf, snowflakeAt } from '../engine/snowflake-support.ts'
import { serve } from '../engine/support.ts'
import { sandboxWarehouse } from '../http/snowflake-support.ts'
import { connectorsPath, startWorld } from '../http/support.ts'
import { configuration } from '../library/snowflake-support.ts'
import { share } from '../support/share.ts'

describe('an account', () => {
  test.each([
    ['myorg-acct', 'https://myorg-acct.snowflakecomputing.com'],
    ['xy12345.us-east-2.aws', 'https://xy12345.us-east-2.aws.snowflakecomputing.com'],
    ['acct.snowflakecomputing.cn', 'https://acct.snowflakecomputing.cn'],
    ['acct.cn-northwest-1.aws.snowflakecomputing.cn', 'https://acct.cn-northwest-1.aws.snowflakecomputing.cn'],
    ['acct.privatelink.snowflakecomputing.mil', 'https://acct.privatelink.snowflakecomputing.mil'],
  ])('%s is at %s', (account, origin) => {
    expect(findVendorOrigin(snowflakeAt(undefined, { configuration: { ...configuration, account } }))).toBe(origin)
  })

  test.each(['acct.snowflakecomputing.cn.evil.example', 'acct.snowflakecomputing.ru', 'a.snowflakecomputing.cn.snowflakecomputing.com'])(
    '%s is refused',
    (account) => {
      expect(() => findVendorOrigin(snowflakeAt(undefined, { configuration: { ...configuration, account } }))).toThrow(/account/)
    },
  )

  test.each([
    ['myorg-my_acct', 'MYORG-MY_ACCT'],
    ['xy12345.us-east-2.aws', 'XY12345'],
    ['acct.snowflakecomputing.cn', 'ACCT'],
    ['acme-abc123.global', 'ACME'],
    ['acme-abc-123.global', 'ACME'],
    ['acme-abc123.global.snowflakecomputing.cn', 'ACME'],
  ])('%s is %s in a key-pair token', async (account, named) => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    await using server = await serve(() => resultOf([['1']]))
    const credentials = { user: 'reader', private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
    await using snowflake = connect('snowflake', { credentials, config: { ...configuration, account }, origin: server.origin })
    await snowflake.databases.list()
    const { iss, sub } = decodeJwt(String(server.seen[0]?.headers.authorization).slice('Bearer '.length))
    expect([sub, iss?.startsWith(`${named}.READER.SHA256:`)]).toEqual([`${named}.READER`, true])
  })
})

describe('in the service', async () => {
  const world = await share(startWorld())

  test.each([
    ['https://ACCT.snowflakecomputing.cn/', 'acct.snowflakecomputing.cn'],
    ['acct.privatelink.snowflakecomputing.mil', 'acct.privatelink.snowflakecomputing.mil'],
    ['https://acct.us-east-2.aws.snowflakecomputing.com', 'acct.us-east-2.aws'],
    ['acme-abc123.global', 'acme-abc123.global'],
  ])('%s is stored as %s', async (given, stored) => {
    const body = sandboxWarehouse(`account ${given}`, { check: false, replication_config: { ...configuration, account: given } })
    const { status, json } = await world.ask(connectorsPath, { token: world.token, body })
    expect([status, json.replication_config?.account]).toEqual([200, stored])
  })
})
