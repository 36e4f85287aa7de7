import { afterEach, describe, expect, test } from 'vitest'
import { connect, FerruleError } from '../../packages/ferrule/src/index.ts'
import { sandboxCredentials, startSandbox } from '../../packages/sandbox/src/index.ts'
import { failure } from '../engine/support.ts'
import { share } from '../support/share.ts'

const { accessKey, accessKeySecret, clientId, clientSecret, refreshToken, accessToken, limitedToken, expiredToken } = sandboxCredentials
const key = { access_key: accessKey, access_key_secret: accessKeySecret }
const client = { client_id: clientId, client_secret: clientSecret }

const sandbox = await share(startSandbox({ limits: false }))
afterEach(() => sandbox.gong.reset())

describe('OAuth', () => {
  test('a refresh token alone is enough to begin, its successor is handed on and works', async () => {
    const handed: { refresh_token?: string }[] = []
    const onCredentials = (next: { refresh_token?: string }) => void handed.push(next)
    await using first = connect('gong', {
      credentials: { refresh_token: refreshToken, ...client },
      origin: sandbox.origins.gong,
      onCredentials,
    })
    await first.check()
    expect(handed).toHaveLength(1)
    await using again = connect('gong', { credentials: { refresh_token: refreshToken, ...client }, origin: sandbox.origins.gong })
    expect(await failure(again.check())).toMatchObject({ code: 'upstream_auth_failed' })
    const next = { refresh_token: handed[0]?.refresh_token ?? '', ...client }
    await using successor = connect('gong', { credentials: next, origin: sandbox.origins.gong })
    await successor.check()
  })

  test('an expired token is renewed when the vendor says so', async () => {
    const credentials = { access_token: expiredToken, refresh_token: refreshToken, ...client }
    await using connector = connect('gong', { credentials, origin: sandbox.origins.gong })
    await connector.check()
    expect(sandbox.gong.requests().filter(({ origin }) => origin === 'oauth')).toHaveLength(1)
  })

  test('a missing scope is no reason to renew', async () => {
    const credentials = { access_token: limitedToken, refresh_token: refreshToken, ...client }
    await using connector = connect('gong', { credentials, origin: sandbox.origins.gong })
    expect(await failure(connector.workspaces.list())).toMatchObject({ code: 'upstream_permission_denied' })
    expect(sandbox.gong.requests().filter(({ origin }) => origin === 'oauth')).toEqual([])
  })

  test('a good token is used as it is', async () => {
    await using connector = connect('gong', {
      credentials: { access_token: accessToken, refresh_token: refreshToken },
      origin: sandbox.origins.gong,
    })
    expect((await connector.workspaces.list()).data.length).toBe(sandbox.gong.world.counts.workspaces)
  })
})

test('wrong credentials are refused by the vendor, and the error is the library’s', async () => {
  await using connector = connect('gong', { credentials: { ...key, access_key_secret: 'wrong-secret' }, origin: sandbox.origins.gong })
  const error = await failure(connector.check())
  expect(error).toBeInstanceOf(FerruleError)
  expect(error).toMatchObject({ code: 'upstream_auth_failed', fault: 'credentials' })
})
