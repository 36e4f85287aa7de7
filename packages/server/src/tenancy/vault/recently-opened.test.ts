import { Secret } from 'ferrule/engine'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RecentlyOpened, type SealedBytes } from './vault.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const bytesOf = (connectorId: string, sealed: string, identity = 'identity'): SealedBytes => ({
  connectorId,
  identity: Buffer.from(identity),
  sealed: Buffer.from(sealed),
})

test('credentials are found by the same encrypted bytes of the same connector and key only', () => {
  const recent = new RecentlyOpened()
  const values = new Secret({ access_key: 'a' })
  recent.add(bytesOf('one', 'sealed'), values)
  expect(recent.find(bytesOf('one', 'sealed'))).toBe(values)
  expect(recent.find(bytesOf('one', 'sealed again'))).toBeUndefined()
  expect(recent.find(bytesOf('one', 'sealed', 'another workspace'))).toBeUndefined()
  expect(recent.find(bytesOf('two', 'sealed'))).toBeUndefined()
})

test('bytes that change afterwards change nothing', () => {
  const recent = new RecentlyOpened()
  const bytes = bytesOf('one', 'sealed')
  recent.add(bytes, new Secret({}))
  bytes.sealed.fill(0)
  expect(recent.find(bytes)).toBeUndefined()
})

test('after ten seconds nothing is kept', () => {
  const recent = new RecentlyOpened()
  recent.add(bytesOf('one', 'sealed'), new Secret({}))
  vi.advanceTimersByTime(9_000)
  recent.add(bytesOf('two', 'sealed'), new Secret({}))
  expect(recent.find(bytesOf('one', 'sealed'))).toBeDefined()
  vi.advanceTimersByTime(1_000)
  expect(recent.find(bytesOf('one', 'sealed'))).toBeUndefined()
  expect(recent.find(bytesOf('two', 'sealed'))).toBeUndefined()
  expect(vi.getTimerCount()).toBe(0)
})

test('of many connectors the last thousand are kept', () => {
  const recent = new RecentlyOpened()
  for (let index = 0; index <= 1_000; index += 1) recent.add(bytesOf(`c${index}`, 'sealed'), new Secret({}))
  expect(recent.find(bytesOf('c0', 'sealed'))).toBeUndefined()
  expect(recent.find(bytesOf('c1000', 'sealed'))).toBeDefined()
})
