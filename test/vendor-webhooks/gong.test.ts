import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { gong } from '../../packages/ferrule/src/connectors/gong/index.ts'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { listWebhookAccounts, readWebhook } from '../../packages/ferrule/src/engine/webhooks/read-webhook.ts'
import { gongClaims, gongKeys, gongPublicKey, makeToken, now, nowSeconds, otherKeys, post, url } from './vendors.ts'

const secrets = [new Secret({ webhook_public_key: gongPublicKey })]
const body = '{"isTest":false,"callData":{"metaData":{"id":"5599332235511222779","title":"Ron/Speedman"}}}'
const read = (token: string | undefined, given = body, keys = secrets) =>
  readWebhook(gong, post(given, { authorization: token }), keys, now)
const refused = { type: 'refused' }

test('reads which call was processed, and all that belongs to it', () => {
  const key = ['5599332235511222779']
  expect(read(makeToken(gongClaims(body)))).toEqual({
    type: 'events',
    events: [
      { topic: '*', does: 'changed', entity: 'calls', key, read: { action: 'get', params: { id: key[0] } } },
      {
        ...{ topic: '*', does: 'changed', entity: 'calls_extensive', key },
        read: { action: 'list', params: { ...gong.definition.entities.calls_extensive.sync.params, filter: { callIds: key } } },
      },
      { topic: '*', does: 'changed', entity: 'call_transcripts', key, read: { action: 'list', params: { filter: { callIds: key } } } },
    ],
  })
  expect(listWebhookAccounts(gong.definition, {}, ['1'])).toEqual([])
})

test('takes the key with the lines around it, each of several keys, and the word Bearer', () => {
  const pem = String(gongKeys.publicKey.export({ type: 'spki', format: 'pem' }))
  const other = String(otherKeys.publicKey.export({ type: 'spki', format: 'pem' }))
  const both = [new Secret({ webhook_public_key: other }), new Secret({ webhook_public_key: pem })]
  expect(read(`Bearer ${makeToken(gongClaims(body))}`, body, both).type).toBe('events')
})

test('refuses tokens of others, for other bodies, for other addresses, and those that ended', () => {
  const claims = gongClaims(body)
  const { exp: _exp, ...endless } = claims
  const tokens = [
    undefined,
    '',
    makeToken(claims, { key: otherKeys.privateKey }),
    makeToken({ ...claims, body_sha256: gongClaims(`${body} `)['body_sha256'] }),
    makeToken({ ...claims, body_sha256: undefined }),
    makeToken({ ...claims, webhook_url: `${url}2` }),
    makeToken({ ...claims, webhook_url: undefined }),
    makeToken({ ...claims, exp: nowSeconds - 61 }),
    makeToken({ ...claims, exp: String(nowSeconds + 60) }),
    makeToken({ ...claims, iat: nowSeconds + 120 }),
    makeToken({ ...claims, nbf: nowSeconds + 120 }),
    makeToken(endless),
    makeToken(claims).replace(/\.[^.]*$/, '.'),
    `${makeToken(claims)}.x`,
    `${makeToken(claims)}, ${makeToken(claims)}`,
  ]
  for (const token of tokens) expect(read(token)).toEqual(refused)
  expect(read(makeToken(claims), body.replace('Ron', 'Tom'))).toEqual(refused)
})

test('refuses other algorithms, and keys that are too small or of another sort', () => {
  const claims = gongClaims(body)
  for (const head of [{ alg: 'none' }, { alg: 'HS256' }, { alg: 'RS512' }, { alg: 'RS256', crit: ['b64'] }, []])
    expect(read(makeToken(claims, { head }))).toEqual(refused)
  const small = generateKeyPairSync('rsa', { modulusLength: 1_024 })
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  for (const { publicKey, privateKey } of [small, curve]) {
    const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    expect(read(makeToken(claims, { key: privateKey }), body, [new Secret({ webhook_public_key: key })])).toEqual(refused)
  }
  expect(read(makeToken(claims), body, [new Secret({ webhook_public_key: 'not a key' })])).toEqual(refused)
})
