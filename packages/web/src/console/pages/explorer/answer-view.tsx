/** Shows answers: as a table, or as JSON. */
import { Group, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useMemo } from 'react'
import { EmptyState } from '../../parts/empty-state.tsx'
import { JsonView } from '../../parts/json/json-view.tsx'
import { printCounted, printDuration } from '../../parts/print.ts'
import { readAnswerRows } from '../../parts/table/answer-rows.ts'
import { DataTable } from '../../parts/table/data-table.tsx'
import { useExplorerAddress } from './address.ts'
import type { Answer } from './run.ts'

const views = [
  { value: 'table', label: 'Table' },
  { value: 'json', label: 'JSON' },
]

/** What is shown. */
export interface AnswerViewProps {
  /** In their order. */
  readonly pages: readonly Answer[]
  /** Name of the table, for readers of the screen. */
  readonly label: string
  /** What leads to further pages. */
  readonly children?: ReactNode
}

/** Shows the rows. */
function Rows({ pages, label }: AnswerViewProps) {
  const { columns, rows } = useMemo(() => readAnswerRows(...pages.map(({ data }) => data)), [pages])
  const last = pages.at(-1)
  return (
    <>
      <Text size="sm" role="status">
        {printCounted(rows.length, 'row')}
        {pages.length > 1 && ` of ${pages.length} pages`}
        {last !== undefined && `, answered in ${printDuration(last.durationMs)}`}
      </Text>
      {rows.length === 0 ? (
        <EmptyState title="No rows" says="The vendor has no records for these parameters. Change them, and run it again." />
      ) : (
        <DataTable label={label} rows={rows} columns={columns} />
      )}
    </>
  )
}

/** Shows the answers whole, as the service sent them. */
function Whole({ pages, label }: AnswerViewProps) {
  const shown = useMemo(() => pages.map(({ data, meta }) => ({ data, meta })), [pages])
  return <JsonView label={label} value={shown.length === 1 ? shown[0] : shown} depth={3} />
}

/** Shows the answers in the view of the address. */
export function AnswerView(props: AnswerViewProps) {
  const [{ view = 'table' }, change] = useExplorerAddress()
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Answer
        </Title>
        <SegmentedControl
          aria-label="View of the answer"
          size="xs"
          data={views}
          value={view}
          onChange={(next) => change({ view: next === 'table' ? undefined : next }, { replace: true })}
        />
      </Group>
      {view === 'json' ? <Whole {...props} /> : <Rows {...props} />}
      {props.children}
    </Stack>
  )
}
