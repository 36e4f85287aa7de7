/** What rules, groups and conditions on elements share. */
import { Autocomplete, Button } from '@mantine/core'
import type { FilterField } from '../filter/fields.ts'

/** Fields that are offered at once; typing a part of the name finds the others. */
const mostOffered = 100

/** Shows the choice of a field. Paths that no document names can be typed. */
export function FieldInput({
  name,
  value,
  fields,
  onChange,
}: {
  readonly name: string
  readonly value: string
  readonly fields: readonly FilterField[]
  readonly onChange: (path: string) => void
}) {
  return (
    <Autocomplete
      aria-label={`Field of ${name}`}
      placeholder="field"
      data={fields.map(({ path }) => path)}
      value={value}
      onChange={onChange}
      limit={mostOffered}
      autoComplete="off"
      spellCheck={false}
      style={{ flex: '1 1 180px', maxWidth: 300 }}
    />
  )
}

/** Shows whether a part of the filter is negated. */
export const NotButton = ({ name, isNegated, onChange }: { readonly name: string; readonly isNegated: boolean; onChange: () => void }) => (
  <Button
    variant={isNegated ? 'filled' : 'default'}
    size="compact-sm"
    aria-pressed={isNegated}
    aria-label={`Negate ${name}`}
    onClick={onChange}
  >
    not
  </Button>
)

/** Removes a part of the filter. */
export const RemoveButton = ({ name, onClick }: { readonly name: string; readonly onClick: () => void }) => (
  <Button variant="subtle" color="gray" size="compact-sm" aria-label={`Remove ${name}`} onClick={onClick}>
    Remove
  </Button>
)
