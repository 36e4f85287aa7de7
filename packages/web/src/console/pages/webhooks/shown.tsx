/** What both pages of webhooks show: the status of an endpoint, what it gets, and its secret. */
import { Text } from '@mantine/core'
import type { EndpointStatus, WebhookEndpoint, WebhookEndpointSecret } from 'ferrule/wire'
import { useWorkspaces } from '../../data/organizations.ts'
import { Quiet } from '../../parts/looks.tsx'
import { printCounted } from '../../parts/print.ts'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { type StateLook, StatePill } from '../../parts/states.tsx'

const looks: Readonly<Record<EndpointStatus, StateLook>> = {
  unverified: ['Not tested yet', 'yellow'],
  active: ['Active', 'green'],
  paused: ['Paused', 'gray'],
  disabled: ['Disabled', 'red'],
}

/** Shows the status of an endpoint. */
export const EndpointPill = ({ endpoint: { status, failing_since: since } }: { readonly endpoint: WebhookEndpoint }) => (
  <StatePill look={status === 'active' && since !== null ? ['Failing', 'yellow'] : looks[status]} />
)

/** Shows which events an endpoint gets. */
export function Gets({
  endpoint: { types, workspace_ids: ids, connector_ids: connectors, ordered },
}: {
  readonly endpoint: WebhookEndpoint
}) {
  const known = useWorkspaces().data?.data ?? []
  const nameOf = (id: string) => known.find((each) => each.id === id)?.name ?? id
  return (
    <>
      <Text size="sm">{types.length === 0 ? 'all events but records.changed' : types.join(', ')}</Text>
      <Quiet>
        {ids === null ? 'all workspaces' : ids.map(nameOf).join(', ')}
        {connectors !== null && `; ${printCounted(connectors.length, 'connector')} only`}
        {ordered && '; in their order'}
      </Quiet>
    </>
  )
}

/** Lines of a receiver. They name a variable, so they have no secret. */
const receiver = [
  "import { verifyWebhook } from 'ferrule'",
  '',
  'export async function POST(request: Request): Promise<Response> {',
  '  const body = await request.text()',
  "  const event = await verifyWebhook({ body, headers: request.headers, secret: process.env.WEBHOOK_SECRET ?? '' })",
  '  console.log(event.type)',
  '  return new Response(null, { status: 204 })',
  '}',
].join('\n')

/** Shows a new secret, this once, and how a receiver uses it. */
export function NewSecret({ made, onClose }: { readonly made: WebhookEndpointSecret | undefined; readonly onClose: () => void }) {
  const texts = made && [
    { label: 'Secret', value: made.secret },
    { label: 'Lines that verify an event', value: receiver },
  ]
  return <SecretDialog title={`The secret of ${made?.name ?? ''}`} texts={texts} onClose={onClose} />
}
