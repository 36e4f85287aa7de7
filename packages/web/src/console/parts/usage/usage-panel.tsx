/** Calls, errors and latency over time: charts, the same numbers as a table, and a summary in words. */
import { Button, Group, SegmentedControl, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { UsageReport } from 'ferrule/wire'
import { lazy, Suspense } from 'react'
import { useRead } from '../../data/ferrule.ts'
import { useAddressParams } from '../../data/params.ts'
import { ReadingView } from '../reading-view.tsx'
import { isRange, printFrom, type Range, ranges } from './ranges.ts'
import { describeUsage } from './summary.ts'
import { UsageTable } from './usage-table.tsx'

// The library of the charts is loaded with the first chart.
const Charts = lazy(async () => ({ default: (await import('./charts.tsx')).Charts }))

/** Whose calls are shown. */
export interface UsagePlace {
  readonly connectorId?: string
  readonly workspaceId?: string
}

const everyMs = 60_000

/** Reads the calls of a range. */
const useUsage = ({ connectorId, workspaceId }: UsagePlace, range: Range) =>
  useRead(
    ['usage', connectorId, workspaceId, range],
    (ferrule, signal) => {
      const { step, lengthMs } = ranges[range]
      const place = {
        ...(connectorId === undefined ? {} : { connector_id: connectorId }),
        ...(workspaceId === undefined ? {} : { workspace_id: workspaceId }),
      }
      return ferrule.usage({ ...place, step, from: printFrom(Date.now(), lengthMs) }, { signal })
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
        <Suspense fallback={<Skeleton height={220} aria-label="Loading the charts" />}>
          <Charts report={report} />
        </Suspense>
      )}
    </>
  )
}

/** Shows the calls of some connectors; the address has the range and the form. */
export function UsagePanel({ title, ...place }: UsagePlace & { readonly title: string }) {
  const [{ range: given, usage }, change] = useAddressParams('range', 'usage')
  const range = isRange(given) ? given : '24h'
  const asTable = usage === 'table'
  const reading = useUsage(place, range)
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
