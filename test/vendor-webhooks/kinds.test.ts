/** Webhooks of kinds that are files: each is signed here as the vendor's pages say, and read by the engine. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Kind } from '../../packages/ferrule/src/definition/connector.ts'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { listWebhookAccounts, readWebhook, type WebhookRequest } from '../../packages/ferrule/src/engine/webhooks/read-webhook.ts'
import { parseKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { hmac, now, nowSeconds, post, url } from './vendors.ts'

const folder = join(import.meta.dirname, '../../packages/kinds')
const names = ['github', 'stripe', 'slack', 'hubspot', 'jira', 'linear', 'notion'] as const
async function load(name: string): Promise<Kind> {
  const { definition } = await parseKind(await readFile(join(folder, `${name}.kind.yaml`), 'utf8'))
  return { definition, rules: {} }
}
const kinds: Readonly<Record<string, Kind>> = Object.fromEntries(
  await Promise.all(names.map(async (name) => [name, await load(name)] as const)),
)
const find = (name: string): Kind => {
  const kind = kinds[name]
  if (kind === undefined) throw new Error(`no ${name}`)
  return kind
}

type Headers = WebhookRequest['headers']
/** How a vendor signs a body. `when`: seconds since the time of the tests. */
type Sign = (secret: string, body: string, when?: number) => Headers

const secret = 'whsec_of_the_tests_1234'
const big = '9007199254740993123'
/** A vendor: how it signs, where its secret is named, and an event with what it becomes. */
interface Vendor {
  readonly secret: string
  readonly sign: Sign
  readonly header: string
  readonly body: string
  readonly says: object
  readonly headers?: Headers
  /** The signature in another encoding. */
  readonly otherwise: (body: string) => Headers
  readonly late: 'refused' | 'events'
}

const inRepository = '"repository":{"id":1,"name":"hello","owner":{"login":"octo"}}'
const hubspotText = (body: string, at: number) => `POST${url}${body}${at}`

const vendors: Readonly<Record<(typeof names)[number], Vendor>> = {
  github: {
    secret: 'webhook_secret',
    header: 'x-hub-signature-256',
    sign: (key, body) => ({ 'x-hub-signature-256': `sha256=${hmac(key, body).toString('hex')}` }),
    otherwise: (body) => ({ 'x-hub-signature-256': hmac(secret, body).toString('hex') }),
    headers: { 'x-github-event': 'issues', 'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958' },
    body: `{"action":"opened","issue":{"id":${big},"number":7,"updated_at":"2026-11-28T09:00:00Z"},${inRepository}}`,
    says: {
      id: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
      topic: 'issues.opened',
      does: 'changed',
      entity: 'issues',
      key: [BigInt(big)],
      read: { action: 'get', params: { owner: 'octo', repo: 'hello', number: 7 } },
      version: { field: 'updated_at', value: '2026-11-28T09:00:00Z' },
    },
    late: 'events',
  },
  stripe: {
    secret: 'webhook_secret',
    header: 'stripe-signature',
    sign: (key, body, when = 0) => {
      const at = nowSeconds + when
      const old = hmac('whsec_before', `${at}.`, body).toString('hex')
      return { 'stripe-signature': `t=${at},v1=${old},v1=${hmac(key, `${at}.`, body).toString('hex')},v0=${old}` }
    },
    otherwise: (body) => ({ 'stripe-signature': `t=${nowSeconds},v0=${hmac(secret, `${nowSeconds}.`, body).toString('hex')}` }),
    body: '{"id":"evt_1","type":"customer.updated","account":"acct_1","data":{"object":{"id":"cus_1","object":"customer"}}}',
    says: {
      id: 'evt_1',
      topic: 'customer.updated',
      account: 'acct_1',
      does: 'changed',
      entity: 'customers',
      key: ['cus_1'],
      read: { action: 'get', params: { id: 'cus_1' } },
    },
    late: 'refused',
  },
  slack: {
    secret: 'signing_secret',
    header: 'x-slack-signature',
    sign: (key, body, when = 0) => {
      const at = String(nowSeconds + when)
      return { 'x-slack-request-timestamp': at, 'x-slack-signature': `v0=${hmac(key, `v0:${at}:`, body).toString('hex')}` }
    },
    otherwise: (body) => ({ 'x-slack-signature': `v0=${hmac(secret, `v0:${nowSeconds}:`, body).toString('base64')}` }),
    body: '{"type":"event_callback","team_id":"T1","event_id":"Ev1","event":{"type":"channel_rename","channel":{"id":"C1"}}}',
    says: {
      id: 'Ev1',
      topic: 'channel_rename',
      account: 'T1',
      does: 'changed',
      entity: 'channels',
      key: ['C1'],
      read: { action: 'get', params: { channel: 'C1' } },
    },
    late: 'refused',
  },
  hubspot: {
    secret: 'client_secret',
    header: 'x-hubspot-signature-v3',
    sign: (key, body, when = 0) => {
      const at = now + when * 1_000
      return {
        'x-hubspot-request-timestamp': String(at),
        'x-hubspot-signature-v3': hmac(key, hubspotText(body, at)).toString('base64'),
      }
    },
    otherwise: (body) => ({ 'x-hubspot-signature-v3': hmac(secret, hubspotText(body, now)).toString('hex') }),
    body: `[{"eventId":100,"subscriptionType":"contact.propertyChange","portalId":12345678,"objectId":${big},"occurredAt":1708986598741}]`,
    says: {
      id: `100:contact.propertyChange:${big}:1708986598741`,
      topic: 'contact.propertyChange',
      account: '12345678',
      does: 'changed',
      entity: 'contacts',
      key: [big], // the record has ids as texts
      read: { action: 'get', params: { id: big } },
    },
    late: 'refused',
  },
  jira: {
    secret: 'webhook_secret',
    header: 'x-hub-signature',
    sign: (key, body) => ({ 'x-hub-signature': `sha256=${hmac(key, body).toString('hex')}` }),
    otherwise: (body) => ({ 'x-hub-signature': `sha256=${hmac(secret, body).toString('base64')}` }),
    headers: { 'x-atlassian-webhook-identifier': 'a1' },
    body: '{"timestamp":1,"webhookEvent":"jira:issue_updated","issue":{"id":"10001","fields":{"updated":"2026-11-28T09:00:00.000+0000"}}}',
    says: {
      id: 'a1',
      topic: 'jira:issue_updated',
      does: 'changed',
      entity: 'issues',
      key: ['10001'],
      read: { action: 'get', params: { id: '10001' } },
      version: { field: 'updated', value: '2026-11-28T09:00:00.000+0000' },
    },
    late: 'events',
  },
  linear: {
    secret: 'webhook_secret',
    header: 'linear-signature',
    sign: (key, body) => ({ 'linear-signature': hmac(key, body).toString('hex') }),
    otherwise: (body) => ({ 'linear-signature': hmac(secret, body).toString('base64') }),
    headers: { 'linear-delivery': '234d1a4e-b617-4388-90fe-adc3633d6b72' },
    body: `{"action":"update","type":"Issue","organizationId":"o1","data":{"id":"i1","updatedAt":"2026-11-28T08:59:59.000Z"},"webhookTimestamp":${now}}`,
    says: {
      id: '234d1a4e-b617-4388-90fe-adc3633d6b72',
      topic: 'Issue.update',
      account: 'o1',
      does: 'changed',
      entity: 'issues',
      key: ['i1'],
      read: { action: 'get', params: { id: 'i1' } },
      version: { field: 'updatedAt', value: '2026-11-28T08:59:59.000Z' },
    },
    late: 'events',
  },
  notion: {
    secret: 'verification_token',
    header: 'x-notion-signature',
    sign: (key, body) => ({ 'x-notion-signature': `sha256=${hmac(key, body).toString('hex')}` }),
    otherwise: (body) => ({ 'x-notion-signature': hmac(secret, body).toString('hex') }),
    body: '{"id":"e1","type":"page.content_updated","workspace_id":"w1","entity":{"id":"p1","type":"page"}}',
    says: {
      id: 'e1',
      topic: 'page.content_updated',
      does: 'changed',
      entity: 'documents',
      key: ['p1'],
      read: { action: 'get', params: { id: 'p1' } },
    },
    late: 'events',
  },
}

const keep = (name: string, values: readonly string[] = [secret]) =>
  values.map((value) => new Secret({ [vendors[name as keyof typeof vendors].secret]: value }))

describe.each(Object.entries(vendors))('%s', (name, vendor) => {
  const kind = find(name)
  const make = (headers: Headers, body = vendor.body) => post(body, { ...vendor.headers, ...headers })
  const read = (request: WebhookRequest, secrets = keep(name), at = now) => readWebhook(kind, request, secrets, at)
  const refused = { type: 'refused' }
  const signed = vendor.sign(secret, vendor.body)

  test('names the record that changed', () => expect(read(make(signed))).toEqual({ type: 'events', events: [vendor.says] }))

  test('is refused with another key, another body, and no signature', () => {
    expect(read(make(vendor.sign('whsec_of_another', vendor.body)))).toEqual(refused)
    expect(read(make(signed, vendor.body.replace('"', ' "')))).toEqual(refused)
    for (const header of [undefined, '', 'sha256=', 'x'.repeat(10_000)])
      expect(read(make({ ...signed, [vendor.header]: header }))).toEqual(refused)
    expect(read(make(signed), [])).toMatchObject({ type: 'refused' })
  })

  test('is refused in another encoding, and with two headers', () => {
    expect(read(make({ ...signed, ...vendor.otherwise(vendor.body) }))).toEqual(refused)
    const header = signed[vendor.header]
    expect(read(make({ ...signed, [vendor.header]: [String(header), String(header)] }))).toEqual(refused)
    expect(read(make({ ...signed, [vendor.header]: `${header}, ${header}` })).type).toBe('refused')
  })

  test('ends after some minutes, where the vendor states a time', () => {
    for (const minutes of [-6, 6]) expect(read(make(signed), keep(name), now + minutes * 60_000).type).toBe(vendor.late)
    for (const minutes of [-4, 4]) expect(read(make(signed), keep(name), now + minutes * 60_000).type).toBe('events')
  })

  test('takes a new key beside the old one', () => {
    expect(read(make(vendor.sign('whsec_new', vendor.body)), keep(name, ['whsec_new', secret])).type).toBe('events')
    expect(read(make(signed), keep(name, ['whsec_new', secret])).type).toBe('events')
  })
})

/** Reads a body that is signed right. */
const readSigned = (name: keyof typeof vendors, body: string, headers: Headers = {}) =>
  readWebhook(find(name), post(body, { ...vendors[name].headers, ...headers, ...vendors[name].sign(secret, body) }), keep(name), now)

describe('Slack', () => {
  test('gets its challenge back, if it is signed', () => {
    const body = '{"token":"x","challenge":"3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P","type":"url_verification"}'
    expect(readSigned('slack', body)).toEqual({
      type: 'challenge',
      status: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P',
    })
    expect(readWebhook(find('slack'), post(body, {}), keep('slack'), now)).toEqual({ type: 'refused' })
    expect(readSigned('slack', '{"challenge":"<script>\\u0000","type":"url_verification"}')).toEqual({ type: 'refused' })
  })

  test('removes channels by their id, syncs groups as a whole, and tells of a removed app', () => {
    const wrap = (event: string) => `{"type":"event_callback","team_id":"T1","event_id":"Ev1","event":${event}}`
    expect(readSigned('slack', wrap('{"type":"channel_deleted","channel":"C1"}'))).toMatchObject({
      events: [{ does: 'removed', entity: 'channels', key: ['C1'] }],
    })
    const groups = readSigned('slack', wrap('{"type":"subteam_updated","subteam":{"id":"S1"}}'))
    expect(groups).toEqual({
      type: 'events',
      events: [{ id: 'Ev1', account: 'T1', topic: 'subteam_updated', does: 'changed', entity: 'usergroups', key: ['S1'] }],
    })
    expect(readSigned('slack', wrap('{"type":"app_uninstalled"}'))).toMatchObject({ events: [{ does: 'uninstalled', account: 'T1' }] })
  })
})

describe('Notion', () => {
  const body = '{"verification_token":"secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl"}'

  test('states its token while nobody has stored one', () => {
    const reading = readWebhook(find('notion'), post(body, {}), [], now)
    expect(reading).toMatchObject({ type: 'challenge', status: 200, body: '' })
    const offered = reading.type === 'challenge' ? reading.secret?.reveal() : undefined
    expect(offered).toEqual({ verification_token: 'secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl' })
    expect(JSON.stringify(reading)).not.toContain('secret_t')
  })

  test('cannot replace a token that is stored', () => {
    expect(readWebhook(find('notion'), post(body, {}), keep('notion'), now)).toEqual({ type: 'refused' })
    for (const wrong of ['{"verification_token":"short"}', '{"verification_token":7}', '[]', '{"id":"e1"}'])
      expect(readWebhook(find('notion'), post(wrong, {}), [], now)).toEqual({ type: 'refused' })
  })
})

test('Linear repeats for seven hours, which the time of an event allows, and no longer', () => {
  const { body, headers, sign } = vendors.linear
  const at = (hours: number) =>
    readWebhook(find('linear'), post(body, { ...headers, ...sign(secret, body) }), keep('linear'), now + hours * 3_600_000).type
  expect([at(7.1), at(8.1)]).toEqual(['events', 'refused'])
})

describe('HubSpot', () => {
  test('sends several events of several accounts at once', () => {
    const event = (type: string, more: string) => `{"eventId":1,"occurredAt":2,"subscriptionType":"${type}",${more}}`
    const body = `[${[
      event('deal.deletion', '"portalId":1,"objectId":5'),
      event('object.creation', '"portalId":2,"objectId":6,"objectTypeId":"0-1"'),
      event('object.deletion', '"portalId":2,"objectId":6,"objectTypeId":"0-1"'),
      event('contact.privacyDeletion', '"portalId":1,"objectId":7'),
      event('company.merge', '"portalId":1,"objectId":8,"primaryObjectId":8,"mergedObjectIds":[9,10]'),
      event('contact.associationChange', '"portalId":1,"fromObjectId":7'),
    ]}]`
    const reading = readSigned('hubspot', body)
    const events = reading.type === 'events' ? reading.events : []
    expect(events.map(({ account, does, entity, key }) => [account, does, entity, ...(key ?? [])])).toEqual([
      ['1', 'removed', 'deals', '5'],
      ['2', 'changed', 'contacts', '6'],
      ['2', 'removed', 'contacts', '6'],
      ['1', 'redact', 'contacts', '7'],
      ['1', 'changed', 'companies', '8'],
      ['1', 'removed', 'companies', '9'],
      ['1', 'removed', 'companies', '10'],
      ['1', undefined, undefined],
    ])
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
  })

  test('names the type of a record that the account made, and the record is read again', () => {
    const body = '[{"eventId":1,"occurredAt":2,"subscriptionType":"object.deletion","portalId":1,"objectId":5,"objectTypeId":"2-3465404"}]'
    expect(readSigned('hubspot', body)).toMatchObject({
      events: [
        {
          ...{ does: 'changed', entity: 'custom_records', key: ['2-3465404', '5'] },
          read: { action: 'get', params: { object: '2-3465404', id: '5' } },
        },
      ],
    })
  })

  test('is refused at another address', () => {
    const { body } = vendors.hubspot
    const request = post(body, vendors.hubspot.sign(secret, body))
    expect(readWebhook(find('hubspot'), { ...request, url: `${url}2` }, keep('hubspot'), now)).toEqual({ type: 'refused' })
    expect(readWebhook(find('hubspot'), { ...request, method: 'PUT' }, keep('hubspot'), now)).toEqual({ type: 'refused' })
  })
})

describe('GitHub', () => {
  const send = (event: string, body: string) => readSigned('github', body, { 'x-github-event': event })

  test('reads the issue of a comment too, and the reviews of a pull request', () => {
    const comment = `{"action":"created","comment":{"id":3},"issue":{"id":2,"number":7},${inRepository}}`
    expect(send('issue_comment', comment)).toMatchObject({
      events: [
        { entity: 'issue_comments', key: [3], read: { action: 'get', params: { owner: 'octo', repo: 'hello', id: 3 } } },
        { entity: 'issues', key: [2], read: { action: 'get', params: { number: 7 } } },
      ],
    })
    const review = `{"action":"submitted","review":{"id":4},"pull_request":{"id":5,"number":8},${inRepository}}`
    expect(send('pull_request_review', review)).toMatchObject({
      events: [{ entity: 'reviews', key: [4], read: { action: 'list', params: { owner: 'octo', repo: 'hello', number: 8 } } }],
    })
  })

  test('refuses the signature behind the name of another algorithm', () => {
    const { body, headers, sign } = vendors.github
    const other = String(sign(secret, body)['x-hub-signature-256']).replace('sha256=', 'sha512=')
    expect(readWebhook(find('github'), post(body, { ...headers, 'x-hub-signature-256': other }), keep('github'), now)).toEqual({
      type: 'refused',
    })
  })

  test('removes what is deleted, and takes its first event for nothing', () => {
    const removed = send('issues', `{"action":"deleted","issue":{"id":2,"number":7,"updated_at":"2026-11-28T09:00:00Z"},${inRepository}}`)
    expect(removed).toMatchObject({ events: [{ does: 'removed', entity: 'issues', key: [2] }] })
    expect(removed).not.toHaveProperty('events.0.version')
    expect(send('ping', '{"zen":"Keep it logically awesome.","hook_id":1}')).toEqual({
      type: 'events',
      events: [{ id: vendors.github.headers?.['x-github-delivery'], topic: 'ping' }],
    })
  })
})

test('Stripe names customers and charges of what belongs to them, and a removed OAuth client by its account', () => {
  const send = (type: string, object: string, more = '') =>
    readSigned('stripe', `{"id":"evt_1","type":"${type}"${more},"data":{"object":${object}}}`)
  expect(send('customer.source.created', '{"id":"card_1","customer":"cus_1"}')).toMatchObject({
    events: [{ entity: 'customers', key: ['cus_1'] }],
  })
  expect(send('customer.subscription.deleted', '{"id":"sub_1"}')).toMatchObject({
    events: [{ does: 'changed', entity: 'subscriptions', key: ['sub_1'] }],
  })
  expect(send('charge.refund.updated', '{"id":"re_1","charge":"ch_1"}')).toMatchObject({
    events: [
      { id: 'evt_1', entity: 'refunds', key: ['re_1'] },
      { id: 'evt_1#2', entity: 'charges', key: ['ch_1'] },
    ],
  })
  expect(send('invoice.upcoming', '{}')).toEqual({ type: 'events', events: [{ id: 'evt_1', topic: 'invoice.upcoming' }] })
  expect(send('account.application.deauthorized', '{"id":"ca_1"}', ',"account":"acct_1"')).toMatchObject({
    events: [{ does: 'uninstalled', account: 'acct_1' }],
  })
})

test('names the accounts of connectors as events do', () => {
  for (const name of ['slack', 'stripe', 'hubspot', 'linear'])
    expect(listWebhookAccounts(find(name).definition, {}, ['a1'])).toEqual(['a1'])
  for (const name of ['github', 'jira', 'notion']) expect(listWebhookAccounts(find(name).definition, {}, ['a1'])).toEqual([])
})
