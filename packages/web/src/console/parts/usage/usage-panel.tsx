/** Calls, errors and latency over time: charts, the same numbers as a table, and a summary in words. */
import { Group, SegmentedControl, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { UsageBucket, UsageReport } from 'ferrule/wire'
import { useMemo } from 'react'
import { useRead } from '../../data/ferrule.ts'
import { useAddressParams } from '../../data/params.ts'
import { LineChart } from '../chart/line-chart.tsx'
import type { Line } from '../chart/lines.tsx'
import { PlainButton } from '../looks.tsx'
import { printCount, printCounted, printDuration, printMoment } from '../print.ts'
import { ReadingView } from '../reading-view.tsx'
import { type ListColumn, ListTable } from '../table/list-table.tsx'

/** Rows that are drawn at most; buckets without a call are left out. */
const mostRows = 300

const columns: readonly ListColumn<UsageBucket>[] = [
  { title: 'From', cell: ({ time }) => printMoment(time) },
  { title: 'Calls', isNumber: true, cell: ({ calls }) => printCount(calls) },
  { title: 'Failed', isNumber: true, cell: ({ failed }) => printCount(failed) },
  { title: 'Median', isNumber: true, cell: ({ latency }) => latency !== null && printDuration(latency.p50_ms) },
  { title: '95 % within', isNumber: true, cell: ({ latency }) => latency !== null && printDuration(latency.p95_ms) },
  { title: 'Errors', cell: ({ errors }) => errors.map(({ code, calls }) => `${code} (${printCount(calls)})`).join(', ') },
]

/** Shows the buckets with calls, the newest first. */
function UsageTable({ report }: { readonly report: UsageReport }) {
  const rows = report.data.filter(({ calls }) => calls > 0).toReversed()
  return (
    <>
      <ListTable label="Calls over time" columns={columns} rows={rows.slice(0, mostRows)} rowKey={({ time }) => time} maxHeight="20rem" />
      <Text size="sm" c="dimmed" py="xs">
        Times without a call are left out.{rows.length > mostRows && ` The last ${mostRows} are shown.`}
      </Text>
    </>
  )
}

const hourMs = 3_600_000

/** Ranges by their name in the address. */
const ranges = {
  '24h': { label: '24 hours', lengthMs: 24 * hourMs, step: '5m' },
  '7d': { label: '7 days', lengthMs: 7 * 24 * hourMs, step: '1h' },
  '30d': { label: '30 days', lengthMs: 30 * 24 * hourMs, step: '1h' },
} as const

type Range = keyof typeof ranges

/** Returns whether a parameter of an address is a range. */
const isRange = (value: string | undefined): value is Range => value !== undefined && Object.hasOwn(ranges, value)

/** Whose calls are shown. */
export interface UsageScope {
  readonly connectorId?: string
  readonly workspaceId?: string
}

const everyMs = 60_000

const useUsage = ({ connectorId, workspaceId }: UsageScope, range: Range) =>
  useRead(
    ['usage', connectorId, workspaceId, range],
    (ferrule, signal) => {
      const { step, lengthMs } = ranges[range]
      const scope = {
        ...(connectorId === undefined ? {} : { connector_id: connectorId }),
        ...(workspaceId === undefined ? {} : { workspace_id: workspaceId }),
      }
      return ferrule.usage({ ...scope, step, from: new Date(Date.now() - lengthMs).toISOString() }, { signal })
    },
    { everyMs },
  )

function Report({ report, asTable }: { readonly report: UsageReport; readonly asTable: boolean }) {
  return (
    <>
      <Text size="sm">{describeUsage(report)}</Text>
      {asTable ? <UsageTable report={report} /> : <Charts report={report} />}
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
          <PlainButton size="xs" aria-pressed={asTable} onClick={() => change({ usage: asTable ? undefined : 'table' })}>
            Show as a table
          </PlainButton>
        </Group>
      </Group>
      <ReadingView reading={reading}>{(report) => <Report report={report} asTable={asTable} />}</ReadingView>
    </Stack>
  )
}

interface Chart {
  readonly title: string
  readonly print: (value: number) => string
  readonly lines: readonly (Omit<Line, 'values'> & { readonly read: (bucket: UsageBucket) => number | null })[]
}

const charts: readonly Chart[] = [
  {
    title: 'Calls',
    print: printCount,
    lines: [
      { label: 'Calls', read: ({ calls }) => calls, color: 'blue', isFilled: true },
      { label: 'Failed', read: ({ failed }) => failed, color: 'red', isFilled: true },
    ],
  },
  {
    title: 'Time until the answer',
    print: printDuration,
    lines: [
      { label: 'Median', read: ({ latency }) => latency?.p50_ms ?? null, color: 'green' },
      { label: '95 % within', read: ({ latency }) => latency?.p95_ms ?? null, color: 'orange' },
    ],
  },
]

function printBucket({ lines, print }: Chart, bucket: UsageBucket | undefined): string {
  if (bucket === undefined) return ''
  const texts = lines.flatMap(({ label, read }) => {
    const value = read(bucket)
    return value === null ? [] : [`${label.toLowerCase()} ${print(value)}`]
  })
  return `${printMoment(bucket.time)}: ${texts.length === 0 ? 'no calls' : texts.join(', ')}`
}

function UsageChart({ chart, report }: { readonly chart: Chart; readonly report: UsageReport }) {
  const { title, print } = chart
  const { data } = report
  const times = useMemo(() => data.map(({ time }) => Date.parse(time) / 1_000), [data])
  const lines = useMemo(() => chart.lines.map(({ read, ...line }): Line => ({ ...line, values: data.map(read) })), [chart, data])
  return (
    <LineChart
      title={title}
      describes={`${title} over time. ${describeUsage(report)}`}
      times={times}
      lines={lines}
      print={(value) => (value % 1 === 0 ? print(value) : '')}
      printPoint={(index) => printBucket(chart, data[index])}
    />
  )
}

function Charts({ report }: { readonly report: UsageReport }) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      {charts.map((chart) => (
        <UsageChart key={chart.title} chart={chart} report={report} />
      ))}
    </SimpleGrid>
  )
}

/** Prints a part of a whole in percent; a small part never becomes 0 %. */
function printShare(part: number, whole: number): string {
  const percent = (part / whole) * 100
  return percent < 0.1 ? 'less than 0.1 %' : `${percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`
}

/** Describes all calls of a report in a few sentences. */
function describeUsage({ total }: UsageReport): string {
  const { calls, failed, errors, latency } = total
  if (calls === 0) return 'No calls in this time.'
  const [first] = errors
  const failures =
    failed === 0
      ? 'None failed.'
      : `${printCount(failed)} failed (${printShare(failed, calls)})${first === undefined ? '' : `, most often ${first.code}`}.`
  const times =
    latency === null
      ? ''
      : ` Median ${printDuration(latency.p50_ms)}: half were answered sooner. 95 % were answered within ${printDuration(latency.p95_ms)}.`
  return `${printCounted(calls, 'call')}. ${failures}${times}`
}
