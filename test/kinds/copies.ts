/** Copies of kinds that ship, in memory. */
import type { ConnectorDefinition } from '../../packages/ferrule/src/definition/connector.ts'
import { createEngine } from '../../packages/ferrule/src/engine/call/execute.ts'
import type { Connection } from '../../packages/ferrule/src/engine/connection.ts'
import { RawRows } from '../../packages/ferrule/src/engine/json/raw-rows.ts'
import type { LoadedKind } from '../../packages/ferrule/src/kind-file/index.ts'
import type { Ask } from '../../packages/server/src/copies/sync/walk/types.ts'
import { syncConnector } from '../context/sync-connector.ts'
import { StoreDouble } from '../context/sync-double.ts'
import { fixed } from '../engine/support.ts'
import { at, type Row, type Vendor } from './stand-ins/shared.ts'
import type { CopySubject, Subject } from './subjects.ts'

const connector = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'

/** Calls the vendor as a sync does. */
function askOf(connection: Connection, engine: ReturnType<typeof createEngine>): Ask {
  return async (call) => {
    const outcome = await engine.run(connection, { ...call, deadlineMs: 60_000, background: true })
    if (outcome.type === 'file') throw new Error('a file is no page')
    if (outcome.type === 'record') return { rows: [outcome.data], next: null }
    const { data, meta, hidden, doubt } = outcome
    const token = 'token' in outcome ? { token: outcome.token as string | undefined } : {} // the vendor's word
    const next = meta['next_params']
    const rows = data instanceof RawRows ? data.toJSON() : data
    return { rows, next: typeof next === 'object' && next !== null ? { ...next } : null, hidden, doubt, ...token }
  }
}

/** A copy of a connector, in memory. */
export class Copy {
  readonly store: StoreDouble
  readonly #vendor: Vendor
  readonly #definition: ConnectorDefinition
  readonly #engine = createEngine({ limits: false })
  readonly #ask: Ask
  readonly #wanted: ReadonlySet<string>

  constructor(subject: Subject, vendor: Vendor, definition: ConnectorDefinition) {
    this.#vendor = vendor
    this.#definition = definition
    this.store = new StoreDouble(definition.entities)
    this.store.clock = Date.now
    const { credentials, config: configuration = {} } = subject
    const kind = { definition, rules: {} }
    const connection = { kind, configuration, credentials: fixed(credentials), origin: { api: vendor.origin }, cursorKey: Buffer.alloc(32) }
    this.#ask = askOf(connection, this.#engine)
    this.#wanted = new Set(subject.copies.flatMap(({ entity, needs = [] }) => [entity, ...needs]))
  }

  async run(mode: 'incremental' | 'full' = 'incremental'): Promise<Record<string, string>> {
    const { entities } = await syncConnector({
      ...{ kind: { definition: this.#definition, rules: {} }, connector, configuration: {}, store: this.store, ask: this.#ask },
      ...{ wanted: (entity: string) => this.#wanted.has(entity), mode, fullEvery: 7 * 86_400_000, clock: Date.now },
      signal: new AbortController().signal,
    })
    return Object.fromEntries(
      entities.map(({ entity, state, error }) => [entity, error === undefined ? state : `${state} ${error.message}`]),
    )
  }

  /** Keys that the copy lacks, those that it has too many, and those with old values; `vanished` ones may stay. */
  compare({ entity, holds, only = () => true, key = keyById, shows = (row) => row, compared }: CopySubject) {
    const rows = new Map(
      this.#vendor
        .holds(holds)
        .filter(only)
        .map((row) => [key(row), shows(row)]),
    )
    const vanished = new Set(this.#vendor.vanished.map(key))
    const copied = new Map([...this.store.shelf(entity).rows.values()].map(({ fields }) => [key(fields), fields]))
    const isOld = ([one, row]: readonly [string, Row]) =>
      compared.some((path) => copied.has(one) && String(at(copied.get(one), path) ?? null) !== String(at(row, path) ?? null))
    return {
      lost: [...rows.keys()].filter((one) => !copied.has(one)),
      more: [...copied.keys()].filter((one) => !rows.has(one) && !vanished.has(one)),
      kept: [...copied.keys()].filter((one) => vanished.has(one)).length,
      old: [...rows].filter(isOld).map(([one]) => one),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine.close()
  }
}

const keyById = ({ id }: Row): string => String(id)
/** What a comparison finds if nothing differs. */
export const equal = { lost: [], more: [], old: [] }

/** Returns what starts the vendor that a copy needs. */
export const startFor = ({ start, startLarge = start }: Subject, { isSmall }: CopySubject) => (isSmall ? start : startLarge)

/** Opens a copy of one entity. */
export async function openCopy(subject: Subject, copy: CopySubject, { vendor, kind }: { vendor: Vendor; kind: LoadedKind }): Promise<Copy> {
  await vendor.listen()
  const { definition } = kind
  return new Copy({ ...subject, copies: [copy] }, vendor, definition)
}
