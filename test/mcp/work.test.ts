/** What a session does: files in parts, writes that happen once each, long answers, long calls. */
import { describe, expect, test } from 'vitest'
import { sandboxWarehouse } from '../http/snowflake-support.ts'
import { startWorld } from '../http/support.ts'
import { share } from '../support/share.ts'
import { connectClient, type TestClient } from './clients.ts'

const connect = (revision: '2026-07-28' | '2025-11-25' = '2026-07-28'): Promise<TestClient> =>
  connectClient(`${world.url}/mcp`, world.token, revision)

const world = await share(startWorld({ sandbox: { mediaBytes: 450_000 } }))
const gong = await world.connect('calls')
const warehouse = await world.connect('warehouse', sandboxWarehouse('warehouse', { check: false }))
const agent = await share(connect())
await world.sandbox.snowflake.open() // a write's time limit counts while the stand-in opens

describe('a file', () => {
  const params = () => ({
    filter: { callIds: [world.sandbox.gong.world.largeCallId] },
    contentSelector: { exposedFields: { media: true } },
  })
  const find = async (client: TestClient): Promise<string> => {
    // By its name: the link holds the id.
    const { links, text } = await client.call('execute', { connector: 'calls', entity: 'call_video', action: 'download', params: params() })
    const [link = ''] = links
    expect(text).toContain(`Read it in parts as the resource ${link}`)
    expect(link).toContain(`ferrule://connectors/${gong}/call_video/download?`)
    return link
  }

  test('is read in parts of 256 kB of base64, each with the address of the next', async () => {
    const whole = Buffer.from(world.sandbox.gong.mediaBytes(world.sandbox.gong.world.largeCallId, 'video'))
    const parts: Buffer[] = []
    for (let next: string | undefined = await find(agent); next !== undefined; ) {
      const part = await agent.read(next)
      expect(part.bytes.toString('base64').length).toBeLessThanOrEqual(262_144)
      expect(part.meta).toMatchObject({ offset: Buffer.concat(parts).length, size: whole.length })
      parts.push(part.bytes)
      next = part.next
    }
    expect(parts.length).toBe(Math.ceil(whole.length / 196_608))
    expect(Buffer.concat(parts).equals(whole)).toBe(true)
  })

  test('is checked against the token at every part', async () => {
    const link = await find(agent)
    const { json } = await world.ask('/api/v1/account/mcp-tokens', {
      token: world.token,
      body: { name: 'narrow', connector_ids: [warehouse] },
    })
    const narrow = await connectClient(`${world.url}/mcp`, json.token, '2026-07-28')
    await expect(narrow.read(link)).rejects.toThrow(/not found/i)
    await narrow.close()
  })

  test('that does not exist, and a wrong address, are refused with what is wrong', async () => {
    await expect(agent.read('ferrule://elsewhere')).rejects.toThrow(/not found/i)
    await expect(agent.read(`ferrule://connectors/${gong}/call_video/download?offset=-1`)).rejects.toThrow(
      'must be a whole number of bytes',
    )
    const link = await find(agent)
    await expect(agent.read(link.replace('offset=0', 'offset=99999999'))).rejects.toThrow(/range/i)
  })
})

describe('a write', () => {
  const insert = (id: string, more: object = {}) => ({
    ...{ connector: 'warehouse', entity: 'record', action: 'create' },
    params: { statement: `INSERT INTO SCRATCH.COUNTERS VALUES (1, '${id}')` },
    ...more,
  })
  /** Counts the statements that the vendor ran. */
  const count = (id: string): number => world.sandbox.snowflake.executed().filter((text) => JSON.stringify(text).includes(`'${id}'`)).length

  test('happens twice when two sessions ask for the same: their ids are counted from 1', async () => {
    for (const revision of ['2026-07-28', '2025-11-25'] as const) {
      const one = await connect(revision)
      const other = await connect(revision)
      const id = `twice-${revision}`
      for (const session of [one, other]) expect(await session.call('write', insert(id))).toMatchObject({ isError: false })
      expect(count(id)).toBe(2)
      await one.close()
      await other.close()
    }
  })
  test('happens once with a key of its own', async () => {
    const first = await agent.call('write', insert('once', { idempotency_key: 'a key of the model' }))
    const again = await agent.call('write', insert('once', { idempotency_key: 'a key of the model' }))
    expect([first.isError, again.isError, count('once')]).toEqual([false, false, 1])
  })
})

test('a long answer goes on in another request, of the same token only', async () => {
  const long = await agent.call('execute', { connector: 'calls', entity: 'calls', action: 'list' })
  const handle = /"handle":"([^"]+)"/.exec(long.text)?.[1] ?? ''
  expect(handle, long.text.slice(-500)).not.toBe('')
  expect((await agent.call('read_more', { handle })).isError).toBe(false)
  const { json } = await world.ask('/api/v1/account/mcp-tokens', { token: world.token, body: { name: 'another' } })
  const another = await connectClient(`${world.url}/mcp`, json.token, '2026-07-28')
  expect((await another.call('read_more', { handle })).text).toContain('invalid_cursor')
  await another.close()
})
