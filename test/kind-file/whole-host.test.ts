/** Hosts of customers' own: a value of the configuration is the whole host of the API. */
import { describe, expect, test } from 'vitest'
import { checkConfiguration } from '../../packages/ferrule/src/engine/credentials/check-credentials.ts'
import { resolveOrigins } from '../../packages/ferrule/src/engine/http/origin.ts'
import { connectLocally } from '../../packages/ferrule/src/engine/local.ts'
import { checkUploadedKind, listHosts, parseKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { failure, serve } from '../engine/support.ts'
import { kindTop } from '../support/kind-head.ts'
import { testMistakes } from './edits.ts'

const file = `${kindTop('forge')}api: 'https://{server}'
path: /api/v4
configuration: { server: host Host of the installation }
auth:
  key: { title: Key, fields: { key: secret Key }, find: Settings > Keys, send: { x-api-key: '{key}' } }
check: repos.list
entities:
  repos: { about: Repositories, fields: { id: string Id }, list: { call: GET /repos, pages: none, because: Few } }
`

describe('a whole host', () => {
  test.each([
    ['git.acme.example', 'git.acme.example'],
    [' https://Git.Acme.example/ ', 'git.acme.example'],
  ])('%j is %s', async (given, host) => {
    const { definition } = await parseKind(file)
    const configuration = checkConfiguration(definition, { server: given })
    expect(configuration).toEqual({ server: host })
    const { api, trust } = resolveOrigins({ kind: { definition }, configuration }, {})
    expect({ api, trust }).toEqual({ api: `https://${host}`, trust: 'foreign' })
  })

  test.each([
    '127.0.0.1',
    '2130706433',
    'localhost',
    'a_b.example',
    'git.acme.example:8443',
    'git.acme.example/x',
    'u@git.acme.example',
    '[::1]',
    'a..b',
    '.a.b',
    '1.0x7f',
  ])('%s is refused', async (server) => {
    const { definition } = await parseKind(file)
    expect(() => checkConfiguration(definition, { server })).toThrow(expect.objectContaining({ code: 'validation_failed' }))
  })

  test('is reached in public only, and a network of one’s own by origin', async () => {
    await using vendor = await serve(() => ({ body: [{ id: 'a' }] }))
    const { definition } = await parseKind(file)
    const kind = { definition, rules: {} }
    const given = { credentials: { key: 'k' }, config: { server: 'inner.localhost' } }
    await using forge = connectLocally(kind, given)
    expect(await failure(forge.execute('repos', 'list', {}))).toMatchObject({ code: 'upstream_unreachable' })
    await using own = connectLocally(kind, { ...given, origin: vendor.origin })
    expect((await own.execute('repos', 'list', {})).data).toEqual([{ id: 'a' }])
    expect(vendor.seen.map(({ url }) => url)).toEqual(['/api/v4/repos'])
  })

  test('passes the check of uploads, and is shown as it is written', async () => {
    const { definition, mistakes } = await checkUploadedKind(file, { name: 'forge' })
    expect(mistakes).toEqual([])
    expect(definition === undefined ? [] : listHosts(definition)).toEqual([{ use: 'api', host: '{server}' }])
  })

  testMistakes(file, [
    ['server: host', 'server: label', 'configuration.server', 'its type is host'],
    ['server: host', 'server: string', 'configuration.server', 'its type is host'],
    ["'https://{server}'", "'https://{server}.com'", 'api', "the vendor's own domain"],
    ["'https://{server}'", "'https://api.{server}'", 'api', "the vendor's own domain"],
    ["'https://{server}'", "'https://{server}.forge.example'", 'configuration.server', 'label, uuid or digits'],
    [
      "send: { x-api-key: '{key}' } }",
      "oauth: { page: 'https://{server}/a', token: 'https://{server}/t' } }",
      'auth.key.oauth.token',
      "the vendor's own domain",
    ],
  ])
})
