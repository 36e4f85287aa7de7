/** Changes the configuration of a connector. */
import { Group } from '@mantine/core'
import { writeJson } from 'ferrule/internal'
import type { ConnectorRecord, DefinitionRecord } from 'ferrule/wire'
import { useState } from 'react'
import { useChanges } from '../../../data/leaving.ts'
import { useWrite } from '../../../data/write.ts'
import { announce } from '../../../parts/announcements.tsx'
import { ConfirmButton } from '../../../parts/confirm-button.tsx'
import { listProblems } from '../../../parts/form/problems.ts'
import { readProperties, type Schema } from '../../../parts/form/schema.ts'
import { SchemaForm } from '../../../parts/form/schema-form.tsx'
import { Section } from '../../../parts/section.tsx'
import { listAllKeys } from '../data.ts'

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
