/** `kind test`: kinds against their recordings. */
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fail } from '../../errors.ts'
import type { Recordings, TestReport } from '../../kind-recordings/index.ts'
import type { CommandContext } from '../context.ts'
import { failUsage, readErrorCode } from '../failure.ts'

/** Reads the recordings of a kind. @throws FerruleError `validation_failed` without a file; `definition_invalid` with its mistakes */
async function openRecordings(path: string): Promise<Recordings> {
  const { loadRecordings } = await import('../../kind-recordings/index.ts')
  return loadRecordings(path).catch((thrown: unknown) => {
    if (readErrorCode(thrown) !== 'ENOENT') throw thrown
    throw failUsage(
      `There is no file ${path}.`,
      'Write recordings by hand, as docs/writing-kinds.md says, or run ferrule kind try with --record.',
    )
  })
}

const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`

/** Says what a test proves. */
function describeReport({ calls, requests, live }: TestReport, failures: number, notes: number): string {
  return [
    `${count(calls, 'call')} with ${count(requests, 'request')}, ${live} of them live: ${count(failures, 'failure')}, ${count(notes, 'note')}.`,
    'Equal requests count as regression only: the kind does what it did, and nobody asked the vendor.',
  ].join('\n')
}

/**
 * Prints what is wrong with a kind or its recordings.
 * @throws FerruleError `definition_invalid` if there are failures
 */
export async function testRecordings({ args: [path = ''], output, note }: CommandContext): Promise<void> {
  const [{ readKind }, { failMistakes }] = await Promise.all([import('../../kind-file/index.ts'), import('../../kind-file/mistakes.ts')])
  const { findRecordingsPath, testKind } = await import('../../kind-recordings/index.ts')
  const { definition, mistakes, findPlace } = await readKind(await readFile(path, 'utf8'), { name: basename(path) })
  if (definition === undefined) throw failMistakes(mistakes)
  const beside = findRecordingsPath(path)
  const files = { kind: basename(path), recordings: basename(beside), findPlace }
  const report = await testKind({ definition, rules: {} }, await openRecordings(beside), files)
  const failures = report.findings.filter(({ is }) => is === 'failure').length
  await output.rows([report.findings.map(({ file, line, column, is, call, message }) => ({ file, line, column, is, call, message }))])
  note(describeReport(report, failures, report.findings.length - failures))
  if (failures > 0) throw fail('definition_invalid', { reason: `${count(failures, 'failure')} in ${path}` })
}
