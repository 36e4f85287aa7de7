/** The keys of webhooks. */
import { either, type KeyGroup, key, keys, list, longest, map, text, word } from '../shape.ts'

const sources = either(text('source'), list(text('source')))
const headerRow = (example: string) => key('header', text('header'), 'Header that carries it', { example, required: true })

/** Groups of keys of webhooks. */
export const webhookGroups: Readonly<Record<string, KeyGroup>> = {
  webhooks: {
    title: 'webhooks',
    keys: [
      key('secret', text('word'), 'Name of the secret that verifies events; a field of auth with this name verifies too', {
        example: 'secret: client_secret',
        required: true,
      }),
      key('find', either(text(undefined, longest.sentence), keys('find')), 'Where people find the secret: the way through the menus', {
        example: 'find: Settings > Webhooks',
        without: "the vendor's pages (docs)",
      }),
      key('signature', keys('webhook_signature'), 'How events are signed with the secret (HMAC-SHA256)', {
        example: 'signature: { header: x-hub-signature-256, as: hex, prefix: sha256= }',
      }),
      key('token', keys('webhook_token'), 'The token that signs events (RS256); the secret is the public key', {
        example: 'token: { header: authorization, body: body_sha256 }',
      }),
      key('challenge', keys('webhook_challenge'), 'What the vendor sends before it sends events', {
        example: 'challenge: { when: { type: url_verification }, answer: challenge }',
      }),
      key('account', either(text('source'), list(text('source')), keys('webhook_account')), 'Where an event says which account it is of', {
        example: 'account: team_id',
        without: 'events name no account, so each connector has an address of its own',
      }),
      key('id', sources, 'Where the id of an event is, or its parts', {
        example: 'id: header:x-github-delivery',
        without: 'repeats are not noticed',
      }),
      key('topic', sources, 'Where the topic is, or its parts, which dots join', {
        example: 'topic: [header:x-github-event, action]',
        without: 'all events have the topic *',
      }),
      key('list', text('rows'), 'Path of the events, if a request holds several; [] for a body that is a list', { example: "list: '[]'" }),
      key(
        'events',
        map('name', either(word('redact', 'uninstalled'), keys('webhook_event'), list(keys('webhook_event')))),
        'What topics say; * at the end of a name is any rest, and the longest name that fits counts',
        {
          example:
            "events: { 'issues.*': { entity: issues, key: issue.id }, issues.deleted: { does: removed, entity: issues, key: issue.id } }",
          required: true,
        },
      ),
    ],
  },
  webhook_signature: {
    title: 'webhooks.signature',
    keys: [
      headerRow('header: x-hub-signature-256'),
      key('as', word('hex', 'base64'), 'How the header writes the bytes', { example: 'as: base64', without: 'hex' }),
      key('prefix', text(), 'Text before the signature', { example: 'prefix: sha256=' }),
      key('part', text('word'), 'Name of the signatures, in a header such as t=1,v1=ab', { example: 'part: v1' }),
      key('signs', text(), 'What is signed, with slots for body, timestamp, method and url', {
        example: "signs: 'v0:{timestamp}:{body}'",
        without: "'{body}'",
      }),
      key('time', either(text('source'), keys('webhook_time')), 'Where the time is; part:t is a part of the header with the signature', {
        example: 'time: header:x-slack-request-timestamp',
        without: 'an event can be sent again at any time',
      }),
    ],
  },
  webhook_time: {
    title: 'webhooks.signature.time, in full',
    keys: [
      key('at', text('source'), 'Where the time is', { example: 'at: webhookTimestamp', required: true }),
      key('as', word('seconds', 'milliseconds'), 'What it counts since 1970', { example: 'as: milliseconds', without: 'seconds' }),
      key('within', text('span'), 'How far it may be away', { example: 'within: 1m', without: '5m' }),
    ],
  },
  webhook_token: {
    title: 'webhooks.token',
    keys: [
      headerRow('header: authorization'),
      key('body', text('name'), 'Claim with the SHA-256 of the body, in hex', { example: 'body: body_sha256', required: true }),
      key('url', text('name'), 'Claim with the address that the vendor was given', { example: 'url: webhook_url' }),
    ],
  },
  webhook_challenge: {
    title: 'webhooks.challenge',
    keys: [
      key('when', map('path', text()), 'Values of a signed body that is a challenge', { example: 'when: { type: url_verification }' }),
      key('answer', text('path'), 'Path of the text that is answered', { example: 'answer: challenge' }),
      key('secret', text('path'), 'Path of the secret, for vendors that state it in their first request', {
        example: 'secret: verification_token',
      }),
    ],
  },
  webhook_account: {
    title: 'webhooks.account, in full',
    keys: [
      key('at', sources, 'Where the account is; all paths that have one must agree', {
        example: 'at: header:x-shopify-shop-domain',
        required: true,
      }),
      key('is', text(), 'What it equals; a {slot} takes a value of configuration', {
        example: "is: '{shop}.example.com'",
        without: "the id of the kind's account",
      }),
    ],
  },
  webhook_event: {
    title: 'webhooks.events.TOPIC',
    keys: [
      key(
        'does',
        word('changed', 'removed', 'redact', 'uninstalled'),
        'What happened: records changed, are gone, or must be forgotten; or the account has removed the OAuth client',
        { example: 'does: removed', without: 'changed' },
      ),
      key('entity', text('entity'), 'The entity of the records', { example: 'entity: issues', without: 'the whole account' }),
      key('key', either(text('path'), list(text('path'))), "Path of the record's key, or of its parts; [] in it is several records", {
        example: 'key: issue.id',
        without: 'some records of the entity',
      }),
      key(
        'under',
        map('path', text('path')),
        'Instead of a key, one field and the path of its value: all records with this value. To redact, [] in it is several values',
        {
          example: 'under: { product_id: id }',
        },
      ),
      key('needs', either(text('path'), list(text('path'))), 'Paths that the event must have, such as those that other topics lack', {
        example: 'needs: orders_to_redact',
      }),
      key(
        'params',
        map('path', text('path')),
        'Parameters of get, or of list without a get or with under, that read the records: name, and path',
        {
          example: 'params: { owner: repository.owner.login, repo: repository.name }',
          without: 'the only required parameter of get takes the key; the list takes what under says',
        },
      ),
      key('version', text('path'), 'Path of the time of change, which the record has under its last name', {
        example: 'version: issue.updated_at',
      }),
    ],
  },
}
