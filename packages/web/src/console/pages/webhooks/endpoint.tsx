/** One webhook: what it gets, what was sent to it, and what can be done with it. */
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { secretOverlap, type WebhookEndpoint } from 'ferrule/wire'
import { useState } from 'react'
import { useParams } from 'wouter'
import { useRead } from '../../data/ferrule.ts'
import { useGo } from '../../data/tenant.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { Time } from '../../parts/time.tsx'
import { Deliveries } from './deliveries.tsx'
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
      <Button variant="default" loading={trial.isPending} onClick={() => trial.mutate(undefined)}>
        Test now
      </Button>
      {status !== 'unverified' && (
        <Button variant="default" loading={change.isPending} onClick={() => change.mutate(undefined)}>
          {next === 'paused' ? 'Pause' : 'Resume'}
        </Button>
      )}
      {trial.error !== null && <ErrorBox error={trial.error} title="The test was not sent" />}
      {change.error !== null && <ErrorBox error={change.error} title="The webhook was not changed" />}
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
          value={String(seconds)}
          onChange={({ currentTarget }) => setSeconds(Number(currentTarget.value))}
        />
      </ConfirmButton>
      <NewSecret made={rotation.data} onClose={rotation.reset} />
    </>
  )
}

/** Asks, then deletes an endpoint. */
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

/** Shows an endpoint. */
function Endpoint({ endpoint }: EndpointProps) {
  const { name, url, status, status_reason: reason, failing_since: since } = endpoint
  return (
    <Stack>
      <PageHeader title={name} about={url} />
      <Group gap="xs">
        <EndpointPill status={status} />
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
