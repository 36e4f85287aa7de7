import { afterAll } from 'vitest'

/** What is opened: it is closed, or disposed of. */
type Opened = { close(): unknown } | AsyncDisposable

/** Waits for what the tests of a file or of a suite share, and closes it after the last one; what was opened later is closed first. */
export async function share<T extends Opened>(starting: T | Promise<T>): Promise<T> {
  const shared = await starting
  afterAll(async () => {
    await ('close' in shared ? shared.close() : shared[Symbol.asyncDispose]())
  })
  return shared
}
