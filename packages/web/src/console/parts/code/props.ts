/** What the editor shows and reports. */
import type { Language } from './languages.ts'

/** What is wrong at a place of the text. */
export interface EditorProblem {
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 code units. */
  readonly column: number
  readonly message: string
}

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
  /** Places that are underlined, with a sentence each. */
  readonly problems?: readonly EditorProblem[]
  /** Shown while the text is empty. */
  readonly hint?: string
  readonly isReadOnly?: boolean
  /** true: the editor takes the focus when it appears. */
  readonly hasFocus?: boolean
}
