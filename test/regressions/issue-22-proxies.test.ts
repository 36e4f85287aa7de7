/** Issue 22, C5: forward proxies, and authorities of certificates that only a company knows. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { bundleOf } from '../../scripts/bundles.mjs'
import { root, sourceCondition } from '../../scripts/paths.mjs'
import { serve } from '../engine/support.ts'
import { client, type Json, sandboxConnector } from '../http/support.ts'
import { makeCertificate } from '../support/certificate.ts'
import { buildSourceEnvironment } from '../support/commands.ts'
import { makeFolder } from '../support/folder.ts'
import { type ForwardProxy, type ProxyOptions, startForwardProxy } from '../support/forward-proxy.ts'
import { listen } from '../support/listen.ts'
import { share } from '../support/share.ts'

const folder = makeFolder('proxies')
const authority = join(folder, 'authority.pem')
const tls = makeCertificate(['api.gong.io', 'files.gong.test', 'agent.test', 'localhost'])
const oneUser = JSON.stringify({ requestId: '1', records: {}, users: [{ id: '1' }] })
/** Credentials of the vendor, as they travel. */
const proof = Buffer.from('key-of-the-vendor:secret-of-the-vendor').toString('base64')

/** The vendor, the host of its files and the host of a client's document, on one port. */
const requests: IncomingMessage[] = []
let fileUrl: string
const internet = createServer(tls, (request, response) => {
  requests.push(request)
  request.resume()
  const { host, url } = { host: request.headers.host, url: request.url }
  response.setHeader('content-type', 'application/json')
  if (host === 'files.gong.test') return response.end('the audio')
  if (host === 'agent.test')
    return response.end(
      JSON.stringify({
        client_id: `https://agent.test${url}`,
        client_name: 'Agent',
        redirect_uris: ['https://agent.test/back'],
        token_endpoint_auth_method: 'none',
      }),
    )
  if (url?.startsWith('/v2/users') === true) return response.end(oneUser)
  return response.end(JSON.stringify({ requestId: '1', records: {}, calls: [{ metaData: { id: '7' }, media: { audioUrl: fileUrl } }] }))
})
let proxies: ForwardProxy[] = []

const startProxy = async (more: Partial<ProxyOptions> = {}): Promise<ForwardProxy> => {
  const targets = Object.fromEntries(['api.gong.io', 'files.gong.test', 'agent.test'].map((host) => [`${host}:443`, port]))
  const proxy = await startForwardProxy({ targets, ...more })
  proxies.push(proxy)
  return proxy
}

beforeEach(async () => {
  for (const proxy of proxies) await proxy[Symbol.asyncDispose]()
  proxies = []
  requests.length = 0
  fileUrl = 'https://files.gong.test/7.mp3?signature=abc'
})
afterAll(async () => {
  for (const proxy of proxies) await proxy[Symbol.asyncDispose]()
})

/** The program with the library in one file, as users bundle it. From a thousand sources, each start takes four times the CPU time. */
const program = join(folder, 'proxy-program.mjs')
async function bundleProgram(): Promise<void> {
  const bundle = await rolldown({
    input: join(root, 'test/engine/proxy-program.ts'),
    platform: 'node',
    resolve: { conditionNames: [sourceCondition, 'node', 'default'] },
  })
  await bundle.write({ file: program, format: 'esm', codeSplitting: false })
  await bundle.close()
}

/** Runs calls of the library in a process with an environment of its own. */
async function runLibrary(env: Readonly<Record<string, string>>, ...calls: readonly string[]) {
  const child = spawn(process.execPath, [program, ...calls], {
    cwd: root,
    env: { ...buildSourceEnvironment(), NODE_EXTRA_CA_CERTS: authority, ...env },
  })
  const texts = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (texts.stdout += chunk))
  child.stderr.on('data', (chunk) => (texts.stderr += chunk))
  await once(child, 'close')
  const lines = texts.stdout.split('\n').filter((line) => line !== '')
  return { answers: lines.map((line) => JSON.parse(line)), text: texts.stdout + texts.stderr }
}

await bundleProgram()
writeFileSync(authority, tls.cert)
const { port } = await share(listen(internet))

describe('the library behind a proxy', () => {
  test.each(['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY'])(
    'reaches vendor and files in tunnels of %s, and no credentials are outside of TLS',
    async (name) => {
      const proxy = await startProxy()
      const { answers } = await runLibrary({ [name]: `http://127.0.0.1:${proxy.port}` }, 'users', 'audio')
      expect(answers).toEqual([1, 'the audio'.length])
      expect([...new Set(proxy.seen.map(({ line }) => line))]).toEqual(['CONNECT api.gong.io:443', 'CONNECT files.gong.test:443'])
      expect(requests[0]?.headers.authorization).toBe(`Basic ${proof}`)
      for (const { headers } of proxy.seen) expect(Object.keys(headers).toSorted()).toEqual(['connection', 'host', 'proxy-connection'])
      for (const secret of [proof, 'secret-of-the-vendor', 'signature=abc']) expect(proxy.text()).not.toContain(secret)
    },
  )

  test('is reached by TLS and a password, which the vendor never sees', async () => {
    const proxy = await startProxy({ users: 'me:p@ss', tls })
    const { answers } = await runLibrary({ HTTPS_PROXY: `https://me:p%40ss@localhost:${proxy.port}` }, 'users')
    expect(answers).toEqual([1])
    expect(requests.flatMap(({ headers }) => Object.keys(headers)).filter((name) => name.startsWith('proxy'))).toEqual([])
  })

  test('sends requests to http addresses in tunnels too', async () => {
    await using vendor = await serve(() => ({ body: oneUser }))
    const proxy = await startProxy({ targets: { 'replay.test:80': Number(new URL(vendor.origin).port) } })
    const { answers: got } = await runLibrary({ HTTP_PROXY: `127.0.0.1:${proxy.port}`, ORIGIN: 'http://replay.test' }, 'users')
    expect(got).toEqual([1])
    expect(proxy.seen.map(({ line }) => line)).toEqual(['CONNECT replay.test:80'])
    expect(JSON.stringify(proxy.seen)).not.toContain(proof)
  })

  test.each([
    ['refuses the password', { users: 'other:one' }, 'the proxy refused the connection with status 407'],
    ['does not let the host through', { targets: {} }, 'the proxy refused the connection with status 502'],
  ])('that %s is told so, without the password', async (_name, options, says) => {
    const proxy = await startProxy(options)
    const { answers, text } = await runLibrary({ HTTPS_PROXY: `http://me:hidden-word@127.0.0.1:${proxy.port}` }, 'users')
    expect(answers).toEqual([
      { code: 'upstream_unreachable', message: `Gong cannot be reached: ${says}.`, hint: expect.stringContaining('NO_PROXY') },
    ])
    expect(text).not.toContain('hidden-word')
    expect(requests).toEqual([])
  })

  test('that is not there is told so', async () => {
    const { answers } = await runLibrary({ HTTPS_PROXY: 'http://127.0.0.1:9' }, 'users')
    expect(answers[0].message).toBe('Gong cannot be reached: the proxy cannot be used (ECONNREFUSED).')
  })

  test.each(['socks5://127.0.0.1:9', 'http://me:hidden-word@127.0.0.1:9/path', 'http://me:%zz-hidden-word@127.0.0.1:9'])(
    '%s is a wrong setting, and its password is told nobody',
    async (HTTPS_PROXY) => {
      const { answers, text } = await runLibrary({ HTTPS_PROXY }, 'users')
      expect(answers).toEqual([
        {
          code: 'setting_invalid',
          message: expect.stringMatching(/^The setting HTTPS_PROXY is not valid: it must be/),
          hint: expect.any(String),
        },
      ])
      expect(text).not.toContain('hidden-word')
    },
  )
})

describe('hosts that are reached without the proxy', () => {
  test('are those of NO_PROXY', async () => {
    const proxy = await startProxy()
    const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: 'other.test, .gong.test' }
    const { answers } = await runLibrary(env, 'users', 'audio')
    expect(answers[0]).toBe(1)
    expect(answers[1]).toMatchObject({ code: 'upstream_unreachable', message: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/) })
    expect([...new Set(proxy.seen.map(({ line }) => line))]).toEqual(['CONNECT api.gong.io:443'])
  })

  test('are those of this machine', async () => {
    await using vendor = await serve(() => ({ body: oneUser }))
    const proxy = await startProxy()
    const env = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, ORIGIN: vendor.origin }
    expect((await runLibrary(env, 'users')).answers).toEqual([1])
    expect(proxy.seen).toEqual([])
  })

  test.each(['https://localhost:PORT/7.mp3', 'https://10.0.0.1/7.mp3', 'https://[fd00::1]/7.mp3'])(
    'a link of an answer to %s is refused, and the proxy is not asked',
    async (link) => {
      fileUrl = link.replace('PORT', String(port))
      const proxy = await startProxy()
      const { answers } = await runLibrary({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` }, 'audio')
      expect(answers[0]).toMatchObject({ code: 'upstream_answer_invalid', message: expect.stringContaining('not') })
      expect([...new Set(proxy.seen.map(({ line }) => line))]).toEqual(['CONNECT api.gong.io:443'])
    },
  )
})

test('an authority that the process does not know is named with the setting', async () => {
  const proxy = await startProxy()
  const { answers } = await runLibrary({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NODE_EXTRA_CA_CERTS: '' }, 'users')
  expect(answers).toEqual([
    {
      code: 'upstream_unreachable',
      message: expect.stringContaining('SELF_SIGNED_CERT'),
      hint: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    },
  ])
})

/** Starts the service with settings of its own, on an empty folder. */
async function startService(env: Readonly<Record<string, string>>) {
  const own = {
    ...{ FERRULE_PORT: '0', FERRULE_DATA: mkdtempSync(join(folder, 'data-')), FERRULE_LOG_LEVEL: 'warn', NODE_EXTRA_CA_CERTS: authority },
    ...{ FERRULE_OPERATOR_CLIENT_ID: client.id, FERRULE_OPERATOR_CLIENT_SECRET: client.secret },
  }
  const child = spawn(process.execPath, [bundleOf('service')], {
    cwd: root,
    env: { ...buildSourceEnvironment(), ...own, ...env },
  })
  let text = ''
  const listens = Promise.withResolvers<string>()
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      text += chunk
      const url = /listens on (http:\/\/[\w.:]+)\n/.exec(text)?.[1]
      if (url !== undefined) listens.resolve(url)
    })
  child.once('close', () => listens.reject(new Error(text)))
  const url = await listens.promise
  const ask = async (path: string, body?: object, token?: string): Promise<Json> => {
    const headers = { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
    const answer = await fetch(`${url}${path}`, {
      ...{ headers, redirect: 'manual' as const },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    const said = await answer.text()
    return answer.headers.get('content-type')?.includes('json') === true ? JSON.parse(said) : said
  }
  return {
    ask,
    url,
    said: () => text,
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit')
      child.kill('SIGKILL')
      await exit
    },
  }
}

test('the service reaches vendors and documents of clients through the proxy, and its sandbox without', async () => {
  const proxy = await startProxy({ users: 'me:hidden-word' })
  await using service = await startService({ HTTPS_PROXY: `http://me:hidden-word@127.0.0.1:${proxy.port}` })
  const { ask, url } = service
  const { access_token: token } = await ask('/api/v1/account/applications/token', { client_id: client.id, client_secret: client.secret })
  const listUsers = async (body: object): Promise<Json> => {
    const { id } = await ask('/api/v1/integrations/connectors', { ...body, entities: [] }, token)
    return ask(`/api/v1/integrations/connectors/${id}/execute`, { entity: 'users', action: 'list' }, token)
  }
  expect((await listUsers(sandboxConnector('of the sandbox'))).data.length).toBeGreaterThan(1)
  expect(proxy.seen).toEqual([])

  const { environment: _sandbox, ...vendor } = sandboxConnector('of the vendor')
  expect((await listUsers(vendor)).data).toMatchObject([{ id: '1' }])
  const authorization = new URLSearchParams({
    ...{ response_type: 'code', client_id: 'https://agent.test/client.json', redirect_uri: 'https://agent.test/back', state: 's' },
    ...{ code_challenge_method: 'S256', code_challenge: 'x'.repeat(43), resource: `${url}/mcp` },
  })
  // The service gives a document five seconds; a busy machine can need longer for the way to it, so it is asked again.
  const asked = async () => {
    await ask(`/oauth/authorize?${authorization}`)
    return requests.some(({ headers }) => headers.host === 'agent.test')
  }
  await expect.poll(asked).toBe(true)
  expect([...new Set(proxy.seen.map(({ line }) => line))]).toEqual(['CONNECT api.gong.io:443', 'CONNECT agent.test:443'])

  await expect.poll(() => ask('/metrics')).toMatch(/^ferrule_vendor_requests_in_flight 0$/m)
  const shown = JSON.stringify(await ask('/api/v1/node', undefined, token))
  expect(shown).toContain('HTTPS_PROXY')
  expect(shown + service.said()).not.toContain('hidden-word')
})
