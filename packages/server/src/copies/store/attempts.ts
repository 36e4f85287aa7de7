/** Repeats a write that the database refused for a reason that the store can remove. */
import { readErrorCode } from '../../db/connections/problems.ts'
import { indexRules } from './indexes/types.ts'

/** SQLSTATE of a row whose key exists. */
const keyExists = '23505'

/** A write and its remedies. */
export interface Writing<T> {
  /** True where the database takes COPY. */
  readonly mayCopy: boolean
  /** Runs the write in a transaction. */
  write(canCopy: boolean): Promise<T>
  /** Drops indexes that a value is too long for. Returns true when the write is worth a retry. */
  dropBlocking(thrown: unknown): Promise<boolean>
}

/**
 * Writes, and tries again without COPY where a row exists that the counts left out, or without an index that refuses a value.
 * @throws what the last attempt threw
 */
export async function writeInAttempts<T>({ mayCopy, write, dropBlocking }: Writing<T>): Promise<T> {
  let canCopy = mayCopy
  // An entity has at most so many indexes; another attempt does without COPY.
  for (let left = indexRules.mostOfEntity + 1; ; left -= 1) {
    try {
      return await write(canCopy)
    } catch (thrown) {
      const isRefusedCopy = canCopy && readErrorCode(thrown) === keyExists
      if (isRefusedCopy) canCopy = false
      else if (left <= 0 || !(await dropBlocking(thrown))) throw thrown
    }
  }
}
