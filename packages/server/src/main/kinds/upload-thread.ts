// A worker thread that reads files of kinds that organizations upload, one at a time: outside of the loop that answers requests, and in memory
// of its own.
import { type MessagePort, parentPort } from 'node:worker_threads'
import type { ReadUpload, UploadTask } from '../../connectors/own-kinds.ts'
import { readUpload } from './read-upload.ts'

/** A message from the thread: it can take files, what it read, or the stack of an error that no file should cause. */
export type UploadAnswer = { readonly ready: true } | { readonly read: ReadUpload } | { readonly failed: string }

if (parentPort === null) throw new Error('this file is started as a worker')
const port: MessagePort = parentPort

async function answer(task: UploadTask): Promise<UploadAnswer> {
  try {
    return { read: await readUpload(task) }
  } catch (thrown) {
    return { failed: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) }
  }
}

port.on('message', async (task: UploadTask) => port.postMessage(await answer(task)))
port.postMessage({ ready: true } satisfies UploadAnswer)
