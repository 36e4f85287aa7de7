/** Changes the name and the configuration of a connector, empties its copy, and deletes it. */
import { Button, Group, TextInput } from '@mantine/core'
import { writeJson } from 'ferrule/internal'
import { type ConnectorRecord, type DefinitionRecord, mostNameCharacters } from 'ferrule/wire'
import { type FormEvent, useState } from 'react'
import { connectorLists } from '../../../data/connectors.ts'
import { giveUpChanges, useChanges } from '../../../data/leaving.ts'
import { useGo } from '../../../data/tenant.ts'
import { useWrite } from '../../../data/write.ts'
import { announce } from '../../../parts/announcements.tsx'
import { ConfirmButton } from '../../../parts/confirm-button.tsx'
import { findScheme } from '../../../parts/connectors/credential-fields.tsx'
import { ErrorBox } from '../../../parts/error-box.tsx'
import { listProblems } from '../../../parts/form/problems.ts'
import { readProperties, type Schema } from '../../../parts/form/schema.ts'
import { SchemaForm } from '../../../parts/form/schema-form.tsx'
import { printCounted } from '../../../parts/print.ts'
import { Section } from '../../../parts/section.tsx'
import { listAllKeys, useCopyReading } from '../data.ts'

/** Builds the merge patch between two configurations (RFC 7396): null deletes a value. */
function buildPatch(before: Schema, after: Schema): Schema {
  const changed = Object.entries(after).filter(([name, value]) => writeJson(value) !== writeJson(before[name] ?? null))
  const removed = Object.keys(before).filter((name) => !(name in after))
  return Object.fromEntries([...changed, ...removed.map((name) => [name, null] as const)])
}

/** Shows the form. */
export function ConfigurationSection({ connector, kind }: { readonly connector: ConnectorRecord; readonly kind: DefinitionRecord }) {
  const { id, replication_config: stored } = connector
  const [value, setValue] = useState<Schema>(stored)
  const keep = useChanges(value, ['tab'])
  const patch = buildPatch(stored, value)
  const change = useWrite((ferrule) => ferrule.connectors.patch(id, { replication_config: patch }), {
    refreshes: listAllKeys(id),
    onDone: ({ replication_config: next }) => {
      setValue(next)
      keep(next)
      announce('The configuration was changed. The copy is filled again.')
    },
  })
  const schema = kind.configuration as Schema // a JSON Schema is an object
  return (
    <Section title="Configuration">
      <SchemaForm
        schema={schema}
        value={value}
        onChange={setValue}
        at="/replication_config"
        problems={listProblems(change.error)}
        none="This kind has nothing to configure."
      />
      {readProperties(schema).length > 0 && (
        <Group>
          <ConfirmButton
            label="Change the configuration"
            title="Change the configuration?"
            isDisabled={Object.keys(patch).length === 0}
            mutation={change}
          >
            Calls use the new values at once. Another configuration can mean other records: the copy is emptied and filled again, and
            searches find nothing until then. Changed: {Object.keys(patch).join(', ')}.
          </ConfirmButton>
        </Group>
      )}
    </Section>
  )
}

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

/** Shows the section. */
export function ResetSection({ connector: { id } }: { readonly connector: ConnectorRecord }) {
  const copy = useCopyReading(id).data
  const reset = useWrite((ferrule) => ferrule.contextStore.reset(id), {
    refreshes: listAllKeys(id),
    onDone: () => announce('The copy is emptied and filled again.'),
  })
  return (
    <Section title="Reset of the copy" about="Helps when the copy is wrong and a full sync does not mend it.">
      <Group>
        <ConfirmButton isDanger label="Reset the copy" title="Reset the copy?" mutation={reset}>
          {copy === undefined ? 'All records' : printCounted(copy.records, 'record')} of the copy are removed, then everything is read
          again. Searches find nothing until the first sync has ended, which can take hours for a large account. Nothing changes at the
          vendor.
        </ConfirmButton>
      </Group>
    </Section>
  )
}

/** Shows the section. */
export function DeleteSection({ connector, kind }: { readonly connector: ConnectorRecord; readonly kind: DefinitionRecord }) {
  const { id, name, credential_scheme: scheme } = connector
  const revokes = findScheme(kind, scheme)?.revokes_consent === true
  const go = useGo()
  const deletion = useWrite((ferrule) => ferrule.connectors.delete(id), {
    refreshes: [connectorLists],
    onDone: () => {
      announce(`The connector ${name} was deleted.`)
      giveUpChanges()
      go('/connectors', {}, { replace: true })
    },
  })
  return (
    <Section title="Delete" about="A deleted connector cannot be restored.">
      <Group>
        <ConfirmButton isDanger label="Delete the connector" title="Delete the connector for good?" typed={name} mutation={deletion}>
          Its credentials and its copy are destroyed, and programs that use its id get an error from then on. No data is deleted at the
          vendor.
          {revokes &&
            ` If it came from the consent page and no other connector has the same consent, its access at ${kind.definition.name} ends too.`}
        </ConfirmButton>
      </Group>
    </Section>
  )
}
