/** Tokens that a private key signs and the vendor exchanges: service accounts of Google, certificates of Salesforce. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { failure } from '../engine/support.ts'
import { loadSubject } from './connectors.ts'
import { GoogleCalendar } from './stand-ins/google-calendar.ts'
import { Salesforce } from './stand-ins/salesforce.ts'
import type { Vendor } from './stand-ins/shared.ts'
import { salesforce } from './subject-salesforce.ts'
import { subjects } from './subjects.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()
const calendar = subjects.filter(({ slug }) => slug === 'google-calendar')[0] ?? salesforce

/** How a vendor is asked: its credentials, and a read. */
const vendors = {
  google: {
    start: () => Object.assign(new GoogleCalendar(), { serviceKey: publicKey }),
    subject: calendar,
    credentials: { client_email: 'robot@acme.example', private_key: pem(privateKey) },
    config: {},
    read: ['calendars', 'list'],
    tokens: '/token',
  },
  salesforce: {
    start: () => Object.assign(new Salesforce(), { certificate: publicKey }),
    subject: salesforce,
    credentials: {
      client_id: 'client',
      username: 'ada@acme.example',
      private_key: pem(privateKey),
      audience: 'https://login.salesforce.com',
    },
    config: { domain: 'stand-in' },
    read: ['organizations', 'list'],
    tokens: '/services/oauth2/token',
  },
} as const

async function open(name: keyof typeof vendors, vendor: Vendor, more: Readonly<Record<string, string>> = {}) {
  await vendor.listen()
  const { subject, credentials, config } = vendors[name]
  const kind = await loadSubject(subject)
  const options = { credentials: { ...credentials, ...more }, config, limits: false as const }
  return kind.connectLocally({ ...options, origin: { api: vendor.origin, oauth: vendor.origin } })
}

describe.each(['google', 'salesforce'] as const)('%s', (name) => {
  const { start, read, tokens } = vendors[name]
  const countTokens = (vendor: Vendor) => vendor.calls.filter(({ path }) => path === tokens).length

  test('takes a signed token once, and its access token from then on', async () => {
    await using vendor = start()
    await using connector = await open(name, vendor)
    for (let count = 0; count < 3; count += 1) await connector.execute(read[0], read[1], {})
    expect(countTokens(vendor)).toBe(1)
  })

  test('is asked for another one when it refuses the old', async () => {
    await using vendor = start()
    await using connector = await open(name, vendor, { access_token: 'ended' })
    await connector.execute(read[0], read[1], {})
    expect(countTokens(vendor)).toBe(1)
  })

  test('refuses another key: the error says what to check, and has neither key nor token', async () => {
    await using vendor = start()
    const other = pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
    await using connector = await open(name, vendor, { private_key: other })
    const error = await failure(connector.execute(read[0], read[1], {}))
    expect(error).toMatchObject({ code: 'upstream_auth_failed', hint: expect.stringContaining('private key') })
    const assertion = new URLSearchParams(vendor.calls[0]?.body).get('assertion') ?? ''
    const told = JSON.stringify(error.toProblem())
    expect([assertion, other.split('\n')[2] ?? ''].filter((secret) => secret === '' || told.includes(secret))).toEqual([])
  })
})

test('google gets the person to act for, if there is one', async () => {
  await using vendor = vendors.google.start()
  await using connector = await open('google', vendor, { subject: 'ada@acme.example' })
  await connector.execute('calendars', 'list', {})
  const assertion = new URLSearchParams(vendor.calls[0]?.body).get('assertion') ?? ''
  const claims = JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString())
  expect(claims).toMatchObject({ sub: 'ada@acme.example', exp: claims.iat + 120 })
})
