/** The operator's application at one vendor. */
import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import type { DefinitionRecord, OAuthCredentialsRecord } from 'ferrule/wire'
import { type FormEvent, useState } from 'react'
import { useChanges } from '../../data/leaving.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { listProblems } from '../../parts/form/problems.ts'
import { listMissing, listPointers, useRequired } from '../../parts/form/required.ts'
import { readProperties, type Schema } from '../../parts/form/schema.ts'
import { SchemaForm } from '../../parts/form/schema-form.tsx'
import { printCounted } from '../../parts/print.ts'
import { CopyText } from '../../parts/secret-dialog.tsx'
import { Section } from '../../parts/section.tsx'
import { Time } from '../../parts/time.tsx'

const keys = [['oauth-credentials'], ['links']] as const

/** Builds the schema of the application: the fields of the scheme with a consent page that are not the account's. */
function buildSchema({ credentials }: DefinitionRecord): Schema {
  const scheme = credentials.find(({ application_fields: fields }) => fields.length > 0)
  const names = scheme?.application_fields ?? []
  const own = readProperties(scheme?.schema ?? {}).filter(({ name }) => names.includes(name))
  return { type: 'object', properties: Object.fromEntries(own.map(({ name, schema }) => [name, schema])), required: names }
}

/** Deletes the application; one in use needs a second consent. */
function DeleteButton({ application: { connector_type: kind, connectors } }: { readonly application: OAuthCredentialsRecord }) {
  const [isForced, setIsForced] = useState(false)
  const deletion = useWrite((ferrule) => ferrule.oauthCredentials.delete(kind, { force: isForced }), {
    refreshes: keys,
    onDone: () => announce(`The application for ${kind} was deleted.`),
  })
  return (
    <ConfirmButton
      isSmall
      isDanger
      label="Delete"
      says={`Delete the application for ${kind}`}
      title="Delete this application?"
      mutation={deletion}
    >
      <Stack gap="sm">
        <Text size="sm">
          {printCounted(connectors, 'connector uses', 'connectors use')} it. Each works until its token has to be renewed, and then needs a
          new authorization. Connect links offer the form only. The application at the vendor stays.
        </Text>
        {connectors > 0 && (
          <Checkbox
            label="Delete it although connectors use it"
            checked={isForced}
            onChange={({ currentTarget }) => setIsForced(currentTarget.checked)}
          />
        )}
      </Stack>
    </ConfirmButton>
  )
}

/** Shows what is stored. */
function Stored({ application }: { readonly application: OAuthCredentialsRecord }) {
  const { configuration_fields: fields, connectors, updated_at: changed } = application
  return (
    <Group justify="space-between">
      <Text size="sm">
        Stored: {fields.join(', ')}. Used by {printCounted(connectors, 'connector')}. Changed <Time value={changed} />.
      </Text>
      <DeleteButton application={application} />
    </Group>
  )
}

/** Shows the form. What was entered leaves it with the answer. */
function ApplicationForm({ kind, isStored }: { readonly kind: DefinitionRecord; readonly isStored: boolean }) {
  const { connector_type: slug, name } = kind.definition
  const [value, setValue] = useState<Schema>({})
  const keep = useChanges(value, ['tab'])
  const saving = useWrite(
    (ferrule, configuration: Schema) => ferrule.oauthCredentials.save({ connector_type: slug, configuration: { ...configuration } }),
    {
      refreshes: keys,
      onDone: () => {
        setValue({})
        keep({})
        announce(`The application for ${name} is stored.`)
      },
    },
  )
  const schema = buildSchema(kind)
  const { form, problems, isComplete } = useRequired(listMissing(schema, value, '/configuration'), listProblems(saving.error))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (saving.isPending) return
    saving.reset()
    if (isComplete()) saving.mutate(value, { onSuccess: () => saving.reset() })
  }
  return (
    <form ref={form} onSubmit={submit} noValidate aria-label={`Application for ${name}`}>
      <Stack gap="sm" maw="var(--form-width)">
        <SchemaForm schema={schema} value={value} onChange={setValue} at="/configuration" problems={problems} />
        {saving.error !== null && (
          <ErrorBox error={saving.error} title="The application was not stored" marked={listPointers(schema, '/configuration')} />
        )}
        <Group>
          <Button type="submit" variant={isStored ? 'default' : 'filled'} loading={saving.isPending}>
            {isStored ? `Replace the application for ${name}` : `Store the application for ${name}`}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** What the section gets. */
interface VendorSectionProps {
  readonly kind: DefinitionRecord
  readonly application: OAuthCredentialsRecord | undefined
  /** Address to register at the vendor; undefined: the service does not know its own address. */
  readonly callback: string | undefined
}

/** Shows the section. */
export function VendorSection({ kind, application, callback }: VendorSectionProps) {
  return (
    <Section title={kind.definition.name}>
      {callback === undefined ? (
        <Text size="sm">Set FERRULE_PUBLIC_URL to the https address of this service to see the redirect URI that the vendor asks for.</Text>
      ) : (
        <CopyText label={`Redirect URI to register at ${kind.definition.name}`} value={callback} />
      )}
      {application === undefined ? <Text size="sm">Nothing is stored yet.</Text> : <Stored application={application} />}
      <ApplicationForm kind={kind} isStored={application !== undefined} />
    </Section>
  )
}
