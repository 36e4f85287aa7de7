/** What the service and the node that answers run with, and the sessions of the console. */
import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { NodeRecord, ServiceRecord } from 'ferrule/wire'
import { useDeferredValue } from 'react'
import { useRead } from '../../data/ferrule.ts'
import { useAddressParams } from '../../data/params.ts'
import { useService } from '../../data/service.ts'
import { signOut } from '../../data/sign-out.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { bindValue } from '../../parts/form/text-entry.ts'
import { Quiet } from '../../parts/looks.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { printCount, printCounted, printSize } from '../../parts/print.ts'
import { ReadingView } from '../../parts/reading-view.tsx'
import { Section } from '../../parts/section.tsx'
import { type StateLook, StatePill } from '../../parts/states.tsx'
import { FactTable } from '../../parts/table/fact-table.tsx'
import { type ListColumn, ListTable } from '../../parts/table/list-table.tsx'
import { Time } from '../../parts/time.tsx'

/** Time between two looks at the health, in milliseconds. */
const everyMs = 15_000

function Health() {
  const reading = useRead(['health'], (ferrule, signal) => ferrule.health({ signal }), { everyMs })
  if (reading.error !== null)
    return <ErrorBox error={reading.error} title="The service is not ready" onRetry={() => void reading.refetch()} />
  return (
    <Group gap="xs" role="status">
      <StatePill look={reading.data === undefined ? ['Asking …', 'gray'] : ['Ready', 'green']} />
      <Text size="sm">It is healthy: its databases answer.</Text>
    </Group>
  )
}

/** Shows what everybody may know. */
function ServiceFacts({ version, sandbox, public_url: address, operator }: ServiceRecord) {
  return (
    <FactTable
      label="Service"
      facts={[
        ['Version', version],
        ['Address', address ?? 'not set: FERRULE_PUBLIC_URL is needed before others use links and tokens'],
        ['Sandbox', sandbox ? 'yes: it plays the vendors with invented data' : 'no'],
        ['You are its operator', operator ? 'yes' : 'no'],
      ]}
    />
  )
}

/** Says why the node is not shown. */
function NoNode() {
  return (
    <Text size="sm">
      Only the operator sees settings, storage and nodes: one installation serves organizations that know nothing of each other. Sign in
      with the application of the first start to see them.
    </Text>
  )
}

function Sessions() {
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <Section
      title="Sessions"
      about="A session ends 30 minutes after its last use and after 12 hours at most, and with the secret of its application."
    >
      <Group>
        <Button color="red" variant="outline" onClick={open}>
          Sign out everywhere
        </Button>
        <PageLink to="/applications" size="sm">
          Replace the secret of an application
        </PageLink>
      </Group>
      <ConfirmDialog
        opened={opened}
        title="Sign out everywhere?"
        action="Sign out everywhere"
        onConfirm={() => signOut({ isEverywhere: true })}
        onClose={close}
      >
        All sessions of the application that you are signed in with end, in every browser, this one included. Programs and tokens stay.
      </ConfirmDialog>
    </Section>
  )
}

/** The page. */
export function Page() {
  const reading = useService()
  return (
    <Stack gap="lg">
      <PageHeader title="Settings" about="What the service runs with. Settings are environment variables; secrets are never shown." />
      <ReadingView reading={reading}>
        {(service) => (
          <>
            <Section title="Service">
              <Health />
              <ServiceFacts {...service} />
            </Section>
            {service.operator ? <NodeView /> : <NoNode />}
          </>
        )}
      </ReadingView>
      <Sessions />
    </Stack>
  )
}

/** Time between two readings, in milliseconds: memory and nodes change. */
const nodeEveryMs = 30_000

const engines: Readonly<Record<NodeRecord['state']['engine'], string>> = {
  sqlite: 'SQLite, a file of this process',
  embedded: 'embedded, a file of this process',
  postgres: 'PostgreSQL',
}

const replicaStates: Readonly<Record<NodeRecord['read_replicas'][number]['state'], string>> = {
  unknown: 'not asked yet',
  used: 'used',
  gone: 'does not answer; the log says why',
  refused: 'refused; the log says why',
}

/** Prints a database: its engine, its version and its size. */
function printDatabase(database: NodeRecord['context_store']): string {
  if (database === null) return 'none: searches are refused'
  const { engine, version, size_bytes: size } = database
  return [engines[engine], version, size === null ? 'size unknown' : printSize(size)].filter((each) => each !== null).join(', ')
}

const printReplica = ({ state, lag_bytes: lag }: NodeRecord['read_replicas'][number]): string =>
  lag === null ? replicaStates[state] : `${replicaStates[state]}, ${printSize(lag)} behind`

function Process({ node }: { readonly node: NodeRecord }) {
  return (
    <FactTable
      label="Node"
      facts={[
        ['Version', node.version],
        ['Node.js', node.node_version],
        ['Role', node.role],
        ['Started', <Time key="started" value={node.started_at} />],
        ['Memory', printSize(node.memory_bytes)],
      ]}
    />
  )
}

const nodeColumns: readonly ListColumn<NodeRecord['nodes'][number]>[] = [
  { title: 'Name', cell: ({ id }) => <span className="mono">{id}</span> },
  { title: 'Syncs that it runs', cell: ({ running }) => printCount(running) },
  { title: 'Start of its last sync', cell: ({ last_started_at: last }) => <Time value={last} /> },
]

function Nodes({ nodes }: Pick<NodeRecord, 'nodes'>) {
  if (nodes.length === 0) return <Text size="sm">No node has run a sync yet.</Text>
  return <ListTable label="Nodes" columns={nodeColumns} rows={nodes} rowKey={({ id }) => id} />
}

function NodeView() {
  const reading = useRead(['node'], (ferrule, signal) => ferrule.node({ signal }), { everyMs: nodeEveryMs })
  return (
    <ReadingView reading={reading}>
      {(node) => (
        <Stack gap="lg">
          <Section title="Node" about="The process that answered this page.">
            <Process node={node} />
          </Section>
          <Section title="Storage">
            <FactTable
              label="Storage"
              facts={[
                ['State of the platform', printDatabase(node.state)],
                ['Copies of records', printDatabase(node.context_store)],
                ...node.read_replicas.map((replica) => [`Read replica ${replica.position}`, printReplica(replica)] as const),
              ]}
            />
          </Section>
          <Section title="Nodes" about="Those that worked on the last 1,000 syncs. A node that only answers requests has no entry.">
            <Nodes nodes={node.nodes} />
          </Section>
          <SettingTable settings={node.settings} />
        </Stack>
      )}
    </ReadingView>
  )
}

type Setting = NodeRecord['settings'][number]

/** Word and color of each origin. */
const origins: Readonly<Record<Setting['origin'], StateLook>> = {
  given: ['Given', 'blue'],
  default: ['Default', 'gray'],
  none: ['Not set', 'gray'],
}

const isOrigin = (value: string | undefined): value is Setting['origin'] => value !== undefined && Object.hasOwn(origins, value)

/** Returns whose settings are shown: those that somebody gave, unless the reader looks for others. All of them are long. */
function useOrigin(): Setting['origin'] | 'all' {
  const [{ text, origin }] = useAddressParams('text', 'origin')
  return isOrigin(origin) ? origin : origin === 'all' || text !== undefined ? 'all' : 'given'
}

/** Prints the value; that of a secret is never shown. */
function SettingValue({ setting: { value, secret, origin } }: { readonly setting: Setting }) {
  if (value !== null) return <code>{value}</code>
  return <Text size="sm">{secret && origin !== 'none' ? 'set, never shown' : 'none'}</Text>
}

const settingColumns: readonly ListColumn<Setting>[] = [
  {
    title: 'Name',
    cell: ({ name, about }) => (
      <>
        <code className="mono">{name}</code>
        <Quiet>{about}</Quiet>
      </>
    ),
  },
  { title: 'Origin', width: '12%', cell: ({ origin }) => <StatePill look={origins[origin]} /> },
  {
    title: 'Value',
    width: '30%',
    cell: (setting) => (
      <div style={{ overflowWrap: 'anywhere' }}>
        <SettingValue setting={setting} />
      </div>
    ),
  },
]

/** Shows the filters; the address has their values. */
function Filters() {
  const [{ text }, change] = useAddressParams('text', 'origin')
  const origin = useOrigin()
  return (
    <Group align="flex-end" component="search">
      <TextInput
        label="Search"
        type="search"
        placeholder="Part of a name or of what it sets"
        {...bindValue(text ?? '', (next) => change({ text: next }, { replace: true }))}
        w={{ base: '100%', sm: 280 }}
      />
      <NativeSelect
        label="Origin"
        data={[{ value: 'all', label: 'All' }, ...Object.entries(origins).map(([value, [label]]) => ({ value, label }))]}
        {...bindValue(origin, (next) => change({ origin: next }))}
      />
    </Group>
  )
}

function SettingTable({ settings }: { readonly settings: readonly Setting[] }) {
  const [{ text }] = useAddressParams('text')
  const origin = useOrigin()
  const wanted = useDeferredValue(text ?? '').toLowerCase()
  const found = settings.filter(
    (each) => (origin === 'all' || each.origin === origin) && `${each.name} ${each.about}`.toLowerCase().includes(wanted),
  )
  return (
    <Section title="Settings of the node" about="Environment variables. A change needs a new start of the process.">
      <Filters />
      <Text size="sm" c="dimmed" role="status">
        {found.length === settings.length
          ? printCounted(settings.length, 'setting')
          : `${printCount(found.length)} of ${settings.length} settings`}
      </Text>
      <ListTable label="Settings of the node" columns={settingColumns} rows={found} rowKey={({ name }) => name} />
    </Section>
  )
}
