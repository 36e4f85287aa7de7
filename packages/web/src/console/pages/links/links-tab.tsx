/** The list of connect links. */
import { Button, Group, NativeSelect, Stack, Table, Text, TextInput } from '@mantine/core'
import { type ConnectLinkRecord, type ConnectLinkStatus, connectLinkStatuses } from 'ferrule/wire'
import { useRead } from '../../data/ferrule.ts'
import { useAddressParams } from '../../data/params.ts'
import { CursorPages } from '../../parts/cursor-pages.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { Time } from '../../parts/time.tsx'
import { LinkStatus, linkLooks, RevokeButton } from './link-parts.tsx'

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

/** Shows one link. */
function LinkRow({ link }: { readonly link: ConnectLinkRecord }) {
  const [, change] = useFilterParams()
  const { id, status, end_user: user, workspace_name: workspace, created_at: created, expires_at: expires } = link
  return (
    <Table.Tr>
      <Table.Td>
        <LinkStatus status={status} />
      </Table.Td>
      <Table.Td>
        <Text size="sm" fw={600}>
          {user.name ?? user.id}
        </Text>
        <Text size="sm" c="dimmed">
          {user.name === null ? user.email : user.id}
        </Text>
      </Table.Td>
      <Table.Td>
        <Purpose link={link} />
      </Table.Td>
      <Table.Td>{workspace}</Table.Td>
      <Table.Td>
        <Time value={created} />
      </Table.Td>
      <Table.Td>
        <Time value={expires} />
      </Table.Td>
      <Table.Td>
        <Group gap="xs" wrap="nowrap">
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => change({ link: id })}
            aria-label={`Details of the link for ${user.id}`}
          >
            Details
          </Button>
          {status === 'open' && <RevokeButton link={link} />}
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}

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
  const titles = ['Status', 'End user', 'For', 'Workspace', 'Created', 'Expires', 'Actions']
  return (
    <ListTable label="Links" titles={titles} minWidth={940}>
      {links.map((link) => (
        <LinkRow key={link.id} link={link} />
      ))}
    </ListTable>
  )
}

/** Shows the tab. */
export function LinksTab() {
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
