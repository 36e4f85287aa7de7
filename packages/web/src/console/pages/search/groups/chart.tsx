/** The chart of some groups; the table below it has the same numbers. */
import { NativeSelect, Stack, Text } from '@mantine/core'
import { useMemo } from 'react'
import { LineChart } from '../../../parts/chart/line-chart.tsx'
import type { Line } from '../../../parts/chart/lines.tsx'
import type { ChangeAddress } from '../address.ts'
import classes from './chart.module.css'
import type { GroupChoice } from './choice.ts'
import { drawPicture, listDrawable, type Picture } from './picture.ts'
import type { NamedRow } from './print-group.ts'

const colors = ['blue', 'orange', 'green', 'violet', 'red'] as const
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })

/** Prints a value of the axis in little room. */
const printAxis = (value: number): string => (Math.abs(value) < 1e15 ? compact.format(value) : value.toExponential(1))

/** Shows groups as bars. */
function Bars({ title, remarks, bars }: Extract<Picture, { readonly is: 'bars' }>) {
  const [first] = bars
  const described = `${title}. ${first === undefined ? '' : `The first bar is ${first.label} with ${first.text}.`} ${remarks.join(' ')} The table has all numbers.`
  return (
    <>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <div role="img" aria-label={described} className={classes['bars']}>
        {bars.map(({ id, label, isQuiet, text, from, length }) => (
          <div key={id} className={classes['bar']}>
            <span className={`${classes['label']} ${isQuiet ? classes['quiet'] : ''}`} title={label}>
              {label}
            </span>
            <span className={classes['track']}>
              <span className={classes['mark']} data-quiet={isQuiet || undefined} style={{ left: `${from}%`, width: `${length}%` }} />
            </span>
            <span className={classes['value']}>{text}</span>
          </div>
        ))}
      </div>
    </>
  )
}

/** Shows groups as lines over time. */
function TimeLines({ title, remarks, times, labels, series, zone }: Extract<Picture, { readonly is: 'lines' }>) {
  const lines = useMemo(
    () => series.map(({ label, values }, index): Line => ({ label, values, color: colors[index % colors.length] ?? 'blue' })),
    [series],
  )
  const printPoint = (index: number): string => {
    const texts = series.flatMap(({ label, texts: each }) => (each[index] === undefined ? [] : [`${label} ${each[index]}`]))
    return texts.length === 0 ? '' : `${labels[index]}: ${texts.join(', ')}`
  }
  const named = labels.filter((label) => label !== '')
  const described = `${title}. ${lines.length === 1 ? 'A line' : `${lines.length} lines`} from ${named[0]} to ${named.at(-1)}. ${remarks.join(' ')} The table has all numbers.`
  return <LineChart title={title} describes={described} times={times} lines={lines} print={printAxis} printPoint={printPoint} zone={zone} />
}

/** What the chart gets. */
interface GroupChartProps {
  readonly rows: readonly NamedRow[]
  readonly choice: GroupChoice
  /** Groups of all pages. */
  readonly all: number
  /** Measure that the reader chose. */
  readonly drawn: string | undefined
  readonly onChange: ChangeAddress
}

/** Shows the chart of a measure; nothing where no measure has numbers, or nothing is grouped. */
export function GroupChart({ rows, choice, all, drawn, onChange }: GroupChartProps) {
  const drawable = useMemo(() => listDrawable(rows, choice), [rows, choice])
  const measure = drawable.find(({ token }) => token === drawn) ?? drawable[0]
  const picture = useMemo(
    () => (measure === undefined ? undefined : drawPicture(rows, { choice, measure, all })),
    [rows, choice, measure, all],
  )
  if (picture === undefined || measure === undefined) return null
  return (
    <Stack gap="xs">
      {drawable.length > 1 && (
        <NativeSelect
          label="The chart shows"
          data={drawable.map(({ token, title }) => ({ value: token, label: title }))}
          value={measure.token}
          onChange={({ currentTarget }) => onChange({ draw: currentTarget.value }, { replace: true })}
          w="fit-content"
          maw="100%"
        />
      )}
      {picture.is === 'bars' ? <Bars {...picture} /> : <TimeLines {...picture} />}
      {picture.remarks.length > 0 && (
        <Text size="sm" c="dimmed">
          {picture.remarks.join(' ')}
        </Text>
      )}
    </Stack>
  )
}
