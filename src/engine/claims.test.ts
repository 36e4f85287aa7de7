import { expect, test } from 'vitest'
import { claimLifeMs, memoryClaims } from './claims.ts'

const id = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'

test('an id stands for one write: the same one may claim it again, another one is refused', async () => {
  const time = { now: 1 }
  const { claim } = memoryClaims(() => time.now++)
  expect(await claim(id, 'insert a')).toEqual({ repeated: false })
  expect(await claim(id.toUpperCase(), 'insert a')).toEqual({ repeated: true, previous: 1 })
  await expect(claim(id, 'insert b')).rejects.toMatchObject({ code: 'request_id_conflict', status: 409, retryable: false })
  await expect(claim(id, 'insert b')).rejects.toThrow(`The request id ${id} was used for another statement.`)
  expect(await claim(id, 'insert a')).toEqual({ repeated: true, previous: 2 })
})

test('ids that are no UUIDs are other ids in other letters', async () => {
  const { claim } = memoryClaims()
  expect(await claim('order-a', 'one')).toEqual({ repeated: false })
  expect(await claim('order-A', 'two')).toEqual({ repeated: false })
})

test.each(['', 'x'.repeat(256), 'line\nbreak', 'ü'])('the id %j is refused', async (wrong) => {
  await expect(memoryClaims().claim(wrong, 'a')).rejects.toMatchObject({
    code: 'validation_failed',
    problems: [{ field: '/params/requestId' }],
  })
})

test('seven days after it was claimed last the id is free', async () => {
  const time = { now: 1 }
  const { claim } = memoryClaims(() => time.now)
  await claim(id, 'insert a')
  time.now += claimLifeMs - 1
  await claim(id, 'insert a')
  time.now += claimLifeMs - 1
  await expect(claim(id, 'insert b')).rejects.toThrow()
  time.now += 1
  expect(await claim(id, 'insert b')).toEqual({ repeated: false })
})

test('10,000 ids are remembered, and the oldest is forgotten first', async () => {
  const { claim } = memoryClaims()
  for (let index = 0; index <= 10_000; index++) await claim(`id ${index}`, 'a')
  await expect(claim('id 1', 'b')).rejects.toThrow()
  expect(await claim('id 0', 'b')).toEqual({ repeated: false })
})
