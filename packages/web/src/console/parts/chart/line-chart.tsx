/** Lines over time. The library that draws them is loaded with the first chart. */
import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { LinesProps } from './lines.tsx'

const Lines = lazy(async () => ({ default: (await import('./lines.tsx')).Lines }))

/** Shows the chart. */
export const LineChart = (props: LinesProps) => (
  <Suspense fallback={<Skeleton height={220} role="status" aria-label="Loading the chart" />}>
    <Lines {...props} />
  </Suspense>
)
