/** A form for a JSON Schema: parameters of an operation, or configuration and credentials of a kind. */
import { Text } from '@mantine/core'
import type { Problem } from 'ferrule/core'
import { Properties } from './group-fields.tsx'
import { readProperties, type Schema } from './schema.ts'

/** What the form shows. */
export interface SchemaFormProps {
  /** Schema of an object. */
  readonly schema: Schema
  readonly value: Schema
  readonly onChange: (value: Schema) => void
  /** JSON pointer of the value, as the service names it in problems, such as `/params`. */
  readonly at?: string
  /** `errors` of the error that the service answered; each is shown at its field. */
  readonly problems?: readonly Problem[]
  readonly isDisabled?: boolean
  /** Names of properties that cannot be changed. */
  readonly locked?: readonly string[]
  /** Says that there is nothing to enter. */
  readonly none?: string
}

/** Shows the fields. The form element with its button is the caller's, so that Enter submits. */
export function SchemaForm({ schema, at = '', problems = [], isDisabled = false, none = 'Nothing to enter.', ...value }: SchemaFormProps) {
  if (readProperties(schema).length === 0)
    return (
      <Text size="sm" c="dimmed">
        {none}
      </Text>
    )
  return <Properties schema={schema} at={at} problems={problems} isDisabled={isDisabled} {...value} />
}
