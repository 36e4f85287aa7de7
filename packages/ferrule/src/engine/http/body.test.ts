import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Part } from '../../values/walks/walk.ts'
import { freeBytes, readBodyWithRows } from '../json/raw-rows.ts'
import { walkRows } from '../local.ts'
import { unpackBytes } from './body.ts'

const rows = Array.from({ length: 5_000 }, (_row, index) => [String(index), 'a text that makes rows long'])
/** Makes a part of a result as the engine reads it, with its rows as bytes. */
const partOf = (): Part => {
  const body = Object(readBodyWithRows(Buffer.from(JSON.stringify({ data: rows })), 'unread'))
  return { data: body, meta: { next_params: null, next_operation: null, partition_info: null } }
}
const left = ({ data }: Part): unknown => Reflect.get(Object(data.data), 'bytes').length
/** Passes rows on. */
const asTheyAre = { read: () => (row: unknown) => row, vendor: 'Vendor' }
async function* each(...parts: readonly Part[]): AsyncGenerator<Part> {
  yield* parts
}

test('memory that is given back is that of the bytes alone: small ones share theirs and keep it', () => {
  const neighbours = Array.from({ length: 50 }, (_, index) => Buffer.from(`neighbour ${index}`))
  for (const each of neighbours.filter((_, index) => index % 2 === 0)) freeBytes(each)
  expect(neighbours.map(String)).toEqual(Array.from(neighbours, (_, index) => `neighbour ${index}`))
  const large = Buffer.alloc(200_000, 'x')
  freeBytes(large)
  expect(large.length).toBe(0)
})

test('rows that were walked give their memory back, however the walk ends; the parts of others keep theirs', async () => {
  const [walked, other, broken] = [partOf(), partOf(), partOf()]
  const seen = await Array.fromAsync(walkRows(each(walked), asTheyAre))
  expect(seen).toEqual(rows)
  for await (const _row of walkRows(each(broken), asTheyAre)) break
  expect([left(walked), left(broken)]).toEqual([0, 0])
  expect(JSON.parse(JSON.stringify(other.data)).data).toEqual(rows)
})

test.each([
  ['the length that is told is right', (packed: Buffer) => packed],
  ['the length that is told is too small', (packed: Buffer) => Buffer.concat([packed, gzipSync('')])],
  ['zeros fill it up', (packed: Buffer) => Buffer.concat([packed, Buffer.alloc(9)])],
])('a body is unpacked whole where %s', async (_what, made) => {
  const text = JSON.stringify(rows)
  expect((await unpackBytes(made(gzipSync(text)), { encoding: 'gzip', most: 1_000_000 })).toString()).toBe(text)
})
