import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ask, basic, get } from './client.ts'
import { context, signedIn } from './snowflake-client.ts'

const main = join(import.meta.dirname, '../../packages/sandbox/src/main.ts')
const settings = { SANDBOX_PORT: '0', SANDBOX_LIMITS: 'off', SANDBOX_MEDIA_BYTES: '1000' }

/** Makes the package of the engine a package that is not installed. */
const without = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({
    resolve(name, context, next) {
      if (!name.startsWith('@duckdb/')) return next(name, context)
      throw Object.assign(new Error('Cannot find package ' + name), { code: 'ERR_MODULE_NOT_FOUND' })
    },
  })`)}`

test('without the package of the engine only the warehouse is missing, and says what to install', async () => {
  const child = fork(main, { env: { ...process.env, ...settings }, execArgv: ['--import', without] })
  const [message] = await once(child, 'message')
  const origins = get(message, 'origins')
  const gong = await ask(`${get(origins, 'gong', 'api')}/v2/users`, { headers: { authorization: basic } })
  expect(gong.status).toBe(200)
  const submit = (token: string) =>
    ask(`${get(origins, 'snowflake', 'api')}/api/v2/statements`, {
      method: 'POST',
      headers: { ...signedIn(token), 'content-type': 'application/json' },
      body: { statement: 'SELECT 1', ...context },
    })
  expect((await submit('wrong')).status).toBe(401)
  expect(await submit('sandbox-pat')).toMatchObject({
    status: 501,
    body: { message: 'The stand-in of the warehouse needs the package @duckdb/node-api: npm install @duckdb/node-api' },
  })
  child.disconnect()
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('forked, it answers statements', async () => {
  const child = fork(main, { env: { ...process.env, ...settings }, execArgv: [] })
  const [message] = await once(child, 'message')
  const answer = await ask(`${get(message, 'origins', 'snowflake', 'api')}/api/v2/statements`, {
    method: 'POST',
    headers: { ...signedIn('sandbox-pat'), 'content-type': 'application/json' },
    body: { statement: 'SELECT COUNT(*) FROM ORDERS', ...context },
  })
  expect(answer).toMatchObject({ status: 200, body: { data: [['300000']] } })
  child.disconnect()
  expect(await once(child, 'exit')).toEqual([0, null])
})
