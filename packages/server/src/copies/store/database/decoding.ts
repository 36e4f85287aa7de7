/** Encodes and decodes values for both databases by one rule, on PostgreSQL's text format. */
import type pg from 'pg'
import type { Value } from './database.ts'

type Decoder = (text: string) => string | number | bigint | boolean

const keepText: Decoder = (text) => text

/**
 * Decoders by object id of the type (`pg_type.dat`): `bool`, `int8`, `int2`, `int4`, `oid`, `float4`, `float8`. Everything else stays a
 * string, JSON included.
 */
const byType: Readonly<Record<number, Decoder>> = {
  16: (text) => text === 't',
  20: BigInt,
  21: Number,
  23: Number,
  26: Number,
  700: Number,
  701: Number,
}

/** Type parsers for the driver. */
export const decoders: pg.CustomTypesConfig = { getTypeParser: (type: number) => byType[type] ?? keepText }

/** Encodes values for the driver. */
export const encodeValues = (values: readonly Value[]): unknown[] =>
  values.map((value) => (typeof value === 'bigint' ? String(value) : value))
