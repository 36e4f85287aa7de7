/** Webhooks: the addresses that events are sent to. */
import { Anchor, Button, Stack, Text } from '@mantine/core'
import type { WebhookEndpoint } from 'ferrule/wire'
import { useRead } from '../../data/ferrule.ts'
import { basePath } from '../../data/page-facts.ts'
import { useAddressParams } from '../../data/params.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { type ListColumn, ListTable } from '../../parts/table/list-table.tsx'
import { Time } from '../../parts/time.tsx'
import { NewEndpoint } from './new-endpoint.tsx'
import { EndpointPill, Gets } from './shown.tsx'

const everyMs = 5_000

const columns: readonly ListColumn<WebhookEndpoint>[] = [
  {
    title: 'Name',
    width: '34%',
    cell: ({ id, name, url }) => (
      <>
        <PageLink to={`/webhooks/${id}`} fw={600}>
          {name}
        </PageLink>
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {url}
        </Text>
      </>
    ),
  },
  { title: 'Status', width: '16%', cell: ({ status }) => <EndpointPill status={status} /> },
  { title: 'Gets', cell: (endpoint) => <Gets endpoint={endpoint} /> },
  { title: 'Failing since', width: '16%', cell: ({ failing_since: since }) => <Time value={since} none="not failing" /> },
]

/** Shows the endpoints, or what webhooks are. */
function Endpoints({ endpoints, onNew }: { readonly endpoints: readonly WebhookEndpoint[]; readonly onNew: () => void }) {
  if (endpoints.length > 0) return <ListTable label="Webhooks" columns={columns} rows={endpoints} rowKey={({ id }) => id} />
  return (
    <EmptyState
      title="No webhooks yet"
      says="A webhook tells your program when something happens, such as credentials that stop to work or a sync that ended."
    >
      <Button onClick={onNew}>Create a webhook</Button>
      <Anchor href={`${basePath}/docs/webhooks`}>How webhooks work</Anchor>
    </EmptyState>
  )
}

/** The page; the address has the open form. */
export function Page() {
  const [{ new: isNew }, change] = useAddressParams('new')
  const reading = useRead(['webhooks'], (ferrule, signal) => ferrule.webhooks.list({ signal }), { everyMs })
  const open = () => change({ new: '1' })
  return (
    <Stack>
      <PageHeader title="Webhooks" about="Addresses of your programs that events are sent to.">
        {isNew === undefined && <Button onClick={open}>Create a webhook</Button>}
      </PageHeader>
      {isNew !== undefined && <NewEndpoint onClose={() => change({ new: undefined })} />}
      <ReadingView reading={reading}>
        {(endpoints) => (endpoints.length > 0 || isNew === undefined) && <Endpoints endpoints={endpoints} onNew={open} />}
      </ReadingView>
    </Stack>
  )
}
