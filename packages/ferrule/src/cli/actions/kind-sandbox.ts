/** `kind sandbox`: plays the vendor of a kind file on this machine. */
import { setTimeout as wait } from 'node:timers/promises'
import { type CommandContext, readFlag, readNumber, whenAborted } from '../context.ts'
import { nameVariable } from '../target/local.ts'
import { openRecordings } from './recordings.ts'

/**
 * Plays the vendor until a signal comes, or the time of `--timeout` is over.
 * @throws FerruleError `kind_invalid` with all mistakes; `validation_failed` without recordings; the listen error of Node
 */
export async function serveSandbox({ args: [path = ''], options, output, note, signal, deadlineMs }: CommandContext): Promise<void> {
  const [{ loadKind }, { findRecordingsPath, startStandIn }] = await Promise.all([
    import('../../kind-file/index.ts'),
    import('../../stand-in/index.ts'),
  ])
  const { definition } = await loadKind(path)
  const recordings = await openRecordings(findRecordingsPath(path))
  const { origin, close } = await startStandIn(definition, recordings, {
    port: readNumber(options, 'port') ?? 0,
    limits: readFlag(options, 'limits'),
  })
  await output.value({ kind: definition.kind, origin })
  note(`${nameVariable(definition.kind, 'origin')}=${origin} sends calls of this command here. Ctrl+C ends it.`)
  await (deadlineMs === undefined ? whenAborted(signal) : wait(deadlineMs, undefined, { signal }).catch(() => undefined))
  await close()
}
