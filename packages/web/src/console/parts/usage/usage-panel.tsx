/** Calls, errors and latency over time: charts, the same numbers as a table, and a summary in words. */
import { Button, Group, SegmentedControl, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import type { UsageBucket, UsageReport } from 'ferrule/wire'
import { lazy, Suspense } from 'react'
import { useRead } from '../../data/ferrule.ts'
import { useAddressParams } from '../../data/params.ts'
import { printCount, printDuration, printMoment } from '../print.ts'
import { ReadingView } from '../reading-view.tsx'
import { describeUsage } from './summary.ts'

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
function UsageTable({ report }: { readonly report: UsageReport }) {
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

const hourMs = 3_600_000

/** Ranges by their name in the address. */
const ranges = {
  '24h': { label: '24 hours', lengthMs: 24 * hourMs, step: '5m' },
  '7d': { label: '7 days', lengthMs: 7 * 24 * hourMs, step: '1h' },
  '30d': { label: '30 days', lengthMs: 30 * 24 * hourMs, step: '1h' },
} as const

/** Name of a range. */
type Range = keyof typeof ranges

/** Returns whether a parameter of an address is a range. */
const isRange = (value: string | undefined): value is Range => value !== undefined && Object.hasOwn(ranges, value)

/** Prints the begin of a range. @param now milliseconds since 1970 */
const printFrom = (now: number, lengthMs: number): string => new Date(now - lengthMs).toISOString()

// The library of the charts is loaded with the first chart.
const Charts = lazy(async () => ({ default: (await import('./charts.tsx')).Charts }))

/** Whose calls are shown. */
export interface UsageScope {
  readonly connectorId?: string
  readonly workspaceId?: string
}

const everyMs = 60_000

/** Reads the calls of a range. */
const useUsage = ({ connectorId, workspaceId }: UsageScope, range: Range) =>
  useRead(
    ['usage', connectorId, workspaceId, range],
    (ferrule, signal) => {
      const { step, lengthMs } = ranges[range]
      const scope = {
        ...(connectorId === undefined ? {} : { connector_id: connectorId }),
        ...(workspaceId === undefined ? {} : { workspace_id: workspaceId }),
      }
      return ferrule.usage({ ...scope, step, from: printFrom(Date.now(), lengthMs) }, { signal })
    },
    { everyMs },
  )

/** Shows the report as charts or as a table. */
function Report({ report, asTable }: { readonly report: UsageReport; readonly asTable: boolean }) {
  return (
    <>
      <Text size="sm">{describeUsage(report)}</Text>
      {asTable ? (
        <UsageTable report={report} />
      ) : (
        <Suspense fallback={<Skeleton height={220} role="status" aria-label="Loading the charts" />}>
          <Charts report={report} />
        </Suspense>
      )}
    </>
  )
}

/** Shows the calls of some connectors; the address has the range and the form. */
export function UsagePanel({ title, ...scope }: UsageScope & { readonly title: string }) {
  const [{ range: given, usage }, change] = useAddressParams('range', 'usage')
  const range = isRange(given) ? given : '24h'
  const asTable = usage === 'table'
  const reading = useUsage(scope, range)
  return (
    <Stack component="section" gap="sm" aria-label={title}>
      <Group justify="space-between">
        <Title order={2} size="h3">
          {title}
        </Title>
        <Group gap="xs">
          <SegmentedControl
            aria-label="Range"
            size="xs"
            value={range}
            onChange={(value) => change({ range: value === '24h' ? undefined : value })}
            data={Object.entries(ranges).map(([value, { label }]) => ({ value, label }))}
          />
          <Button size="xs" variant="default" aria-pressed={asTable} onClick={() => change({ usage: asTable ? undefined : 'table' })}>
            Show as a table
          </Button>
        </Group>
      </Group>
      <ReadingView reading={reading}>{(report) => <Report report={report} asTable={asTable} />}</ReadingView>
    </Stack>
  )
}
