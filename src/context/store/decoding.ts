/** How values of both databases are written and decoded: one rule, on the text form that PostgreSQL sends. */
import type pg from 'pg'
import type { Value } from './database.ts'

type Decoder = (text: string) => string | number | bigint | boolean

const asText: Decoder = (text) => text

/** By the type's object id (`pg_type.dat`): `bool`, `int8`, `int2`, `int4`, `oid`, `float4`, `float8`. Everything else stays text, JSON too. */
const byType: Readonly<Record<number, Decoder>> = {
  16: (text) => text === 't',
  20: BigInt,
  21: Number,
  23: Number,
  26: Number,
  700: Number,
  701: Number,
}

/** The rule for the driver. */
export const decoders: pg.CustomTypesConfig = { getTypeParser: (type: number) => byType[type] ?? asText }

/** Values as the driver takes them. */
export const bound = (values: readonly Value[]): unknown[] => values.map((value) => (typeof value === 'bigint' ? String(value) : value))
