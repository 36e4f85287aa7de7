/** What was sent to a webhook. */
import { Button, Code, Stack, Text } from '@mantine/core'
import type { DeliveryStatus, WebhookDelivery } from 'ferrule/wire'
import { useRead } from '../../data/ferrule.ts'
import { useAddressParams } from '../../data/params.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { CursorPages } from '../../parts/cursor-pages.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { printCounted, printDuration } from '../../parts/print.ts'
import { ReadingView } from '../../parts/reading-view.tsx'
import { Section } from '../../parts/section.tsx'
import { type StateLook, StatePill } from '../../parts/states.tsx'
import { type ListColumn, ListTable } from '../../parts/table/list-table.tsx'
import { Time } from '../../parts/time.tsx'

const everyMs = 5_000

const looks: Readonly<Record<DeliveryStatus, StateLook>> = {
  waiting: ['Waiting', 'blue'],
  delivered: ['Delivered', 'green'],
  failed: ['Failed', 'red'],
}

/** What the cells of a delivery get. */
interface DeliveryProps {
  readonly delivery: WebhookDelivery
}

/** Sends a delivery again. */
function AgainButton({ delivery: { id, endpoint_id: endpoint, type } }: DeliveryProps) {
  const again = useWrite((ferrule) => ferrule.webhooks.retryDelivery(endpoint, id), {
    refreshes: [['webhooks']],
    onDone: () => announce(`${type} is sent again.`),
  })
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        loading={again.isPending}
        onClick={() => again.mutate(undefined)}
        aria-label={`Send again: ${type}`}
      >
        Send again
      </Button>
      {again.error !== null && <ErrorBox error={again.error} title="It is not sent again" />}
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
          <summary>Its first kilobyte</summary>
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
        <Text size="sm" c="dimmed">
          <Time value={at} />
        </Text>
      </>
    ),
  },
  { title: 'Status', width: '14%', cell: ({ status }) => <StatePill look={looks[status]} /> },
  {
    title: 'Attempts',
    width: '18%',
    cell: ({ attempts, next_attempt_at: next }) => (
      <>
        {printCounted(attempts, 'attempt')}
        {next !== null && (
          <Text size="sm" c="dimmed">
            next <Time value={next} />
          </Text>
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
export function Deliveries({ id }: { readonly id: string }) {
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
      <ReadingView reading={reading}>
        {({ data, next }) => (
          <Stack>
            <div>
              <AllAgainButton id={id} />
            </div>
            {data.length === 0 ? (
              <Text size="sm">Nothing was sent yet.</Text>
            ) : (
              <ListTable label="Deliveries" columns={columns} rows={data} rowKey={(each) => each.id} />
            )}
            <CursorPages next={next} />
          </Stack>
        )}
      </ReadingView>
    </Section>
  )
}
