import { expect, test } from 'vitest'
import { share } from '../support/share.ts'
import { overStatements, search, startCopyWorld } from './search-support.ts'
import { client, type Json, sandboxStore, tokenPath } from './support.ts'

const minute = 60_000
/** On PostgreSQL more than ten pages: fewer are read as a whole in every run. */
const calls = { postgres: 1_050, embedded: 450 }
const entities = ['calls', 'calls_extensive', 'call_transcripts'] as const

overStatements('a call that turns private', async (engine) => {
  const found = async (filters: Readonly<Record<(typeof entities)[number], object>>): Promise<number[]> => {
    const answers = await Promise.all(
      entities.map((entity) => search(world, id, { entity, params: { query: { filter: filters[entity] } } })),
    )
    return answers.map(({ json }) => json.data.length)
  }
  /** Counts the records that each entity has of a call. */
  const copies = (call: string): Promise<number[]> =>
    found({ calls: { eq: { id: call } }, calls_extensive: { eq: { id: call } }, call_transcripts: { eq: { callId: call } } })
  const live = (entity: string, action: string, params: object): Promise<Json> => world.execute(id, { entity, action, params })
  /** Runs a sync until it succeeds: on a busy machine the embedded store can time out, and the run waits for its next attempt. */
  const sync = async (body: object, token = world.token): Promise<void> => {
    const path = `/api/v1/integrations/connectors/${id}/syncs`
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const { json } = await world.ask(path, { token, body })
      await world.context.sync()
      if ((await world.ask(`${path}/${json.id}`, { token })).json.state === 'succeeded') return
      world.clock.now += minute
    }
    throw new Error('no sync succeeded')
  }
  const status = async () => (await world.ask(`/api/v1/integrations/connectors/${id}/context_store`, { token: world.token })).json
  let next = 110
  /** A call that no other test uses, long before the window that every run asks for again. */
  const oneCall = async (): Promise<string> => {
    const params = { query: { sort: [{ started: 'asc' }], filter: { eq: { direction: 'Conference' } } }, limit: next, fields: ['id'] }
    next += 1
    const { json } = await search(world, id, { entity: 'calls', params })
    return String(json.data.at(-1).id)
  }
  const hidden = async (): Promise<string> => {
    const call = await oneCall()
    expect(await copies(call)).toEqual([1, 1, 1])
    world.sandbox.gong.editCall(call, { isPrivate: true })
    return call
  }

  const world = await share(startCopyWorld(engine, { sandbox: { calls: calls[engine] } }))
  const id = await world.connect('calls', { entities: entities.map((entity) => ({ entity })) })
  await world.context.sync()

  test.each<[string, (call: string) => Promise<Json>, string]>([
    ['a get', (call) => live('calls', 'get', { id: call }), 'private_call'],
    [
      'a download',
      (call) => live('call_audio', 'download', { filter: { callIds: [call] }, contentSelector: { exposedFields: { media: true } } }),
      'private_call',
    ],
    ['a list of calls with their content', (call) => live('calls_extensive', 'list', { filter: { callIds: [call] } }), ''],
    ['a list of transcripts', (call) => live('call_transcripts', 'list', { filter: { callIds: [call] } }), ''],
    [
      'a list of calls',
      async (call) => {
        const { json } = await search(world, id, { entity: 'calls', params: { query: { filter: { eq: { id: call } } } } })
        const at = Date.parse(json.data[0].scheduled)
        const moment = (seconds: number) => new Date(at + seconds * 1_000).toISOString()
        return live('calls', 'list', { fromDateTime: moment(-1), toDateTime: moment(1) })
      },
      '',
    ],
  ])('is found by no search after %s, nor its transcript', async (_by, read, error) => {
    const call = await hidden()
    const before = (await status()).records
    const answer = await read(call)
    expect(answer.json.code ?? '').toEqual(error)
    expect(await copies(call)).toEqual([0, 0, 0])
    expect((await status()).records).toBe(before - 3)
  })

  test('is gone when it was erased and a get by its id says so', async () => {
    const call = await oneCall()
    world.sandbox.gong.editCall(call, { erased: true })
    expect((await live('calls', 'get', { id: call })).json.code).toBe('record_not_found')
    expect(await copies(call)).toEqual([0, 0, 0])
  })

  test('and what says nothing of the call itself removes nothing', async () => {
    const call = await oneCall()
    world.sandbox.faults.add({ kind: 'status', status: 404, message: 'No route', on: 'api' })
    expect((await live('calls', 'get', { id: call })).json.code).toBe('record_not_found')
    world.sandbox.gong.editCall(call, { erased: true })
    for (const entity of ['calls_extensive', 'call_transcripts'])
      expect((await live(entity, 'list', { filter: { callIds: [call] } })).json.data).toEqual([])
    const media = { filter: { callIds: [call] }, contentSelector: { exposedFields: { media: true } } }
    expect((await live('call_audio', 'download', media)).json.code).toBe('record_not_found')
    expect(await copies(call)).toEqual([1, 1, 1])
  })

  // What runs remove is tested on each store in test/context.
  if (engine === 'embedded') return

  test('stays gone, and is found by no search after a day, though nobody reads it', async () => {
    const [turned, erased, read] = [await hidden(), await oneCall(), await hidden()]
    world.sandbox.gong.editCall(erased, { erased: true })
    await live('calls', 'get', { id: read })
    const syncNow = async () => {
      const { json } = await world.ask(tokenPath, { body: { client_id: client.id, client_secret: client.secret } })
      await sync({}, json.access_token)
    }
    world.clock.now += minute
    await syncNow()
    expect(await copies(turned)).toEqual([1, 1, 1]) // long before what every run asks for again
    expect(await copies(read)).toEqual([0, 0, 0])
    world.clock.now += 12 * 60 * minute
    await syncNow()
    world.clock.now += 12 * 60 * minute
    await syncNow()
    world.clock.now -= 24 * 60 * minute // the token of the others
    expect([await copies(turned), await copies(erased)]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ])
  })
})

overStatements('a record that is gone', async (engine) => {
  const world = await share(startCopyWorld(engine))
  const kept = ['product_variants', 'product_images']
  const id = await world.connect('products', { ...sandboxStore('products'), entities: kept.map((entity) => ({ entity })) })
  await world.context.sync()

  test('goes with everything that hangs on it, though it is not searchable itself', async () => {
    const all = async (entity: string, params: object) => (await search(world, id, { entity, params })).json.data as Json[]
    const [image] = await all('product_images', { query: {}, limit: 1 })
    const [variant] = await all('product_variants', { query: { filter: { eq: { product_id: image.product_id } } }, limit: 1 })
    const product = { eq: { product_id: variant.product_id } }
    const counts = async () => [
      (await all('product_variants', { query: { filter: product } })).length,
      (await all('product_images', { query: { filter: product } })).length,
    ]
    const before = await counts()
    expect(Math.min(...before)).toBeGreaterThan(0)
    const others = (await all('product_variants', { query: { filter: { not: product } }, limit: 1000 })).length
    world.sandbox.shopify.edit('products', Number(variant.product_id), { erased: true })
    const answer = await world.execute(id, { entity: 'products', action: 'get', params: { product_id: variant.product_id } })
    expect(answer.json.code).toBe('record_not_found')
    expect(await counts()).toEqual([0, 0])
    expect((await all('product_variants', { query: { filter: { not: product } }, limit: 1000 })).length).toBe(others)
  })
})
