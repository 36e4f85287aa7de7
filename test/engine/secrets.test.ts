import { createServer } from 'node:net'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import type { CredentialValues } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { connectLocally } from '../../packages/ferrule/src/engine/local.ts'
import { FerruleError } from '../../packages/ferrule/src/errors.ts'
import { listen } from '../support/listen.ts'
import { catchRefusal } from '../support/refusal.ts'
import { accessKey, callOf, gongAt, pageOf, type Reply, type Seen, serve, testEngine } from './support.ts'

const key = { access_key: 'AK_DEMO', access_key_secret: 'sEcret+/=0123456789"<&' }
const oauth = {
  refresh_token: 'RT_one_0123456789+/=',
  access_token: 'AT_one_0123456789',
  client_id: 'CID',
  client_secret: 'client+secret/0123456789',
}
const next = { access_token: 'AT_two_0123456789', refresh_token: 'RT_two_0123456789' }
const link = 'https://media.example/file.mp3?X-Amz-Signature=signature0123456789'

const basic = (user: string, password: string) => Buffer.from(`${user}:${password}`).toString('base64')
const plain = [
  key.access_key_secret,
  oauth.refresh_token,
  oauth.access_token,
  oauth.client_secret,
  next.access_token,
  next.refresh_token,
  basic(key.access_key, key.access_key_secret),
  basic(oauth.client_id, oauth.client_secret),
  'signature0123456789',
]
/** Each secret as it is, in a URL, in JSON, and in a header. */
const forms = [
  ...new Set(
    plain.flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      new URLSearchParams({ a: secret }).toString().slice(2),
    ]),
  ),
]

/** Everything that a log could print of an error. */
function printed(error: unknown): string {
  const parts = [inspect(error, { depth: 20, showHidden: true, getters: true, maxStringLength: null })]
  for (let each = error; each instanceof Error; each = each.cause) {
    parts.push(
      each.message,
      each.stack ?? '',
      JSON.stringify(each) ?? '',
      inspect(each, { depth: 20, showHidden: true, maxStringLength: null }),
    )
    if (each instanceof FerruleError) parts.push(JSON.stringify(each.toProblem('r')))
  }
  return parts.join('\n')
}

const found = (error: unknown): string[] => {
  const text = printed(error)
  return forms.filter((form) => text.includes(form))
}

/** Returns what a vendor can know of a connector: what it was sent, decoded, and the secrets of that connector's scheme. */
const echo = ({ url, headers, body }: Seen): string => {
  const { authorization = '' } = headers
  const own = authorization.startsWith('Basic') && !url.startsWith('/oauth2') ? [key.access_key_secret] : Object.values(oauth)
  const texts = [authorization, ...own]
  return [
    JSON.stringify(headers),
    body,
    url,
    decodeURIComponent(url),
    ...texts,
    ...texts.map(encodeURIComponent),
    ...texts.map((text) => JSON.stringify(text)),
  ].join(' ')
}

describe('no secret is in an error, its JSON, its stack or its causes', () => {
  const replies: [string, (seen: Seen) => Reply][] = [
    ['an echo in a 400', (seen) => ({ status: 400, body: { requestId: echo(seen), errors: [echo(seen)] } })],
    ['an echo in a 401', (seen) => ({ status: 401, body: { errors: [echo(seen)] } })],
    [
      'an echo in a 500',
      (seen) => ({ status: 500, headers: { 'x-echo': encodeURIComponent(echo(seen)) }, body: { errors: [echo(seen)] } }),
    ],
    [
      'an echo in a redirect',
      (seen) => ({ status: 302, headers: { location: `https://elsewhere.example/${encodeURIComponent(echo(seen))}` } }),
    ],
    ['an echo that is not JSON', (seen) => ({ body: echo(seen) })],
    ['broken JSON right at a secret', (seen) => ({ body: `{"a":"x" ${echo(seen).replaceAll('"', '')}` })],
    ['a body that is a short secret', () => ({ body: oauth.access_token })],
    [
      'a cut answer',
      (seen) => (response) => {
        response.writeHead(200, { 'content-length': '99999' })
        response.write(echo(seen), () => response.destroy())
      },
    ],
    ['a closed connection', () => (response) => response.destroy()],
    ['a deadline', () => () => {}],
  ]
  const credentials: [string, CredentialValues][] = [
    ['access key', key],
    ['access token', oauth],
    ['expired token', { ...oauth, token_expiry_date: '2020-01-01T00:00:00Z' }],
  ]
  const combinations = replies.flatMap(([what, reply]) => credentials.map(([scheme, values]) => [what, scheme, reply, values] as const))

  test.each(combinations)('%s, %s', async (_what, _scheme, ...[reply, values]) => {
    await using server = await serve(reply)
    await using engine = testEngine()
    const connection = { ...gongAt(server.origin, { values }) }
    const renewable = connectLocally(kinds.gong, { credentials: values as typeof oauth, origin: server.origin, limits: false })
    const ended = await Promise.all([
      engine
        .run(connection, { entity: 'calls', action: 'list', params: { cursor: 'c' }, deadlineMs: 100 })
        .catch((error: unknown) => error),
      renewable.calls.list({}, { deadlineMs: 100 }).catch((error: unknown) => error),
    ])
    await renewable.close()
    for (const error of ended) {
      expect(error).toBeInstanceOf(FerruleError)
      expect(found(error)).toEqual([])
    }
  })

  test.each([
    ['API', (text: string) => `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ${text}`],
    ['API, before the status line', (text: string) => `${text}\r\n\r\n`],
    ['API, in a header', (text: string) => `HTTP/1.1 200 OK\r\nx-\u0001: ${text}\r\n\r\n`],
  ])('an answer that is not HTTP: %s', async (_what, wire) => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end(wire(JSON.stringify(next) + plain.join(' '))))
    })
    await using listening = await listen(server)
    const { origin } = listening
    await using engine = testEngine()
    const expired = { ...oauth, token_expiry_date: '2020-01-01T00:00:00Z' }
    const renewing = connectLocally(kinds.gong, { credentials: expired, origin, limits: false })
    const run = (values: CredentialValues) => engine.run(gongAt(origin, { values }), { entity: 'calls', action: 'list' })
    const ended = await Promise.all([run(key), run(oauth), renewing.calls.list()].map((each) => each.catch((thrown: unknown) => thrown)))
    for (const error of ended) {
      expect(error).toMatchObject({ code: 'upstream_unreachable', message: 'Gong cannot be reached: the answer is not HTTP.' })
      expect(found(error)).toEqual([])
    }
    await renewing.close()
  })

  test.each([
    ['a renewal', { ...oauth, token_expiry_date: '2020-01-01T00:00:00Z' }],
    ['a renewal after a 401', oauth],
  ])('of the new tokens when the answer to %s is odd', async (_what, values) => {
    for (const body of [JSON.stringify(next).slice(0, -1), JSON.stringify({ ...next, access_token: 5 }), `${JSON.stringify(next)} x`]) {
      await using server = await serve(({ url }) => (url.startsWith('/oauth2') ? { body } : { status: 401, body: { errors: ['revoked'] } }))
      const gong = connectLocally(kinds.gong, { credentials: values, origin: server.origin, limits: false })
      const error = await gong.calls.list().catch((thrown: unknown) => thrown)
      await gong.close()
      expect(error).toMatchObject({ code: 'upstream_answer_invalid' })
      expect(found(error)).toEqual([])
    }
  })

  test('of the vendor’s media host', async () => {
    const page = pageOf({ calls: [{ metaData: callOf('7'), media: { audioUrl: link } }] })
    const params = { filter: { callIds: ['7'] }, contentSelector: { exposedFields: { media: true } } }
    for (const media of [undefined, 'http://127.0.0.1:1']) {
      await using server = await serve(() => ({ body: page }))
      await using engine = testEngine()
      const connection = gongAt({ api: server.origin, ...(media === undefined ? {} : { media }) }, { values: accessKey })
      const error = await engine
        .run(connection, { entity: 'call_audio', action: 'download', params, deadlineMs: 3000 })
        .catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(FerruleError)
      expect(found(error)).toEqual([])
    }
  })

  test.each(['AT_two_0123456789\nx', 'AT_two_0123456789\u2026', ' AT_two_0123456789', 'AT_two_0123456789\u0000'])(
    'of a token that no header can carry: %j is refused at once, in the credentials and from the vendor',
    async (token) => {
      const wrong = () => connectLocally(kinds.gong, { credentials: { ...oauth, access_token: token } })
      const refused = await (async () => wrong())().catch((thrown: unknown) => thrown)
      expect(refused).toMatchObject({ code: 'validation_failed', errors: [{ field: '/credentials/access_token' }] })
      expect(found(refused)).toEqual([])
      await using server = await serve(() => ({ body: { ...next, access_token: token } }))
      const gong = connectLocally(kinds.gong, {
        credentials: { ...oauth, token_expiry_date: '2020-01-01T00:00:00Z' },
        origin: server.origin,
      })
      const error = await gong.calls.list().catch((thrown: unknown) => thrown)
      await gong.close()
      expect(error).toMatchObject({ code: 'upstream_answer_invalid' })
      expect(found(error)).toEqual([])
    },
  )

  test.each<[string, object]>([
    ['too many fields', { ...key, ...oauth }],
    ['a number as secret', { access_key: 'AK', access_key_secret: 123456789 }],
    ['an object as secret', { access_key: 'AK', access_key_secret: { secret: key.access_key_secret } }],
    ['an unknown field', { ...oauth, secret: key.access_key_secret }],
    ['a missing field', { access_key_secret: key.access_key_secret }],
  ])('of wrong credentials: %s', (_what, wrong) => {
    const error = catchRefusal(() => connectLocally(kinds.gong, { credentials: wrong as typeof oauth }))
    expect(found(error)).toEqual([])
    expect(printed(error)).not.toContain('123456789')
  })

  test('nor does a connector print its own', async () => {
    const gong = connectLocally(kinds.gong, { credentials: oauth })
    const text = inspect(gong, { depth: 20, showHidden: true }) + JSON.stringify(gong)
    await gong.close()
    expect(forms.filter((form) => text.includes(form))).toEqual([])
  })
})
