/** SQL statements with their values, and names for recurring statements. */
import { createHash } from 'node:crypto'
import { BoundedMap } from 'ferrule/internal'
import type { Lookup } from './terms.ts'

/** A value of a statement; arrays become SQL arrays. Numbers beyond int4, decimals and JSON are strings. */
export type SqlValue = string | number | boolean | null | readonly (string | boolean)[]

/** SQL with its values. */
export interface SearchStatement {
  /** Derived from the SQL: one name always has the same SQL. */
  readonly name: string
  readonly text: string
  readonly values: readonly SqlValue[]
  /** Words to look up first; `fillLookups` puts them among the values. */
  readonly lookups?: readonly NumberedLookup[]
  /** Index of the value with the number of changes of the listed words (`lookups.ts`). */
  readonly listedAt?: number | undefined
}

/** A lookup with the index of its value. */
export interface NumberedLookup {
  readonly at: number
  readonly lookup: Lookup
}

/** Maximum number of lookups of a statement, which bounds the words that it holds. */
const mostLookups = 100

/** Number of the connector, always the first value of a statement about one connector. */
export const connectorParameter = '$1::int4'

/** SQL of a connector's number, and of the number of changes that its words were looked up at; without the second it is a value of the statement. */
export interface ConnectorSource {
  readonly connector: string
  readonly listed?: string
}

/** What a statement may rely on. */
export interface Reliance {
  /** False to use no words that were looked up. */
  readonly onLookups: boolean
  /** False where a column may have irregular values (`irregularField`). */
  readonly onRegular: boolean
}

/** Collects the values of a statement while its SQL is written, and what the statement relies on. */
export class Values {
  readonly list: SqlValue[] = []
  readonly lookups: NumberedLookup[] = []
  /** Numbers in the term table that must have no entry, see `irregularField`. */
  readonly regular = new Set<number>()
  readonly source: ConnectorSource
  readonly #reliance: Reliance

  constructor(reliance: Reliance = { onLookups: true, onRegular: true }, source: ConnectorSource = { connector: connectorParameter }) {
    this.#reliance = reliance
    this.source = source
  }

  /** Adds a value and returns its placeholder with its type, for example `$3::int8`. */
  add(value: SqlValue, type: string): string {
    this.list.push(value)
    return `$${this.list.length}::${type}`
  }

  /** Adds the words that a lookup will find, and returns their placeholder; undefined where the statement must do without. */
  addLookup(lookup: Lookup): string | undefined {
    if (!this.#reliance.onLookups || this.lookups.length >= mostLookups) return undefined
    this.lookups.push({ at: this.list.length, lookup })
    return this.add([], 'text[]')
  }

  /** Returns whether the statement relies on a column without irregular values; it is then true for this connector or found out. */
  isRegular(field: number): boolean {
    if (this.#reliance.onRegular) this.regular.add(field)
    return this.#reliance.onRegular
  }
}

/** Builds a statement. */
export const buildStatement = (text: string, values: Values): SearchStatement => ({
  name: `cs_${createHash('sha256').update(text).digest('base64url').slice(0, 16)}`,
  text,
  values: values.list,
  lookups: values.lookups,
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
  readonly #uses = new BoundedMap<string, number>(mostCounted)

  constructor(most = 256) {
    this.#most = most
  }

  /** Counts a use of a statement. Returns its name, or undefined to run it unnamed. */
  takeName({ name }: SearchStatement): string | undefined {
    if (this.#named.has(name)) return name
    const uses = (this.#uses.get(name) ?? 0) + 1
    if (uses < usesBeforeName || this.#named.size >= this.#most) {
      this.#uses.set(name, uses)
      return undefined
    }
    this.#uses.delete(name)
    this.#named.add(name)
    return name
  }
}
