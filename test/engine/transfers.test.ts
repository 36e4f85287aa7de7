import type { ServerResponse } from 'node:http'
import { describe, expect, test, vi } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { connectLocally } from '../../packages/ferrule/src/engine/local.ts'
import { FerruleError } from '../../packages/ferrule/src/errors.ts'
import { collect } from '../../packages/server/src/http/garbage-collection.ts'
import { choose } from '../support/draws.ts'
import { at, bytesOf, download, params, vendor } from './download-support.ts'
import { accessKey, failure, opened, serve, type TestServer, testEngine } from './support.ts'

const library = ({ origin }: TestServer) =>
  connectLocally(kinds.gong, { credentials: accessKey, origin: { api: origin, media: origin }, limits: false })

describe('a transfer', () => {
  const begun = (response: ServerResponse) => {
    response.writeHead(200, { 'content-length': '1000000' })
    response.write(Buffer.alloc(70_000, 1))
  }
  const cut = (response: ServerResponse) => {
    response.writeHead(200, { 'content-length': '1000000' })
    response.write(Buffer.alloc(70_000, 1), () => response.destroy())
  }

  test('that the vendor cuts fails: a part is never taken for the whole', async () => {
    await using server = await serve(vendor(() => cut))
    await using engine = testEngine()
    const { body } = await opened(engine.run(at(server), download()))
    const error = await bytesOf(body).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(FerruleError)
    expect(error).toMatchObject({ code: 'upstream_unreachable' })
  })

  test('that the vendor cuts fails the web stream of the library too', async () => {
    await using server = await serve(vendor(() => cut))
    await using gong = library(server)
    const { stream } = await gong.call_audio.download(params)
    const error = await bytesOf(stream).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'upstream_unreachable' })
  })

  test('ends at the vendor when its reader cancels', async () => {
    const closed = Promise.withResolvers<void>()
    await using server = await serve(
      vendor(() => (response) => {
        response.on('close', () => closed.resolve())
        begun(response)
      }),
    )
    await using gong = library(server)
    const { stream } = await gong.call_audio.download(params)
    const reader = stream.getReader()
    expect((await reader.read()).done).toBe(false)
    await reader.cancel()
    await closed.promise
  })

  test('ends at the vendor when its body is destroyed, also before anyone listens to it', async () => {
    const closed = Promise.withResolvers<void>()
    await using server = await serve(
      vendor(() => (response) => {
        response.on('close', () => closed.resolve())
        begun(response)
      }),
    )
    await using engine = testEngine()
    const { body } = await opened(engine.run(at(server), download()))
    body.destroy()
    await closed.promise
  })

  test('hands on nothing after it was given up, in the moment that it would begin too', async () => {
    await using server = await serve(vendor(() => begun))
    await using engine = testEngine()
    const { body } = await opened(engine.run(at(server), download()))
    const ended = new Promise((resolve) => body.once('close', resolve))
    await expect.poll(() => body.readableLength).toBeGreaterThan(0)
    const met: unknown[] = []
    body.on('data', (chunk) => met.push(chunk)) // this begins the flow, in the next turn
    body.destroy()
    await ended
    expect(met).toEqual([])
  })

  test('that is cut before anyone reads it waits for its reader with the failure', async () => {
    const gone = Promise.withResolvers<void>()
    await using server = await serve(
      vendor(() => (response) => {
        response.on('close', () => gone.resolve())
        cut(response)
      }),
    )
    await using engine = testEngine()
    const { body } = await opened(engine.run(at(server), download()))
    await gone.promise
    await new Promise((resolve) => body.once('close', resolve))
    expect(await bytesOf(body).catch((thrown: unknown) => thrown)).toMatchObject({ code: 'upstream_unreachable' })
  })

  test('that its reader ends with a reason of his own fails with that reason', async () => {
    const reason = new Error('the client of the client went away')
    await using server = await serve(vendor(() => begun))
    await using engine = testEngine()
    const { body } = await opened(engine.run(at(server), download()))
    const ended = bytesOf(body).catch((thrown: unknown) => thrown)
    body.destroy(reason)
    expect(await ended).toBe(reason)
  })

  test('ends with the caller’s reason when the caller aborts', async () => {
    const controller = new AbortController()
    const reason = new Error('gone')
    await using server = await serve(vendor(() => begun))
    await using engine = testEngine()
    const { body } = await opened(engine.run(at(server), { ...download(), signal: controller.signal }))
    const ended = bytesOf(body).catch((thrown: unknown) => thrown)
    controller.abort(reason)
    expect(await ended).toBe(reason)
  })

  test('is not ended by the deadline of its beginning', async () => {
    const later = Promise.withResolvers<void>()
    await using server = await serve(
      vendor(() => async (response) => {
        begun(response)
        await later.promise
        response.end(Buffer.alloc(930_000, 1))
      }),
    )
    await using engine = testEngine()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { body } = await opened(engine.run(at(server), { ...download(), deadlineMs: 1000 })).finally(() => {
      vi.advanceTimersByTime(2000)
      vi.useRealTimers()
    })
    later.resolve()
    expect(await bytesOf(body)).toHaveLength(1_000_000)
  })

  test('that does not begin ends at the deadline', async () => {
    await using server = await serve(vendor(() => () => {}))
    await using engine = testEngine()
    expect((await failure(engine.run(at(server), { ...download(), deadlineMs: 80 }))).code).toBe('upstream_timeout')
  })

  test('of many megabytes passes through a few', async () => {
    const chunk = Buffer.alloc(256 * 1024, 7)
    const chunks = choose(250, 800) // of 256 kB
    await using server = await serve(
      vendor(() => (response) => {
        response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': String(chunk.length * chunks) })
        let sent = 0
        const more = () => {
          while (sent < chunks && response.write(chunk)) sent++
          if (sent++ < chunks) response.once('drain', more)
          else response.end()
        }
        more()
      }),
    )
    await using gong = library(server)
    const { stream, length } = await gong.call_audio.download(params)
    collect({ type: 'major', flavor: 'last-resort' })
    const before = process.memoryUsage().arrayBuffers
    let read = 0
    let most = 0
    let measured = 0
    for await (const part of stream) {
      read += part.length
      if (read - measured < 16 * 1024 * 1024) continue
      measured = read
      collect({ type: 'major', flavor: 'last-resort' }) // garbage stays for longer on a busy machine, and is not held by the transfer
      most = Math.max(most, process.memoryUsage().arrayBuffers - before)
    }
    expect(read).toBe(length)
    expect(read).toBe(chunk.length * chunks)
    expect(most).toBeLessThan(100 * 1024 * 1024)
  })
})
