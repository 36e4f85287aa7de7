/** Types of columns as both databases give and take them. */
import type { ColumnType } from 'kysely'

/** A boolean, which SQLite stores as 0 and 1. */
export type Flag = ColumnType<boolean | number, boolean, boolean>
/** Bytes: a Buffer from PostgreSQL, a Uint8Array from SQLite. */
export type Bytes = ColumnType<Uint8Array, Uint8Array, Uint8Array>
/** Bytes of a column that can be null. */
export type NullableBytes = ColumnType<Uint8Array | null, Uint8Array | null, Uint8Array | null>
/** Text of a column that an insert may leave out. */
export type OptionalText = ColumnType<string | null, string | null | undefined, string | null>
/** Milliseconds since 1970. */
export type Moment = number
