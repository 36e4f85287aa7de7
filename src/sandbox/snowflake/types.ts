import type { Token } from './lexer.ts'
import { closing, is, isName, isWord } from './lexer.ts'

/** How the engine keeps the vendor's TIMESTAMP_TZ: the instant and the offset in minutes. */
export const zonedType = 'STRUCT(instant$ TIMESTAMP_NS, offset$ SMALLINT)'

/** The vendor's names of types, and the engine's. Precision and length are kept for decimals only. */
const names: Readonly<Record<string, string>> = {
  NUMBER: 'DECIMAL',
  DECIMAL: 'DECIMAL',
  NUMERIC: 'DECIMAL',
  INT: 'HUGEINT',
  INTEGER: 'HUGEINT',
  BIGINT: 'HUGEINT',
  SMALLINT: 'HUGEINT',
  TINYINT: 'HUGEINT',
  BYTEINT: 'HUGEINT',
  FLOAT: 'DOUBLE',
  FLOAT4: 'DOUBLE',
  FLOAT8: 'DOUBLE',
  DOUBLE: 'DOUBLE',
  REAL: 'DOUBLE',
  STRING: 'VARCHAR',
  TEXT: 'VARCHAR',
  VARCHAR: 'VARCHAR',
  CHAR: 'VARCHAR',
  CHARACTER: 'VARCHAR',
  BINARY: 'BLOB',
  VARBINARY: 'BLOB',
  BOOLEAN: 'BOOLEAN',
  DATE: 'DATE',
  TIME: 'TIME',
  DATETIME: 'TIMESTAMP',
  TIMESTAMP: 'TIMESTAMP',
  TIMESTAMP_NTZ: 'TIMESTAMP',
  TIMESTAMP_LTZ: 'TIMESTAMPTZ',
  TIMESTAMP_TZ: zonedType,
  VARIANT: 'JSON',
  OBJECT: 'MAP(VARCHAR, JSON)',
  ARRAY: 'JSON[]',
  GEOGRAPHY: 'VARCHAR',
  GEOMETRY: 'VARCHAR',
}

/** A type in a statement. */
export interface FoundType {
  /** The vendor's name. */
  readonly name: string
  /** The engine's type. */
  readonly sql: string
  /** Position after it. */
  readonly next: number
}

/**
 * The type that is written at a position.
 *
 * @param tokens - of a statement
 * @param index - where the name of the type is
 */
export function typeAt(tokens: readonly Token[], index: number): FoundType | undefined {
  const word = tokens[index]
  const known = word?.kind === 'word' ? names[word.text] : undefined
  if (word === undefined || known === undefined) return undefined
  const open = isWord(tokens[index + 1], 'PRECISION', 'VARYING') ? index + 2 : index + 1
  const bare = known === 'DECIMAL' ? 'HUGEINT' : known
  if (!is(tokens[open], '(')) return { name: word.text, sql: bare, next: open }
  const close = closing(tokens, open)
  const size = tokens.slice(open, close + 1).map((token) => token.text)
  return { name: word.text, sql: known === 'DECIMAL' ? `DECIMAL${size.join('')}` : known, next: close + 1 }
}

/** Replaces the types of columns in CREATE TABLE and ALTER TABLE: a type follows a name. */
export function withColumnTypes(tokens: readonly Token[]): readonly Token[] {
  const made: Token[] = []
  for (let index = 0; index < tokens.length; ) {
    const token = tokens[index]
    if (!token) break
    const type = isName(tokens[index - 1]) && !isWord(tokens[index - 1], 'AS', 'DEFAULT') ? typeAt(tokens, index) : undefined
    made.push(type ? { ...token, kind: 'sql', text: type.sql } : token)
    index = type ? type.next : index + 1
  }
  return made
}
