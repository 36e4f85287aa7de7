// PGlite in a thread of its own. It takes bytes of PostgreSQL's wire protocol and answers bytes of it, one message at a time, so the
// driver of the server speaks to it too. `workerData` is a `WorkerInput`.
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin'
import { fuzzystrmatch } from '@electric-sql/pglite/contrib/fuzzystrmatch'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'

/** What the thread is told. */
export interface WorkerInput {
  /** Folder of the database's files; made when it is missing. */
  readonly folder: string
  /** Command line of the server. */
  readonly parameters: readonly string[]
}

/** What the thread takes: protocol bytes, or the request to end. */
export type WorkerOrder = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly end: true }
/** What it says. */
export type WorkerWord = { readonly ready: true } | { readonly failed: string } | { readonly bytes: Uint8Array<ArrayBuffer> }

/** Status of the exception by which the server leaves a failed statement (PGlite's own constant); every other one is a crash. */
const longJump = 100
/** Lines of the server's log that explain a failed start. */
const keptLines = 20

const port = parentPort
if (port === null) throw new Error('this file is started as a worker')
const { folder, parameters } = workerData as WorkerInput // made by embedded-process.ts

const say = (word: WorkerWord): void => port.postMessage(word, 'bytes' in word ? [word.bytes.buffer] : [])

async function open(): Promise<PGlite> {
  const lines: string[] = []
  const onStderr = (line: string): boolean => {
    if (lines.length < keptLines) lines.push(line)
    return true
  }
  try {
    return await PGlite.create(folder, { extensions: { btree_gin, fuzzystrmatch, pg_trgm }, startParams: [...parameters], onStderr })
  } catch (thrown) {
    say({ failed: [String(thrown), ...lines].join('; ') })
    throw thrown
  }
}

/** PGlite goes on after a trap or an overflow of the stack as if nothing had happened, with broken memory: this ends the thread. */
function dieOnCrash(database: PGlite): void {
  const { Module } = database
  const loop = Module._PostgresMainLoopOnce
  Module._PostgresMainLoopOnce = () => {
    try {
      loop()
    } catch (thrown) {
      if (typeof thrown === 'object' && thrown !== null && Reflect.get(thrown, 'status') === longJump) throw thrown
      process.exit(1)
    }
  }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.length
  }
  return whole
}

const database = await open()
dieOnCrash(database)
port.on('message', async (order: WorkerOrder) => {
  if ('end' in order) {
    await database.close()
    process.exit(0)
  }
  const chunks: Uint8Array[] = []
  // What arrives is a view of the server's memory.
  await database.execProtocolRawStream(order.bytes, { syncToFs: false, onRawData: (view) => chunks.push(view.slice()) })
  say({ bytes: joined(chunks) })
})
say({ ready: true })
