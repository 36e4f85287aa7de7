import { onlineManager, QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { createQueryClient } from './query-client.ts'

test('what could not be read is read again once the browser is back online', async () => {
  const memory = createQueryClient()
  memory.mount()
  const read = Promise.withResolvers<string>()
  let reads = 0
  const queryFn = () => {
    reads += 1
    return onlineManager.isOnline() ? Promise.resolve('read') : Promise.reject(new Error('offline'))
  }
  onlineManager.setOnline(false)
  const failed = Promise.withResolvers<void>()
  const leave = new QueryObserver(memory, { queryKey: ['a'], queryFn }).subscribe(({ status, data }) => {
    if (status === 'error') failed.resolve()
    if (data !== undefined) read.resolve(data)
  })
  await failed.promise
  expect(reads).toBe(1)
  onlineManager.setOnline(true)
  expect(await read.promise).toBe('read')
  leave()
  memory.unmount()
})
