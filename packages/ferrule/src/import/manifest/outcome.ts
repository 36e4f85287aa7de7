/** What the reading of a manifest found, beside the file. */

/** The eight soft properties: a kind leaves them out, and its records are the same or more. */
export const softWords = {
  derived: 'fields that the platform computes and adds to records',
  removed: 'fields that the platform removes from records, or values that it converts',
  windows: 'windows of time, by which the platform cuts a list into several calls',
  repeats: 'rules for failed calls beside the statuses, such as waits and numbers of attempts',
  filters: 'filters by time that the platform applies to what it has read already',
  times: 'times in a form that kinds do not write: the list is read whole',
  starts: 'the first and the last day of what is read: the first run reads everything',
  sizes: 'sizes of pages that an account chooses',
} as const
/** Name of a soft property. */
export type SoftWord = keyof typeof softWords

/** Why a stream, or the whole manifest, cannot be said. */
export interface Reason {
  /** The reason without names of this manifest, so that equal reasons can be counted. */
  readonly what: string
  /** The expression or the name. */
  readonly detail?: string
}

/** Says a reason in one line. */
export const sayReason = ({ what, detail }: Reason): string => {
  const line = (detail ?? '').replace(/\s+/g, ' ').trim()
  return line === '' ? what : `${what}: ${line.length > 160 ? `${line.slice(0, 160)}…` : line}`
}

/** What one stream, or the connection of all, leaves to say. */
export class Notes {
  readonly reasons: Reason[] = []
  readonly soft = new Map<SoftWord, string>()
  /** Path within the entity, or within the file → guessed, or not said. */
  readonly unsure = new Map<string, 'guessed' | 'not said'>()

  /** Notes that something cannot be said. */
  stop(what: string, detail?: string): undefined {
    if (!this.reasons.some((one) => one.what === what && one.detail === detail))
      this.reasons.push(detail === undefined ? { what } : { what, detail })
    return undefined
  }

  /** Notes a soft property that is left out. */
  leave(word: SoftWord, detail: string): void {
    if (!this.soft.has(word)) this.soft.set(word, detail)
  }

  /** Notes that a part of the file is guessed, or that the manifest does not say it. */
  doubt(path: string, is: 'guessed' | 'not said'): void {
    this.unsure.set(path, is)
  }
}
