/** Recordings of kinds: what a vendor answers, kept in a file beside the kind's (docs/decisions/kind-files.md). */
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { failMistakes } from '../kind-file/mistakes.ts'
import { readRecordings } from './read-recordings.ts'
import type { Recordings } from './recording.ts'

export { findRecordingsPath } from '../values/kind-files.ts'
export { checkUploadedRecordings, type TestReport, testKind } from './check-kind.ts'
export { listRecordedDoubts } from './doubts.ts'
export type { Finding, TestedFiles } from './findings.ts'
export { Identities } from './identities.ts'
export { type ReadRecordings, readRecordings } from './read-recordings.ts'
export { addRecording, type BuiltRecording, buildRecording, type MadeCall, makeCall, PastedVendor } from './record.ts'
export {
  type Exchange,
  nameRecording,
  type Pairs,
  type RecordedAnswer,
  type RecordedRequest,
  type Recording,
  type Recordings,
} from './recording.ts'
export { catchRequest } from './replay.ts'
export { createReplayConnection, listSecretHeaders, listSecretQuery } from './replay-connection.ts'

/**
 * Reads recordings from a file of this machine.
 * @throws FerruleError `kind_invalid` with all mistakes, each with its place; the errors of Node for a file that cannot be read
 */
export const loadRecordings = async (path: string): Promise<Recordings> => parseRecordings(await readFile(path, 'utf8'), basename(path))

/**
 * Reads recordings from their text.
 * @param name of the file, for mistakes
 * @throws FerruleError `kind_invalid` with all mistakes, each with its place
 */
export async function parseRecordings(text: string, name = 'recordings'): Promise<Recordings> {
  const { file, mistakes } = await readRecordings(text, { name })
  if (file === undefined) throw failMistakes(mistakes)
  return file
}
