// Runs PGlite in a thread. The thread receives and sends bytes of PostgreSQL's wire protocol, one message at a time, so the server's
// driver works with it. `workerData` is a `WorkerInput`.
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin'
import { fuzzystrmatch } from '@electric-sql/pglite/contrib/fuzzystrmatch'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'

/** Input of the thread. */
export interface WorkerInput {
  /** Folder of the database's files; created if missing. */
  readonly folder: string
  /** Command line of the server. */
  readonly parameters: readonly string[]
}

/** Message to the thread: protocol bytes, or the request to end. */
export type WorkerOrder = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly end: true }
/** Message from the thread. */
export type WorkerWord = { readonly ready: true } | { readonly failed: string } | { readonly bytes: Uint8Array<ArrayBuffer> }

/** Status of the exception by which the server leaves a failed statement (PGlite's own constant). Every other exception is a crash. */
const longJump = 100
/** Maximum number of log lines to keep for a failed start. */
const keptLines = 20

const port = parentPort
if (port === null) throw new Error('this file is started as a worker')
const { folder, parameters } = workerData as WorkerInput // built by `process.ts`

const post = (word: WorkerWord): void => port.postMessage(word, 'bytes' in word ? [word.bytes.buffer] : [])

async function open(): Promise<PGlite> {
  const lines: string[] = []
  const onStderr = (line: string): boolean => {
    if (lines.length < keptLines) lines.push(line)
    return true
  }
  try {
    return await PGlite.create(folder, { extensions: { btree_gin, fuzzystrmatch, pg_trgm }, startParams: [...parameters], onStderr })
  } catch (thrown) {
    post({ failed: [String(thrown), ...lines].join('; ') })
    throw thrown
  }
}

/** Ends the thread after a trap or a stack overflow. PGlite would continue with corrupted memory. */
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

function joinChunks(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
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
  // The received bytes are a view of the server's memory.
  await database.execProtocolRawStream(order.bytes, { syncToFs: false, onRawData: (view) => chunks.push(view.slice()) })
  post({ bytes: joinChunks(chunks) })
})
post({ ready: true })
