/** Stand-ins of kinds with recordings. Nothing is read or listens before a connector in the sandbox calls one. */
import type { StandIn } from 'ferrule/stand-in'
import type { ServedKind } from '../../connectors/served-kind.ts'

/** The stand-ins of one process. */
export class StandIns {
  readonly #started = new Map<string, Promise<StandIn>>()

  /**
   * Returns the address of a stand-in, which listens on this machine only; undefined for a kind without recordings.
   * @throws FerruleError `definition_invalid` for recordings with mistakes; the errors of Node for a file that cannot be read
   */
  async find({ definition, recordings }: ServedKind): Promise<string | undefined> {
    if (recordings === undefined) return undefined
    const started = this.#started.get(recordings) ?? start(definition, recordings)
    this.#started.set(recordings, started)
    started.catch(() => this.#started.delete(recordings)) // the operator can mend the file while the service runs
    return (await started).origin
  }

  /** Ends all of them. */
  async close(): Promise<void> {
    for (const started of await Promise.allSettled(this.#started.values())) if (started.status === 'fulfilled') await started.value.close()
    this.#started.clear()
  }
}

async function start(definition: ServedKind['definition'], recordings: string): Promise<StandIn> {
  const { loadRecordings, startStandIn } = await import('ferrule/stand-in')
  return startStandIn(definition, await loadRecordings(recordings))
}
