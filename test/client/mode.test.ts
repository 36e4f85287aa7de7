import { afterEach, describe, expect, test, vi } from 'vitest'
import { connect as connectKind } from '../../packages/ferrule/src/core.ts'
import { connect, type KindName } from '../../packages/ferrule/src/index.ts'
import { gong } from '../../packages/ferrule/src/kinds/gong.ts'
import { shopify } from '../../packages/ferrule/src/kinds/shopify.ts'
import { snowflake } from '../../packages/ferrule/src/kinds/snowflake.ts'
import { tiktokMarketing } from '../../packages/ferrule/src/kinds/tiktok-marketing.ts'
import { sandboxCredentials } from '../../packages/sandbox/src/index.ts'
import { client, startWorld } from '../http/support.ts'
import { share } from '../support/share.ts'

const credentials = { access_key: sandboxCredentials.accessKey, access_key_secret: sandboxCredentials.accessKeySecret }

const world = await share(startWorld())
await world.connect('Only')
afterEach(() => vi.unstubAllEnvs())

/** Sets the variables that name the world's service. */
function setEnvironment(): void {
  vi.stubEnv('FERRULE_URL', world.url)
  vi.stubEnv('FERRULE_CLIENT_ID', client.id)
  vi.stubEnv('FERRULE_CLIENT_SECRET', client.secret)
}

const thrownBy = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (thrown) {
    return thrown
  }
}

describe('the mode', () => {
  test('credentials call the vendor, whatever the environment says', async () => {
    vi.stubEnv('FERRULE_URL', 'http://127.0.0.1:1')
    await using connector = connect('gong', { credentials, origin: world.sandbox.origins.gong })
    expect((await connector.users.list()).data.length).toBeGreaterThan(0)
    expect('id' in connector).toBe(false)
  })

  test('the environment alone names service, application and connector', async () => {
    setEnvironment()
    expect((await connect('gong').users.list()).data.length).toBeGreaterThan(0)
    expect((await connectKind('gong').users.list()).data.length).toBeGreaterThan(0)
    vi.stubEnv('FERRULE_WORKSPACE', 'elsewhere')
    await expect(connect('gong').users.list()).rejects.toMatchObject({
      hint: expect.stringContaining('The workspace elsewhere has no connector'),
    })
    vi.stubEnv('FERRULE_ORGANIZATION_ID', '0195f3a0-0000-7000-8000-000000000001')
    await expect(connect('gong').users.list()).rejects.toMatchObject({ code: 'organization_forbidden' })
  })

  test('options of both modes are refused, each with its field', () => {
    const both = { credentials, url: world.url, workspace: 'default' } as never
    expect(thrownBy(() => connect('gong', both))).toMatchObject({
      code: 'validation_failed',
      errors: [expect.objectContaining({ field: '/url' }), expect.objectContaining({ field: '/workspace' })],
    })
    expect(thrownBy(() => connectKind(gong, both))).toMatchObject({ code: 'validation_failed' })
  })

  test('neither names the schemes, and the way to a service', () => {
    const expected = {
      code: 'credentials_mismatch',
      message: expect.stringContaining('access_key_secret'),
      hint: expect.stringContaining('FERRULE_URL'),
    }
    expect(thrownBy(() => connect('gong'))).toMatchObject(expected)
    expect(thrownBy(() => connect('gong', {}))).toMatchObject(expected)
    expect(thrownBy(() => connectKind(gong))).toMatchObject(expected)
  })

  test('wrong options of the service are refused', () => {
    expect(thrownBy(() => connect('gong', { url: world.url, workspaceName: 'a', connector: 7 } as never))).toMatchObject({
      code: 'validation_failed',
      errors: [expect.objectContaining({ field: '/workspaceName' }), expect.objectContaining({ field: '/connector' })],
    })
    expect(thrownBy(() => connect('gong', 'http://127.0.0.1' as never))).toMatchObject({ code: 'validation_failed' })
    vi.stubEnv('FERRULE_URL', 'ferrule.example.com')
    expect(thrownBy(() => connect('gong', { token: 'token' }))).toMatchObject({ code: 'setting_invalid' })
  })
})

describe('the entry ferrule/core', () => {
  test('connects each kind in both modes', async () => {
    await using local = connectKind(gong, { credentials, origin: world.sandbox.origins.gong })
    const hosted = connectKind(gong, { url: world.url, clientId: client.id, clientSecret: client.secret })
    expect((await hosted.users.list()).data).toEqual((await local.users.list()).data)
    const kinds = [gong, shopify, snowflake, tiktokMarketing].map(({ definition }): KindName => definition.kind)
    expect(kinds).toEqual(['gong', 'shopify', 'snowflake', 'tiktok-marketing'])
  })

  test('a slug needs a service, and says so', () => {
    expect(thrownBy(() => connectKind('gong'))).toMatchObject({ errors: [expect.objectContaining({ field: '/url' })] })
    expect(thrownBy(() => connectKind('gong', { credentials } as never))).toMatchObject({
      message: expect.stringContaining("import it from 'ferrule/gong'"),
    })
  })
})
