/** Creates a connector: the kind first, then a form from its schema. */
import { Button, Group, Paper, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core'
import type { Problem } from 'ferrule/core'
import { buildSandboxValues } from 'ferrule/internal'
import { type ConnectorInput, type DefinitionRecord, type DefinitionSummary, mostNameCharacters } from 'ferrule/wire'
import { type FormEvent, useState } from 'react'
import { useKind } from '../../data/connector.ts'
import { connectorLists } from '../../data/connectors.ts'
import { useAddressParams } from '../../data/params.ts'
import { useKinds } from '../../data/references.ts'
import { useHasSandbox } from '../../data/service.ts'
import { useGo, useTenant } from '../../data/tenant.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { CheckResultView } from '../../parts/check-result.tsx'
import { CredentialFields, findScheme } from '../../parts/connectors/credential-fields.tsx'
import { KindIcon } from '../../parts/connectors/kind-icon.tsx'
import { WorkspaceField } from '../../parts/connectors/workspace-field.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { listProblems, printProblemsWithin } from '../../parts/form/problems.ts'
import { listMissing, listPointers, printMissing, useRequired } from '../../parts/form/required.ts'
import { readProperties, type Schema } from '../../parts/form/schema.ts'
import { SchemaForm } from '../../parts/form/schema-form.tsx'
import { bindChecked, bindText } from '../../parts/form/text-entry.ts'
import { useEntries } from '../../parts/form/write-form.tsx'
import { PlainButton } from '../../parts/looks.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { Section } from '../../parts/section.tsx'

const KindCard = ({ kind }: { readonly kind: DefinitionSummary }) => (
  <Paper component="li" withBorder p="md">
    <Group gap="xs" wrap="nowrap">
      <KindIcon kind={kind.connector_type} size={22} />
      <PageLink to="/connectors/new" params={{ kind: kind.connector_type }} fw={600}>
        {kind.name}
      </PageLink>
    </Group>
    <Text size="sm">{kind.description}</Text>
  </Paper>
)

function KindChoice() {
  const reading = useKinds()
  return (
    <Section title="What do you connect?">
      <ReadingView reading={reading}>
        {(kinds) => (
          <SimpleGrid component="ul" cols={{ base: 1, sm: 2 }} p={0} m={0} style={{ listStyle: 'none' }}>
            {kinds.map((kind) => (
              <KindCard key={kind.connector_type} kind={kind} />
            ))}
          </SimpleGrid>
        )}
      </ReadingView>
    </Section>
  )
}

function FormOfKind({ kind: slug }: { readonly kind: string }) {
  const reading = useKind(slug)
  return <ReadingView reading={reading}>{(kind) => <ConnectorForm key={kind.id} kind={kind} />}</ReadingView>
}

/** The page; the address has the kind. */
export function Page() {
  const [{ kind }] = useAddressParams('kind')
  return (
    <Stack gap="sm" maw="var(--form-width)">
      <PageLink to="/connectors" size="sm">
        All connectors
      </PageLink>
      <PageHeader title="New connector" about="A connector reads and writes one account of a vendor." />
      {kind === undefined ? <KindChoice /> : <FormOfKind kind={kind} />}
      <Text size="sm">
        Somebody else has the account?{' '}
        <PageLink to="/links" params={{ new: '1', kind }} underline="always">
          Create a connect link
        </PageLink>
        , and they authorize it themselves: nobody here sees the secret.
      </Text>
    </Stack>
  )
}

interface PartProps {
  readonly draft: Draft
  readonly problems: readonly Problem[]
}

/** Shows the fields that connectors of all kinds have. */
function CommonFields({ draft: { entered, set, isSandbox, setSandbox, mayBeSandbox }, problems }: PartProps) {
  const hasSandbox = useHasSandbox() && mayBeSandbox
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
          {...bindChecked(isSandbox, setSandbox)}
          error={texts.errorAt('/environment')}
        />
      )}
    </>
  )
}

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
      <ErrorBox error={creation.error} title="The connector was not created" marked={marked} />
      <ErrorBox error={check.error} title="The check was not done" marked={marked} />
      {check.data !== undefined && <CheckResultView result={check.data} />}
    </>
  )
}

/** Shows the form. Enter creates. */
function ConnectorForm({ kind }: { readonly kind: DefinitionRecord }) {
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
          <PlainButton loading={check.isPending} disabled={isBusy} onClick={tryOut}>
            Only check
          </PlainButton>
        </Group>
      </Stack>
    </form>
  )
}

/** What was entered; the address has the scheme and the choice of the sandbox. Secrets are kept here only. */
interface Entered {
  readonly name: string
  readonly workspace: string
  readonly credentials: Schema
  readonly configuration: Schema
}

const printBody = (slug: string, { name, workspace, credentials, configuration }: Entered, isSandbox: boolean): ConnectorInput => ({
  workspace_name: workspace,
  create_workspace: true,
  connector_type: slug,
  name,
  credentials: { ...credentials },
  replication_config: { ...configuration },
  ...(isSandbox ? { environment: { sandbox: true } } : {}),
})

const listEmpty = (kind: DefinitionRecord, scheme: string | undefined, { name, workspace, credentials, configuration }: Entered) => [
  ...(name.trim() === '' ? [printMissing('/name')] : []),
  ...(workspace.trim() === '' ? [printMissing('/workspace_name')] : []),
  ...listMissing((findScheme(kind, scheme)?.schema ?? {}) as Schema, credentials, '/credentials'), // a JSON Schema is an object
  ...listMissing(kind.configuration as Schema, configuration, '/replication_config'),
]

/** Creates a connector, and shows it. @param keep is called when it is stored */
function useCreation(keep: () => void) {
  const go = useGo()
  return useWrite((ferrule, body: ConnectorInput) => ferrule.connectors.create(body), {
    refreshes: [connectorLists, ['workspaces']],
    onDone: ({ id, name }) => {
      announce(`The connector ${name} was created.`)
      keep()
      go(`/connectors/${id}`, {}, { replace: true })
    },
  })
}

/** Holds what was entered for a connector of a kind. */
function useDraft(kind: DefinitionRecord) {
  const { workspace } = useTenant()
  const [{ scheme, sandbox }, change] = useAddressParams('scheme', 'sandbox')
  const slug = kind.definition.connector_type
  const isSandbox = sandbox === '1'
  const values = isSandbox ? buildSandboxValues(slug, kind) : undefined
  const [first] = useState<Entered>({
    name: kind.definition.name,
    workspace: workspace ?? 'default',
    credentials: values?.credentials ?? {},
    configuration: values?.configuration ?? {},
  })
  const { entered, set, keep } = useEntries(first, ['kind'])
  const creation = useCreation(keep)
  const check = useWrite((ferrule, body: ConnectorInput) => ferrule.connectors.checkNew(body))
  const setSandbox = (wanted: boolean) => {
    const given = wanted ? buildSandboxValues(slug, kind) : undefined
    const filled = { credentials: given?.credentials ?? {}, configuration: given?.configuration ?? {} }
    change({ sandbox: wanted ? '1' : undefined, scheme: given?.scheme }, { replace: true })
    set(filled)
    keep({ ...first, ...filled })
  }
  const setScheme = (name: string) => {
    change({ scheme: name }, { replace: true })
    set({ credentials: {} })
  }
  const body = printBody(slug, entered, isSandbox)
  const isBusy = creation.isPending || check.isPending
  const refused = [...listProblems(creation.error), ...listProblems(check.error)]
  const { form, problems, isComplete } = useRequired(listEmpty(kind, scheme, entered), refused)
  /** Forgets the answer of the last try. @returns true when the form can be sent */
  const begin = (): boolean => {
    creation.reset()
    check.reset()
    return isComplete()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isBusy && begin()) creation.mutate(body)
  }
  const tryOut = () => begin() && check.mutate(body)
  return {
    // The service plays all kinds that came with it; of others only it knows.
    mayBeSandbox: !kind.definition.custom,
    entered,
    set,
    isSandbox,
    setSandbox,
    setScheme,
    creation,
    check,
    isBusy,
    form,
    problems,
    submit,
    tryOut,
    scheme: findScheme(kind, scheme)?.scheme,
  }
}

/** The draft of a connector, with its ways to change. */
type Draft = ReturnType<typeof useDraft>
