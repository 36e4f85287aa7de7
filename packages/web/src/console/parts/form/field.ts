/** What every field of a form gets. */
import type { Problem } from 'ferrule/core'
import { readHelp } from './help.tsx'
import { printProblemsAt, printProblemsWithin } from './problems.ts'
import type { Schema } from './schema.ts'

/** Props of a field. */
export interface FieldProps {
  readonly label: string
  readonly schema: Schema
  /** undefined: nothing was entered. */
  readonly value: unknown
  /** Receives undefined when the value was removed. */
  readonly onChange: (value: unknown) => void
  /** JSON pointer of the value, as the service names it. */
  readonly at: string
  readonly problems: readonly Problem[]
  readonly isRequired: boolean
  readonly isDisabled: boolean
}

/** Reads the first example of a schema. */
export function readExample({ examples }: Schema): string | undefined {
  return Array.isArray(examples) && examples.length > 0 ? String(examples[0]) : undefined
}

/** Returns the props that all of Mantine's inputs share. */
export const readInputProps = ({ label, schema, at, problems, isRequired, isDisabled }: FieldProps) => ({
  label,
  description: readHelp(schema),
  required: isRequired,
  disabled: isDisabled,
  error: printProblemsWithin(problems, at),
})

/** Returns the sentences about a group of fields itself. */
export const readGroupError = ({ problems, at }: FieldProps): string | undefined => printProblemsAt(problems, at)
