/** Keeps in the progress of a walk what it could not read below records, and how it asks lists that fail. */
import type { FerruleError } from 'ferrule'
import type { DayWindow } from './day-windows.ts'
import type { Parent } from './project.ts'
import { addUnread, dropParent, nothingUnread, Pace, type UnreadList } from './unread.ts'
import type { Walking } from './walking.ts'

/** What a walk could not read, by entity. */
export class UnreadNotes {
  readonly #walking: Walking
  readonly #paces = new Map<string, Pace>()

  constructor(walking: Walking) {
    this.#walking = walking
  }

  /** Returns what could not be read of an entity. */
  of(entity: string): UnreadList {
    return this.#walking.progress.unread[entity] ?? nothingUnread
  }

  /** Replaces what could not be read of an entity. */
  set(entity: string, list: UnreadList): void {
    const { progress } = this.#walking
    const { [entity]: _known, ...others } = progress.unread
    const isEmpty = list.units.length + list.more === 0
    this.#walking.progress = { ...progress, unread: isEmpty ? others : { ...others, [entity]: list } }
  }

  /** Notes a parent, or a window of its days, that could not be read, or was passed over without an error. */
  note(entity: string, { error, ...unit }: Parent & { readonly window?: DayWindow; readonly error?: FerruleError }): void {
    const reason = error === undefined ? {} : { error: { code: error.code, message: error.message } }
    const { key, values, record, window } = unit
    const added = { key, values, record, met: true, ...(window === undefined ? {} : { window }), ...reason }
    this.set(entity, addUnread(this.of(entity), added))
  }

  /** Forgets what could not be read of a parent that no longer exists. */
  forget(entity: string, key: string): void {
    this.set(entity, dropParent(this.of(entity), key))
  }

  /** Skips an entity that the vendor says it does not offer. */
  skip(entity: string, { code, message }: FerruleError): void {
    const { progress } = this.#walking
    this.#walking.progress = { ...progress, flawed: { ...progress.flawed, [entity]: { code, message, skipped: true } } }
  }

  /** Returns the pace of the calls of an entity. */
  pace(entity: string): Pace {
    const { task, states } = this.#walking
    const known = this.#paces.get(entity) ?? new Pace(task.clock, states.get(entity)?.flaw?.skipped === true)
    this.#paces.set(entity, known)
    return known
  }

  /** Begins the pace of an entity again, for what is asked for again. */
  renewPace(entity: string): void {
    const { task, progress } = this.#walking
    this.#paces.set(entity, new Pace(task.clock, !progress.reached.includes(entity)))
  }
}
