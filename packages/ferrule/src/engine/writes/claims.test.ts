import { expect, test } from 'vitest'
import { claimLifeMs, createMemoryClaims } from './claims.ts'

const id = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'
/** Holds of calls that have ended. */
const first = { owner: 'first', until: 0 }
const second = { owner: 'second', until: 0 }

test('an id stands for one write: the same one may claim it again, another one is refused', async () => {
  const { claim } = createMemoryClaims()
  expect(await claim(id, 'insert a', first)).toEqual({ repeated: false })
  expect(await claim(id.toUpperCase(), 'insert a', second)).toEqual({ repeated: true })
  await expect(claim(id, 'insert b', second)).rejects.toMatchObject({ code: 'request_id_conflict', status: 409, retryable: false })
  await expect(claim(id, 'insert b', first)).rejects.toThrow(`The request id ${id} was used for another statement.`)
  expect(await claim(id, 'insert a', first)).toEqual({ repeated: true })
})

test('one call at a time holds an id, until it says that it has ended or its time is over', async () => {
  const time = { now: 1_000 }
  const { claim, settle } = createMemoryClaims(() => time.now)
  expect(await claim(id, 'insert a', { owner: 'first', until: 5_000 })).toEqual({ repeated: false })
  expect(await claim(id, 'insert a', { owner: 'second', until: 9_000 })).toEqual({ repeated: true, busyUntil: 5_000 })
  expect(await claim(id, 'insert a', { owner: 'first', until: 6_000 })).toEqual({ repeated: false })
  await settle(id, { owner: 'second', until: 0 })
  expect(await claim(id, 'insert a', { owner: 'second', until: 9_000 })).toEqual({ repeated: true, busyUntil: 6_000 })
  await settle(id.toUpperCase(), { owner: 'first', until: 3_000 })
  expect(await claim(id, 'insert a', { owner: 'second', until: 9_000 })).toEqual({ repeated: true, busyUntil: 3_000 })
  time.now = 3_000
  expect(await claim(id, 'insert a', { owner: 'second', until: 9_000 })).toEqual({ repeated: true })
  expect(await claim(id, 'insert a', { owner: 'first', until: 9_000 })).toEqual({ repeated: true, busyUntil: 9_000 })
  await settle('never claimed', { owner: 'first', until: 0 })
})

test('ids that are no UUIDs are other ids in other letters', async () => {
  const { claim } = createMemoryClaims()
  expect(await claim('order-a', 'one', first)).toEqual({ repeated: false })
  expect(await claim('order-A', 'two', first)).toEqual({ repeated: false })
})

test.each(['', 'x'.repeat(256), 'line\nbreak', 'ü'])('the id %j is refused', async (wrong) => {
  await expect(createMemoryClaims().claim(wrong, 'a', first)).rejects.toMatchObject({
    code: 'validation_failed',
    errors: [{ field: '/params/requestId' }],
  })
})

test('seven days after it was claimed last the id is free', async () => {
  const time = { now: 1 }
  const { claim } = createMemoryClaims(() => time.now)
  await claim(id, 'insert a', first)
  time.now += claimLifeMs - 1
  await claim(id, 'insert a', first)
  time.now += claimLifeMs - 1
  await expect(claim(id, 'insert b', first)).rejects.toThrow()
  time.now += 1
  expect(await claim(id, 'insert b', first)).toEqual({ repeated: false })
})

test('10,000 ids are remembered, and the oldest is forgotten first', async () => {
  const { claim } = createMemoryClaims()
  for (let index = 0; index <= 10_000; index++) await claim(`id ${index}`, 'a', first)
  await expect(claim('id 1', 'b', first)).rejects.toThrow()
  expect(await claim('id 0', 'b', first)).toEqual({ repeated: false })
})
