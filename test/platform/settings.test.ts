import { describe, expect, test } from 'vitest'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { readSettings } from '../../packages/server/src/main/settings/settings.ts'
import { describeSettings } from '../../packages/server/src/main/settings/table.ts'
import { findRefusal } from '../support/refusal.ts'

const kinds = ['gong', 'notes']
const read = (env: Record<string, string> = {}) => readSettings(env, { kinds })
const refused = (env: Record<string, string>): string => findRefusal(() => read(env))?.message ?? 'accepted'
const key = Buffer.alloc(32, 0xfb)

describe('settings', () => {
  test('answers of vendors get a quarter of the memory, 1 GB at most, or what is given', () => {
    const { bodyMemory } = readSettings({}, { kinds: [] })
    expect(bodyMemory).toBeGreaterThanOrEqual(32 * 1_048_576)
    expect(bodyMemory).toBeLessThanOrEqual(1_024 * 1_048_576)
    expect(readSettings({ FERRULE_BODY_MEMORY: '128' }, { kinds: [] }).bodyMemory).toBe(128 * 1_048_576)
    expect(() => readSettings({ FERRULE_BODY_MEMORY: '1' }, { kinds: [] })).toThrow('an integer from 32 to 65536')
  })

  test('an empty environment is a laptop: loopback, embedded database, sandbox', () => {
    expect(read()).toEqual({
      shown: expect.any(Array),
      host: '127.0.0.1',
      changesDays: 7,
      changesAlways: false,
      changesEntities: 10_000,
      recordsChangedSeconds: 5,
      port: 8080,
      dataFolder: './data',
      databaseConnections: 10,
      previousMasterKeys: [],
      kinds: ['@ferrule/kinds'],
      origins: {},
      sandbox: true,
      trustedProxies: [],
      webhookHosts: [],
      corsOrigins: [],
      connectOrigins: [],
      connectRedirects: [],
      rateLimit: 600,
      mcpRateLimit: 600,
      mcpOAuth: true,
      mcpHosts: [],
      concurrency: 60,
      bodyLimit: 1_048_576,
      bodyMemory: expect.any(Number),
      logLevel: 'info',
      shutdownDelay: 0,
      traceVendors: false,
      shutdownSeconds: 30,
      operationSeconds: 60,
      role: 'all',
      syncConcurrency: 8,
      syncIntervalSeconds: 3_600,
      syncFullDays: 7,
      proxies: new Secret({ http: '', https: '', none: '' }),
      context: { engine: 'embedded', folder: 'data/context', memoryMb: 32, waiting: 200, searchSeconds: 10, indexes: 64 },
    })
  })

  test('the table names every setting once, with a sentence, and marks the secrets', () => {
    const settings = describeSettings()
    expect(new Set(settings.map(({ name }) => name)).size).toBe(settings.length)
    expect(settings.every(({ about }) => /^[A-Z].*\.$/.test(about))).toBe(true)
    expect(settings.filter(({ secret }) => secret).map(({ name }) => name)).toEqual([
      'DATABASE_URL',
      'CONTEXT_DATABASE_URL',
      'CONTEXT_READ_URLS',
      'FERRULE_MASTER_KEY',
      'FERRULE_MASTER_KEY_PREVIOUS',
      'FERRULE_OPERATOR_CLIENT_SECRET',
      'HTTP_PROXY',
      'HTTPS_PROXY',
    ])
  })

  test('every setting of the table is read, and an empty value counts as none', () => {
    expect(refused(Object.fromEntries(describeSettings().map(({ name }) => [name, ''])))).toBe('accepted')
  })

  test('the copy of the records is embedded, or in the database of CONTEXT_DATABASE_URL, or in that of DATABASE_URL', () => {
    const [state, copy] = ['postgresql://u:p@db/state', 'postgresql://u:p@db/copy']
    const both = { DATABASE_URL: state, FERRULE_MASTER_KEY: key.toString('base64') }
    const urlOf = (env: Record<string, string>) => {
      const { context } = read(env)
      return context.engine === 'postgres' ? context.url.reveal() : context.folder
    }
    expect(urlOf({ FERRULE_DATA: '/somewhere' })).toBe('/somewhere/context')
    expect(urlOf({ FERRULE_CONTEXT_FOLDER: '/elsewhere' })).toBe('/elsewhere')
    expect(urlOf({ CONTEXT_DATABASE_URL: copy })).toBe(copy)
    expect(urlOf(both)).toBe(state)
    expect(urlOf({ ...both, CONTEXT_DATABASE_URL: copy })).toBe(copy)
    expect(
      read({ ...both, FERRULE_CONTEXT_SEARCHES: '3', FERRULE_CONTEXT_WRITERS: '2', FERRULE_SEARCH_SECONDS: '5' }).context,
    ).toMatchObject({
      distribution: 'auto',
      searches: 3,
      writers: 2,
      searchSeconds: 5,
    })
    expect(refused({ CONTEXT_DATABASE_URL: 'mysql://db' })).toBe(
      'The setting CONTEXT_DATABASE_URL is not valid: it must be a postgresql:// URL.',
    )
    for (const env of [both, { CONTEXT_DATABASE_URL: copy }])
      expect(refused({ ...env, FERRULE_CONTEXT_FOLDER: '/elsewhere' })).toContain(
        'the copy of the records is kept in PostgreSQL; remove one of them',
      )
    expect(refused({ FERRULE_CONTEXT_MEMORY: '8' })).toContain('it must be an integer from 16 to 1024')
  })

  test('replicas belong to a copy in PostgreSQL, and are few', () => {
    const [copy, replica] = ['postgresql://u:p@db/copy', 'postgresql://u:p@replica/copy']
    const { context } = read({ CONTEXT_DATABASE_URL: copy, CONTEXT_READ_URLS: `${replica}, ${replica}2` })
    expect(context.engine === 'postgres' && context.replicas?.map((url) => url.reveal())).toEqual([replica, `${replica}2`])
    expect(refused({ CONTEXT_READ_URLS: replica })).toBe(
      'The setting CONTEXT_READ_URLS is not valid: the embedded copy of the records has no replicas; set CONTEXT_DATABASE_URL, or leave it out.',
    )
    expect(refused({ CONTEXT_DATABASE_URL: copy, CONTEXT_READ_URLS: Array(9).fill(replica).join() })).toContain('more than 8 replicas')
    expect(refused({ CONTEXT_DATABASE_URL: copy, CONTEXT_READ_URLS: `${replica},mysql://db` })).toContain('it must be a postgresql:// URL')
  })

  test('with DATABASE_URL the sandbox is off and a master key is required', () => {
    const env = { DATABASE_URL: 'postgresql://u:p@db/x' }
    expect(refused(env)).toContain('The setting FERRULE_MASTER_KEY is not valid: it is required with DATABASE_URL')
    const settings = read({ ...env, FERRULE_MASTER_KEY: key.toString('base64') })
    expect(settings.sandbox).toBe(false)
    expect(settings.databaseUrl?.reveal()).toBe('postgresql://u:p@db/x')
  })

  test('a role of its own needs the database that nodes share', () => {
    expect(refused({ FERRULE_ROLE: 'worker' })).toBe(
      'The setting FERRULE_ROLE is not valid: the embedded database has one process, so its role is all; set DATABASE_URL.',
    )
    const env = { DATABASE_URL: 'postgresql://u:p@db/x', FERRULE_MASTER_KEY: key.toString('base64') }
    expect(['api', 'worker', 'all'].map((role) => read({ ...env, FERRULE_ROLE: role }).role)).toEqual(['api', 'worker', 'all'])
    expect(refused({ ...env, FERRULE_ROLE: 'both' })).toContain('it must be one of all, api, worker')
  })

  test.each(['base64', 'base64url'] as const)('keys are read in %s, padded or not', (encoding) => {
    const text = key.toString(encoding)
    expect(read({ FERRULE_MASTER_KEY: text }).masterKey?.reveal()).toEqual(key)
    expect(read({ FERRULE_MASTER_KEY: text.replace(/=+$/, '') }).masterKey?.reveal()).toEqual(key)
    expect(read({ FERRULE_MASTER_KEY_PREVIOUS: `${text}, ${text}` }).previousMasterKeys).toHaveLength(2)
  })

  test('origins are a text for API and login, or an object', () => {
    const origins = { gong: 'http://127.0.0.1:9000/', notes: { api: 'https://eu.example', media: 'https://files.example' } }
    expect(read({ FERRULE_ORIGINS: JSON.stringify(origins) }).origins).toEqual({
      gong: { api: 'http://127.0.0.1:9000', oauth: 'http://127.0.0.1:9000' },
      notes: { api: 'https://eu.example', media: 'https://files.example' },
    })
  })

  test('proxies are addresses, blocks or a number of hops', () => {
    expect(read({ FERRULE_TRUSTED_PROXIES: '10.0.0.1, 10.1.0.0/16,::1' }).trustedProxies).toEqual(['10.0.0.1', '10.1.0.0/16', '::1'])
    expect(read({ FERRULE_TRUSTED_PROXIES: '2' }).trustedProxies).toBe(2)
  })

  test('the rest is read as it is', () => {
    const settings = read({
      FERRULE_PORT: '0',
      FERRULE_CORS_ORIGINS: 'https://a.example,https://b.example',
      FERRULE_SANDBOX: 'off',
      FERRULE_LOG_LEVEL: 'DEBUG',
      FERRULE_PUBLIC_URL: 'https://ferrule.example/base/',
      FERRULE_OPERATOR_CLIENT_ID: 'me',
      FERRULE_OPERATOR_CLIENT_SECRET: 'twelve chars',
    })
    expect(settings).toMatchObject({ port: 0, corsOrigins: ['https://a.example', 'https://b.example'], sandbox: false, logLevel: 'debug' })
    expect(settings.publicUrl).toBe('https://ferrule.example/base')
    expect(settings.operatorClient?.id).toBe('me')
  })

  test('a proxy is read by both of its names, and small letters win', () => {
    const { proxies } = read({
      https_proxy: 'proxy:3128',
      HTTPS_PROXY: 'http://other:1',
      HTTP_PROXY: 'https://u:p%40@proxy',
      no_proxy: 'a,b',
    })
    expect(proxies.reveal()).toEqual({ https: 'http://proxy:3128/', http: 'https://u:p%40@proxy/', none: 'a,b' })
  })

  test('names of other programs and of the tests are left alone', () => {
    expect(refused({ HOME: '/root', FERRULE_TEST_COUNTS: '/tmp/x', FERRULE_SOAK: '1' })).toBe('accepted')
  })
})

const secret = 'do-not-show-this'
const wrong: readonly (readonly [Record<string, string>, string])[] = [
  [{ FERRULE_PROT: '1' }, 'The setting FERRULE_PROT is not valid: there is no such setting; the nearest is FERRULE_PORT.'],
  [{ FERRULE_OPERATOR_CLIENT_SECRETS: secret }, 'the nearest is FERRULE_OPERATOR_CLIENT_SECRET.'],
  [{ FERRULE_PORT: '65536' }, 'it must be an integer from 0 to 65535'],
  [{ FERRULE_PORT: '80a' }, 'it must be an integer from 0 to 65535'],
  [{ FERRULE_RATE_LIMIT: '-1' }, 'it must be an integer from 0 to'],
  [{ FERRULE_SANDBOX: 'yes' }, 'it must be one of on, off'],
  [{ FERRULE_LOG_LEVEL: 'loud' }, 'it must be one of fatal, error, warn, info, debug, trace, silent'],
  [{ DATABASE_URL: `mysql://u:${secret}@db/x` }, 'it must be a postgresql:// URL'],
  [{ DATABASE_URL: secret }, 'it must be a postgresql:// URL'],
  [{ DATABASE_URL: `postgresql://u:x@${secret}@db/x` }, 'percent-encode it'],
  [{ CONTEXT_DATABASE_URL: `postgresql://u:x@${secret}/y@db/x` }, 'percent-encode it'],
  [{ FERRULE_MASTER_KEY: secret }, 'a key must be 32 bytes'],
  [{ FERRULE_MASTER_KEY: key.subarray(1).toString('base64') }, 'a key must be 32 bytes'],
  [{ FERRULE_MASTER_KEY_PREVIOUS: `${key.toString('base64')},${secret}` }, 'a key must be 32 bytes'],
  [
    { FERRULE_OPERATOR_CLIENT_ID: 'me' },
    'The setting FERRULE_OPERATOR_CLIENT_SECRET is not valid: it is required with FERRULE_OPERATOR_CLIENT_ID.',
  ],
  [
    { FERRULE_OPERATOR_CLIENT_SECRET: secret },
    'The setting FERRULE_OPERATOR_CLIENT_ID is not valid: it is required with FERRULE_OPERATOR_CLIENT_SECRET.',
  ],
  [{ FERRULE_OPERATOR_CLIENT_ID: 'me', FERRULE_OPERATOR_CLIENT_SECRET: 's'.repeat(257) }, 'it must have at most 256 characters'],
  [{ FERRULE_OPERATOR_CLIENT_ID: 'a b', FERRULE_OPERATOR_CLIENT_SECRET: secret }, 'it must be 1 to 128 visible ASCII characters'],
  [{ FERRULE_ORIGINS: '[]' }, 'it must be a JSON object'],
  [{ FERRULE_ORIGINS: '{' }, 'it must be a JSON object'],
  [{ FERRULE_ORIGINS: '{"gnog":"https://a.example"}' }, 'there is no kind gnog; known: gong, notes'],
  [
    { FERRULE_ORIGINS: '{"gong":"https://a.example/path"}' },
    'an origin must be http:// or https:// with a host and no path, query or user',
  ],
  [{ FERRULE_ORIGINS: '{"gong":"https://a.example?x"}' }, 'an origin must be'],
  [{ FERRULE_ORIGINS: `{"gong":"https://u:${secret}@a.example"}` }, 'an origin must be'],
  [{ FERRULE_ORIGINS: '{"gong":"ftp://a.example"}' }, 'an origin must be'],
  [{ FERRULE_ORIGINS: '{"gong":{"oauth":"https://a.example"}}' }, 'an origin must be'],
  [
    { FERRULE_ORIGINS: '{"gong":{"api":"https://a.example","files":"https://b.example"}}' },
    'there is no origin files; known: api, oauth, media, consent',
  ],
  [{ FERRULE_TRUSTED_PROXIES: 'proxy.example' }, 'it must be a list of IP addresses and CIDR blocks, or a number of hops'],
  [{ FERRULE_TRUSTED_PROXIES: '10.0.0.0/99' }, 'it must be a list of IP addresses'],
  [{ FERRULE_CORS_ORIGINS: '*' }, 'an origin must be'],
  [{ FERRULE_BODY_LIMIT: '10' }, 'it must be an integer from 1024 to 67108864'],
  [
    { HTTPS_PROXY: `socks5://u:${secret}@proxy` },
    'The setting HTTPS_PROXY is not valid: it must be the http:// or https:// address of a proxy',
  ],
  [{ http_proxy: `http://u:${secret}@proxy/path` }, 'The setting HTTP_PROXY is not valid'],
  [{ FERRULE_PUBLIC_URL: 'ferrule.example' }, 'it must be an http:// or https:// URL without query or user'],
]

describe('a wrong setting stops the start with a sentence', () => {
  test.each(wrong)('%o', (env, says) => {
    const sentence = refused(env)
    expect(sentence).toContain(says)
    expect(sentence).not.toContain(secret)
  })
})
