/** A form that replaces the credentials of a connector. */
import { Button, Group, Stack, Text } from '@mantine/core'
import type { ConnectorRecord, DefinitionRecord } from 'ferrule/wire'
import { type FormEvent, useState } from 'react'
import { useChanges } from '../../data/leaving.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { CredentialFields, findScheme } from '../../parts/connectors/credential-fields.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { listProblems } from '../../parts/form/problems.ts'
import type { Schema } from '../../parts/form/schema.ts'
import { listAllKeys } from './data.ts'

/** Holds what was entered, until it is stored. */
function useNewCredentials({ id, credential_scheme: stored }: ConnectorRecord, kind: DefinitionRecord) {
  const [scheme, setScheme] = useState(stored)
  const [value, setValue] = useState<Schema>({})
  const keep = useChanges(value, ['tab'])
  const change = useWrite((ferrule, credentials: Schema) => ferrule.connectors.patch(id, { credentials }), {
    refreshes: listAllKeys(id),
    onDone: () => {
      setValue({})
      keep({})
      announce('The vendor accepted the credentials, and they are stored.')
    },
  })
  const choose = (next: string) => {
    setScheme(next)
    setValue({})
    change.reset()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!change.isPending) change.mutate(value)
  }
  return { scheme: findScheme(kind, scheme)?.scheme, value, setValue, change, choose, submit }
}

/** Shows the form. */
export function NewCredentials({ connector, kind }: { readonly connector: ConnectorRecord; readonly kind: DefinitionRecord }) {
  const { scheme, value, setValue, change, choose, submit } = useNewCredentials(connector, kind)
  const isSame = scheme === connector.credential_scheme
  return (
    <Stack component="form" gap="sm" onSubmit={submit} aria-label="New credentials">
      {isSame && <Text size="sm">A field that stays empty keeps its stored value.</Text>}
      <CredentialFields
        kind={kind}
        scheme={scheme}
        onScheme={choose}
        value={value}
        onChange={setValue}
        problems={listProblems(change.error)}
        isPartial={isSame}
      />
      {change.error !== null && <ErrorBox error={change.error} title="The credentials were not stored" />}
      <Group>
        <Button type="submit" loading={change.isPending} disabled={Object.keys(value).length === 0}>
          Check and store
        </Button>
      </Group>
    </Stack>
  )
}
