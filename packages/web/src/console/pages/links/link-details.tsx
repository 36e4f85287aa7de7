/** What is known of one connect link. */
import { Modal, Stack, Table, Text } from '@mantine/core'
import { formatJson } from 'ferrule/internal'
import type { ConnectLinkRecord } from 'ferrule/wire'
import type { ReactNode } from 'react'
import { useRead } from '../../data/ferrule.ts'
import { useAddressParams } from '../../data/params.ts'
import { PageLink } from '../../parts/page-link.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { Time } from '../../parts/time.tsx'
import { LinkStatus, RevokeButton } from './link-parts.tsx'

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
export function LinkDetails() {
  const [{ link: id }, change] = useAddressParams('link')
  const reading = useRead(['links', 'one', id], (ferrule, signal) => ferrule.links.get(id ?? '', { signal }), { enabled: id !== undefined })
  return (
    <Modal opened={id !== undefined} onClose={() => change({ link: undefined })} title="Connect link" size="lg">
      <ReadingView reading={reading}>{(link) => <Details link={link} />}</ReadingView>
    </Modal>
  )
}
