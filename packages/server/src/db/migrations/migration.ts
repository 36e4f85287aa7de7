/** Defines the shape of a migration. */

/** Column types that differ between the databases. */
export interface ColumnTypes {
  readonly id: string
  readonly text: string
  readonly bytes: string
  /** 64-bit integer: milliseconds since 1970, or a counter. */
  readonly moment: string
  /** Several of these. SQLite has no such type, and leaves the column empty. */
  readonly moments: string
  readonly flag: string
  /** Text after a table's closing parenthesis. */
  readonly end: string
}
/** One step of the schema. Released steps never change. */
export interface Migration {
  readonly version: number
  readonly statements: (types: ColumnTypes) => readonly string[]
}
