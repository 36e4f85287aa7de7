/** A call after `close()` has an error of its own: nothing is wrong with the vendor. */
import { describe, expect, test } from 'vitest'
import { connect } from '../../packages/ferrule/src/index.ts'
import { connectTo } from '../client/support.ts'
import { accessKey, callOf, failure, serve } from '../engine/support.ts'
import { sandboxConnector, startWorld } from '../http/support.ts'
import { share } from '../support/share.ts'

const closed = { code: 'connector_closed', fault: 'caller', retryable: false, message: 'The connector is closed.' }
const callId = '7782342274025937895'
const media = { filter: { callIds: [callId] }, contentSelector: { exposedFields: { media: true as const } } }

describe('in the library', () => {
  const open = (origin: string) => connect('gong', { credentials: accessKey, origin, limits: false })

  test('calls, walks and checks after the end are refused, and nothing is sent', async () => {
    await using server = await serve(() => ({ body: { calls: [] } }))
    const gong = open(server.origin)
    await gong.calls.list()
    await gong.close()
    await gong.close() // a second time changes nothing
    const sent = server.seen.length
    for (const call of [
      () => gong.calls.list(),
      () => gong.calls.records().next(),
      () => gong.check(),
      () => gong.call_audio.download(media),
    ])
      expect(await failure(Promise.resolve(call()))).toMatchObject(closed)
    expect(server.seen).toHaveLength(sent)
  })

  test('a connector that never called is closed too', async () => {
    const gong = open('http://127.0.0.1:9')
    await gong.close()
    expect(await failure(gong.calls.list())).toMatchObject(closed)
  })

  test('a call that runs ends with it', async () => {
    const asked = Promise.withResolvers<void>()
    await using server = await serve(() => () => asked.resolve())
    const gong = open(server.origin)
    const ended = failure(gong.calls.list())
    await asked.promise
    await gong.close()
    expect(await ended).toMatchObject(closed)
  })

  test('a file that is read ends with it', async () => {
    await using server = await serve((seen) =>
      seen.url === '/file'
        ? (response) => void response.writeHead(200, { 'content-length': '1000' }).write('x')
        : { body: { calls: [callOf(callId, { media: { audioUrl: `${server.origin}/file` } })] } },
    )
    const gong = open(server.origin)
    const { stream } = await gong.call_audio.download(media)
    const reader = stream.getReader()
    await reader.read()
    const rest = failure(reader.read())
    await gong.close()
    expect(await rest).toMatchObject(closed)
  })
})

describe('by way of the service', async () => {
  const world = await share(startWorld())
  await world.connect('calls', sandboxConnector('calls'))

  test('calls after the end are refused', async () => {
    const gong = connectTo(world, 'gong')
    await gong.calls.list()
    await gong.close()
    for (const call of [() => gong.calls.list(), () => gong.calls.records().next(), () => gong.check()])
      expect(await failure(Promise.resolve(call()))).toMatchObject(closed)
  })
})
