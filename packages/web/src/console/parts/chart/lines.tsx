/** Draws lines over time. Loaded with its first use: see `line-chart.tsx`. */
import { Box, Group, Stack, Text, useComputedColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import UPlot from 'uplot'
import { Strong } from '../looks.tsx'
import 'uplot/dist/uPlot.min.css'

type Scheme = 'light' | 'dark'

/** Colors that keep a contrast of 3:1 to the page in both schemes. */
const colors = {
  blue: { light: '#3b5bdb', dark: '#91a7ff' },
  red: { light: '#c92a2a', dark: '#ff8787' },
  green: { light: '#2b8a3e', dark: '#8ce99a' },
  orange: { light: '#a84300', dark: '#ffc078' },
  violet: { light: '#862e9c', dark: '#e599f7' },
} as const

/** One line of a chart. */
export interface Line {
  readonly label: string
  /** One for each time; null: the line has a gap. */
  readonly values: readonly (number | null)[]
  readonly color: keyof typeof colors
  /** true: the area below the line is filled. */
  readonly isFilled?: boolean
}

/** What a chart shows. Keep the identity of its lines and times while they stay the same. */
export interface LinesProps {
  readonly title: string
  /** What the picture shows, in words. */
  readonly describes: string
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[]
  readonly lines: readonly Line[]
  /** Prints a value of the axis. '' leaves it out. */
  readonly print: (value: number) => string
  /** Prints what is under the pointer. @param index of the time */
  readonly printPoint: (index: number) => string
  /** Zone of the axis; default: the reader's. */
  readonly zone?: string
}

/** Axes of the scheme. */
const looks = {
  light: { text: '#495057', grid: '#e9ecef' },
  dark: { text: '#c9c9c9', grid: '#3b3b3b' },
} as const

const chartHeight = 200

const daySeconds = 86_400

/** Prints the times of the axis in the language of the reader, as tables do. Their day or year is below the first that has it. */
function makeTimes(timeZone: string | undefined): UPlot.Axis.DynamicValues {
  const make = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(undefined, { ...options, timeZone })
    return (seconds: number) => format.format(seconds * 1_000)
  }
  const clock = make({ hour: 'numeric', minute: '2-digit' })
  const [day, month, year] = [make({ month: 'short', day: 'numeric' }), make({ month: 'short' }), make({ year: 'numeric' })]
  return (_chart, ticks, ...[_axis, _space, step]) => {
    const fine = step < daySeconds ? clock : step < 28 * daySeconds ? day : step < 365 * daySeconds ? month : year
    const below = ticks.map(fine === clock ? day : fine === year ? () => '' : year)
    return ticks.map((tick, index) => `${fine(tick)}\n${below[index] === below[index - 1] ? '' : below[index]}`)
  }
}

/** How a chart is drawn. */
interface Drawing {
  readonly scheme: Scheme
  readonly width: number
  /** Receives the index of the time under the pointer; undefined: the pointer has left. */
  readonly onPoint: (index: number | undefined) => void
}

function buildOptions({ lines, print, zone }: LinesProps, { scheme, width, onPoint }: Drawing): UPlot.Options {
  const { text, grid } = looks[scheme]
  const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } }
  return {
    width,
    height: chartHeight,
    legend: { show: false },
    ...(zone === undefined ? {} : { tzDate: (seconds: number) => UPlot.tzDate(new Date(seconds * 1_000), zone) }),
    cursor: { drag: { x: false, y: false } },
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
    scales: { y: { range: (_chart, low, high) => [Math.min(0, low * 1.1), high > 0 ? high * 1.1 : 1] } },
    axes: [
      { ...axis, space: 70, values: makeTimes(zone) },
      { ...axis, size: 64, values: (_chart, values) => values.map(print) },
    ],
    series: [
      {},
      ...lines.map(({ label, color, isFilled }) => ({
        label,
        stroke: colors[color][scheme],
        width: 2,
        spanGaps: false,
        // Without its neighbours a value has no line.
        points: { show: isFilled !== true, size: 5, fill: colors[color][scheme] },
        ...(isFilled === true ? { fill: `${colors[color][scheme]}33` } : {}),
      })),
    ],
  }
}

/** Draws the chart into its element, and again when the data, the width or the scheme changes. */
function useDrawing(props: LinesProps) {
  const { lines, times } = props
  const scheme = useComputedColorScheme('light')
  const { ref: frame, width } = useElementSize()
  const container = useRef<HTMLDivElement>(null)
  const [index, setIndex] = useState<number>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: functions that print belong to the lines
  useEffect(() => {
    if (container.current === null || width === 0) return
    const data: UPlot.AlignedData = [[...times], ...lines.map(({ values }) => [...values])]
    const drawn = new UPlot(buildOptions(props, { scheme, width, onPoint: setIndex }), data, container.current)
    return () => drawn.destroy()
  }, [lines, times, scheme, width])
  return { frame, container, scheme, index: index !== undefined && index < times.length ? index : undefined }
}

/** Shows the chart with the names of its lines. The numbers under the pointer are those of a table, which the keyboard reaches. */
export function Lines(props: LinesProps) {
  const { title, describes, lines, printPoint } = props
  const { frame, container, scheme, index } = useDrawing(props)
  return (
    // A canvas is as wide as it was drawn, and must not keep its column from becoming narrower.
    <Stack gap={4} miw={0}>
      <Group justify="space-between" gap="xs">
        <Strong>{title}</Strong>
        <Group gap="sm" aria-hidden="true">
          {lines.map(({ label, color }) => (
            <Group key={label} gap={6}>
              <Box w={14} h={4} bg={colors[color][scheme]} />
              <Text size="xs">{label}</Text>
            </Group>
          ))}
        </Group>
      </Group>
      <div ref={frame} style={{ overflow: 'hidden' }}>
        <div ref={container} role="img" aria-label={describes} style={{ height: chartHeight }} />
      </div>
      <Text size="xs" mih={18} aria-hidden="true">
        {index !== undefined && printPoint(index)}
      </Text>
    </Stack>
  )
}
