/** Connect links: with one, an end user authorizes a connector, and nobody here sees the secret. */
import { Accordion, Alert, Button, Checkbox, Group, Modal, NativeSelect, Stack, Tabs, Text, TextInput } from '@mantine/core'
import { formatJson } from 'ferrule/internal'
import {
  type ConnectLinkRecord,
  type ConnectLinkStatus,
  connectLinkStatuses,
  connectPaths,
  type DefinitionRecord,
  type OAuthCredentialsRecord,
} from 'ferrule/wire'
import { type ComponentType, type ReactNode, useState } from 'react'
import { useRead } from '../../data/ferrule.ts'
import { useChanges } from '../../data/leaving.ts'
import { useAddressParams } from '../../data/params.ts'
import { useKindTitles } from '../../data/references.ts'
import { useService } from '../../data/service.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { KindIcon } from '../../parts/connectors/kind-icon.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { listProblems } from '../../parts/form/problems.ts'
import { listMissing, listPointers, useRequired } from '../../parts/form/required.ts'
import { readProperties, type Schema } from '../../parts/form/schema.ts'
import { SchemaForm } from '../../parts/form/schema-form.tsx'
import { bindChecked, bindValue } from '../../parts/form/text-entry.ts'
import { WriteForm } from '../../parts/form/write-form.tsx'
import { Quiet, SmallButton, Strong } from '../../parts/looks.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { printCounted } from '../../parts/print.ts'
import { ReadingView } from '../../parts/reading-view.tsx'
import { CopyText } from '../../parts/secret-dialog.tsx'
import { type StateLook, StatePill } from '../../parts/states.tsx'
import { type Fact, FactTable } from '../../parts/table/fact-table.tsx'
import type { ListColumn } from '../../parts/table/list-table.tsx'
import { ReadTable } from '../../parts/table/read-table.tsx'
import { Time } from '../../parts/time.tsx'
import { NewLink } from './new-link.tsx'

const isStatus = (value: string | undefined): value is ConnectLinkStatus => connectLinkStatuses.some((each) => each === value)

const useFilterParams = () => useAddressParams('status', 'user', 'cursor', 'link', 'new')

/** Shows the filters; the address has their values. */
function Filters() {
  const [{ status, user }, change] = useFilterParams()
  return (
    <Group align="flex-end" component="search">
      <NativeSelect
        label="State"
        data={[{ value: '', label: 'All states' }, ...connectLinkStatuses.map((value) => ({ value, label: linkLooks[value][0] }))]}
        {...bindValue(isStatus(status) ? status : '', (next) => change({ status: next, cursor: undefined }))}
      />
      <TextInput
        label="Only of this end user"
        type="search"
        placeholder="The whole id"
        {...bindValue(user ?? '', (next) => change({ user: next, cursor: undefined }, { replace: true }))}
        maxLength={256}
        w={{ base: '100%', sm: 280 }}
      />
    </Group>
  )
}

/** Kinds that are named at most: a link to all of them has many. */
const mostNamed = 4

function Purpose({ link }: { readonly link: ConnectLinkRecord }) {
  const printKind = useKindTitles()
  const { kinds } = link
  const target = link.connector_id ?? link.target_connector_id
  const made = kinds.length > mostNamed ? `one of ${kinds.length} kinds` : kinds.map(printKind).join(', ')
  return (
    <>
      <Text size="sm">{link.target_connector_id === null ? made : 'authorizes a connector again'}</Text>
      {target !== null && (
        <PageLink to={`/connectors/${target}`} size="sm">
          Show the connector
        </PageLink>
      )}
    </>
  )
}

function LinkActions({ link }: { readonly link: ConnectLinkRecord }) {
  const [, change] = useFilterParams()
  return (
    <Group gap="xs">
      <SmallButton onClick={() => change({ link: link.id })} aria-label={`Details of the link for ${link.end_user.id}`}>
        Details
      </SmallButton>
      {link.status === 'open' && <RevokeButton link={link} />}
    </Group>
  )
}

const columns: readonly ListColumn<ConnectLinkRecord>[] = [
  {
    title: 'End user',
    cell: ({ end_user: { id, name, email } }) => (
      <>
        <Strong>{name ?? id}</Strong>
        <Quiet>{name === null ? email : id}</Quiet>
      </>
    ),
  },
  { title: 'State', cell: ({ status }) => <LinkStatus status={status} /> },
  { title: 'For', cell: (link) => <Purpose link={link} /> },
  { title: 'Workspace', cell: ({ workspace_name: workspace }) => workspace },
  { title: 'Created', cell: ({ created_at: created }) => <Time value={created} /> },
  { title: 'Expires', cell: ({ expires_at: expires }) => <Time value={expires} /> },
  { title: 'Actions', cell: (link) => <LinkActions link={link} /> },
]

function NoLinks() {
  const [{ status, user, new: isNew }, change] = useFilterParams()
  if (status !== undefined || user !== undefined)
    return (
      <EmptyState title="No link fits" says="The filters leave none over.">
        <Button onClick={() => change({ status: undefined, user: undefined, cursor: undefined })}>Clear the filters</Button>
      </EmptyState>
    )
  return (
    <EmptyState title="No links yet" says="Send one to your customer. Ended links stay here for 30 days.">
      {isNew === undefined && <Button onClick={() => change({ new: '1' })}>Create the first link</Button>}
    </EmptyState>
  )
}

function LinksTab() {
  const [{ status, user, cursor }] = useFilterParams()
  const query = {
    limit: 50,
    ...(isStatus(status) ? { status } : {}),
    ...(user === undefined ? {} : { end_user_id: user }),
    ...(cursor === undefined ? {} : { cursor }),
  }
  const reading = useRead(['links', query], (ferrule, signal) => ferrule.links.page(query, { signal }), { everyMs: 15_000 })
  return (
    <Stack>
      <Filters />
      <ReadTable label="Links" columns={columns} reading={reading} rowKey={({ id }) => id} none={<NoLinks />} />
    </Stack>
  )
}

const printValues = (values: Readonly<Record<string, unknown>>): ReactNode =>
  Object.keys(values).length === 0 ? 'none' : <code>{formatJson(values)}</code>

const printConnector = (id: string | null): ReactNode => (id === null ? 'none' : <PageLink to={`/connectors/${id}`}>{id}</PageLink>)

const listDetails = (link: ConnectLinkRecord, printKind: (slug: string) => string): readonly Fact[] => [
  ['State', <LinkStatus key="status" status={link.status} />],
  ['Id', <code key="id">{link.id}</code>],
  ['End user', [link.end_user.id, link.end_user.name, link.end_user.email].filter((each) => each !== null).join(', ')],
  ['Workspace', link.workspace_name],
  ['Kinds', link.kinds.map(printKind).join(', ')],
  ['Connector to authorize again', printConnector(link.target_connector_id)],
  ['Connector that was authorized', printConnector(link.connector_id)],
  ['Name of the connector', link.name ?? 'the page asks'],
  ['Filled in', printValues(link.defaults)],
  ['Locked', printValues(link.locked)],
  ['Leads back to', link.redirect_url ?? 'nowhere'],
  ['Origin that may ask for the status', link.allowed_origin ?? 'none'],
  ['Sandbox', link.sandbox ? 'yes' : 'no'],
  ['Tries', link.attempts],
  ['Created', <Time key="created" value={link.created_at} />],
  ['Expires', <Time key="expires" value={link.expires_at} />],
  ['Used', <Time key="used" value={link.used_at} />],
  ['Revoked', <Time key="revoked" value={link.revoked_at} />],
]

function Details({ link }: { readonly link: ConnectLinkRecord }) {
  const printKind = useKindTitles()
  return (
    <Stack align="flex-start">
      <FactTable label="Details of the link" facts={listDetails(link, printKind)} />
      <Text size="sm">The address of the link was shown once, when the link was created. Create another link when it is lost.</Text>
      {link.status === 'open' && <RevokeButton link={link} />}
    </Stack>
  )
}

/** Shows the dialog while the address names a link. */
function LinkDetails() {
  const [{ link: id }, change] = useAddressParams('link')
  const reading = useRead(['links', 'one', id], (ferrule, signal) => ferrule.links.get(id ?? '', { signal }), { enabled: id !== undefined })
  return (
    <Modal opened={id !== undefined} onClose={() => change({ link: undefined })} title="Connect link" size="lg">
      <ReadingView reading={reading}>{(link) => <Details link={link} />}</ReadingView>
    </Modal>
  )
}

const useConsentKinds = () =>
  useRead(['definitions', 'consent'], async (ferrule, signal) => {
    const all = await ferrule.definitions.list({}, { signal })
    const whole = await Promise.all(all.map(({ connector_type: kind }) => ferrule.definitions.get(kind, { signal })))
    return whole.filter(({ credentials }) => credentials.some(({ application_fields: fields }) => fields.length > 0))
  })

function Sections({ kinds, stored }: { readonly kinds: readonly DefinitionRecord[]; readonly stored: readonly OAuthCredentialsRecord[] }) {
  const own = useService().data?.connect_url ?? undefined
  if (kinds.length === 0) return <EmptyState title="No kind needs one" says="No kind of this service has a consent page." />
  return (
    <Accordion variant="contained" multiple order={2}>
      {kinds.map((kind) => {
        const slug = kind.definition.connector_type
        const oauthClient = stored.find(({ connector_type: each }) => each === slug)
        const callback = oauthClient?.redirect_uri ?? (own && `${own}${connectPaths.callback.replace('{kind}', slug)}`)
        return <VendorItem key={slug} kind={kind} oauthClient={oauthClient} callback={callback} />
      })}
    </Accordion>
  )
}

function VendorsTab() {
  const kinds = useConsentKinds()
  const stored = useRead(['oauth-credentials'], (ferrule, signal) => ferrule.oauthCredentials.list({ signal }))
  return (
    <Stack gap="lg">
      <Text size="sm">
        These vendors ask the owner of an account on a page of their own, and know an OAuth client of yours there. Register one at the
        vendor first. Without it, connect links offer the form of the kind only.
      </Text>
      <ReadingView reading={kinds}>
        {(found) => <ReadingView reading={stored}>{({ data }) => <Sections kinds={found} stored={data} />}</ReadingView>}
      </ReadingView>
      <Alert color="gray" variant="light">
        A connector refers to the OAuth client and has no copy of its secret: a new secret holds for all of its connectors.
      </Alert>
    </Stack>
  )
}

/** The tabs by their name in the address. */
const tabs: Readonly<Record<string, { readonly title: string; readonly Tab: ComponentType }>> = {
  links: { title: 'Links', Tab: LinksTab },
  vendors: { title: 'OAuth clients at vendors', Tab: VendorsTab },
}

/** The page; the address has the tab, the filters, the open link and what the new link is for. */
export function Page() {
  const [{ tab, new: isNew }, change] = useAddressParams('tab', 'new', 'cursor')
  const open = tab !== undefined && Object.hasOwn(tabs, tab) ? tab : 'links'
  return (
    <Stack>
      <PageHeader
        title="Connect links"
        about="Your customer authorizes a connector on a page of its own. You get the connector, never the secret."
      >
        {isNew === undefined && <Button onClick={() => change({ new: '1', tab: undefined })}>Create a link</Button>}
      </PageHeader>
      {isNew !== undefined && <NewLink />}
      <Tabs value={open} onChange={(name) => change({ tab: name === null || name === 'links' ? undefined : name })} keepMounted={false}>
        <Tabs.List aria-label="Parts of the page">
          {Object.entries(tabs).map(([name, { title }]) => (
            <Tabs.Tab key={name} value={name}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.entries(tabs).map(([name, { Tab }]) => (
          <Tabs.Panel key={name} value={name} pt="md">
            <Tab />
          </Tabs.Panel>
        ))}
      </Tabs>
      <LinkDetails />
    </Stack>
  )
}

/** Word and color of each status. */
const linkLooks: Readonly<Record<ConnectLinkStatus, StateLook>> = {
  open: ['Open', 'blue'],
  used: ['Used', 'green'],
  revoked: ['Revoked', 'red'],
  expired: ['Expired', 'gray'],
}

const LinkStatus = ({ status }: { readonly status: ConnectLinkStatus }) => <StatePill look={linkLooks[status]} />

/** Asks, then revokes an open link. */
function RevokeButton({ link: { id, end_user: user } }: { readonly link: ConnectLinkRecord }) {
  const revocation = useWrite((ferrule) => ferrule.links.revoke(id), {
    refreshes: [['links']],
    onDone: () => announce(`The link for ${user.id} was revoked.`),
  })
  return (
    <ConfirmButton isSmall isDanger label="Revoke" says={`Revoke the link for ${user.id}`} title="Revoke this link?" mutation={revocation}>
      Whoever opens it reads that it was revoked, also in the middle of an authorization. This cannot be undone; you can create another
      link.
    </ConfirmButton>
  )
}

const keys = [['oauth-credentials'], ['links']] as const

/** Builds the schema of the OAuth client: the fields of the scheme with a consent page that are not the account's. */
function buildSchema({ credentials }: DefinitionRecord): Schema {
  const scheme = credentials.find(({ application_fields: fields }) => fields.length > 0)
  const names = scheme?.application_fields ?? []
  const own = readProperties(scheme?.schema ?? {}).filter(({ name }) => names.includes(name))
  return { type: 'object', properties: Object.fromEntries(own.map(({ name, schema }) => [name, schema])), required: names }
}

/** What is stored for a vendor. */
interface StoredProps {
  readonly oauthClient: OAuthCredentialsRecord
  /** Name of the vendor. */
  readonly name: string
}

/** Deletes the OAuth client; one in use needs a second consent. */
function DeleteButton({ oauthClient: { connector_type: kind, connectors }, name }: StoredProps) {
  const [isForced, setIsForced] = useState(false)
  const deletion = useWrite((ferrule) => ferrule.oauthCredentials.delete(kind, { force: isForced }), {
    refreshes: keys,
    onDone: () => announce(`The OAuth client at ${name} was deleted.`),
  })
  return (
    <ConfirmButton
      isSmall
      isDanger
      label="Delete"
      says={`Delete the OAuth client at ${name}`}
      title="Delete this OAuth client?"
      mutation={deletion}
    >
      <Stack gap="sm">
        <Text size="sm">
          {printCounted(connectors, 'connector uses', 'connectors use')} it. Each works until its token has to be renewed, and then needs a
          new authorization. Connect links offer the form only. At the vendor it stays.
        </Text>
        {connectors > 0 && <Checkbox label="Delete it although connectors use it" {...bindChecked(isForced, setIsForced)} />}
      </Stack>
    </ConfirmButton>
  )
}

function Stored({ oauthClient, name }: StoredProps) {
  const { configuration_fields: fields, connectors, updated_at: changed } = oauthClient
  return (
    <Group justify="space-between">
      <Text size="sm">
        Stored: {fields.join(', ')}. Used by {printCounted(connectors, 'connector')}. Changed <Time value={changed} />.
      </Text>
      <DeleteButton oauthClient={oauthClient} name={name} />
    </Group>
  )
}

/** Shows the form. What was entered leaves it with the answer. */
function OAuthClientForm({ kind, isStored }: { readonly kind: DefinitionRecord; readonly isStored: boolean }) {
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
        announce(`The OAuth client at ${name} is stored.`)
      },
    },
  )
  const schema = buildSchema(kind)
  const { form, problems, isComplete } = useRequired(listMissing(schema, value, '/configuration'), listProblems(saving.error))
  const submit = () => {
    saving.reset()
    if (isComplete()) saving.mutate(value, { onSuccess: () => saving.reset() })
  }
  return (
    <WriteForm
      gap="sm"
      maw="var(--form-width)"
      label={`OAuth client at ${name}`}
      action={isStored ? 'Replace the OAuth client' : 'Store the OAuth client'}
      isPlain={isStored}
      write={saving}
      onSubmit={submit}
      failure="The OAuth client was not stored"
      marked={listPointers(schema, '/configuration')}
      form={form}
    >
      <SchemaForm schema={schema} value={value} onChange={setValue} at="/configuration" problems={problems} />
    </WriteForm>
  )
}

interface VendorItemProps {
  readonly kind: DefinitionRecord
  readonly oauthClient: OAuthCredentialsRecord | undefined
  /** Address to register at the vendor; undefined: the service does not know its own address. */
  readonly callback: string | undefined
}

function VendorItem({ kind, oauthClient, callback }: VendorItemProps) {
  const { connector_type: slug, name } = kind.definition
  return (
    <Accordion.Item value={slug}>
      <Accordion.Control>
        <Group gap="xs">
          <KindIcon kind={slug} />
          {name}
          <StatePill look={oauthClient === undefined ? ['Not stored', 'gray'] : ['Stored', 'green']} />
        </Group>
      </Accordion.Control>
      <Accordion.Panel>
        <Stack gap="sm">
          {callback === undefined ? (
            <Text size="sm">
              Set FERRULE_PUBLIC_URL to the https address of this service to see the redirect URI that the vendor asks for.
            </Text>
          ) : (
            <CopyText label={`Redirect URI to register at ${name}`} value={callback} />
          )}
          {oauthClient !== undefined && <Stored oauthClient={oauthClient} name={name} />}
          <OAuthClientForm kind={kind} isStored={oauthClient !== undefined} />
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  )
}
