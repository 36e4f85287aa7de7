/** What Salesforce has beside lists, copies and writes: its tokens, on the customer's own domain. */
import { describe, expect, test } from 'vitest'
import { loadSubject } from './connectors.ts'
import { Salesforce } from './stand-ins/salesforce.ts'
import { salesforce } from './subject-salesforce.ts'

const isToken = ({ path }: { readonly path: string }) => path === '/services/oauth2/token'

describe('salesforce gets a token', () => {
  test.each([
    ['by the application itself', { client_id: 'client', client_secret: 'secret' }, 'client_credentials'],
    ['in place of none', { client_id: 'client', client_secret: 'secret', refresh_token: 'refresh' }, 'refresh_token'],
    [
      'in place of one that has ended',
      { client_id: 'client', client_secret: 'secret', refresh_token: 'refresh', access_token: '00D!old' },
      'refresh_token',
    ],
  ])('%s', async (_name, credentials, grant) => {
    await using vendor = await new Salesforce().listen()
    const kind = await loadSubject(salesforce)
    await using connector = kind.connectLocally({
      ...{ credentials, config: { domain: 'stand-in' }, limits: false },
      origin: { api: vendor.origin, oauth: vendor.origin },
    })
    const { data } = await connector.execute('organizations', 'list', {})
    expect(data).toMatchObject([{ Name: 'Name 0' }])
    expect(vendor.calls.filter(isToken).map(({ body }) => new URLSearchParams(body).get('grant_type'))).toEqual([grant])
  })

  test('on the domain of the customer', async () => {
    const { definition } = await loadSubject(salesforce)
    expect(definition.origins).toEqual({ api: 'https://{domain}.my.salesforce.com', oauth: 'https://{domain}.my.salesforce.com' })
    expect(definition.credentials['client']).not.toHaveProperty('consent')
    const isDomain = (text: string) => new RegExp(String(definition.configuration['domain']?.pattern)).test(text)
    expect(['acme', 'acme--dev.sandbox', 'acme-dev-ed.develop'].filter((text) => !isDomain(text))).toEqual([])
    const wrong = ['', '.', 'a.', '.a', 'a..b', 'a/b', 'a@b', 'a:1', 'a#b', 'a?b', 'a\nb', 'a\\b', 'a.b.c.d.e', '-a', 'a-.b', '{a}']
    expect(wrong.filter(isDomain)).toEqual([])
  })
})
