/** One webhook: what it gets, what was sent to it, and what can be done with it. */
import { Code, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { type DeliveryStatus, secretOverlap, type WebhookDelivery, type WebhookEndpoint } from 'ferrule/wire'
import { useState } from 'react'
import { useParams } from 'wouter'
import { useRead } from '../../data/ferrule.ts'
import { useAddressParams } from '../../data/params.ts'
import { useGo } from '../../data/tenant.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { bindValue } from '../../parts/form/text-entry.ts'
import { Quiet, WriteButton } from '../../parts/looks.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { printCounted, printDuration } from '../../parts/print.ts'
import { ReadingView } from '../../parts/reading-view.tsx'
import { Section } from '../../parts/section.tsx'
import { type StateLook, StatePill } from '../../parts/states.tsx'
import type { ListColumn } from '../../parts/table/list-table.tsx'
import { ReadTable } from '../../parts/table/read-table.tsx'
import { Time } from '../../parts/time.tsx'
import { EndpointPill, Gets, NewSecret } from './shown.tsx'

const everyMs = 5_000

/** What the parts of the page get. */
interface EndpointProps {
  readonly endpoint: WebhookEndpoint
}

/** Pauses, resumes and tests an endpoint. */
function SwitchButtons({ endpoint: { id, name, status } }: EndpointProps) {
  const next = status === 'active' ? 'paused' : 'active'
  const change = useWrite((ferrule) => ferrule.webhooks.update(id, { status: next }), {
    refreshes: [['webhooks']],
    onDone: () => announce(next === 'paused' ? `${name} is paused: its events wait.` : `${name} gets events again.`),
  })
  const trial = useWrite((ferrule) => ferrule.webhooks.test(id), {
    refreshes: [['webhooks']],
    onDone: () => announce('A test is sent. The newest delivery shows what becomes of it.'),
  })
  return (
    <>
      <WriteButton write={trial}>Test now</WriteButton>
      {status !== 'unverified' && <WriteButton write={change}>{next === 'paused' ? 'Pause' : 'Resume'}</WriteButton>}
      <ErrorBox error={trial.error} title="The test was not sent" />
      <ErrorBox error={change.error} title="The webhook was not changed" />
    </>
  )
}

/** Times for which the old secret signs too, in seconds. */
const overlaps = [
  [0, 'not at all'],
  [3_600, '1 hour'],
  [secretOverlap.usual, '1 day'],
  [secretOverlap.most, '7 days'],
] as const

/** Asks, then makes a new secret and shows it. */
function SecretButton({ endpoint: { id, name } }: EndpointProps) {
  const [seconds, setSeconds] = useState<number>(secretOverlap.usual)
  const rotation = useWrite((ferrule) => ferrule.webhooks.rotateSecret(id, { overlap_seconds: seconds }), { refreshes: [['webhooks']] })
  return (
    <>
      <ConfirmButton label="New secret" title={`A new secret for ${name}?`} action="Replace the secret" mutation={rotation}>
        <NativeSelect
          label="The old secret signs too"
          description="So the receiver can change without a gap."
          data={overlaps.map(([value, label]) => ({ value: String(value), label }))}
          {...bindValue(String(seconds), (next) => setSeconds(Number(next)))}
        />
      </ConfirmButton>
      <NewSecret made={rotation.data} onClose={rotation.reset} />
    </>
  )
}

function DeleteButton({ endpoint: { id, name } }: EndpointProps) {
  const go = useGo()
  const removal = useWrite((ferrule) => ferrule.webhooks.delete(id), {
    onDone: () => {
      announce(`The webhook ${name} was deleted.`)
      go('/webhooks')
    },
  })
  return (
    <ConfirmButton isDanger label="Delete" title={`Delete ${name}?`} mutation={removal}>
      Its deliveries go with it, and what waits is not sent. This cannot be undone.
    </ConfirmButton>
  )
}

function Endpoint({ endpoint }: EndpointProps) {
  const { name, url, status_reason: reason, failing_since: since } = endpoint
  return (
    <Stack>
      <PageHeader title={name} about={url} />
      <Group gap="xs">
        <EndpointPill endpoint={endpoint} />
        {reason !== null && <Text size="sm">{reason}</Text>}
        {since !== null && (
          <Text size="sm">
            failing since <Time value={since} />
          </Text>
        )}
      </Group>
      <div>
        <Gets endpoint={endpoint} />
      </div>
      <Group gap="xs">
        <SwitchButtons endpoint={endpoint} />
        <SecretButton endpoint={endpoint} />
        <DeleteButton endpoint={endpoint} />
      </Group>
      <Deliveries id={endpoint.id} />
    </Stack>
  )
}

/** The page of one webhook. */
export function Page() {
  const { id = '' } = useParams<{ id: string }>()
  const reading = useRead(['webhooks', id], (ferrule, signal) => ferrule.webhooks.get(id, { signal }), { everyMs })
  return (
    <Stack>
      <PageLink to="/webhooks">All webhooks</PageLink>
      <ReadingView reading={reading}>{(endpoint) => <Endpoint endpoint={endpoint} />}</ReadingView>
    </Stack>
  )
}

const looks: Readonly<Record<DeliveryStatus, StateLook>> = {
  waiting: ['Waiting', 'blue'],
  delivered: ['Delivered', 'green'],
  failed: ['Failed', 'red'],
}

/** What the cells of a delivery get. */
interface DeliveryProps {
  readonly delivery: WebhookDelivery
}

function AgainButton({ delivery: { id, endpoint_id: endpoint, type } }: DeliveryProps) {
  const again = useWrite((ferrule) => ferrule.webhooks.retryDelivery(endpoint, id), {
    refreshes: [['webhooks']],
    onDone: () => announce(`${type} is sent again.`),
  })
  return (
    <>
      <WriteButton write={again} size="compact-sm" aria-label={`Send again: ${type}`}>
        Send again
      </WriteButton>
      <ErrorBox error={again.error} title="It is not sent again" />
    </>
  )
}

/** Shows the last answer; its text on open. */
function Answer({ delivery }: DeliveryProps) {
  const { last_status: status, last_error: error, last_answer: answer, last_duration_ms: duration } = delivery
  return (
    <>
      <Text size="sm">
        {status === null ? 'no answer' : `HTTP ${status}`}
        {duration !== null && `, ${printDuration(duration)}`}
      </Text>
      {error !== null && <Text size="sm">{error}</Text>}
      {answer !== null && answer !== '' && (
        <details>
          <summary>Show the answer</summary>
          <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {answer}
          </Code>
        </details>
      )}
    </>
  )
}

const columns: readonly ListColumn<WebhookDelivery>[] = [
  {
    title: 'Event',
    cell: ({ type, created_at: at }) => (
      <>
        <strong>{type}</strong>{' '}
        <Quiet>
          <Time value={at} />
        </Quiet>
      </>
    ),
  },
  { title: 'State', width: '14%', cell: ({ status }) => <StatePill look={looks[status]} /> },
  {
    title: 'Attempts',
    width: '18%',
    cell: ({ attempts, next_attempt_at: next }) => (
      <>
        {printCounted(attempts, 'attempt')}
        {next !== null && (
          <Quiet>
            next <Time value={next} />
          </Quiet>
        )}
      </>
    ),
  },
  { title: 'Last answer', width: '28%', cell: (delivery) => delivery.attempts > 0 && <Answer delivery={delivery} /> },
  { title: 'Actions', width: '15%', cell: (delivery) => <AgainButton delivery={delivery} /> },
]

/** Asks, then sends again all that failed. */
function AllAgainButton({ id }: { readonly id: string }) {
  const again = useWrite((ferrule) => ferrule.webhooks.retryDeliveries(id), {
    refreshes: [['webhooks']],
    onDone: ({ deliveries }) => announce(`${printCounted(deliveries, 'delivery', 'deliveries')} sent again.`),
  })
  return (
    <ConfirmButton isSmall label="Send all failed again" title="Send all failed again?" action="Send again" mutation={again}>
      All deliveries that were given up in the last 30 days are sent again.
    </ConfirmButton>
  )
}

/** Shows the deliveries, the newest first; the address has the page. */
function Deliveries({ id }: { readonly id: string }) {
  const [{ cursor }] = useAddressParams('cursor')
  const query = { limit: 20, ...(cursor === undefined ? {} : { cursor }) }
  const reading = useRead(
    ['webhooks', id, 'deliveries', query],
    (ferrule, signal) => ferrule.webhooks.deliveryPage(id, query, { signal }),
    {
      everyMs,
    },
  )
  return (
    <Section title="Deliveries" about="What was sent in the last 30 days, the newest first. What fails is tried again for five days.">
      <Stack>
        <div>
          <AllAgainButton id={id} />
        </div>
        <ReadTable
          label="Deliveries"
          columns={columns}
          reading={reading}
          rowKey={(each) => each.id}
          none={<Text size="sm">Nothing was sent yet.</Text>}
        />
      </Stack>
    </Section>
  )
}
