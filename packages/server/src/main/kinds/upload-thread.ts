// A worker thread that reads files of kinds and documents that organizations upload, one at a time: outside of the loop that answers requests,
// and in memory of its own.
import { type MessagePort, parentPort } from 'node:worker_threads'
import type { KindDocument } from 'ferrule/wire'
import type { ReadDocument, ReadUpload, UploadTask } from '../../connectors/own-kinds.ts'
import { readDocument, readUpload } from './read-upload.ts'

/** A message to the thread: what it reads. */
export type ThreadTask = { readonly kind: UploadTask } | { readonly document: KindDocument }
/** What it read. */
export type ThreadRead = { readonly kind: ReadUpload } | { readonly document: ReadDocument }
/** A message from the thread: it can take tasks, what it read, or the stack of an error that no upload should cause. */
export type ThreadAnswer = { readonly ready: true } | { readonly read: ThreadRead } | { readonly failed: string }

if (parentPort === null) throw new Error('this file is started as a worker')
const port: MessagePort = parentPort

const read = async (task: ThreadTask): Promise<ThreadRead> =>
  'kind' in task ? { kind: await readUpload(task.kind) } : { document: await readDocument(task.document) }

async function answer(task: ThreadTask): Promise<ThreadAnswer> {
  try {
    return { read: await read(task) }
  } catch (thrown) {
    return { failed: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) }
  }
}

port.on('message', async (task: ThreadTask) => port.postMessage(await answer(task)))
port.postMessage({ ready: true } satisfies ThreadAnswer)
