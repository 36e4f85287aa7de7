/** The numbers of the charts, as a table. */
import { Table, Text } from '@mantine/core'
import type { UsageBucket, UsageReport } from 'ferrule/wire'
import { printCount, printDuration, printMoment } from '../print.ts'

/** Rows that are drawn at most; buckets without a call are left out. */
const mostRows = 300

/** Shows one bucket. */
function BucketRow({ bucket }: { readonly bucket: UsageBucket }) {
  const { time, calls, failed, errors, latency } = bucket
  return (
    <Table.Tr>
      <Table.Td>{printMoment(time)}</Table.Td>
      <Table.Td ta="right">{printCount(calls)}</Table.Td>
      <Table.Td ta="right">{printCount(failed)}</Table.Td>
      <Table.Td ta="right">{latency === null ? '' : printDuration(latency.p50_ms)}</Table.Td>
      <Table.Td ta="right">{latency === null ? '' : printDuration(latency.p95_ms)}</Table.Td>
      <Table.Td>{errors.map(({ code, calls: count }) => `${code} (${printCount(count)})`).join(', ')}</Table.Td>
    </Table.Tr>
  )
}

const titles = ['From', 'Calls', 'Failed', 'Half within', '95 % within', 'Errors'] as const
const ofNumbers: readonly string[] = ['Calls', 'Failed', 'Half within', '95 % within']

/** Shows the buckets with calls, the newest first. */
export function UsageTable({ report }: { readonly report: UsageReport }) {
  const rows = report.data.filter(({ calls }) => calls > 0).toReversed()
  return (
    <Table.ScrollContainer
      minWidth={640}
      maxHeight={320}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': 'Calls over time' } }}
    >
      <Table stickyHeader>
        <Table.Thead>
          <Table.Tr>
            {titles.map((title) => (
              <Table.Th key={title} ta={ofNumbers.includes(title) ? 'right' : 'left'}>
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.slice(0, mostRows).map((bucket) => (
            <BucketRow key={bucket.time} bucket={bucket} />
          ))}
        </Table.Tbody>
      </Table>
      <Text size="sm" c="dimmed" py="xs">
        Times without a call are left out.{rows.length > mostRows && ` The last ${mostRows} are shown.`}
      </Text>
    </Table.ScrollContainer>
  )
}
