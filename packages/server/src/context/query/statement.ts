/** SQL statements with their values, and names for recurring statements. */
import { createHash } from 'node:crypto'

/** A value of a statement; arrays become SQL arrays. Numbers beyond int4, decimals and JSON are strings. */
export type SqlValue = string | number | boolean | null | readonly (string | boolean)[]

/** SQL with its values. */
export interface SearchStatement {
  /** Derived from the SQL: one name always has the same SQL. */
  readonly name: string
  readonly text: string
  readonly values: readonly SqlValue[]
  /** See `Statement.hasOnePlan` of the database. */
  readonly hasOnePlan?: boolean
}

/** Collects the values of a statement while its SQL is written. */
export class Values {
  readonly list: SqlValue[] = []

  /** Adds a value and returns its placeholder with its type, for example `$3::int8`. */
  add(value: SqlValue, type: string): string {
    this.list.push(value)
    return `$${this.list.length}::${type}`
  }
}

/** Builds a statement. */
export const buildStatement = (text: string, values: Values): SearchStatement => ({
  name: `cs_${createHash('sha256').update(text).digest('base64url').slice(0, 16)}`,
  text,
  values: values.list,
})

/** Uses of a statement before it gets a name, and statements that are counted. */
const usesBeforeName = 3
const mostCounted = 2000

/**
 * Decides which statements are prepared under a name. A prepared statement stays in its connection, and the number of different searches
 * is unbounded. So only recurring statements get a name, up to a limit.
 * @param most maximum number of names
 */
export class StatementNames {
  readonly #most: number
  readonly #named = new Set<string>()
  readonly #uses = new Map<string, number>()

  constructor(most = 256) {
    this.#most = most
  }

  /** Counts a use of a statement. Returns its name, or undefined to run it unnamed. */
  takeName({ name }: SearchStatement): string | undefined {
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
