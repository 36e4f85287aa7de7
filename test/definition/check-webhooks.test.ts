import { describe, expect, test } from 'vitest'
import { findProblems } from '../../packages/ferrule/src/definition/check.ts'
import { compareKinds } from '../../packages/ferrule/src/definition/compare.ts'
import type { Kind } from '../../packages/ferrule/src/definition/connector.ts'
import type { HmacSignature, WebhookRule, Webhooks } from '../../packages/ferrule/src/definition/webhooks.ts'
import { finding, idle, kind } from './acme.ts'

const signature: HmacSignature = { scheme: 'hmac', secret: 'webhook_secret', find: finding, header: 'x-signature', encoding: 'hex' }
const rule: WebhookRule = { does: 'changed', entity: 'things', key: ['id'], parameters: { group: 'group' }, version: 'thing.name' }
const right: Webhooks = { signature, topic: ['type'], events: { 'things.*': rule, gone: { does: 'uninstalled' } } }

const withWebhooks = (more: Partial<Webhooks>): Kind => kind({ webhooks: { ...right, ...more } })
const withSignature = (more: Partial<HmacSignature>): Kind => withWebhooks({ signature: { ...signature, ...more } })
const withRule = (more: Partial<WebhookRule>): Kind => withWebhooks({ events: { made: { ...rule, ...more } } })
const of = (bare: WebhookRule): Kind => withWebhooks({ events: { made: bare } })

/** One row per rule. */
const wrong: readonly (readonly [says: string, kind: Kind])[] = [
  ['webhooks are verified by a secret without a name', withSignature({ secret: ' ' })],
  ['webhooks have a secret that is found by somewhere, which is not a sentence', withSignature({ find: { says: 'somewhere' } })],
  ['webhooks read the header X-Signature, which is not in lower case', withSignature({ header: 'X-Signature' })],
  ['webhooks sign {url}, which does not hold the body', withSignature({ signed: '{url}' })],
  ['webhooks sign {id}{body}, and id is no part of a request', withSignature({ signed: '{id}{body}' })],
  ['webhooks sign {timestamp}.{body} without a time in a header', withSignature({ signed: '{timestamp}.{body}' })],
  [
    'webhooks sign {timestamp}.{body} without a time in a header',
    withSignature({ signed: '{timestamp}.{body}', time: { at: 'sent', unit: 'seconds' } }),
  ],
  ['webhooks have a prefix and a part, which one header cannot have', withSignature({ prefix: 'v0=', part: 'v1' })],
  ['webhooks read part:t of a header that has no parts', withSignature({ time: { at: 'part:t', unit: 'seconds' } })],
  ['webhooks accept a time that is too far away', withSignature({ time: { at: 'sent', unit: 'seconds', tolerance: 86_400 } })],
  [
    'webhooks have a token that binds no body',
    withWebhooks({ signature: { scheme: 'jwt', secret: 'key', find: finding, header: 'authorization', body: '' } }),
  ],
  ['webhooks name an account nowhere', withWebhooks({ account: { at: [], is: '{show}' } })],
  ['webhooks name an account, which nothing proves', withWebhooks({ account: { at: ['team'] } })],
  ['webhooks name an account by shop, which is not a configuration field', withWebhooks({ account: { at: ['team'], is: '{shop}' } })],
  ['webhooks read header:X-Topic, which is not in lower case', withWebhooks({ topic: ['header:X-Topic'] })],
  ['webhooks have no events', withWebhooks({ events: {} })],
  ['webhooks have the topic *.made: a star stands at the end only', withWebhooks({ events: { '*.made': rule } })],
  ['webhooks made is for others, which is not an entity', withRule({ entity: 'others' })],
  ['webhooks made names 2 parts of a key that has 1', withRule({ key: ['group', 'id'] })],
  ['webhooks made names several records by several parts of a key', withRule({ key: ['group', 'ids[]'] })],
  ['webhooks made needs a path with [], which is several values', withRule({ needs: ['orders[]'] })],
  ['webhooks made names no record', of({ does: 'removed', entity: 'things' })],
  ['webhooks made has the version changed, which is not a field of the record', withRule({ version: 'thing.changed' })],
  ['webhooks made reads with team, which is not a parameter of list', withRule({ parameters: { group: 'group', team: 'team' } })],
  ['webhooks made reads without group, which is required', withRule({ parameters: { 'filter.from': 'at' } })],
  ['webhooks made is for no entity', of({ does: 'changed' })],
  ['webhooks made is for the whole account, and for things', of({ does: 'uninstalled', entity: 'things', key: ['id'] })],
  ['webhooks made reads records of no entity', of({ does: 'redact', version: 'at' })],
  ['webhooks made names records under several fields', of({ does: 'changed', entity: 'things', under: { group: 'group', id: 'id' } })],
  ['webhooks made names records under a field, and by a key or a version', withRule({ under: { group: 'group' } })],
  ['webhooks made reads records under several values', of({ does: 'changed', entity: 'things', under: { group: 'groups[]' } })],
  [
    'webhooks made reads records that it forgets',
    of({ does: 'redact', entity: 'things', under: { group: 'group' }, parameters: { group: 'group' } }),
  ],
  [
    'webhooks made names records under group, which is not a searchable field of things',
    of({ does: 'redact', entity: 'things', under: { group: 'groups[]' } }),
  ],
  [
    'webhooks made names records under group, which is not a searchable field of things',
    of({ does: 'removed', entity: 'things', under: { group: 'group' } }),
  ],
]

describe('what a kind says of webhooks', () => {
  test('is right', () => expect(findProblems(withWebhooks({}))).toEqual([]))

  test.each(wrong)('%s', (says, each) => expect(findProblems(each)).toContain(`acme: ${says}`))

  test('needs an entity that can be read, and an effect that is known', () => {
    const unread = kind({ webhooks: right, entities: { things: idle } })
    expect(findProblems(unread)).toContain('acme: webhooks things.*: things neither lists nor gets records')
    const unknown = JSON.parse(JSON.stringify(withRule({})).replace('"does":"changed"', '"does":"upserted"')) as Kind
    expect(findProblems(unknown)).toContain('acme: webhooks made does upserted, which is not one of changed, removed, redact, uninstalled')
  })

  test('survives JSON', () => expect(JSON.parse(JSON.stringify(right))).toEqual(right))

  test('asks for no credentials again when it changes', () => {
    const [before, after] = [withWebhooks({}), withSignature({ secret: 'other' })].map(({ definition }) => definition)
    if (before === undefined || after === undefined) throw new Error('two kinds')
    expect(compareKinds(before, after)).toEqual([
      { class: 'calls', entity: null, message: 'webhooks are read in another way; their secret may be needed again' },
    ])
    expect(compareKinds(kind({}).definition, before)).toEqual([{ class: 'calls', entity: null, message: 'there are webhooks' }])
    expect(compareKinds(before, kind({}).definition)).toEqual([{ class: 'calls', entity: null, message: 'webhooks are read no more' }])
  })
})
