/** A vendor that is played from recordings: two lists, and what follows from them. */
import { describe, expect, test } from 'vitest'
import { connect } from '../../packages/ferrule/src/core.ts'
import { parseKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { readRecordings } from '../../packages/ferrule/src/kind-recordings/index.ts'
import { startStandIn } from '../../packages/ferrule/src/stand-in/index.ts'
import { kindHead } from '../support/kind-head.ts'
import { share } from '../support/share.ts'

const file = `${kindHead('shelves')}path: /v1
errors: { message: error.text }
limits: { per: key, rates: [3/h] }
check: shelves.list
pages:
  cursor: { next: next, send: after, size: size=50 }
  offset: { next: rows, send: offset, size: count=50 }
lists: { at: items, pages: cursor }
entities:
  shelves:
    about: Shelves
    fields: { id: integer Id, name: string Name }
    list: { call: GET /shelves, params: { name: string Name } }
    get: GET /shelves/{id}
    update: { call: 'PATCH /shelves/{id}', body: { name: string Name } }
    delete: DELETE /shelves/{id}
  boxes:
    about: Boxes of a shelf
    fields: { id: string Id }
    list: { call: 'GET /shelves/{shelf}/boxes', pages: offset }
`
const recordings = `{
 "kind": "shelves",
 "samples": {"top": {"id": 9007199254740993, "name": "Top"}},
 "recordings": [
  {
   "call": "shelves.list", "source": "document", "from": "https://shelves.example/docs", "params": {"limit": 1},
   "exchanges": [
    {"request": "GET /v1/shelves?size=1", "answer": {"body": {"items": [{"$use": "top"}], "next": "c2"}}},
    {"request": "GET /v1/shelves?size=1&after=c2", "answer": {"body": {"items": [{"$use": "top", "id": 2, "name": "Low"}], "next": null}}}
   ]
  },
  {
   "call": "boxes.list", "source": "document", "from": "https://shelves.example/docs", "params": {"shelf": "2", "limit": 2},
   "exchanges": [
    {"request": "GET /v1/shelves/2/boxes?count=2&offset=0", "answer": {"body": {"items": [{"id": "a"}, {"id": "b"}], "total": 3}}},
    {"request": "GET /v1/shelves/2/boxes?count=2&offset=2", "answer": {"body": {"items": [{"id": "c"}], "total": 3}}}
   ]
  },
  {
   "call": "shelves.update", "source": "document", "from": "https://shelves.example/docs", "params": {"id": 2, "name": "New"},
   "exchanges": [{"request": {"call": "PATCH /v1/shelves/2", "body": {"name": "New"}}, "answer": {"body": {"$use": "top", "id": 2, "name": "New"}}}]
  }
 ]
}`

const kind = await parseKind(file)
const { file: recorded } = await readRecordings(recordings, { name: 'shelves.recordings.json' })
if (recorded === undefined) throw new Error('the recordings have mistakes')
const standIn = await share(startStandIn(kind.definition, recorded))

const open = () => connect(kind, { credentials: { key: 'any' }, origin: standIn.origin, limits: false })
const shelves = [
  { id: 9007199254740993n, name: 'Top' },
  { id: 2, name: 'Low' },
]

describe('a stand-in of recordings', () => {
  test('answers pages as recorded, whatever their size and filter are, and keeps every digit', async () => {
    await using vendor = open()
    expect(await Array.fromAsync(vendor.records('shelves', { limit: 1 }))).toEqual(shelves)
    expect(await Array.fromAsync(vendor.records('shelves', { name: 'any' }))).toEqual(shelves)
  })

  test('cuts pages that are counted, and has no records of a parent that was not recorded', async () => {
    await using vendor = open()
    const boxes = [{ id: 'a' }, { id: 'b' }, { id: 'c' }]
    for (const limit of [1, 2, 50]) expect(await Array.fromAsync(vendor.records('boxes', { shelf: '2', limit }))).toEqual(boxes)
    const { data, meta } = await vendor.entity('boxes').list({ shelf: '3' })
    expect(data).toEqual([])
    expect(meta).not.toHaveProperty('warnings') // the total of the recorded list is not that of this one
  })

  test('gets records of recorded lists by their keys, and refuses others in the form of the vendor', async () => {
    await using vendor = open()
    const { get, update } = vendor.entity('shelves')
    expect((await get({ id: 9007199254740993n })).data).toEqual(shelves[0])
    await expect(get({ id: 3 })).rejects.toMatchObject({ code: 'record_not_found', upstream: { status: 404 } })
    await expect(update({ id: 3, name: 'a' })).rejects.toMatchObject({ code: 'record_not_found' })
    expect((await update({ id: 9007199254740993n, name: 'Other' })).data).toEqual({ id: 9007199254740993n, name: 'Other' })
    const answer = await fetch(`${standIn.origin}/v1/shelves/3`, { headers: { authorization: 'Bearer any' } })
    expect(await answer.json()).toEqual({ error: { text: expect.stringContaining('no such record') } })
  })

  test('fails on demand, without credentials, and above the rates if it was told to', async () => {
    await using vendor = open()
    await expect(vendor.entity('shelves').list({ name: 'sandbox-status-403' })).rejects.toMatchObject({
      code: 'upstream_permission_denied',
    })
    const ask = async (origin: string, headers: Record<string, string>) => (await fetch(`${origin}/v1/shelves`, { headers })).status
    expect(await ask(standIn.origin, {})).toBe(401)
    expect(await ask(standIn.origin, { authorization: 'Bearer any', 'x-sandbox-status': '503' })).toBe(503)
    const strict = await startStandIn(kind.definition, recorded, { limits: true })
    const statuses: number[] = []
    for (let call = 0; call < 4; call += 1) statuses.push(await ask(strict.origin, { authorization: 'Bearer any' }))
    expect(statuses).toEqual([200, 200, 200, 429])
    await strict.close()
  })
})

test('a walk ends behind the last recorded page, although the vendor has more', async () => {
  const cut = recordings.replace('"next": null', '"next": "c3"').replace('"params": {"limit": 1},', '"params": {"limit": 1}, "more": true,')
  const { file: given } = await readRecordings(cut, { name: 'shelves.recordings.json' })
  const kind = await parseKind(file.replace('3/h', '99/h'))
  if (given === undefined) throw new Error('the recordings are wrong')
  const vendor = await startStandIn(kind.definition, given)
  const shelves = connect(kind, { credentials: { key: 'any' }, origin: vendor.origin }).entity('shelves')
  const read = async (limit: number): Promise<unknown[]> => {
    return await Array.fromAsync(shelves.records({ limit }), ({ id }) => id)
  }
  expect([await read(1), await read(50)]).toEqual([
    [9007199254740993n, 2],
    [9007199254740993n, 2],
  ])
  await vendor.close()
})
