/** Connect links: with one, an end user authorizes a connector, and nobody here sees the secret. */
import { Alert, Button, Group, Modal, NativeSelect, Stack, Table, Tabs, Text, TextInput } from '@mantine/core'
import { formatJson } from 'ferrule/internal'
import {
  type ConnectLinkRecord,
  type ConnectLinkStatus,
  connectLinkStatuses,
  connectPaths,
  type DefinitionRecord,
  type OAuthCredentialsRecord,
} from 'ferrule/wire'
import type { ComponentType, ReactNode } from 'react'
import { useRead } from '../../data/ferrule.ts'
import { useAddressParams } from '../../data/params.ts'
import { useService } from '../../data/service.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { CursorPages } from '../../parts/cursor-pages.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { type StateLook, StatePill } from '../../parts/states.tsx'
import { type ListColumn, ListTable } from '../../parts/table/list-table.tsx'
import { Time } from '../../parts/time.tsx'
import { NewLink } from './new-link.tsx'
import { VendorSection } from './vendor-section.tsx'

const isStatus = (value: string | undefined): value is ConnectLinkStatus => connectLinkStatuses.some((each) => each === value)

const useFilterParams = () => useAddressParams('status', 'user', 'cursor', 'link', 'new')

/** Shows the filters; the address has their values. */
function Filters() {
  const [{ status, user }, change] = useFilterParams()
  return (
    <Group align="flex-end" component="search">
      <NativeSelect
        label="Status"
        data={[{ value: '', label: 'All' }, ...connectLinkStatuses.map((value) => ({ value, label: linkLooks[value][0] }))]}
        value={isStatus(status) ? status : ''}
        onChange={({ currentTarget }) => change({ status: currentTarget.value, cursor: undefined })}
      />
      <TextInput
        label="Only of this end user"
        type="search"
        placeholder="The whole id"
        value={user ?? ''}
        onChange={({ currentTarget }) => change({ user: currentTarget.value, cursor: undefined }, { replace: true })}
        maxLength={256}
        w={{ base: '100%', sm: 280 }}
      />
    </Group>
  )
}

/** Shows what the link leads to. */
function Purpose({ link }: { readonly link: ConnectLinkRecord }) {
  const target = link.connector_id ?? link.target_connector_id
  return (
    <>
      <Text size="sm">{link.target_connector_id === null ? link.kinds.join(', ') : 'authorizes a connector again'}</Text>
      {target !== null && (
        <PageLink to={`/connectors/${target}`} size="sm">
          Connector
        </PageLink>
      )}
    </>
  )
}

/** Shows what can be done with a link. */
function LinkActions({ link }: { readonly link: ConnectLinkRecord }) {
  const [, change] = useFilterParams()
  return (
    <Group gap="xs">
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => change({ link: link.id })}
        aria-label={`Details of the link for ${link.end_user.id}`}
      >
        Details
      </Button>
      {link.status === 'open' && <RevokeButton link={link} />}
    </Group>
  )
}

const columns: readonly ListColumn<ConnectLinkRecord>[] = [
  { title: 'Status', cell: ({ status }) => <LinkStatus status={status} /> },
  {
    title: 'End user',
    cell: ({ end_user: { id, name, email } }) => (
      <>
        <Text size="sm" fw={600}>
          {name ?? id}
        </Text>
        <Text size="sm" c="dimmed">
          {name === null ? email : id}
        </Text>
      </>
    ),
  },
  { title: 'For', cell: (link) => <Purpose link={link} /> },
  { title: 'Workspace', cell: ({ workspace_name: workspace }) => workspace },
  { title: 'Created', cell: ({ created_at: created }) => <Time value={created} /> },
  { title: 'Expires', cell: ({ expires_at: expires }) => <Time value={expires} /> },
  { title: 'Actions', cell: (link) => <LinkActions link={link} /> },
]

/** Shows one page of links. */
function Links({ links }: { readonly links: readonly ConnectLinkRecord[] }) {
  const [{ status, user, new: isNew }, change] = useFilterParams()
  if (links.length === 0 && (status !== undefined || user !== undefined))
    return (
      <EmptyState title="No link fits" says="The filters leave none over.">
        <Button onClick={() => change({ status: undefined, user: undefined, cursor: undefined })}>Clear the filters</Button>
      </EmptyState>
    )
  if (links.length === 0)
    return (
      <EmptyState title="No links yet" says="Send one to your customer. Ended links stay here for 30 days.">
        {isNew === undefined && <Button onClick={() => change({ new: '1' })}>Create the first link</Button>}
      </EmptyState>
    )
  return <ListTable label="Links" columns={columns} rows={links} rowKey={({ id }) => id} />
}

/** Shows the tab. */
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
      <ReadingView reading={reading}>
        {({ data, next }) => (
          <>
            <Links links={data} />
            <CursorPages next={next} />
          </>
        )}
      </ReadingView>
    </Stack>
  )
}

/** Prints values by kind. */
const printValues = (values: Readonly<Record<string, unknown>>): ReactNode =>
  Object.keys(values).length === 0 ? 'none' : <code>{formatJson(values)}</code>

const printConnector = (id: string | null): ReactNode => (id === null ? 'none' : <PageLink to={`/connectors/${id}`}>{id}</PageLink>)

/** Lists what is shown, with its name. */
const listDetails = (link: ConnectLinkRecord): readonly (readonly [name: string, value: ReactNode])[] => [
  ['Status', <LinkStatus key="status" status={link.status} />],
  ['Id', <code key="id">{link.id}</code>],
  ['End user', [link.end_user.id, link.end_user.name, link.end_user.email].filter((each) => each !== null).join(', ')],
  ['Workspace', link.workspace_name],
  ['Kinds', link.kinds.join(', ')],
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

/** Shows the table. */
function Details({ link }: { readonly link: ConnectLinkRecord }) {
  return (
    <Stack align="flex-start">
      <Table aria-label="Details of the link" layout="fixed" verticalSpacing={4}>
        <Table.Tbody>
          {listDetails(link).map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th w="38%">{name}</Table.Th>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
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

/** Reads the kinds that have a consent page, whole. */
const useConsentKinds = () =>
  useRead(['definitions', 'consent'], async (ferrule, signal) => {
    const all = await ferrule.definitions.list({}, { signal })
    const whole = await Promise.all(all.map(({ connector_type: kind }) => ferrule.definitions.get(kind, { signal })))
    return whole.filter(({ credentials }) => credentials.some(({ application_fields: fields }) => fields.length > 0))
  })

/** Shows the section of each kind. */
function Sections({ kinds, stored }: { readonly kinds: readonly DefinitionRecord[]; readonly stored: readonly OAuthCredentialsRecord[] }) {
  const own = useService().data?.connect_url ?? undefined
  if (kinds.length === 0) return <EmptyState title="No kind needs one" says="No kind of this service has a consent page." />
  return kinds.map((kind) => {
    const slug = kind.definition.connector_type
    const application = stored.find(({ connector_type: each }) => each === slug)
    const callback = application?.redirect_uri ?? (own && `${own}${connectPaths.callback.replace('{kind}', slug)}`)
    return <VendorSection key={slug} kind={kind} application={application} callback={callback} />
  })
}

/** Shows the tab. */
function VendorsTab() {
  const kinds = useConsentKinds()
  const stored = useRead(['oauth-credentials'], (ferrule, signal) => ferrule.oauthCredentials.list({ signal }))
  return (
    <Stack gap="lg">
      <Text size="sm">
        These vendors ask the owner of an account on a page of their own, and know an application of yours there. Register one at the vendor
        first. Without it, connect links offer the form of the kind only.
      </Text>
      <ReadingView reading={kinds}>
        {(found) => <ReadingView reading={stored}>{({ data }) => <Sections kinds={found} stored={data} />}</ReadingView>}
      </ReadingView>
      <Alert color="gray" variant="light">
        A connector refers to the application and has no copy of its secret: a new secret holds for all of its connectors.
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

/** Shows the status. */
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
