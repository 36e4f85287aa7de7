/** Draws calls, errors and latency over time. */
import { Box, Group, SimpleGrid, Stack, Text, useComputedColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import type { UsageBucket, UsageReport } from 'ferrule/wire'
import { useEffect, useRef, useState } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { printCount, printDuration, printMoment } from '../print.ts'
import { describeUsage } from './summary.ts'

type Scheme = 'light' | 'dark'

/** One line of a chart. */
interface Line {
  readonly label: string
  readonly read: (bucket: UsageBucket) => number | null
  readonly color: Readonly<Record<Scheme, string>>
  /** true: the area below the line is filled. */
  readonly isFilled?: boolean
}

/** One chart. */
interface Chart {
  readonly title: string
  readonly print: (value: number) => string
  readonly lines: readonly Line[]
}

/** The charts. Their colors keep a contrast of 3:1 to the page in both schemes. */
const charts: readonly Chart[] = [
  {
    title: 'Calls',
    print: printCount,
    lines: [
      { label: 'Calls', read: ({ calls }) => calls, color: { light: '#3b5bdb', dark: '#91a7ff' }, isFilled: true },
      { label: 'Failed', read: ({ failed }) => failed, color: { light: '#c92a2a', dark: '#ff8787' }, isFilled: true },
    ],
  },
  {
    title: 'Time until the answer',
    print: printDuration,
    lines: [
      { label: 'Half within', read: ({ latency }) => latency?.p50_ms ?? null, color: { light: '#2b8a3e', dark: '#8ce99a' } },
      { label: '95 % within', read: ({ latency }) => latency?.p95_ms ?? null, color: { light: '#a84300', dark: '#ffc078' } },
    ],
  },
]

/** Axes and lines of the scheme. */
const looks = {
  light: { text: '#495057', grid: '#e9ecef' },
  dark: { text: '#c9c9c9', grid: '#3b3b3b' },
} as const

const chartHeight = 200

/** How a chart is drawn. */
interface Drawing {
  readonly scheme: Scheme
  readonly width: number
  /** Receives the index of the bucket under the pointer; undefined: the pointer has left. */
  readonly onPoint: (index: number | undefined) => void
}

/** Builds the options of a chart. */
function buildOptions({ lines, print }: Chart, { scheme, width, onPoint }: Drawing): UPlot.Options {
  const { text, grid } = looks[scheme]
  const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } }
  return {
    width,
    height: chartHeight,
    legend: { show: false },
    cursor: { drag: { x: false, y: false } },
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
    scales: { y: { range: (_chart, _low, high) => [0, Math.max(1, high * 1.1)] } },
    axes: [axis, { ...axis, size: 64, values: (_chart, values) => values.map((value) => (value % 1 === 0 ? print(value) : '')) }],
    series: [
      {},
      ...lines.map(({ label, color, isFilled }) => ({
        label,
        stroke: color[scheme],
        width: 2,
        spanGaps: false,
        // Without its neighbours a value has no line.
        points: { show: isFilled !== true, size: 5, fill: color[scheme] },
        ...(isFilled === true ? { fill: `${color[scheme]}33` } : {}),
      })),
    ],
  }
}

/** Turns the buckets into columns: times in seconds, then one column for each line. */
const readColumns = ({ lines }: Chart, buckets: readonly UsageBucket[]): UPlot.AlignedData => [
  buckets.map(({ time }) => Date.parse(time) / 1_000),
  ...lines.map(({ read }) => buckets.map(read)),
]

/** Draws one chart into its element, and again when the data, the width or the scheme changes. */
function useDrawing(chart: Chart, buckets: readonly UsageBucket[]) {
  const scheme = useComputedColorScheme('light')
  const { ref: frame, width } = useElementSize()
  const container = useRef<HTMLDivElement>(null)
  const [index, setIndex] = useState<number>()
  useEffect(() => {
    if (container.current === null || width === 0) return
    const drawn = new UPlot(buildOptions(chart, { scheme, width, onPoint: setIndex }), readColumns(chart, buckets), container.current)
    return () => drawn.destroy()
  }, [chart, buckets, scheme, width])
  return { frame, container, scheme, bucket: index === undefined ? undefined : buckets[index] }
}

/** Shows the numbers under the pointer; the table has them for the keyboard. */
function PointedBucket({ chart: { lines, print }, bucket }: { readonly chart: Chart; readonly bucket: UsageBucket | undefined }) {
  const values = bucket === undefined ? [] : lines.map(({ label, read }) => [label, read(bucket)] as const)
  const texts = values.flatMap(([label, value]) => (value === null ? [] : [`${label.toLowerCase()} ${print(value)}`]))
  return (
    <Text size="xs" mih={18} aria-hidden="true">
      {bucket !== undefined && `${printMoment(bucket.time)}: ${texts.length === 0 ? 'no calls' : texts.join(', ')}`}
    </Text>
  )
}

/** Shows one chart with the names of its lines. */
function ChartView({ chart, report }: { readonly chart: Chart; readonly report: UsageReport }) {
  const { frame, container, scheme, bucket } = useDrawing(chart, report.data)
  return (
    // A canvas is as wide as it was drawn, and must not keep its column from becoming narrower.
    <Stack gap={4} miw={0}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600}>
          {chart.title}
        </Text>
        <Group gap="sm" aria-hidden="true">
          {chart.lines.map(({ label, color }) => (
            <Group key={label} gap={6}>
              <Box w={14} h={4} bg={color[scheme]} />
              <Text size="xs">{label}</Text>
            </Group>
          ))}
        </Group>
      </Group>
      <div ref={frame} style={{ overflow: 'hidden' }}>
        <div ref={container} role="img" aria-label={`${chart.title} over time. ${describeUsage(report)}`} style={{ height: chartHeight }} />
      </div>
      <PointedBucket chart={chart} bucket={bucket} />
    </Stack>
  )
}

/** Shows the charts. */
export function Charts({ report }: { readonly report: UsageReport }) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      {charts.map((chart) => (
        <ChartView key={chart.title} chart={chart} report={report} />
      ))}
    </SimpleGrid>
  )
}
