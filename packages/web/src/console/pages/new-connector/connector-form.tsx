/** The form of a new connector. */
import { Button, Group, Stack, Switch, TextInput } from '@mantine/core'
import type { Problem } from 'ferrule/core'
import { type DefinitionRecord, mostNameCharacters } from 'ferrule/wire'
import { useHasSandbox } from '../../data/service.ts'
import { CheckResultView } from '../../parts/check-result.tsx'
import { CredentialFields, findScheme } from '../../parts/connectors/credential-fields.tsx'
import { WorkspaceField } from '../../parts/connectors/workspace-field.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { printProblemsWithin } from '../../parts/form/problems.ts'
import { listPointers } from '../../parts/form/required.ts'
import { readProperties, type Schema } from '../../parts/form/schema.ts'
import { SchemaForm } from '../../parts/form/schema-form.tsx'
import { bindText } from '../../parts/form/text-entry.ts'
import { PageLink } from '../../parts/page-link.tsx'
import { Section } from '../../parts/section.tsx'
import { type Draft, useDraft } from './draft.ts'

/** What a part of the form gets. */
interface PartProps {
  readonly draft: Draft
  readonly problems: readonly Problem[]
}

/** Shows the fields that connectors of all kinds have. */
function CommonFields({ draft: { entered, set, isSandbox, setSandbox }, problems }: PartProps) {
  const hasSandbox = useHasSandbox()
  const texts = { entered, set, errorAt: (at: string) => printProblemsWithin(problems, at) }
  return (
    <>
      <TextInput
        label="Name"
        description="Programs and people find the connector by it; unique in its workspace."
        required
        maxLength={mostNameCharacters}
        {...bindText(texts, 'name', '/name')}
      />
      <WorkspaceField {...texts} />
      {(hasSandbox || isSandbox) && (
        <Switch
          label="Use the sandbox"
          description="The service plays the vendor, with invented data. The fields are filled in for you."
          checked={isSandbox}
          onChange={({ currentTarget }) => setSandbox(currentTarget.checked)}
          error={texts.errorAt('/environment')}
        />
      )}
    </>
  )
}

/** Shows the fields of the kind. */
function KindFields({ draft, problems, kind }: PartProps & { readonly kind: DefinitionRecord }) {
  const { entered, set, scheme, setScheme } = draft
  const schema = kind.configuration as Schema // a JSON Schema is an object
  return (
    <>
      <Section title="Credentials" about="They are checked at the vendor, then sealed; nobody sees them again.">
        <CredentialFields
          kind={kind}
          scheme={scheme}
          onScheme={setScheme}
          value={entered.credentials}
          onChange={(credentials) => set({ credentials })}
          problems={problems}
        />
      </Section>
      {readProperties(schema).length > 0 && (
        <Section title="Configuration">
          <SchemaForm
            schema={schema}
            value={entered.configuration}
            onChange={(configuration) => set({ configuration })}
            at="/replication_config"
            problems={problems}
          />
        </Section>
      )}
    </>
  )
}

/** Shows what the check or the creation answered. */
function Outcome({ kind, draft: { creation, check, scheme } }: { readonly kind: DefinitionRecord; readonly draft: Draft }) {
  const marked = [
    '/name',
    '/workspace_name',
    '/environment',
    ...listPointers((findScheme(kind, scheme)?.schema ?? {}) as Schema, '/credentials'), // a JSON Schema is an object
    ...listPointers(kind.configuration as Schema, '/replication_config'),
  ]
  return (
    <>
      {creation.error !== null && <ErrorBox error={creation.error} title="The connector was not created" marked={marked} />}
      {check.error !== null && <ErrorBox error={check.error} title="The check was not done" marked={marked} />}
      {check.data !== undefined && <CheckResultView result={check.data} />}
    </>
  )
}

/** Shows the form. Enter creates. */
export function ConnectorForm({ kind }: { readonly kind: DefinitionRecord }) {
  const draft = useDraft(kind)
  const { creation, check, isBusy, form, problems, submit, tryOut } = draft
  return (
    <form ref={form} onSubmit={submit} noValidate aria-label={`New ${kind.definition.name} connector`}>
      <Stack gap="md">
        <Group gap="sm">
          <strong>{kind.definition.name}</strong>
          <PageLink to="/connectors/new" size="sm">
            Choose another kind
          </PageLink>
        </Group>
        <CommonFields draft={draft} problems={problems} />
        <KindFields draft={draft} problems={problems} kind={kind} />
        <Outcome kind={kind} draft={draft} />
        <Group>
          <Button type="submit" loading={creation.isPending} disabled={check.isPending}>
            Check and create
          </Button>
          <Button variant="default" loading={check.isPending} disabled={isBusy} onClick={tryOut}>
            Only check
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
