/** The node that answers: versions, storage, other nodes and settings. For the operator. */
import { Stack, Table, Text } from '@mantine/core'
import type { NodeRecord } from 'ferrule/wire'
import { useRead } from '../../data/ferrule.ts'
import { ListTable } from '../../parts/list-table.tsx'
import { printCount, printSize } from '../../parts/print.ts'
import { ReadingView } from '../../parts/reading-view.tsx'
import { Section } from '../../parts/section.tsx'
import { Time } from '../../parts/time.tsx'
import { FactTable } from './fact-table.tsx'
import { SettingTable } from './setting-table.tsx'

/** Time between two readings, in milliseconds: memory and nodes change. */
const everyMs = 30_000

/** Names of the engines. */
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

/** Prints the state of a read replica. */
const printReplica = ({ state, lag_bytes: lag }: NodeRecord['read_replicas'][number]): string =>
  lag === null ? replicaStates[state] : `${replicaStates[state]}, ${printSize(lag)} behind`

/** Shows the process. */
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

/** Shows the nodes that run syncs. */
function Nodes({ nodes }: Pick<NodeRecord, 'nodes'>) {
  if (nodes.length === 0) return <Text size="sm">No node has run a sync yet.</Text>
  return (
    <ListTable label="Nodes" titles={['Name', 'Syncs that it runs', 'Start of its last sync']} minWidth={480}>
      {nodes.map(({ id, running, last_started_at: last }) => (
        <Table.Tr key={id}>
          <Table.Td className="mono">{id}</Table.Td>
          <Table.Td>{printCount(running)}</Table.Td>
          <Table.Td>
            <Time value={last} />
          </Table.Td>
        </Table.Tr>
      ))}
    </ListTable>
  )
}

/** Shows everything. */
export function NodeView() {
  const reading = useRead(['node'], (ferrule, signal) => ferrule.node({ signal }), { everyMs })
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
