/** Webhooks that the vendor sends to a connector: where to, what came last, and what is missing. */
import { Alert, Group, List, Text } from '@mantine/core'
import type { ConnectorRecord, ConnectorWebhooks } from 'ferrule/wire'
import { useState } from 'react'
import { useRead } from '../../data/ferrule.ts'
import { useChanges } from '../../data/leaving.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { listProblems } from '../../parts/form/problems.ts'
import type { Schema } from '../../parts/form/schema.ts'
import { SchemaForm } from '../../parts/form/schema-form.tsx'
import { WriteForm } from '../../parts/form/write-form.tsx'
import { WriteButton } from '../../parts/looks.tsx'
import { printCounted, printDuration } from '../../parts/print.ts'
import { ReadingView } from '../../parts/reading-view.tsx'
import { CopyText } from '../../parts/secret-dialog.tsx'
import { Section } from '../../parts/section.tsx'
import { StatePill } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'

/** Time between two reads, in milliseconds. */
const everyMs = 15_000

const listKey = (id: string) => ['vendor webhooks', id]

/** What the parts of the section get. */
interface StatusProps {
  readonly status: ConnectorWebhooks
}

function MakeButton({ status: { connector_id: id } }: StatusProps) {
  const making = useWrite((ferrule) => ferrule.connectors.setWebhooks(id), {
    refreshes: [listKey(id)],
    onDone: () => announce('The address was made. Give it to the vendor.'),
  })
  return (
    <>
      <WriteButton write={making}>Make an address</WriteButton>
      <ErrorBox error={making.error} title="The address was not made" />
    </>
  )
}

/** Topics that the vendor was asked for, with what it answered. */
function Subscriptions({ status: { subscriptions } }: StatusProps) {
  const list = (wanted: (state: string) => boolean) => (subscriptions ?? []).filter(({ state }) => wanted(state))
  const [sent, refused] = [list((state) => state !== 'refused'), list((state) => state === 'refused')]
  return (
    <>
      {sent.length > 0 && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          The vendor sends: {sent.map(({ topic }) => topic).join(', ')}
        </Text>
      )}
      {refused.map(({ topic, message }) => (
        <Text key={topic} size="sm" style={{ overflowWrap: 'anywhere' }}>
          The vendor refused {topic}: {message}
        </Text>
      ))}
    </>
  )
}

/** Asks the vendor for the topics of the copied entities. */
function SubscribeButton({ status: { connector_id: id } }: StatusProps) {
  const asking = useWrite((ferrule) => ferrule.connectors.setWebhooks(id, { subscribe: true }), {
    refreshes: [listKey(id)],
    onDone: () => announce('The vendor has answered.'),
  })
  return (
    <>
      <WriteButton write={asking}>Ask the vendor for events</WriteButton>
      <ErrorBox error={asking.error} title="The vendor was not asked" />
    </>
  )
}

function DeleteButton({ status: { connector_id: id } }: StatusProps) {
  const deletion = useWrite((ferrule) => ferrule.connectors.removeWebhooks(id), {
    refreshes: [listKey(id)],
    onDone: () => announce('The address was deleted.'),
  })
  return (
    <ConfirmButton isDanger label="Delete the address" title="Delete this address?" mutation={deletion}>
      Its secret goes with it, and events that wait there. The vendor gets 401 from then on. Another address will be a new one.
    </ConfirmButton>
  )
}

/** The secret. Its words let the form keep the lines of a key. */
const secretSchema: Schema = {
  type: 'object',
  properties: {
    secret: {
      type: 'string',
      title: 'Signing secret',
      description: 'What the vendor signs with, or its public key in PEM. It is not shown again.',
      writeOnly: true,
    },
  },
}
const nothing: Schema = {}

/** Sets the secret that verifies requests. */
function SecretForm({ status: { connector_id: id, verified_by: verifier, offered_secret: offered } }: StatusProps) {
  const [value, setValue] = useState(nothing)
  const secret = typeof value['secret'] === 'string' ? value['secret'] : undefined
  useChanges(secret, ['tab'])
  const saving = useWrite((ferrule, text: string) => ferrule.connectors.setWebhooks(id, { secret: text }), {
    refreshes: [listKey(id)],
    onDone: () => {
      setValue(nothing)
      announce('The secret was stored.')
    },
  })
  return (
    <WriteForm
      isPlain
      gap="sm"
      label="Secret of the webhooks"
      action={verifier === 'secret' ? 'Replace the secret' : 'Store the secret'}
      write={saving}
      onSubmit={() => secret !== undefined && saving.mutate(secret, { onSuccess: () => saving.reset() })}
      failure="The secret was not stored"
      marked={['/secret']}
      isDisabled={secret === undefined}
    >
      {offered !== null && <CopyText label="Secret that a request has stated" value={offered} />}
      <SchemaForm schema={secretSchema} value={value} onChange={setValue} problems={listProblems(saving.error)} />
    </WriteForm>
  )
}

function Arrived({ status: { received, waiting, given_up: lost, last_event_at: last, last_lag_ms: lag } }: StatusProps) {
  return (
    <>
      <Group gap="xs">
        <StatePill look={last === null ? ['No event yet', 'gray'] : ['Events come', 'green']} />
        {last !== null && (
          <Text size="sm">
            {printCounted(received, 'event')}, the last <Time value={last} />
            {lag !== null && `, in the copy after ${printDuration(lag)}`}
          </Text>
        )}
      </Group>
      {waiting > 0 && <Text size="sm">{printCounted(waiting, 'event waits', 'events wait')}.</Text>}
      {lost > 0 && <Text size="sm">{printCounted(lost, 'event')} could not be read: a sync reads the records.</Text>}
    </>
  )
}

function Missing({ status: { missing } }: StatusProps) {
  if (missing.length === 0) return null
  return (
    <Alert color="yellow" variant="light" title="Missing">
      <List size="sm">
        {missing.map((sentence) => (
          <List.Item key={sentence}>{sentence}</List.Item>
        ))}
      </List>
    </Alert>
  )
}

function Webhooks({ status }: StatusProps) {
  const { address, application_address: ofAll, verified_by: verifier, topics, subscribable } = status
  return (
    <>
      {(address ?? ofAll) !== null && <Arrived status={status} />}
      <Missing status={status} />
      {address !== null && <CopyText label="Address of this connector" value={address} />}
      {ofAll !== null && <CopyText label="Address of its OAuth client, for all accounts" value={ofAll} />}
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        Topics that are read: {topics.includes('*') ? 'all' : topics.join(', ')}
      </Text>
      {address !== null && verifier !== 'credentials' && <SecretForm status={status} />}
      <Subscriptions status={status} />
      <Group>
        {subscribable && address !== null && verifier !== 'nothing' && <SubscribeButton status={status} />}
        {address === null ? <MakeButton status={status} /> : <DeleteButton status={status} />}
      </Group>
    </>
  )
}

/** Shows the section. */
export function WebhooksSection({ connector: { id } }: { readonly connector: ConnectorRecord }) {
  const reading = useRead(listKey(id), (ferrule, signal) => ferrule.connectors.webhooks(id, { signal }), { everyMs })
  return (
    <Section
      title="Webhooks of the vendor"
      about="The vendor says what changed, and the copy has it within seconds. Syncs go on in any case."
    >
      <ReadingView reading={reading}>
        {(status) => (status.topics.length === 0 ? <Text size="sm">{status.missing.join(' ')}</Text> : <Webhooks status={status} />)}
      </ReadingView>
    </Section>
  )
}
