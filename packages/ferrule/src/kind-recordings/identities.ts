/**
 * What stands for whom in a file of recordings, over all its recordings. It is kept apart from the file, on the machine that records, and has
 * keyed digests instead of what was replaced.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { isObject } from '../definition/object.ts'
import { readJson, writeJson } from '../values/json/json.ts'

/** Shortest invented value that is looked for in the file: shorter ones stand everywhere. */
const shortest = 6

/** The invented values of one file. */
export class Identities {
  readonly #key: string
  readonly #to: Map<string, string>
  readonly #file: string

  /**
   * @param kept what `toText` returned for the same file; undefined for a file that is new on this machine
   * @param file the text of the file, whose invented values stand for somebody already
   */
  constructor(kept: string | undefined, file: string) {
    const { key, to } = parseKept(kept)
    this.#key = key ?? randomBytes(32).toString('base64url')
    this.#to = new Map(to)
    this.#file = file
  }

  #digest(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url').slice(0, 22)
  }

  /** Finds what stands for a text; undefined if nothing does. */
  find(text: string): string | undefined {
    return this.#to.get(this.#digest(text))
  }

  /** Returns whether an invented value stands for something else already. */
  isTaken(invented: string): boolean {
    return invented.length >= shortest && (this.#file.includes(invented) || [...this.#to.values()].includes(invented))
  }

  keep(text: string, invented: string): void {
    this.#to.set(this.#digest(text), invented)
  }

  toText(): string {
    return `${writeJson({ key: this.#key, to: Object.fromEntries(this.#to) })}\n`
  }
}

/** Reads what was kept. What cannot be read is as if nothing was kept. */
function parseKept(text: string | undefined): { readonly key?: string; readonly to: readonly (readonly [string, string])[] } {
  try {
    const value: unknown = text === undefined ? undefined : readJson(text)
    if (!isObject(value) || typeof value['key'] !== 'string' || !isObject(value['to'])) return { to: [] }
    const to = Object.entries(value['to']).flatMap(([digest, each]) => (typeof each === 'string' ? [[digest, each] as const] : []))
    return { key: value['key'], to }
  } catch {
    return { to: [] }
  }
}
