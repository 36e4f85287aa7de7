/** SQL texts with their values, and the names of texts that come again. */
import { createHash } from 'node:crypto'

/** A value of a statement; arrays become arrays of the database. Numbers beyond int4, decimals and JSON are given as text. */
export type SqlValue = string | number | boolean | null | readonly (string | boolean)[]

/** SQL with its values. */
export interface SearchStatement {
  /** Depends on the text alone: one name always has the same text. */
  readonly name: string
  readonly text: string
  readonly values: readonly SqlValue[]
}

/** Collects the values of a statement while its text is written. */
export class Values {
  readonly list: SqlValue[] = []

  /** Adds a value; answers what stands for it in the text, with its type: `$3::int8`. */
  add(value: SqlValue, type: string): string {
    this.list.push(value)
    return `$${this.list.length}::${type}`
  }
}

/** A statement of a text. */
export const statementOf = (text: string, values: Values): SearchStatement => ({
  name: `cs_${createHash('sha256').update(text).digest('base64url').slice(0, 16)}`,
  text,
  values: values.list,
})

/** Uses of a text before it gets a name, and how many texts are counted. */
const usesBeforeName = 3
const mostCounted = 2000

/**
 * Which statements are prepared under their name. A prepared statement stays in its connection, and searches have any number of
 * texts: only texts that come again get a name, and only so many of them.
 * @param most names that are given out in all
 */
export class StatementNames {
  readonly #most: number
  readonly #named = new Set<string>()
  readonly #uses = new Map<string, number>()

  constructor(most = 256) {
    this.#most = most
  }

  /** The name of a statement that is to be prepared; undefined for one that is to run unnamed. */
  nameOf({ name }: SearchStatement): string | undefined {
    if (this.#named.has(name)) return name
    const uses = (this.#uses.get(name) ?? 0) + 1
    this.#uses.delete(name)
    if (uses >= usesBeforeName && this.#named.size < this.#most) {
      this.#named.add(name)
      return name
    }
    this.#uses.set(name, uses)
    for (const oldest of this.#uses.keys()) {
      if (this.#uses.size <= mostCounted) break
      this.#uses.delete(oldest)
    }
    return undefined
  }
}
