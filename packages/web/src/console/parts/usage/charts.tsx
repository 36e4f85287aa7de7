/** Shows calls, errors and latency over time. */
import { SimpleGrid } from '@mantine/core'
import type { UsageBucket, UsageReport } from 'ferrule/wire'
import { useMemo } from 'react'
import { LineChart } from '../chart/line-chart.tsx'
import type { Line } from '../chart/lines.tsx'
import { printCount, printDuration, printMoment } from '../print.ts'
import { describeUsage } from './summary.ts'

/** One chart. */
interface Chart {
  readonly title: string
  readonly print: (value: number) => string
  readonly lines: readonly (Omit<Line, 'values'> & { readonly read: (bucket: UsageBucket) => number | null })[]
}

/** The charts. */
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
      { label: 'Half within', read: ({ latency }) => latency?.p50_ms ?? null, color: 'green' },
      { label: '95 % within', read: ({ latency }) => latency?.p95_ms ?? null, color: 'orange' },
    ],
  },
]

/** Prints the numbers of a bucket. */
function printBucket({ lines, print }: Chart, bucket: UsageBucket | undefined): string {
  if (bucket === undefined) return ''
  const texts = lines.flatMap(({ label, read }) => {
    const value = read(bucket)
    return value === null ? [] : [`${label.toLowerCase()} ${print(value)}`]
  })
  return `${printMoment(bucket.time)}: ${texts.length === 0 ? 'no calls' : texts.join(', ')}`
}

/** Shows one chart. */
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

/** Shows the charts. */
export function Charts({ report }: { readonly report: UsageReport }) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      {charts.map((chart) => (
        <UsageChart key={chart.title} chart={chart} report={report} />
      ))}
    </SimpleGrid>
  )
}
