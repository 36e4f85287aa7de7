/** Exports and downloads in flight: what ends them, and that no cut one looks whole. */
import type { IncomingMessage } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { id } from '../../packages/ferrule/src/definition/fields.ts'
import { parseAggregate } from '../../packages/server/src/copies/search/aggregates/parse.ts'
import { buildSearchTable } from '../../packages/server/src/copies/search/columns.ts'
import { parseSearch } from '../../packages/server/src/copies/search/parse.ts'
import { Searches } from '../../packages/server/src/copies/searches.ts'
import type { CopyStatus } from '../../packages/server/src/copies/sync-types.ts'
import type { ConnectorAccess } from '../../packages/server/src/values/access.ts'
import { connectorsPath, createTenant, startWorld, type Tenant } from '../http/support.ts'
import { share } from '../support/share.ts'

describe('an export whose copy goes away while it is read', () => {
  const notes = { about: 'Notes', key: ['id'], context_store_search: { id: id('Id') } }
  const table = buildSearchTable('test', 'notes', notes)
  const definition = { kind: 'test', entities: { notes } }
  // Only what an export reads of an access.
  const access = { ref: { connectorId: 'one' }, connection: { kind: { definition } } } as unknown as ConnectorAccess
  const filled: CopyStatus = {
    ...{ status: 'ready', syncedAt: 1, verifiedAt: 1, complete: true },
    ...{ obstacle: null, error: null, retryAfterMs: 0 },
  }

  /** Exports three pages, or as many as are left. @param after the status once the first page was read */
  async function walk(after: () => Promise<CopyStatus>, pagesLeft: number) {
    let isRead = false
    const searcher = {
      parse: () => parseSearch(table, { query: {} }),
      search: async () => undefined,
      parseAggregate: () => ({ ...parseAggregate(table, {}), version: undefined }),
      aggregate: async () => undefined,
      readPages: async function* () {
        yield ['1']
        isRead = true
        for (let page = 2; page <= pagesLeft; page += 1) yield [String(page)]
      },
    }
    const quiet = { countChanges: () => 0, refresh: async () => undefined, moveToFront: async () => undefined }
    const copies = {
      ...quiet,
      readStatus: () => (isRead ? after() : Promise.resolve(filled)),
      readTimes: async () => ({ syncedAt: 1, verifiedAt: 1 }),
    }
    const options = { searcher, copies, clock: () => 0, searchMs: 1_000, comparesStatus: false }
    const { pages } = await new Searches(options).export(access, { entity: 'notes', params: {}, deadlineMs: 1_000 })
    const read = (await Array.fromAsync(pages)).flat()
    return read
  }

  test('ends as it should while it stays', async () => {
    expect(await walk(async () => filled, 3)).toEqual(['1', '2', '3'])
  })

  test.each([
    ['emptied, and nothing is left', 1],
    ['emptied, and half filled again', 2],
  ])('%s', async (_name, pagesLeft) => {
    await expect(walk(async () => ({ ...filled, syncedAt: null, status: 'loading' }), pagesLeft)).rejects.toMatchObject({
      code: 'context_store_not_ready',
    })
  })

  test('deleted with its connector', async () => {
    const gone = Object.assign(new Error('gone'), { code: 'connector_not_found' })
    await expect(walk(() => Promise.reject(gone), 1)).rejects.toBe(gone)
  })
})

describe('a download in flight', async () => {
  const world = await share(startWorld({ streams: { lookMs: 20 } }))
  afterEach(() => world.sandbox.faults.clear())

  /** Opens a download whose bytes come one at a time. */
  async function begin({ connectorId, token }: Tenant): Promise<IncomingMessage> {
    const filter = { callIds: [world.sandbox.gong.world.callId] }
    const params = { filter, contentSelector: { exposedFields: { media: true } } }
    world.sandbox.faults.add({ kind: 'slow-body', intervalMs: 5, on: 'media' })
    const body = { entity: 'call_audio', action: 'download', params }
    return world.open(`${connectorsPath}/${connectorId}/execute`, { token, body })
  }
  const ends = (answer: IncomingMessage): Promise<string> =>
    new Promise((resolve) => {
      answer.once('end', () => resolve('whole'))
      answer.once('error', () => resolve('broken'))
      answer.resume()
    })
  const bytes = (answer: IncomingMessage, count: number): Promise<void> =>
    new Promise((resolve) => {
      let seen = 0
      answer.on('data', (chunk: Buffer) => {
        seen += chunk.length
        if (seen >= count) resolve()
      })
    })

  test('is broken off with its connector', async () => {
    const tenant = await createTenant(world, 'Connector')
    const answer = await begin(tenant)
    expect(answer.statusCode).toBe(200)
    const ended = ends(answer)
    await world.ask(`${connectorsPath}/${tenant.connectorId}`, { method: 'DELETE', token: tenant.token })
    expect(await ended).toBe('broken')
  })

  test('goes on when its token expires: a large file outlasts one', async () => {
    const tenant = await createTenant(world, 'Token')
    const answer = await begin(tenant)
    await bytes(answer, 5)
    world.clock.now += 20 * 60_000
    expect((await world.ask(connectorsPath, { token: tenant.token })).json.code).toBe('token_expired')
    await bytes(answer, 60)
    expect(answer.destroyed).toBe(false)
    answer.destroy()
  })
})
