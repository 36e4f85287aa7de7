/** Fields for the credentials of a kind. */
import { NativeSelect, Stack } from '@mantine/core'
import type { Problem } from 'ferrule/core'
import type { DefinitionRecord } from 'ferrule/wire'
import type { Schema } from '../form/schema.ts'
import { SchemaForm } from '../form/schema-form.tsx'
import { bindValue } from '../form/text-entry.ts'

type Scheme = DefinitionRecord['credentials'][number]

/** Finds the scheme of a name, else the first one. */
export const findScheme = ({ credentials }: DefinitionRecord, name: string | undefined): Scheme | undefined =>
  credentials.find(({ scheme }) => scheme === name) ?? credentials[0]

/** What the fields get. */
export interface CredentialFieldsProps {
  readonly kind: DefinitionRecord
  /** Name of the scheme; undefined: the first one. */
  readonly scheme: string | undefined
  readonly onScheme: (scheme: string) => void
  readonly value: Schema
  readonly onChange: (value: Schema) => void
  readonly problems: readonly Problem[]
  /** true: no field is required, because the service keeps what it has. */
  readonly isPartial?: boolean
}

/** Shows the choice of the scheme, where there is one, and its fields. */
export function CredentialFields({ kind, scheme, onScheme, value, onChange, problems, isPartial = false }: CredentialFieldsProps) {
  const chosen = findScheme(kind, scheme)
  if (chosen === undefined) return null
  const { required: _required, ...partial } = chosen.schema as Schema // a JSON Schema is an object
  return (
    <Stack gap="sm">
      {kind.credentials.length > 1 && (
        <NativeSelect
          label="Way of signing in"
          data={kind.credentials.map((each) => ({ value: each.scheme, label: each.title }))}
          {...bindValue(chosen.scheme, onScheme)}
        />
      )}
      <SchemaForm
        schema={isPartial ? partial : (chosen.schema as Schema)}
        value={value}
        onChange={onChange}
        at="/credentials"
        problems={problems}
      />
    </Stack>
  )
}
