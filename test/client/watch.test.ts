import { describe, expect, test } from 'vitest'
import { Ferrule } from '../../packages/ferrule/src/client/ferrule.ts'
import { watchEvents } from '../../packages/ferrule/src/client/watch.ts'
import { fail } from '../../packages/ferrule/src/errors.ts'

/** A body of given chunks. Then it ends, breaks off, or says nothing more until its reader leaves. */
function streamOf(chunks: readonly string[], end: 'ends' | 'breaks' | 'waits', onLeft: () => void = () => undefined): Response {
  const texts = chunks.values()
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const { value, done } = texts.next()
      if (!done) return controller.enqueue(new TextEncoder().encode(value))
      if (end === 'ends') return controller.close()
      if (end === 'breaks') return controller.error(new TypeError('terminated'))
      return new Promise(() => undefined)
    },
    cancel: onLeft,
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

const run = (state: string, more: object = {}) =>
  `event: run\ndata: ${JSON.stringify({ id: 'r', state, finished_at: state === 'succeeded' ? 'now' : null, ...more })}\n\n`
const retry = 'retry: 1\n\n'
const refusal = (status: number, code: string) =>
  Response.json(
    { code, message: `it is ${code}`, hint: 'do this', retryable: status >= 500, errors: [] },
    { status, headers: { 'retry-after': '0' } },
  )

/** A client whose connections are answered in order; the last answer repeats. */
function scripted(...answers: readonly (() => Response)[]) {
  const sent: Headers[] = []
  const ferrule = new Ferrule({
    url: 'https://ferrule.example.com',
    token: 'token',
    fetch: async (_input, init) => {
      sent.push(new Headers(init?.headers))
      return (answers[Math.min(sent.length, answers.length) - 1] ?? (() => refusal(404, 'not_found')))()
    },
  })
  return { ferrule, sent }
}

async function statesOf(runs: AsyncIterable<{ readonly state: string }>): Promise<string[]> {
  return await Array.fromAsync(runs, ({ state }) => state)
}

describe('a watched run', () => {
  test('ends with the run, although the stream stays open', async () => {
    let left = 0
    const { ferrule, sent } = scripted(() =>
      streamOf([retry, run('queued'), run('running') + run('succeeded')], 'waits', () => (left += 1)),
    )
    expect(await statesOf(ferrule.syncs.watch('c', 'r'))).toEqual(['queued', 'running', 'succeeded'])
    expect([sent.length, left, sent[0]?.get('accept')]).toEqual([1, 1, 'text/event-stream'])
  })

  test.each(['ends', 'breaks'] as const)('is picked up when the stream %s early, without a state twice', async (end) => {
    const { ferrule, sent } = scripted(
      () => streamOf([retry, run('queued'), run('running')], end),
      () => streamOf([retry, run('running'), run('running', { attempts: 2 }), run('succeeded')], 'ends'),
    )
    expect(await statesOf(ferrule.syncs.watch('c', 'r'))).toEqual(['queued', 'running', 'running', 'succeeded'])
    expect(sent).toHaveLength(2)
  })

  test('names the last id where the server gives ids', async () => {
    const { ferrule, sent } = scripted(
      () => streamOf([retry, `id: é1\n${run('queued')}`], 'ends'),
      () => streamOf([run('succeeded')], 'ends'),
    )
    await statesOf(ferrule.syncs.watch('c', 'r'))
    expect(sent.map((headers) => headers.get('last-event-id'))).toEqual([null, Buffer.from('é1').toString('latin1')])
  })

  test('leaves out events of other types', async () => {
    const { ferrule } = scripted(() => streamOf([`event: other\ndata: no JSON\n\n`, run('succeeded')], 'ends'))
    expect(await statesOf(ferrule.syncs.watch('c', 'r'))).toEqual(['succeeded'])
  })

  test('fails after six connections in a row without an event, with the last error', async () => {
    const { ferrule, sent } = scripted(
      () => streamOf([retry, run('queued')], 'breaks'),
      () => streamOf([retry], 'ends'),
    )
    const states: string[] = []
    const watched = (async () => {
      for await (const { state } of ferrule.syncs.watch('c', 'r')) states.push(state)
    })()
    await expect(watched).rejects.toMatchObject({ code: 'service_answer_invalid', message: expect.stringContaining('ended early') })
    expect([sent.length, states]).toEqual([7, ['queued']])
  })

  test('outlives a restart of the service', async () => {
    const busy = () => refusal(503, 'unavailable')
    const { ferrule, sent } = scripted(
      () => streamOf([retry, run('queued')], 'ends'),
      busy,
      busy,
      busy,
      busy,
      () => streamOf([run('succeeded')], 'ends'),
    )
    expect(await statesOf(ferrule.syncs.watch('c', 'r'))).toEqual(['queued', 'succeeded'])
    expect(sent).toHaveLength(6)
  })

  test('fails at once with an error that stays', async () => {
    const { ferrule, sent } = scripted(
      () => streamOf([retry, run('queued')], 'ends'),
      () => refusal(404, 'sync_not_found'),
    )
    await expect(statesOf(ferrule.syncs.watch('c', 'r'))).rejects.toMatchObject({ code: 'sync_not_found' })
    expect(sent).toHaveLength(2)
  })

  test.each([
    ['has another type', () => Response.json({ state: 'succeeded' }), 'text/event-stream'],
    ['holds no JSON', () => streamOf(['event: run\ndata: {\n\n'], 'ends'), 'not JSON'],
  ])('fails when the stream %s', async (_what, answer, reason) => {
    const { ferrule, sent } = scripted(answer)
    const watched = statesOf(ferrule.syncs.watch('c', 'r'))
    await expect(watched).rejects.toMatchObject({ code: 'service_answer_invalid', message: expect.stringContaining(reason) })
    expect(sent).toHaveLength(1)
  })

  test('leaves the service when its loop is left', async () => {
    const left = Promise.withResolvers<void>()
    const { ferrule } = scripted(() => streamOf([run('queued')], 'waits', left.resolve))
    for await (const { state } of ferrule.syncs.watch('c', 'r')) if (state === 'queued') break
    await left.promise
  })

  test('ends with the reason of its signal, while it waits for an event and while it waits to reconnect', async () => {
    for (const end of ['waits', 'ends'] as const) {
      const reason = fail('service_timeout', { seconds: 1 }) // an error that passes is a reason too
      const controller = new AbortController()
      const { ferrule } = scripted(() => streamOf([`retry: 600000\n\n`, run('queued')], end))
      const runs = ferrule.syncs.watch('c', 'r', { signal: controller.signal })
      expect((await runs.next()).value).toMatchObject({ state: 'queued' })
      const next = runs.next()
      controller.abort(reason)
      await expect(next).rejects.toBe(reason)
    }
  })

  test('is picked up after a silence', async () => {
    let connections = 0
    const values = watchEvents<{ readonly last: boolean }>({
      ...{ url: 'https://ferrule.example.com', type: 'message', silenceMs: 5, isLast: ({ last }) => last },
      open: async () => {
        connections += 1
        return connections === 1 ? streamOf([`${retry}data: {"last":false}\n\n`], 'waits') : streamOf(['data: {"last":true}\n\n'], 'ends')
      },
    })
    const seen = await Array.fromAsync(values, ({ last }) => last)
    expect([seen, connections]).toEqual([[false, true], 2])
  })
})

test('a watched status ends when all is filled, for those who only wait for that', async () => {
  const status = (state: string) => `event: status\ndata: {"state":"${state}"}\n\n`
  const answer = () => streamOf([retry, ...['loading', 'preview', 'ready', 'updating'].map(status)], 'waits')
  expect(await statesOf(scripted(answer).ferrule.contextStore.watch('c', { until: 'filled' }))).toEqual(['loading', 'preview', 'ready'])
  const seen: string[] = []
  for await (const { state } of scripted(answer).ferrule.contextStore.watch('c')) if (seen.push(state) === 4) break
  expect(seen).toEqual(['loading', 'preview', 'ready', 'updating'])
})
