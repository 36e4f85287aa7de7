import { afterAll, describe, expect, test } from 'vitest'
import type { Fields } from '../../packages/ferrule/src/definition/fields.ts'
import { createEngine } from '../../packages/ferrule/src/engine/call/execute.ts'
import { buildConsentUrl, findConsent, readConsentReturn } from '../../packages/ferrule/src/engine/consent/consent-page.ts'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { type AccountFile, readCredentials } from './answers.ts'
import { connectionTo } from './run.ts'
import { kinds } from './subject.ts'
import { startVendor } from './vendor.ts'

const engine = createEngine({ limits: false, random: () => 0, wall: () => Date.UTC(2026, 0, 2) })
const vendor = await startVendor()
afterAll(async () => {
  await engine.close()
  await vendor[Symbol.asyncDispose]()
})

const redirectUrl = 'https://ferrule.example/connect/callback/kind'
const state = '296bc9a0-state'

describe.each(Object.values(kinds))('$definition.kind', (kind) => {
  const { definition } = kind
  const { schemes, configuration } = readCredentials(definition.kind)

  const prove = async (credentials: Readonly<Record<string, string>>, { exchanges, identity }: AccountFile, headers = {}) => {
    vendor.expect(exchanges, headers)
    const connection = connectionTo(kind, { origin: vendor.origin, credentials, configuration })
    expect(await engine.readAccount(connection)).toEqual(identity)
    expect(vendor.problems()).toEqual([])
  }

  test('every credential and configuration value says where people find it', () => {
    const unsaid = (at: string, fields: Fields) =>
      Object.entries(fields).flatMap(([name, field]) => (field['x-find'] === undefined ? [`${at} ${name}`] : []))
    expect([
      ...Object.entries(definition.credentials).flatMap(([name, { fields }]) => unsaid(name, fields)),
      ...unsaid('configuration', definition.configuration),
    ]).toEqual([])
  })

  test('the account is proven by an answer of the vendor', async () => {
    const [first] = Object.values(schemes)
    if (first?.account === undefined) throw new Error('credentials.json has no account in its first scheme')
    await prove(first.credentials, first.account, first.headers)
  })

  test('a consent leads from its page to credentials and their account', async () => {
    const name = findConsent(definition)?.name
    if (name === undefined) return expect(Object.values(schemes).filter(({ consent }) => consent !== undefined)).toEqual([])
    const file = schemes[name]?.consent
    if (file === undefined) throw new Error(`credentials.json has no consent for ${name}`)
    const oauthClient = new Secret(file.oauthClient)
    const pkce = file.verifier === undefined ? {} : { verifier: new Secret(file.verifier) }
    expect(buildConsentUrl({ definition, oauthClient, redirectUrl, state, configuration, ...pkce })).toBe(file.page)
    const query = new URLSearchParams(file.returned)
    const returned = readConsentReturn(definition, query)
    expect(returned).toEqual({ state, code: 'CODE_1' })
    vendor.expect([file.exchange], {})
    const connection = { kind, configuration, origin: { api: vendor.origin } }
    const values = await engine.exchangeConsent(connection, { oauthClient, code: 'CODE_1', query, redirectUrl, ...pkce })
    expect(vendor.problems()).toEqual([])
    expect(values.reveal()).toEqual(file.credentials)
    await prove(values.reveal(), file.account)
  })
})
