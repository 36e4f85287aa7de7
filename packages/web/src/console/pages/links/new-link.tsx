/** The form of a new connect link. */
import {
  Accordion,
  Checkbox,
  Fieldset,
  Group,
  MultiSelect,
  NativeSelect,
  Paper,
  SegmentedControl,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core'
import type { Problem } from 'ferrule/core'
import { type ConnectLinkInput, connectLinkSeconds, mostNameCharacters } from 'ferrule/wire'
import { useKind } from '../../data/connector.ts'
import { useAddressParams } from '../../data/params.ts'
import { useKinds, useKindTitles } from '../../data/references.ts'
import { useHasSandbox } from '../../data/service.ts'
import { useTenant } from '../../data/tenant.ts'
import { useWrite } from '../../data/write.ts'
import { ConnectorSelect, useConnectorChoice } from '../../parts/connector-select.tsx'
import { WorkspaceField } from '../../parts/connectors/workspace-field.tsx'
import { listProblems, printProblemsWithin } from '../../parts/form/problems.ts'
import { readProperties, type Schema } from '../../parts/form/schema.ts'
import { SchemaForm } from '../../parts/form/schema-form.tsx'
import { bindChecked, bindText, bindValue, type TextEntries } from '../../parts/form/text-entry.ts'
import { useEntries, WriteForm } from '../../parts/form/write-form.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { Section } from '../../parts/section.tsx'

/** Configuration values by slug of the kind. */
type ValuesByKind = Readonly<Record<string, Schema>>

/** What was entered; the address has the connector to authorize again and the first kind. */
interface Entered {
  readonly workspace: string
  readonly kinds: readonly string[]
  readonly userId: string
  readonly userName: string
  readonly userEmail: string
  readonly name: string
  readonly defaults: ValuesByKind
  readonly locked: ValuesByKind
  readonly redirectUrl: string
  readonly allowedOrigin: string
  readonly seconds: number
  readonly isOtherAllowed: boolean
  readonly isSandbox: boolean
}

/** Returns a member with its text; no member for an empty text. */
const member = <Name extends string>(name: Name, text: string): Partial<Record<Name, string>> =>
  text.trim() === '' ? {} : ({ [name]: text.trim() } as Record<Name, string>) // has this name only

/** Keeps the values of chosen kinds, without kinds that have none. */
const selectValues = (values: ValuesByKind, kinds: readonly string[]) =>
  Object.fromEntries(Object.entries(values).filter(([kind, given]) => kinds.includes(kind) && Object.keys(given).length > 0))

const printNew = ({ workspace, kinds, name, defaults, locked, isSandbox }: Entered): Partial<ConnectLinkInput> => ({
  workspace_name: workspace,
  create_workspace: true,
  ...(kinds.length === 0 ? {} : { kinds: [...kinds] }),
  ...member('name', name),
  defaults: selectValues(defaults, kinds),
  locked: selectValues(locked, kinds),
  ...(isSandbox ? { sandbox: true } : {}),
})

/** Prints the body of a creation. @param connector id of the connector to authorize again; undefined: the link makes a new one */
const printLink = (entered: Entered, connector: string | undefined): ConnectLinkInput => ({
  ...(connector === undefined ? printNew(entered) : { connector_id: connector, allow_other_account: entered.isOtherAllowed }),
  end_user: { id: entered.userId.trim(), ...member('name', entered.userName), ...member('email', entered.userEmail) },
  ...member('redirect_url', entered.redirectUrl),
  ...member('allowed_origin', entered.allowedOrigin),
  expires_in: entered.seconds,
})

/** Holds what is entered. `keep`: it is stored, or given up. */
function useLinkDraft() {
  const { workspace } = useTenant()
  const [{ kind }] = useAddressParams('kind')
  const first = {
    workspace: workspace ?? 'default',
    kinds: kind === undefined ? [] : [kind],
    userId: '',
    userName: '',
    userEmail: '',
    name: '',
    defaults: {},
    locked: {},
    redirectUrl: '',
    allowedOrigin: '',
    seconds: connectLinkSeconds.usual,
    isOtherAllowed: false,
    isSandbox: false,
  }
  return useEntries<Entered>(first, ['new'])
}

/** What parts of the form get. */
type DraftProps = ReturnType<typeof useLinkDraft> & Pick<TextEntries<never>, 'errorAt'>

/** Stands in the address for a connector that is not chosen yet. */
const unchosen = '-'

function NewConnectorFields(props: DraftProps) {
  const { entered, set, errorAt } = props
  const hasSandbox = useHasSandbox()
  const kinds = useKinds().data ?? []
  return (
    <>
      <MultiSelect
        label="Kinds"
        description="The end user chooses among them. Choose none to offer all."
        data={kinds.map(({ connector_type: value, name: label }) => ({ value, label }))}
        value={[...entered.kinds]}
        onChange={(chosen) => set({ kinds: chosen })}
        error={errorAt('/kinds')}
      />
      <WorkspaceField {...props} />
      <TextInput
        label="Name of the connector"
        description="Left empty, the end user may give one."
        maxLength={mostNameCharacters}
        {...bindText(props, 'name', '/name')}
      />
      {hasSandbox && (
        <Switch
          label="Use the sandbox"
          description="The service plays the vendor, with invented data."
          {...bindChecked(entered.isSandbox, (next) => set({ isSandbox: next }))}
        />
      )}
    </>
  )
}

/** Shows the fields of a link that authorizes a connector again. The address has its id. */
function AgainFields({ entered, set, errorAt, connector }: DraftProps & { readonly connector: string }) {
  const [, change] = useAddressParams('connector')
  const reading = useConnectorChoice()
  return (
    <>
      <ConnectorSelect
        reading={reading}
        value={connector === unchosen ? undefined : connector}
        onChange={({ id }) => change({ connector: id })}
      />
      <Text size="sm">The link replaces the credentials and nothing else: the copy, the schedule, the configuration and the id stay.</Text>
      <Checkbox
        label="The new credentials may belong to another account"
        description="Without this, another account is refused, and so is one that cannot be proven to be the same."
        {...bindChecked(entered.isOtherAllowed, (next) => set({ isOtherAllowed: next }))}
        error={errorAt('/connector_id')}
      />
    </>
  )
}

function PurposeFields(props: DraftProps) {
  const [{ connector }, change] = useAddressParams('connector')
  return (
    <Stack>
      <SegmentedControl
        aria-label="What the link is for"
        data={[
          { value: 'new', label: 'A new connector' },
          { value: 'again', label: 'Authorize one again' },
        ]}
        value={connector === undefined ? 'new' : 'again'}
        onChange={(value) => change({ connector: value === 'new' ? undefined : unchosen })}
        style={{ alignSelf: 'flex-start', maxWidth: '100%' }}
      />
      {connector === undefined ? <NewConnectorFields {...props} /> : <AgainFields {...props} connector={connector} />}
    </Stack>
  )
}

/** What the fields get. */
interface ConfigurationProps extends ReturnType<typeof useLinkDraft> {
  readonly problems: readonly Problem[]
}

/** The two ways to bring a value along. */
const ways = [
  { member: 'defaults', legend: 'Filled in', says: 'The end user can change these values.' },
  { member: 'locked', legend: 'Locked', says: 'The end user sees these values and cannot change them.' },
] as const

/** Shows the two forms of a kind. Nothing is required: the end user enters the rest. */
function KindForms({ schema, kind, entered, set, problems }: ConfigurationProps & { readonly schema: Schema; readonly kind: string }) {
  const { required: _required, ...partial } = schema
  if (readProperties(schema).length === 0) return <Text size="sm">This kind has nothing to configure.</Text>
  return (
    <Stack>
      {ways.map(({ member, legend, says }) => (
        <Fieldset key={member} legend={legend}>
          <Text size="sm" mb="sm">
            {says}
          </Text>
          <SchemaForm
            schema={partial}
            value={entered[member][kind] ?? {}}
            onChange={(value) => set({ [member]: { ...entered[member], [kind]: value } })}
            at={`/${member}/${kind}`}
            problems={problems}
          />
        </Fieldset>
      ))}
    </Stack>
  )
}

function KindItem({ kind, ...props }: ConfigurationProps & { readonly kind: string }) {
  const reading = useKind(kind)
  const printKind = useKindTitles()
  return (
    <Accordion.Item value={kind}>
      <Accordion.Control>Configuration of {printKind(kind)}</Accordion.Control>
      <Accordion.Panel>
        <ReadingView reading={reading}>
          {({ configuration }) => <KindForms {...props} kind={kind} schema={configuration as Schema} />}
        </ReadingView>
      </Accordion.Panel>
    </Accordion.Item>
  )
}

function ConfigurationFields(props: ConfigurationProps) {
  const { kinds } = props.entered
  if (kinds.length === 0) return <Text size="sm">Choose kinds to fill in or lock values of their configuration.</Text>
  return (
    <Accordion variant="contained" multiple>
      {kinds.map((kind) => (
        <KindItem key={kind} kind={kind} {...props} />
      ))}
    </Accordion>
  )
}

/** Lifetimes to choose from, in seconds. */
const lifetimes = [
  [3_600, '1 hour'],
  [86_400, '1 day'],
  [connectLinkSeconds.usual, '7 days'],
  [30 * 86_400, '30 days'],
  [connectLinkSeconds.most, '90 days'],
] as const

function EndUserFields(props: DraftProps) {
  return (
    <>
      <TextInput
        label="Id of the end user"
        description="As your own system names the person. You read it again when you verify the link."
        maxLength={256}
        required
        {...bindText(props, 'userId', '/end_user/id')}
      />
      <Group grow align="flex-end">
        <TextInput label="Name of the end user" maxLength={mostNameCharacters} {...bindText(props, 'userName', '/end_user/name')} />
        <TextInput label="Email address" type="email" maxLength={320} {...bindText(props, 'userEmail', '/end_user/email')} />
      </Group>
    </>
  )
}

/** Shows where the page leads afterwards, and how long the link lives. */
function WayBackFields(props: DraftProps) {
  return (
    <>
      <TextInput
        label="Address to lead back to"
        description="Its origin has to be in FERRULE_CONNECT_REDIRECTS."
        placeholder="https://app.example.com/connected"
        {...bindText(props, 'redirectUrl', '/redirect_url')}
      />
      <TextInput
        label="Origin of the page that opens the link"
        description="For a popup. It has to be in FERRULE_CONNECT_ORIGINS."
        placeholder="https://app.example.com"
        {...bindText(props, 'allowedOrigin', '/allowed_origin')}
      />
      <NativeSelect
        label="Lifetime"
        data={lifetimes.map(([seconds, label]) => ({ value: String(seconds), label }))}
        {...bindValue(String(props.entered.seconds), (next) => props.set({ seconds: Number(next) }))}
      />
    </>
  )
}

/** Shows the form and, after a success, the address of the link, this once. */
export function NewLink() {
  const [{ connector }, change] = useAddressParams('new', 'connector', 'kind')
  const draft = useLinkDraft()
  const creation = useWrite((ferrule, body: ConnectLinkInput) => ferrule.links.create(body), {
    refreshes: [['links'], ['workspaces']],
    onDone: () => draft.keep(),
  })
  const problems = listProblems(creation.error)
  const props = { ...draft, errorAt: (pointer: string) => printProblemsWithin(problems, pointer) }
  const leave = () => {
    draft.keep()
    change({ new: undefined, connector: undefined, kind: undefined })
  }
  const forget = () => {
    creation.reset()
    leave()
  }
  return (
    <Paper withBorder p="md">
      <Section title="New link">
        <WriteForm
          maw="var(--form-width)"
          label="New link"
          action="Create the link"
          write={creation}
          onSubmit={() => creation.mutate(printLink(draft.entered, connector))}
          failure="The link was not created"
          isDisabled={draft.entered.userId.trim() === '' || connector === unchosen}
          onCancel={leave}
        >
          <PurposeFields {...props} />
          <EndUserFields {...props} />
          {connector === undefined && <ConfigurationFields {...draft} problems={problems} />}
          <WayBackFields {...props} />
        </WriteForm>
      </Section>
      <SecretDialog
        title="The address of the link"
        texts={creation.data && [{ label: `Address for ${creation.data.end_user.id}`, value: creation.data.url }]}
        onClose={forget}
      >
        Send it to the end user, whole: the part after # opens it. It can be opened again until it is used, revoked or expired.
      </SecretDialog>
    </Paper>
  )
}
