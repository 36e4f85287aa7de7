/** Webhooks: the addresses that events are sent to. */
import { Anchor, Button, Checkbox, MultiSelect, Paper, Stack, Text, TextInput } from '@mantine/core'
import { type EventType, eventTypes, mostNameCharacters, type WebhookEndpoint, type WebhookEndpointInput } from 'ferrule/wire'
import { useRead } from '../../data/ferrule.ts'
import { useWorkspaces } from '../../data/organizations.ts'
import { basePath } from '../../data/page-facts.ts'
import { useAddressParams } from '../../data/params.ts'
import { useWrite } from '../../data/write.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { listProblems, printProblemsWithin } from '../../parts/form/problems.ts'
import { bindChecked, bindText } from '../../parts/form/text-entry.ts'
import { useEntries, WriteForm } from '../../parts/form/write-form.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { Section } from '../../parts/section.tsx'
import type { ListColumn } from '../../parts/table/list-table.tsx'
import { ReadTable } from '../../parts/table/read-table.tsx'
import { Time } from '../../parts/time.tsx'
import { EndpointPill, Gets, NewSecret } from './shown.tsx'

const choices = eventTypes.filter((type) => type !== 'webhook.test')

interface Entered {
  readonly name: string
  readonly url: string
  readonly isAll: boolean
  readonly types: readonly EventType[]
  readonly workspaces: readonly string[]
  readonly ordered: boolean
}

interface FieldsProps {
  readonly entered: Entered
  readonly set: (changes: Partial<Entered>) => void
}

const printBody = ({ name, url, isAll, types, workspaces, ordered }: Entered): WebhookEndpointInput => ({
  name: name.trim(),
  url: url.trim(),
  types: isAll ? [] : [...types],
  workspace_ids: workspaces.length === 0 ? null : [...workspaces],
  ordered,
})

function EventFields({ entered: { isAll, types, workspaces, ordered }, set }: FieldsProps) {
  const known = useWorkspaces().data?.data ?? []
  return (
    <>
      <Checkbox
        label="All events"
        description="Also types of later versions, but not records.changed: choose it by name."
        {...bindChecked(isAll, (next) => set({ isAll: next }))}
      />
      {!isAll && (
        <Checkbox.Group
          label="Types of events"
          value={[...types]}
          onChange={(values) => set({ types: choices.filter((type) => values.includes(type)) })}
        >
          <Stack gap="xs" mt="xs">
            {choices.map((type) => (
              <Checkbox key={type} value={type} label={type} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
      <MultiSelect
        label="Workspaces"
        description="Choose none for events of all workspaces."
        data={known.map(({ id, name }) => ({ value: id, label: name }))}
        value={[...workspaces]}
        onChange={(ids) => set({ workspaces: ids })}
        maxValues={100}
        searchable
      />
      <Checkbox
        label="In order"
        description="One event at a time. One that fails holds back the later ones."
        {...bindChecked(ordered, (next) => set({ ordered: next }))}
      />
    </>
  )
}

/** Shows the form and, after a success, the secret, this once. */
function NewEndpoint({ onClose }: { readonly onClose: () => void }) {
  const first = { name: '', url: '', isAll: true, types: [], workspaces: [], ordered: false }
  const { entered, set, keep } = useEntries<Entered>(first, ['new'])
  const creation = useWrite((ferrule, body: WebhookEndpointInput) => ferrule.webhooks.create(body), {
    refreshes: [['webhooks']],
    onDone: () => keep(),
  })
  const problems = listProblems(creation.error)
  const texts = { entered, set, errorAt: (pointer: string) => printProblemsWithin(problems, pointer) }
  const leave = () => {
    creation.reset()
    keep()
    onClose()
  }
  const isMissing = entered.name.trim() === '' || entered.url.trim() === '' || (!entered.isAll && entered.types.length === 0)
  return (
    <Paper withBorder p="md">
      <Section title="New webhook" about="The service sends a test at once. Other events follow when the address has answered it.">
        <WriteForm
          maw="var(--form-width)"
          label="New webhook"
          action="Create the webhook"
          write={creation}
          onSubmit={() => creation.mutate(printBody(entered))}
          failure="The webhook was not created"
          isDisabled={isMissing}
          onCancel={leave}
        >
          <TextInput label="Name" maxLength={mostNameCharacters} required {...bindText(texts, 'name', '/name')} />
          <TextInput
            label="Address"
            description="Public, and begins with https://."
            placeholder="https://hooks.example.com/ferrule"
            maxLength={2_000}
            required
            {...bindText(texts, 'url', '/url')}
          />
          <EventFields entered={entered} set={set} />
        </WriteForm>
      </Section>
      <NewSecret made={creation.data} onClose={leave} />
    </Paper>
  )
}

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
  { title: 'State', width: '16%', cell: (endpoint) => <EndpointPill endpoint={endpoint} /> },
  { title: 'Gets', cell: (endpoint) => <Gets endpoint={endpoint} /> },
  {
    title: 'Failing since',
    width: '16%',
    has: ({ failing_since: since }) => since !== null,
    cell: ({ failing_since: since }) => <Time value={since} none="not failing" />,
  },
]

const NoWebhooks = ({ onNew }: { readonly onNew: () => void }) => (
  <EmptyState
    title="No webhooks yet"
    says="A webhook tells your program when something happens, such as credentials that stop working or a sync that ended."
  >
    <Button onClick={onNew}>Create a webhook</Button>
    <Anchor href={`${basePath}/docs/webhooks`}>How webhooks work</Anchor>
  </EmptyState>
)

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
      <ReadTable
        label="Webhooks"
        columns={columns}
        reading={reading}
        rowKey={({ id }) => id}
        none={isNew === undefined && <NoWebhooks onNew={open} />}
      />
    </Stack>
  )
}
