/** Renames a connector. */
import { Button, Group, TextInput } from '@mantine/core'
import { type ConnectorRecord, mostNameCharacters } from 'ferrule/wire'
import { type FormEvent, useState } from 'react'
import { useChanges } from '../../../data/leaving.ts'
import { useWrite } from '../../../data/write.ts'
import { announce } from '../../../parts/announcements.tsx'
import { ErrorBox } from '../../../parts/error-box.tsx'
import { Section } from '../../../parts/section.tsx'
import { listAllKeys } from '../data.ts'

/** Shows the form. */
export function NameSection({ connector: { id, name } }: { readonly connector: ConnectorRecord }) {
  const [typed, setTyped] = useState(name)
  const keep = useChanges(typed, ['tab'])
  const change = useWrite((ferrule, next: string) => ferrule.connectors.patch(id, { name: next }), {
    refreshes: listAllKeys(id),
    onDone: ({ name: stored }) => {
      keep(stored)
      announce('The connector was renamed.')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!change.isPending) change.mutate(typed)
  }
  return (
    <Section title="Name" about="Programs that find the connector by its name need the new one.">
      <Group component="form" align="flex-end" onSubmit={submit} aria-label="Name">
        <TextInput
          label="Name"
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          required
          maxLength={mostNameCharacters}
          flex={1}
        />
        <Button type="submit" variant="default" loading={change.isPending} disabled={typed === name || typed.trim() === ''}>
          Rename
        </Button>
      </Group>
      {change.error !== null && <ErrorBox error={change.error} />}
    </Section>
  )
}
