// A worker thread that reads files of kinds that organizations upload, one at a time: outside of the loop that answers requests, and in memory
// of its own.
import { type MessagePort, parentPort } from 'node:worker_threads'
import type { ConnectorDefinition } from 'ferrule/definition'
import { checkUploadedKind, listHosts, type Mistake } from 'ferrule/kind'
import { checkUploadedRecordings } from 'ferrule/stand-in'
import type { ReadUpload, ReadUploadedKind } from '../../connectors/own-kinds.ts'

/** A file to read. */
export type UploadTask = Parameters<ReadUploadedKind>[0]
/** A message from the thread: it can take files, what it read, or the stack of an error that no file should cause. */
export type UploadAnswer = { readonly ready: true } | { readonly read: ReadUpload } | { readonly failed: string }

if (parentPort === null) throw new Error('this file is started as a worker')
const port: MessagePort = parentPort

type Finding = ReadUpload['mistakes'][number]

const toFinding = (file: Finding['file'], { path, line, column, message, near, example }: Mistake): Finding => ({
  ...{ file, path, line, column, message },
  ...{ near: near ?? null, example: example ?? null },
})

/** Lists the hosts that credentials and people are sent to. Downloads go to any public host, and carry no credentials. */
const listNamedHosts = (definition: ConnectorDefinition): readonly string[] => [
  ...new Set(listHosts(definition).flatMap(({ use, host }) => (use === 'files' ? [] : [host]))),
]

async function read({ slug, file, recordings, taken }: UploadTask): Promise<ReadUpload> {
  const { definition, mistakes, doubts, findPlace } = await checkUploadedKind(file, { name: `${slug}.kind.yaml`, taken })
  const isOther = definition !== undefined && definition.kind !== slug
  const other = { file: '', path: 'kind', message: `the address says ${slug}`, example: `kind: ${slug}` }
  const recorded =
    definition === undefined || recordings === undefined
      ? { mistakes: [] }
      : await checkUploadedRecordings(recordings, { name: `${slug}.recordings.json`, definition })
  const found = [
    ...(isOther ? [{ ...other, ...findPlace('kind') }] : mistakes).map((each) => toFinding('kind', each)),
    ...recorded.mistakes.map((each) => toFinding('recordings', each)),
  ]
  return {
    definition: found.length === 0 ? definition : undefined,
    mistakes: found,
    doubts: doubts.map((each) => toFinding('kind', each)),
    hosts: definition === undefined ? [] : listNamedHosts(definition),
  }
}

async function answer(task: UploadTask): Promise<UploadAnswer> {
  try {
    return { read: await read(task) }
  } catch (thrown) {
    return { failed: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) }
  }
}

port.on('message', async (task: UploadTask) => port.postMessage(await answer(task)))
port.postMessage({ ready: true } satisfies UploadAnswer)
