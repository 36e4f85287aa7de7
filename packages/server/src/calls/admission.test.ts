import { expect, test } from 'vitest'
import { ExecuteLimits } from './admission.ts'

function limits({ perMinute = 0, atOnce = 0 }) {
  const time = { now: 1_000 }
  return { time, counted: new ExecuteLimits({ perMinute, atOnce, clock: () => time.now }) }
}

test('a minute begins with the first call and ends 60 seconds later', () => {
  const { time, counted } = limits({ perMinute: 2 })
  expect(counted.count('a')).toEqual({ limit: 2, remaining: 1, resetMs: 60_000, exceeded: false })
  time.now += 59_999
  expect(counted.count('a')).toEqual({ limit: 2, remaining: 0, resetMs: 1, exceeded: false })
  expect(counted.count('a')).toEqual({ limit: 2, remaining: 0, resetMs: 1, exceeded: true })
  expect(counted.count('b')).toMatchObject({ remaining: 1 })
  time.now += 1
  expect(counted.count('a')).toMatchObject({ remaining: 1, exceeded: false })
})

test('many organizations do not grow it without end, and running minutes are forgotten last', () => {
  const { time, counted } = limits({ perMinute: 1 })
  for (let index = 0; index < 9_999; index++) counted.count(`old ${index}`)
  time.now += 60_000
  counted.count('new')
  for (let index = 0; index < 5_000; index++) counted.count(`next ${index}`)
  expect(counted.count('new')).toMatchObject({ exceeded: true })
})

test('slots are freed once', () => {
  const { counted } = limits({ atOnce: 2 })
  const [first, second] = [counted.enter('a'), counted.enter('a')]
  expect(() => counted.enter('a')).toThrow('2 calls of the organization are running')
  counted.enter('b')
  expect(counted.running).toBe(3)
  first()
  first()
  expect(counted.running).toBe(2)
  counted.enter('a')
  expect(() => counted.enter('a')).toThrow()
  second()
  counted.enter('a')
})

test('0 is no limit', () => {
  const { counted } = limits({})
  expect(counted.count('a')).toBeUndefined()
  for (let index = 0; index < 1_000; index++) counted.enter('a')
  expect(counted.running).toBe(1_000)
})
