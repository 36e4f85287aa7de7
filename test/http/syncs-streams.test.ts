import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { contract, expectDocumented } from './contract.ts'
import { startCopyWorld } from './search-support.ts'
import { beginSession, postForm } from './session-support.ts'
import { type Answer, connectorsPath, type Json, type Sent, type World } from './support.ts'

const base = `${connectorsPath}/{connector_id}`

let world: World
let connector: string
let number = 0
beforeAll(async () => {
  world = await startCopyWorld('postgres', { streams: { lookMs: 50 } })
})
afterAll(() => world.close())
beforeEach(async () => {
  number += 1
  connector = await world.connect(`syncs ${number}`, { entities: [{ entity: 'users' }, { entity: 'settings_scorecards' }] })
})

/** One request about the connector. @param operation such as `GET /syncs` */
async function ask(operation: string, sent: Sent = {}, slots: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const [method = '', path = ''] = operation.split(' ')
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name) => slots[name] ?? '')
  const answer = await world.ask(`${connectorsPath}/${connector}${filled}`, { token: world.token, ...sent, method })
  expectDocumented(`${method} ${base}${path.split('?')[0]}`, answer)
  return answer
}

/** The route whose document has an event. */
const streamOf = (event: string): string => `${base}${event === 'run' ? '/syncs/{sync_id}' : '/context_store'}/events`

/** Events of a stream, as they come, each compared with the document. */
async function* events(answer: IncomingMessage): AsyncGenerator<{ readonly event: string; readonly data: Json }> {
  let text = ''
  for await (const chunk of answer) {
    text += String(chunk)
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(text.slice(0, end)) ?? []
      text = text.slice(end + 2)
      if (event === undefined || data === undefined) continue
      const told = { event, data: JSON.parse(data) }
      contract().checkEvent({ method: 'GET', path: streamOf(event) }, told)
      yield told
    }
  }
}

describe('a stream', () => {
  const open = (path: string) => world.open(`${connectorsPath}/${connector}${path}`, { token: world.token })

  test('of a run ends with the run', async () => {
    const { json: run } = await ask('POST /syncs')
    const answer = await open(`/syncs/${run.id}/events`)
    expect([answer.statusCode, answer.headers['content-type'], answer.headers['x-accel-buffering']]).toEqual([
      200,
      'text/event-stream',
      'no',
    ])
    const stream = events(answer)
    const first = await stream.next()
    expect(first.value).toMatchObject({ event: 'run', data: { id: run.id, state: 'queued' } })
    await world.context.sync()
    const states: string[] = []
    for await (const { data } of stream) states.push(data.state)
    expect(states.at(-1)).toBe('succeeded')
  })

  test('of a status goes on until its client leaves', async () => {
    const { syncs } = world.platform
    const { watchStatus } = syncs
    const left = Promise.withResolvers<void>()
    const watched: typeof watchStatus = async function* (...given) {
      try {
        yield* watchStatus(...given)
      } finally {
        left.resolve()
      }
    }
    Object.assign(syncs, { watchStatus: watched })
    const answer = await open('/context_store/events')
    Object.assign(syncs, { watchStatus })
    const stream = events(answer)
    expect((await stream.next()).value).toMatchObject({ event: 'status', data: { state: 'loading' } })
    await world.context.sync()
    for await (const { data } of stream) if (data.state === 'ready') break
    answer.destroy()
    await left.promise
  })

  test('of a status ends with the session that opened it', async () => {
    const headers = await beginSession(world)
    const answer = await world.open(`${connectorsPath}/${connector}/context_store/events`, { headers })
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/event-stream'])
    const ended = new Promise((resolve) => answer.once('close', resolve).once('error', resolve).resume())
    await postForm(world, '/console/session/end', { headers })
    await ended
  })

  test('of a status ends when all is filled, for those who only wait for that', async () => {
    const answer = await open('/context_store/events?until=filled')
    const states: string[] = []
    const reading = (async () => {
      for await (const { data } of events(answer)) states.push(data.state)
    })()
    await world.context.sync()
    await reading
    expect(states.at(-1)).toBe('ready')
  })
})
