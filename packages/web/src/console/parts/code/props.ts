/** What the editor shows and reports. */
import type { Problem } from 'ferrule/core'
import type { Language } from './languages.ts'

/** What is wrong at a line and column of the text. */
export interface EditorProblem {
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 code units. */
  readonly column: number
  readonly message: string
  /** What can be right, but often is not; left out: a mistake. */
  readonly isDoubt?: boolean
}

/** Returns the problems that name a line and column. */
export const toEditorProblems = (problems: readonly Pick<Problem, 'line' | 'column' | 'message'>[]): readonly EditorProblem[] =>
  problems.flatMap(({ line, column, message }) => (line === undefined || column === undefined ? [] : [{ line, column, message }]))

/** What the editor shows and reports. Label, language and hint stay what they were at first; give another `key` for others. */
export interface CodeEditorProps {
  /** Name of the control, for readers of the screen. */
  readonly label: string
  readonly language: Language
  readonly value: string
  /** Receives the text after each change. The caller gives it back as `value`. */
  readonly onChange?: (text: string) => void
  /** Runs on Ctrl or Command with Enter. */
  readonly onSubmit?: (() => void) | undefined
  readonly problems?: readonly EditorProblem[]
  /** Shown while the text is empty. */
  readonly hint?: string
  /** Place that the cursor goes to; another object goes there again. */
  readonly place?: Pick<EditorProblem, 'line' | 'column'> | undefined
}
