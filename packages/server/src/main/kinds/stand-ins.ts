/** Stand-ins of kinds with recordings. Nothing is read or listens before a connector in the sandbox calls one. */
import { asFerruleError, fail, readSlug } from 'ferrule/internal'
import type { StandIn } from 'ferrule/stand-in'
import type { ServedKind } from '../../connectors/connector-types.ts'
import { hasRecordings } from '../../connectors/kinds.ts'

/** Most stand-ins of kinds of organizations; the one that was asked for least recently ends. */
const mostOwn = 20

/** The stand-ins of one process. */
export class StandIns {
  readonly #started = new Map<string, Promise<StandIn>>()

  /**
   * Returns the address of a stand-in, which listens on this machine only; undefined for a kind without recordings.
   * @throws FerruleError `definition_invalid` for recordings with mistakes; the errors of Node for a file that cannot be read
   */
  async find(kind: ServedKind): Promise<string | undefined> {
    if (!hasRecordings(kind)) return undefined
    const name = kind.own === undefined ? String(kind.recordings) : `${ownNames}${kind.own.id} ${kind.own.version}`
    const started = this.#started.get(name) ?? start(kind)
    this.#started.delete(name) // the last one of the map was asked for last
    this.#started.set(name, started)
    started.catch(() => this.#started.delete(name)) // the operator can mend the file while the service runs
    if (kind.own !== undefined) this.#endSurplus()
    return (await started).origin
  }

  async close(): Promise<void> {
    for (const started of await Promise.allSettled(this.#started.values())) if (started.status === 'fulfilled') await started.value.close()
    this.#started.clear()
  }

  #endSurplus(): void {
    const own = [...this.#started].filter(([name]) => name.startsWith(ownNames))
    for (const [name, started] of own.slice(0, -mostOwn)) {
      this.#started.delete(name)
      void started.then((standIn) => standIn.close()).catch(() => undefined)
    }
  }
}

const ownNames = 'own '

/** Whoever makes a connector has not written the recordings. @throws what it is given, or FerruleError `definition_invalid` */
function blameService(thrown: unknown): never {
  const { code, message } = asFerruleError(thrown)
  throw code === 'kind_invalid' ? fail('definition_invalid', { reason: message }, { cause: thrown }) : thrown
}

async function start({ definition, recordings = '', own }: ServedKind): Promise<StandIn> {
  const { loadRecordings, parseRecordings, startStandIn } = await import('ferrule/stand-in')
  const text = await own?.readRecordings?.()
  const played = await (text === undefined ? loadRecordings(recordings) : parseRecordings(text)).catch(blameService)
  return startStandIn({ ...definition, kind: readSlug(definition.kind) }, played)
}
