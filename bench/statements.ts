/** What the benchmark of results in parts asks for, and how it counts what comes. */
import { snowflakeCredentials as known } from '../packages/sandbox/src/index.ts'

/** The documented token of the sandbox. */
export const { token } = known
/** The documented context. */
export const configuration = { account: known.account, database: known.database, warehouse: known.warehouse, role: known.role }

/** A statement with so many rows of about 110 bytes, numbered from 0. */
export const statementOf = (rows: number): string =>
  `SELECT SEQ8() AS N, 'customer number ' || SEQ8() AS NAME, SEQ8() * 7919 AS AMOUNT, 'a note of some length that says something about it' AS NOTE,
    NULL AS NOTHING, TRUE AS FLAG FROM TABLE(GENERATOR(ROWCOUNT => ${rows}))`

/** Rows that came, and the sum of their numbers. */
export interface Counted {
  readonly rows: number
  readonly sum: number
}

/** Counts rows by the number in their first cell. */
export function counter(): { readonly count: (number: string | null | undefined) => void; readonly counted: () => Counted } {
  let rows = 0
  let sum = 0
  return {
    count: (number) => {
      rows += 1
      sum += Number(number)
    },
    counted: () => ({ rows, sum }),
  }
}

/** Returns whether each of so many rows came once. */
export const isWhole = ({ rows, sum }: Counted, wanted: number): boolean => rows === wanted && sum === (wanted * (wanted - 1)) / 2
