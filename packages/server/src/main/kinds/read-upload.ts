/** Reads files of kinds and documents that an organization uploads. It takes its time: the service calls it in a thread only. */
import type { ConnectorDefinition } from 'ferrule/definition'
import { DocumentError, importText } from 'ferrule/import'
import { compareKinds, type KindChange } from 'ferrule/internal'
import { checkUploadedKind, listHosts, type Mistake, type ReadKind } from 'ferrule/kind'
import { checkUploadedRecordings, listRecordedDoubts, type Recordings, testKind } from 'ferrule/stand-in'
import type { KindDocument } from 'ferrule/wire'
import { packDefinition, summarizeDefinition, unpackDefinition } from '../../connectors/connector-types.ts'
import type { CheckedKind, ReadDocument, ReadUpload, UploadTask } from '../../connectors/own-kinds.ts'
import { checkOwnTable } from '../../copies/search/columns.ts'

type UploadFinding = ReadUpload['mistakes'][number]

const toFinding = (file: UploadFinding['file'], { path, line, column, message, near, example }: Omit<Mistake, 'file'>): UploadFinding => ({
  ...{ file, path, line, column, message },
  ...{ near: near ?? null, example: example ?? null },
})

/** Lists the hosts that credentials and people are sent to. Downloads go to any public host, and carry no credentials. */
const listNamedHosts = (definition: ConnectorDefinition): readonly string[] => [
  ...new Set(listHosts(definition).flatMap(({ use, host }) => (use === 'files' ? [] : [host]))),
]

/** Most characters of a definition in its long form: a process parses it on its loop when the version is first used, in 15 ms. */
const longestDefinition = 1_500_000

/** Says that a definition is too large; groups of types repeat what a file says once. */
function sayTooLarge(definition: ConnectorDefinition): readonly string[] {
  const { length } = JSON.stringify(definition)
  if (length <= longestDefinition) return []
  const [is, most] = [length, longestDefinition].map((characters) => (characters / 1_000_000).toFixed(1))
  return [`take ${is} MB with their groups of types written out, at most ${most} MB: use fewer fields, or shorter sentences`]
}

/** Lists what only a service refuses: another slug than that of the address, and more than it can hold. */
const listMisfits = ({ definition, findPlace }: ReadKind, slug: string): readonly Omit<Mistake, 'file'>[] => {
  if (definition === undefined) return []
  if (definition.kind !== slug)
    return [{ ...findPlace('kind'), path: 'kind', message: `the address says ${slug}`, example: `kind: ${slug}` }]
  return [...sayTooLarge(definition), ...checkOwnTable(definition)].map((message) => ({
    ...findPlace('entities'),
    path: 'entities',
    message,
  }))
}

const check = (definition: ConnectorDefinition): CheckedKind => {
  const { title, about, copied } = summarizeDefinition(definition)
  const summary = { title, about, copied, entities: Object.keys(definition.entities).length, hosts: listNamedHosts(definition) }
  return { packed: packDefinition(definition), summary }
}

const compare = (before: Uint8Array | undefined, definition: ConnectorDefinition): readonly KindChange[] =>
  before === undefined ? [] : compareKinds(JSON.parse(unpackDefinition(before)), definition) // the service stored it

/** Tests a file by its recordings. Nothing is sent: each request gets the recorded answer. */
async function test({ definition, findPlace }: ReadKind, recordings: Recordings | undefined): Promise<ReadUpload['test']> {
  if (definition === undefined || recordings === undefined) return null
  const files = { kind: 'kind', recordings: 'recordings', findPlace }
  const { findings, calls, requests, live } = await testKind({ definition, rules: {} }, recordings, files)
  const show = (wanted: 'failure' | 'note') =>
    findings
      .filter(({ is }) => is === wanted)
      .map(({ file, call, ...each }) => toFinding(file === 'kind' ? 'kind' : 'recordings', { ...each, path: call }))
  return { calls, requests, live, failures: show('failure'), notes: show('note') }
}

/** Reads an uploaded file: its mistakes, what it changes, and what is stored of it. */
export async function readUpload({ slug, file, recordings, isTested, taken, before }: UploadTask): Promise<ReadUpload> {
  const read = await checkUploadedKind(file, { name: `${slug}.kind.yaml`, taken })
  const { definition } = read
  const recorded =
    definition === undefined || recordings === undefined
      ? undefined
      : await checkUploadedRecordings(recordings, { name: `${slug}.recordings.json`, definition })
  const mistakes = [
    ...[...read.mistakes, ...listMisfits(read, slug)].map((each) => toFinding('kind', each)),
    ...(recorded?.mistakes ?? []).map((each) => toFinding('recordings', each)),
  ]
  const kind = definition === undefined ? undefined : { definition, rules: {} }
  const shown = kind === undefined ? [] : await listRecordedDoubts(kind, { file: 'kind', findPlace: read.findPlace }, recorded?.file)
  const said = {
    doubts: [...read.doubts, ...shown].map((each) => toFinding('kind', each)),
    unsure: read.unsure.map((each) => toFinding('kind', each)),
  }
  if (definition === undefined || mistakes.length > 0) return { checked: undefined, mistakes, ...said, test: null, changes: [] }
  const tested = isTested ? await test(read, recorded?.file) : null
  return { checked: check(definition), mistakes, ...said, test: tested, changes: compare(before, definition) }
}

/** Makes a kind file of a document. */
export async function readDocument({ document, ...options }: KindDocument): Promise<ReadDocument> {
  try {
    const { text, entities, leftOut } = await importText(document, options)
    return { file: text, entities, left_out: leftOut }
  } catch (thrown) {
    if (thrown instanceof DocumentError) return { problem: thrown.message }
    throw thrown
  }
}
