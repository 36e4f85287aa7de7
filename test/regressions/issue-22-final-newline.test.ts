// Issue 22, C8: a secret with the newline that editors and `echo` add was refused, or was a wrong secret.
import { expect, test } from 'vitest'
import { readServiceSettings } from '../../packages/ferrule/src/client/settings.ts'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { checkCredentials } from '../../packages/ferrule/src/engine/credentials/check-credentials.ts'

test.each([
  ['gong', { access_key: 'key', access_key_secret: 'secret' }],
  ['shopify', { api_key: 'shpat_key' }],
  ['snowflake', { programmatic_access_token: 'token' }],
  ['tiktok-marketing', { access_token: 'token' }],
] as const)('credentials of %s may end with a newline', (kind, credentials) => {
  const ended = Object.fromEntries(Object.entries(credentials).map(([name, value]) => [name, `${value}\r\n`]))
  expect(checkCredentials(kinds[kind].definition, ended).values).toEqual(credentials)
})

test('so may the secret and the token of a caller of the service', () => {
  const url = 'https://ferrule.example.com'
  expect(readServiceSettings({ url, clientId: 'me', clientSecret: 'secret\n' }).identity).toEqual({
    type: 'client',
    clientId: 'me',
    clientSecret: 'secret',
  })
  expect(readServiceSettings({ url, token: 'token\n' }).identity).toEqual({ type: 'token', token: 'token' })
})
