/** Calls of manifests that sign in, and parents of parents: what the importer makes of both. */
import { describe, expect, test } from 'vitest'
import { importText, type StreamParts, writeManifest } from './manifests.ts'

async function importWhole(parts: StreamParts) {
  const imported = await importText(writeManifest(parts))
  expect([imported.reasons, imported.read.mistakes]).toEqual([[], []])
  expect(imported.isWhole).toBe(true)
  return imported
}

const session = (requester: string, more: string): string => `type: SessionTokenAuthenticator
session_token_path: [data, token]
login_requester: { type: HttpRequester, ${requester} }
${more}`

describe('calls that sign in', () => {
  test('a GET with a body is none', async () => {
    const requester = session(
      `url_base: "https://login.papers.example", path: session, http_method: GET, request_body_json: { key: "{{ config['token'] }}" }`,
      'request_authentication: { type: Bearer }',
    )
    await expect(importText(writeManifest({ authenticator: requester }))).rejects.toThrow('a call that signs in by GET with a body')
  })

  test.each([
    [
      'a body, and a token that ends',
      session(
        `url_base: "https://login.papers.example", path: session, http_method: POST, request_body_json: { user: "{{ config['user'] }}", pass: "{{ config['token'] }}", type: api }`,
        'expiration_duration: PT12H\nrequest_authentication: { type: Bearer }',
      ),
      {
        fields: { user: 'string? User', token: 'secret Token of an account' },
        send: { authorization: 'Bearer {access_token}' },
        login: {
          call: 'POST /session',
          host: 'https://login.papers.example',
          send: { user: '{user}', pass: '{token}', type: 'api' },
          token: 'data.token',
          expires: '43200s',
        },
      },
    ],
    [
      'HTTP Basic at the host of the API, and a header',
      session(
        `url_base: "https://api.papers.example/v1", path: session, http_method: POST, authenticator: { type: BasicHttpAuthenticator, username: "{{ config['user'] }}", password: "{{ config['token'] }}" }`,
        'request_authentication: { type: ApiKey, inject_into: { type: RequestOption, inject_into: header, field_name: X-Session } }',
      ),
      {
        send: { 'x-session': '{access_token}' },
        login: { call: 'POST /v1/session', headers: { authorization: 'Basic {user}:{token}' }, token: 'data.token' },
      },
    ],
  ])('%s', async (_, authenticator, scheme) => {
    const { file } = await importWhole({ authenticator })
    expect(file.auth['login']).toMatchObject(scheme)
  })

  test('a user and a password at the host of an account, or a token that such a call answered', async () => {
    const { file } = await importWhole({
      base: `"{{ config['url'] }}"`,
      spec: `connection_specification:
  type: object
  required: [url, username]
  properties:
    url: { type: string, title: Address, examples: ["https://localhost:3000/api/"] }
    username: { type: string, title: Username }
    password: { type: string, title: Password, airbyte_secret: true }
    session: { type: string, title: Session, airbyte_secret: true }`,
      authenticator: `type: LegacySessionTokenAuthenticator
username: "{{ config['username'] }}"
password: "{{ config['password'] }}"
session_token: "{{ config['session'] }}"
header: X-Papers-Session
session_token_response_key: id
login_url: session
validate_session_url: user/current`,
    })
    expect([file.api, file.path, file.entities['notes']?.list]).toEqual([
      'https://{url}',
      '/api',
      expect.objectContaining({ call: 'GET /notes' }),
    ])
    expect(file.auth).toMatchObject({
      login: {
        fields: { username: 'string Username', password: 'secret? Password' },
        send: { 'x-papers-session': '{access_token}' },
        login: { call: 'POST /api/session', send: { username: '{username}', password: '{password}' }, token: 'id' },
      },
      token: { fields: { session: 'secret? Session' }, send: { 'x-papers-session': '{session}' } },
    })
  })

  test('an OAuth client whose token call has values of the account', async () => {
    const { file } = await importWhole({
      authenticator: `type: OAuthAuthenticator
grant_type: client_credentials
token_refresh_endpoint: https://api.papers.example/token
client_id: "{{ config['id'] }}"
client_secret: "{{ config['token'] }}"
refresh_request_body: { scope: "{{ config['scope'] }}" }`,
    })
    expect(file.auth['client']).toMatchObject({
      login: {
        call: 'POST /token',
        as: 'form',
        send: { grant_type: 'client_credentials', client_id: '{id}', client_secret: '{token}', scope: '{scope}' },
        token: 'access_token',
        expires: 'expires_in',
      },
    })
  })

  test('tokens at a host that the same value chooses as the host of the API', async () => {
    const { file } = await importWhole({
      base: `"https://api.papers.{{ config['region'] }}/v1"`,
      authenticator: `type: OAuthAuthenticator
token_refresh_endpoint: "https://login.papers.{{ config['region'] }}/token"
client_id: "{{ config['id'] }}"
client_secret: "{{ config['token'] }}"
refresh_token: "{{ config['refresh'] }}"`,
      spec: 'connection_specification: { type: object, properties: { region: { type: string, enum: [com, com.au] } } }',
    })
    expect(file.auth['client']).toMatchObject({
      login: {
        call: 'POST /token',
        host: { by: 'region', of: { com: 'https://login.papers.com', com_au: 'https://login.papers.com.au' } },
        send: { grant_type: 'refresh_token', refresh_token: '{refresh}' },
      },
    })
  })

  test('a refresh token that each call replaces fits no login', async () => {
    const refused = importText(
      writeManifest({
        authenticator: `type: OAuthAuthenticator
token_refresh_endpoint: "{{ config['site'] }}/token"
client_id: "{{ config['id'] }}"
client_secret: "{{ config['token'] }}"
refresh_token: "{{ config['refresh'] }}"
refresh_token_updater: {}`,
      }),
    )
    await expect(refused).rejects.toThrow('an address of tokens on a host that a value of the account ends')
  })

  test('a call that signs in at another host that a value chooses is named', async () => {
    const authenticator = session(
      `url_base: "https://{{ config['site'] }}", path: session, http_method: POST`,
      'request_authentication: { type: Bearer }',
    )
    await expect(importText(writeManifest({ authenticator }))).rejects.toThrow('tokens at a host that a value chooses')
  })
})

const stream = (name: string, path: string, parents: readonly (readonly [stream: number, key: string, field: string])[]): string => `
- type: DeclarativeStream
  name: ${name}
  primary_key: [id]
  retriever:
    type: SimpleRetriever
    record_selector: { type: RecordSelector, extractor: { type: DpathExtractor, field_path: [] } }
    requester: { type: HttpRequester, url_base: "https://api.papers.example/v1", path: "${path}", authenticator: { type: BearerAuthenticator, api_token: "{{ config['token'] }}" } }
    partition_router:
${parents
  .map(
    ([index, key, field]) =>
      `      - { type: SubstreamPartitionRouter, parent_stream_configs: [{ type: ParentStreamConfig, parent_key: ${key}, partition_field: ${field}, stream: "#/streams/${index}" }] }`,
  )
  .join('\n')}`

const comments = stream('comments', '/notes/{{ stream_partition.note }}/comments', [[0, 'id', 'note']])

describe('calls for each record of two streams', () => {
  test('of which one is the parent of the other: once for each record of the lower one', async () => {
    const marks = stream('marks', '/notes/{{ stream_partition.n }}/comments/{{ stream_partition.comment }}/marks', [
      [0, 'id', 'n'],
      [1, 'id', 'comment'],
    ])
    const { file, unsure } = await importWhole({ streams: `${comments.trim()}\n${marks.trim()}` })
    expect(file.entities['comments']).toMatchObject({ fields: { note: 'string' }, from: { note: { param: 'note' } } })
    expect(file.entities['marks']?.sync).toEqual({ each: { comments: { n: 'note', comment: 'id' } } })
    expect(unsure).toMatchObject({ 'entities.marks.sync': 'guessed' })
  })

  test('two values of one record', async () => {
    const pages = stream('pages', '/{{ stream_partition.owner }}/{{ stream_partition.note }}', [
      [0, 'id', 'note'],
      [0, 'owner_id', 'owner'],
    ])
    const { file } = await importWhole({ streams: pages })
    expect(file.entities['pages']?.sync).toEqual({ each: { notes: { owner: 'owner_id', note: 'id' } } })
  })

  test('streams that do not hang on each other are named', async () => {
    const others = stream('others', '/others', []).replace('    partition_router:\n', '')
    const pairs = stream('pairs', '/{{ stream_partition.a }}/{{ stream_partition.b }}', [
      [0, 'id', 'a'],
      [1, 'id', 'b'],
    ])
    const { leftOut, isWhole } = await importText(writeManifest({ streams: `${others.trim()}\n${pairs.trim()}` }))
    expect(isWhole).toBe(false)
    expect(leftOut).toContainEqual({ what: 'pairs', why: 'calls for each pair of records of two streams' })
  })
})
