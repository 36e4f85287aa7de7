/** Mistakes of kind files: each has its place, says what is wrong, and shows what to write. */
import { type FerruleError, fail } from '../errors.ts'
import { countEdits, findNearNames } from '../values/near-names.ts'

/** A place in a file, from 1. The column counts UTF-16 code units. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** One mistake, or one doubt: what can be right, but often is not. */
export interface Mistake extends Place {
  readonly file: string
  /** Where in the tree of the file: `entities.issues.list`. Empty for the whole file. */
  readonly path: string
  readonly message: string
  /** The valid word that is most like the wrong one. */
  readonly near?: string
  /** What a right file has there. */
  readonly example?: string
}

/** What a check says beside the place. */
export type Said = Pick<Mistake, 'message' | 'near' | 'example'>

/** Says that a word is not one of the valid ones, and names the nearest. */
export function sayUnknown(what: string, wrong: string, valid: readonly string[]): Said {
  const [near] = findNearNames(wrong, valid)
  const shown = valid.length <= 12 ? `; valid: ${valid.join(', ') || 'none'}` : ''
  return { message: `${wrong} is not ${what}${near === undefined ? shown : ''}`, ...(near === undefined ? {} : { near }) }
}

/** Finds a word that a text misses by one letter, for texts that can be right as they are. */
export const findNearWord = (text: string, words: readonly string[]): string | undefined =>
  words.includes(text) || text.length < 3 ? undefined : words.find((each) => countEdits(each.toLowerCase(), text.toLowerCase()) === 1)

/** Writes a mistake as one line. */
export function formatMistake({ file, line, column, path, message, near, example }: Mistake): string {
  const meant = near === undefined ? '' : `; did you mean ${near}?`
  const shown = example === undefined ? '' : `${near === undefined ? '.' : ''} Example: ${example}`
  return `${file}:${line}:${column} ${path === '' ? '' : `${path}: `}${message}${meant}${shown}`
}

/** Makes the error of a wrong kind, or of wrong recordings. */
export const failMistakes = (mistakes: readonly Mistake[]): FerruleError =>
  fail(
    'kind_invalid',
    { reason: mistakes.map(formatMistake).join('\n') },
    {
      errors: mistakes.map(({ path, message, line, column }) => ({
        field: path === '' ? '' : `/${path.replaceAll('.', '/')}`,
        message,
        error_code: 'definition',
        line,
        column,
      })),
    },
  )
