// A worker thread that parses and cuts large bodies, one at a time, outside the event loop that answers requests.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { Kind } from 'ferrule/definition'
import type { ApartJob, ApartResult } from 'ferrule/engine'
import { kinds, readApart } from 'ferrule/internal'
import { type CutJob, type CutResult, cutApart } from '../calls/cut-records.ts'

/** The data of the worker. */
export interface ThreadInput {
  /** Maximum memory of a parsed body, in bytes. */
  readonly maxBytes: number
}

/** A message to the thread. */
export type ThreadTask = { readonly read: ApartJob } | { readonly cut: CutJob }
/** A message from the thread: the result of the task, or the stack of an error that no task should have. */
export type ThreadAnswer = { readonly done: ApartResult | CutResult } | { readonly failed: string }

if (parentPort === null) throw new Error('this file is started as a worker')
const port: MessagePort = parentPort

const { maxBytes } = workerData as ThreadInput // made by apart-threads.ts

const known: Readonly<Record<string, Kind>> = kinds

function read(job: ApartJob): ApartResult {
  const kind = known[job.kind]
  if (kind === undefined) throw new Error(`there is no kind ${job.kind}`)
  return readApart(kind, job, maxBytes)
}

/** Returns the buffers of a result: they are transferred, not copied. */
function findBuffers(result: ApartResult | CutResult): ArrayBuffer[] {
  if ('flaw' in result) return []
  const holder = 'value' in result ? result.value : result
  return 'bytes' in holder ? [holder.bytes.buffer] : []
}

function answer(task: ThreadTask): void {
  try {
    const done = 'read' in task ? read(task.read) : cutApart(task.cut)
    port.postMessage({ done } satisfies ThreadAnswer, findBuffers(done))
  } catch (thrown) {
    port.postMessage({ failed: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) } satisfies ThreadAnswer)
  }
}

port.on('message', answer)
