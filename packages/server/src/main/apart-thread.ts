// A worker thread that parses and cuts large bodies, one at a time, outside the event loop that answers requests.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { ConnectorDefinition, Kind } from 'ferrule/definition'
import type { ApartJob, ApartResult } from 'ferrule/engine'
import { BoundedMap, kinds, loadLineReader, readApart } from 'ferrule/internal'
import { type CutJob, type CutResult, cutApart } from '../calls/cut-records.ts'
import type { EncodeJob, EncodeResult } from '../copies/parquet/encoder.ts'
import { importRules } from './kinds/rules.ts'

/** The data of the worker. */
export interface ThreadInput {
  /** Maximum number of kinds from files that a thread keeps. */
  readonly mostTaught: number
  /** Maximum memory of a parsed body, in bytes. */
  readonly maxBytes: number
}

/** A kind of the operator, as a thread gets it: the functions come from their module. */
export interface SentKind {
  readonly definition: ConnectorDefinition
  readonly rulesModule: string | undefined
}
/** A message to the thread. With the first body of an operator's kind comes the kind. */
export type ThreadTask =
  | { readonly read: ApartJob; readonly kind?: SentKind | undefined }
  | { readonly cut: CutJob }
  | { readonly encode: EncodeJob }
/** The result of a task. */
export type ThreadResult = ApartResult | CutResult | EncodeResult
/** A message from the thread: the result of the task, or the stack of an error that no task should have. */
export type ThreadAnswer = { readonly done: ThreadResult } | { readonly failed: string }

if (parentPort === null) throw new Error('this file is started as a worker')
const port: MessagePort = parentPort

const { maxBytes, mostTaught } = workerData as ThreadInput // made by apart-threads.ts

const certified = new Map<string, Kind>(Object.entries(kinds))
/** Kinds from files. The sender counts them in the same way, so what one of both forgets the other one forgets. */
const taught = new BoundedMap<string, Kind>(mostTaught)

async function read(job: ApartJob): Promise<ApartResult> {
  await loadLineReader(job.format)
  const kind = taught.get(job.kind) ?? certified.get(job.kind)
  if (kind === undefined) throw new Error(`there is no kind ${job.kind}`)
  return readApart(kind, job, maxBytes)
}

/** Returns the buffers of a result: they are transferred, not copied. */
function findBuffers(result: ThreadResult): ArrayBuffer[] {
  if ('flaw' in result) return []
  const holder = 'value' in result ? result.value : result
  return 'bytes' in holder ? [holder.bytes.buffer] : []
}

async function run(task: ThreadTask): Promise<ThreadResult> {
  if ('read' in task) return await read(task.read)
  if ('cut' in task) return cutApart(task.cut)
  return (await import('../copies/parquet/encoder.ts')).encodeHere(task.encode) // few threads write Parquet
}

async function answer(task: ThreadTask): Promise<void> {
  try {
    if ('read' in task && task.kind !== undefined) {
      const { definition, rulesModule } = task.kind
      taught.set(definition.kind, { definition, rules: rulesModule === undefined ? {} : await importRules(rulesModule) })
    }
    const done = await run(task)
    port.postMessage({ done } satisfies ThreadAnswer, findBuffers(done))
  } catch (thrown) {
    port.postMessage({ failed: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) } satisfies ThreadAnswer)
  }
}

port.on('message', (task: ThreadTask) => void answer(task))
