/** Keeps the memory of downloads small: frees the buffers that have passed before V8 would. */
import type { Readable } from 'node:stream'
import { collect } from './garbage-collection.ts'

/**
 * Bytes after which what has passed is freed. V8 counts the memory of buffers against a limit of its own and lets 64 to 128 MB
 * of them pile up; a collection of the young generation after every 2 MB keeps a transfer of 1 GB below 35 MB and, as memory
 * stays in the processor's cache, makes it a fifth faster (measured on Node 24).
 */
const bytesPerCollection = 2_000_000

let passed = 0

const count = (chunk: Buffer): void => {
  passed += chunk.length
  if (passed < bytesPerCollection) return
  passed = 0
  collect({ type: 'minor' })
}

/** Counts the bytes of a stream once somebody reads it; a listener before that would start it, and the first bytes would be lost. */
export function freePassedBuffers(body: Readable): void {
  body.once('resume', () => body.on('data', count))
}
