// A thread that reads and cuts large bodies, one at a time, apart from the loop that answers requests.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { kinds } from '../connectors/index.ts'
import type { Kind } from '../definition/connector.ts'
import { type ApartJob, type ApartResult, readApart } from '../engine/apart.ts'
import { type CutJob, type CutResult, cutApart } from '../platform/cut-apart.ts'

/** What the thread is started with. */
export interface ThreadInput {
  /** Bytes of memory that a body may take once it is read. */
  readonly most: number
}

/** What the thread takes. */
export type ThreadTask = { readonly read: ApartJob } | { readonly cut: CutJob }
/** What it gives: the result of the task, or a mistake of ours. */
export type ThreadWord = { readonly done: ApartResult | CutResult } | { readonly failed: string }

if (parentPort === null) throw new Error('this file is started as a worker')
const port: MessagePort = parentPort

const { most } = workerData as ThreadInput // made by apart-threads.ts

const known: Readonly<Record<string, Kind>> = kinds

function read(job: ApartJob): ApartResult {
  const kind = known[job.kind]
  if (kind === undefined) throw new Error(`there is no kind ${job.kind}`)
  return readApart(kind, job, most)
}

/** The bytes of a result: they change hands, nothing is copied. */
function bytesIn(result: ApartResult | CutResult): ArrayBuffer[] {
  if ('flaw' in result) return []
  const holder = 'value' in result ? result.value : result
  return 'bytes' in holder ? [holder.bytes.buffer] : []
}

function answer(task: ThreadTask): void {
  try {
    const done = 'read' in task ? read(task.read) : cutApart(task.cut)
    port.postMessage({ done } satisfies ThreadWord, bytesIn(done))
  } catch (thrown) {
    port.postMessage({ failed: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) } satisfies ThreadWord)
  }
}

port.on('message', answer)
