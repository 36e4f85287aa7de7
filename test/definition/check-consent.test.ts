import { expect, test } from 'vitest'
import { findProblems } from '../../packages/ferrule/src/definition/check.ts'
import type { Kind } from '../../packages/ferrule/src/definition/connector.ts'
import type { Consent, Exchange } from '../../packages/ferrule/src/definition/consent.ts'
import { type Finding, find, opt, str } from '../../packages/ferrule/src/definition/fields.ts'
import { acme, consent, exchange, finding, grant, kind, scheme, withScheme } from './acme.ts'

const { refresh: _refresh, ...grantless } = exchange
const withCode: Exchange = { ...grantless, code: { ...grant, code: 'code' } }
const withConsent = (more: Partial<Consent>): Kind =>
  kind({
    origins: { ...acme.origins, oauth: 'https://acme.example' },
    credentials: { key: { ...scheme, exchange: withCode, consent: { ...consent, ...more } } },
  })
const withFinding = (given: Finding): Kind => kind({ configuration: { show: opt(find(given, str('Show'))) } })
const account = { entity: 'things', action: 'list', params: {}, id: 'id' } as const

test('a kind with a consent page and a proof of the account is right', () => {
  expect(findProblems(withConsent({}))).toEqual([])
  expect(findProblems(kind({ account }))).toEqual([])
})

test.each<readonly [says: string, kind: Kind]>([
  ['acme: credentials key are exchanged for no grant', withScheme({ exchange: grantless })],
  ['acme: credentials key have a consent page, but no exchange of its code', withScheme({ exchange, consent })],
  ['acme: credentials key use client, which is not one of their fields', withScheme({ consent: { ...consent, send: { id: 'client' } } })],
  ['acme: credentials key have a consent page that returns no code', withConsent({ code: [] })],
  ['acme: credentials key do not say who can consent', withConsent({ who: ' ' })],
  [
    'acme: credentials key choose accounts for shop, which is not a configuration field',
    withConsent({ accounts: { call: 'GET /accounts', send: {}, at: 'list', id: 'id', name: 'name', configuration: 'shop' } }),
  ],
  ['acme: credentials key send user for a consent, which is not part of the OAuth client', withConsent({ oauthClient: ['password'] })],
  ['acme: credentials key use seal, which is not one of their fields', withConsent({ signature: { param: 'hmac', key: 'seal' } })],
  [
    "acme: the return's shop of credentials key has the slot shop, which is not a configuration field",
    withConsent({ returns: { shop: '{shop}' } }),
  ],
  ['acme: credentials key ask for a scope with the slot role, which is not a configuration field', withConsent({ scopes: ['as:{role}'] })],
  ['acme: the account is proven by stuff list, which does not exist', kind({ account: { ...account, entity: 'stuff' } })],
  ['acme: the account is among shop, which the kind does not know', kind({ account: { ...account, among: 'shop' } })],
  ['acme: credentials key user does not state where people find it', withScheme({ fields: { ...scheme.fields, user: str('User') } })],
  ['acme: configuration show does not state where people find it', kind({ configuration: { show: opt(str('Show')) } })],
  ['acme: configuration show is found by in the menu, which is not a sentence', withFinding({ says: 'in the menu' })],
  ['acme: configuration show is found in a menu without a name', withFinding({ ...finding, menu: ' ' })],
  ['acme: configuration show is found by a role without a name', withFinding({ ...finding, role: '' })],
  ['acme: configuration show is found at acme.example, which is no https address', withFinding({ ...finding, url: 'acme.example' })],
])('%s', (says, wrong) => {
  expect(findProblems(wrong)).toContain(says)
})
