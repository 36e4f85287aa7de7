import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listen } from '../support/listen.ts'
import { share } from '../support/share.ts'
import { startWorld } from './support.ts'
import { endpointsPath, HookWorld } from './webhook-support.ts'

/** Addresses inside of a network, in forms that a reader may take for others. */
const inside = [
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f.0.0.1/',
  'https://0177.0.0.1/',
  'https://0/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[fe80::1]/',
  'https://[fd00::1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://10.1.2.3/',
  'https://172.16.0.1/',
  'https://192.168.0.1/',
  'https://100.64.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
  'https://hooks.example.com@127.0.0.1/',
  'https://127.0.0.1:443#@hooks.example.com/',
  'https://１２７.0.0.1/',
  'http://hooks.example.com/',
]

const body = 'x'.repeat(65_536)
const endless = (socket: Socket): void => {
  const write = (): void => {
    while (socket.writable && socket.write(body));
    if (socket.writable) socket.once('drain', write)
  }
  write()
}

/** Packed before an attempt: it takes a busy machine seconds, and attempts end meanwhile. */
const packed = gzipSync(Buffer.alloc(50_000_000))

/** What a hostile receiver does with a request that came whole. */
const behaviours: Readonly<Record<string, (socket: Socket) => void>> = {
  'says nothing': () => undefined,
  'closes at once': (socket) => socket.end(),
  'breaks the connection': (socket) => socket.resetAndDestroy(),
  'speaks something else': (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
  'begins a head and stops': (socket) => socket.write('HTTP/1.1 200 OK\r\nx-a: '),
  'sends a head without an end': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    for (let index = 0; index < 64 && socket.writable; index += 1) socket.write(`x-${index}: ${'y'.repeat(1_024)}\r\n`)
  },
  'sends a body without an end': (socket) => {
    socket.write('HTTP/1.1 500 No\r\ncontent-type: text/plain\r\n\r\n')
    endless(socket)
  },
  'promises a body and sends none': (socket) => socket.write('HTTP/1.1 500 No\r\ncontent-length: 1000000\r\n\r\n'),
  'packs a body that grows': (socket) => {
    socket.write(`HTTP/1.1 500 No\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`)
    socket.end(packed)
  },
  'says that more will come, again and again': (socket) => {
    for (let index = 0; index < 1_000; index += 1) socket.write('HTTP/1.1 102 Processing\r\n\r\n')
  },
  'leads elsewhere': (socket) => socket.end('HTTP/1.1 307 Temporary\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n'),
  'asks for a year of patience': (socket) => socket.end('HTTP/1.1 503 No\r\nretry-after: 31536000\r\ncontent-length: 0\r\n\r\n'),
}

const here = await share(HookWorld.start({ attemptMs: 10_000 }))
await here.begin()

async function startReceiver(behave: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => behave(socket))
  })
  const { origin, close } = await listen(server)
  onTestFinished(close)
  return `${origin}/`
}

describe('where no host of the own network is named', async () => {
  const world = await share(startWorld())

  test.each(inside)('%s is refused', async (url) => {
    const { status, json } = await world.ask(endpointsPath, { token: world.token, body: { name: 'inside', url } })
    expect([status, json.code, json.errors[0].field]).toEqual([422, 'validation_failed', '/url'])
  })
})

test('receivers of harm hold up nobody, and are each told apart', async () => {
  await here.begin()
  await here.makeEndpoint('good')
  for (const [name, behave] of Object.entries(behaviours)) await here.ok('POST', endpointsPath, { name, url: await startReceiver(behave) })
  const done = here.worker.run()
  await here.rename('Renamed')
  void here.worker.run()
  await expect.poll(() => here.receiver.types('good')).toEqual(['connector.updated'])
  await done
  const { data } = await here.ok('GET', endpointsPath)
  const seen: Record<string, unknown> = {}
  for (const { id, name, status } of data) {
    if (name === 'good') continue
    const [{ last_status, last_error, last_answer, attempts }] = await here.deliveriesOf(id)
    seen[name] = [status, attempts, last_status, last_error]
    expect((last_answer ?? '').length).toBeLessThanOrEqual(1_024)
  }
  const failed = 'the endpoint cannot be reached: the connection failed'
  const late = 'no answer within 10 seconds'
  expect(seen).toEqual({
    'says nothing': ['unverified', 1, null, late],
    'closes at once': ['unverified', 1, null, expect.stringContaining(failed)],
    'breaks the connection': ['unverified', 1, null, expect.stringContaining(failed)],
    'speaks something else': ['unverified', 1, null, expect.stringContaining('the answer is not HTTP')],
    'begins a head and stops': ['unverified', 1, null, late],
    'sends a head without an end': ['unverified', 1, null, expect.any(String)],
    'sends a body without an end': ['unverified', 1, 500, null],
    'promises a body and sends none': ['unverified', 1, 500, null],
    'packs a body that grows': ['unverified', 1, 500, null],
    'says that more will come, again and again': ['unverified', 1, null, expect.any(String)],
    'leads elsewhere': ['unverified', 1, 307, null],
    'asks for a year of patience': ['unverified', 1, 503, null],
  })
})
