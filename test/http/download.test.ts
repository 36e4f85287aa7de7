import { once } from 'node:events'
import { request } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import type { Call, Outcome } from '../../packages/ferrule/src/engine/call/outcome.ts'
import { share } from '../support/share.ts'
import { connectorsPath, startWorld } from './support.ts'

/** Newest call and its outcome, as the engine saw them. */
let seen: { call?: Call; outcome?: Outcome } = {}
const waiting: (() => void)[] = []

const world = await share(
  startWorld({
    engine: (engine) => ({
      async run(connection, call) {
        seen = { call }
        for (const wake of waiting.splice(0)) wake()
        const outcome = await engine.run(connection, call)
        seen = { call, outcome }
        return outcome
      },
    }),
  }),
)
const connectorId = await world.connect('downloads')
afterEach(() => world.sandbox.faults.clear())

const nextCall = () => new Promise<void>((resolve) => waiting.push(resolve))
const download = (callId: string, range?: string, entity = 'call_audio') => ({
  entity,
  action: 'download',
  params: {
    filter: { callIds: [callId] },
    contentSelector: { exposedFields: { media: true } },
    ...(range === undefined ? {} : { range_header: range }),
  },
})
const open = (body: unknown) => world.open(`${connectorsPath}/${connectorId}/execute`, { token: world.token, body })
const fileBody = () => {
  if (seen.outcome?.type !== 'file') throw new Error('The engine gave no file')
  return seen.outcome.file.body
}

describe('a download', () => {
  test('is the file, with its headers', async () => {
    const { callId } = world.sandbox.gong.world
    const answer = await world.execute(connectorId, download(callId))
    expect(answer.status).toBe(200)
    expect(answer.bytes.equals(world.sandbox.gong.mediaBytes(callId, 'audio'))).toBe(true)
    expect(answer.headers).toMatchObject({
      'content-type': 'audio/mpeg',
      'content-length': String(answer.bytes.length),
      'accept-ranges': 'bytes',
      'content-disposition': `attachment; filename="${callId}.mp3"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
  })

  test('is a part of the file when a range is asked for', async () => {
    const { callId } = world.sandbox.gong.world
    const whole = world.sandbox.gong.mediaBytes(callId, 'video')
    const answer = await world.execute(connectorId, download(callId, 'bytes=100-199', 'call_video'))
    expect([answer.status, answer.headers['content-length'], answer.headers['content-range']]).toEqual([
      206,
      '100',
      `bytes 100-199/${whole.length}`,
    ])
    expect(answer.bytes.equals(whole.subarray(100, 200))).toBe(true)
  })

  test('of a range outside of the file tells the size', async () => {
    const { callId } = world.sandbox.gong.world
    const size = world.sandbox.gong.mediaBytes(callId, 'audio').length
    const answer = await world.execute(connectorId, download(callId, `bytes=${size}-`))
    expect([answer.status, answer.json.code, answer.headers['content-range']]).toEqual([416, 'range_not_satisfiable', `bytes */${size}`])
    expect(answer.headers['content-disposition']).toBeUndefined()
  })

  test.each([
    { of: 'a private call', id: 'privateCallId', code: 'private_call' },
    { of: 'an unknown call', id: 'unknownCallId', code: 'record_not_found' },
    { of: 'a call without a file', id: 'callWithoutMediaId', code: 'record_not_found' },
  ] as const)('of $of is refused', async ({ id, code }) => {
    const answer = await world.execute(connectorId, download(world.sandbox.gong.world[id]))
    expect([answer.status, answer.json.code]).toEqual([404, code])
  })

  test('ignores the choice of fields', async () => {
    const { callId } = world.sandbox.gong.world
    const answer = await world.execute(connectorId, { ...download(callId, 'bytes=0-9'), select_fields: ['id'] })
    expect([answer.status, answer.bytes.length]).toEqual([206, 10])
  })
})

describe('a client that goes away', () => {
  test('ends the transfer from the vendor', async () => {
    const message = await open(download(world.sandbox.gong.world.largeCallId))
    await once(message, 'readable')
    const body = fileBody()
    expect(body.destroyed).toBe(false)
    const closed = once(body, 'close').catch(() => undefined)
    message.destroy()
    await closed
    expect(body.destroyed).toBe(true)
  })

  test('ends the call to the vendor that has not answered', async () => {
    world.sandbox.faults.add({ kind: 'never-answer', on: 'api' })
    const started = nextCall()
    const text = JSON.stringify({ entity: 'users', action: 'list' })
    const headers = { authorization: `Bearer ${world.token}`, 'content-type': 'application/json', 'content-length': String(text.length) }
    const asked = request({
      host: '127.0.0.1',
      port: world.port,
      path: `${connectorsPath}/${connectorId}/execute`,
      method: 'POST',
      headers,
      agent: false,
    })
    const failed = once(asked, 'error').catch(() => undefined)
    asked.on('error', () => undefined)
    asked.end(text)
    await started
    const signal = seen.call?.signal
    if (signal === undefined) throw new Error('The engine got no signal')
    const aborted = signal.aborted ? Promise.resolve() : once(signal, 'abort')
    asked.destroy()
    await Promise.all([aborted, failed])
    expect(signal.aborted).toBe(true)
  })
})

test('the signal of a call that is answered is never aborted', async () => {
  const answer = await world.execute(connectorId, { entity: 'users', action: 'list' })
  expect([answer.status, seen.call?.signal?.aborted]).toEqual([200, false])
})

describe('a vendor that cuts the transfer', () => {
  test.each([
    ['a whole file', undefined],
    ['a part', 'bytes=0-8000000'],
  ])('breaks the connection of the client: %s', async (_says, range) => {
    world.sandbox.faults.add({ kind: 'cut', after: 300_000, on: 'media' })
    const message = await open(download(world.sandbox.gong.world.largeCallId, range))
    let received = 0
    const end = new Promise<string>((resolve) => {
      message.on('data', (chunk: Buffer) => (received += chunk.length))
      message.once('end', () => resolve('clean end'))
      message.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    })
    expect(await end).toBe('ECONNRESET')
    expect(received).toBeLessThan(Number(message.headers['content-length']))
    expect(world.log.some((line) => line.includes('a download was cut'))).toBe(true)
  })
})
