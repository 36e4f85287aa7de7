/** The groups that a search is divided into, as a chart and a table. */
import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core'
import { aggregateLimits, isObject, isTimeUnit, relatedName } from 'ferrule/internal'
import { useMemo } from 'react'
import { printCount, printCounted, printDigits } from '../../../parts/print.ts'
import type { DataColumn } from '../../../parts/table/columns.ts'
import { DataTable } from '../../../parts/table/data-table.tsx'
import type { ChangeAddress } from '../address.ts'
import { Freshness, More, Remarks, SearchError } from '../results.tsx'
import type { RunnableSearch, RunningSearch } from '../use-search.ts'
import { GroupChart } from './chart.tsx'
import { type GroupChoice, type GroupMeasure, type RelatedField, toPlain, turnOrder } from './choice.ts'
import { type NamedRow, printGroup, printRelated } from './print-group.ts'
import { type GroupPage, useGroups } from './use-groups.ts'

/** Prints the value of a measure. A text that is the least or the greatest stays as it is, such as a number of a telephone. */
const printMeasure = (value: unknown, of: GroupMeasure['of']): string => {
  if (value === null || value === undefined) return '–'
  const isText = typeof value === 'string' && /^\d+$/.test(value) && (of?.is === 'min' || of?.is === 'max')
  return isText ? value : printDigits(value)
}

const readMember = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined)

/** Names the values of the rows by the titles of the table. */
function nameRows(rows: readonly unknown[], { groups, measures }: GroupChoice): readonly NamedRow[] {
  const values = [
    ...groups.flatMap(({ title, related }, index) => [
      [title, (row: unknown) => readMember(row, `g${index}`)] as const,
      ...related.map((each) => [each.title, (row: unknown) => readRelated(row, each)] as const),
    ]),
    ...measures.map(({ title }, index) => [title, (row: unknown) => readMember(row, `m${index}`)] as const),
  ]
  return rows.map((row) => Object.fromEntries(values.map(([title, read]) => [title, read(row)])))
}

function readRelated(row: unknown, { reference, field }: RelatedField): unknown {
  const related = readMember(row, relatedName)
  const [, record] = Object.entries(isObject(related) ? related : {}).find(([name]) => toPlain(name) === toPlain(reference)) ?? []
  return readMember(record, field)
}

/** Builds the columns. */
const buildColumns = ({ groups, measures }: GroupChoice): readonly DataColumn<NamedRow>[] => [
  ...groups.flatMap(({ token, title, related }) => [
    { name: token, title, read: (row: NamedRow) => row[title], print: printGroup, canSort: true },
    ...related.map((each) => ({
      name: `_related.${each.token}`,
      title: each.title,
      read: (row: NamedRow) => row[each.title],
      print: printRelated,
    })),
  ]),
  ...measures.map(({ token, title, of }) => ({
    name: token,
    title,
    read: (row: NamedRow) => row[title],
    print: (value: unknown) => printMeasure(value, of),
    canSort: true,
  })),
]

/** Describes the values that counted nowhere. */
function describeSkipped(skipped: unknown, { groups, measures }: GroupChoice): readonly string[] {
  if (!isObject(skipped)) return []
  const says = (count: unknown, field: string, is: string): string =>
    `${printCounted(Number(count), 'value')} of ${field} ${Number(count) === 1 ? 'is' : 'are'} no ${is}.`
  return [
    ...groups.flatMap(({ field, by }, index) => {
      const count = skipped[`g${index}`]
      return count === undefined ? [] : [says(count, field, isTimeUnit(by) ? 'date' : 'number')]
    }),
    ...measures.flatMap(({ of, title }, index) => {
      const count = skipped[`m${index}`]
      return count === undefined || of === undefined
        ? []
        : [`${says(count, of.field, 'number or date')} The column “${title}” lacks ${Number(count) === 1 ? 'it' : 'them'}.`]
    }),
  ]
}

/** Shows what the service says about the groups. */
function GroupRemarks({
  pages,
  choice,
  onRetry,
}: {
  readonly pages: readonly GroupPage[]
  readonly choice: GroupChoice
  readonly onRetry: () => void
}) {
  const skipped = describeSkipped(pages[0]?.meta['skipped'], choice)
  const hasChanged = pages.some(({ meta }) => meta['changed'] === true)
  return (
    <>
      {pages[0] !== undefined && <Remarks meta={pages[0].meta} />}
      {skipped.length > 0 && (
        <Alert color="yellow" variant="light" title="Some values count nowhere">
          {skipped.join(' ')}
        </Alert>
      )}
      {hasChanged && (
        <Alert color="yellow" variant="light" title="The copy has changed since the first page">
          <Stack gap="xs" align="flex-start">
            <Text size="sm">Groups can be missing or come twice.</Text>
            <Button size="compact-sm" variant="default" onClick={onRetry}>
              Read them again
            </Button>
          </Stack>
        </Alert>
      )}
    </>
  )
}

/** What the groups get. */
interface GroupsProps {
  readonly search: RunnableSearch
  readonly onChange: ChangeAddress
}

/** Prints how many groups were read, and how many there are. */
const printRead = (count: number, all: unknown): string =>
  Number(all) > count
    ? `The first ${printCount(count)} of ${printCounted(Number(all), 'group')}.`
    : `${printCounted(count, 'group')}: all that there are.`

/** Shows the table with what belongs to it. */
function Found({ search, onChange, running: { query, rows } }: GroupsProps & { readonly running: RunningSearch<GroupPage> }) {
  const pages = query.data?.pages ?? []
  const [first] = pages
  const choice = first?.choice ?? search.groups
  const named = useMemo(() => nameRows(rows, choice), [rows, choice])
  const columns = useMemo(() => buildColumns(choice), [choice])
  if (first === undefined) return null
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Freshness of={first.context_store} />
        {query.isPlaceholderData && <Loader size="sm" aria-label="Searching" />}
      </Group>
      <GroupRemarks pages={pages} choice={choice} onRetry={() => void query.refetch()} />
      <More
        query={query}
        says={printRead(rows.length, first.meta['groups'])}
        pages={pages.length}
        isFull={rows.length >= aggregateLimits.mostGroups}
        onChange={onChange}
      />
      <GroupChart rows={named} choice={choice} all={Number(first.meta['groups'])} drawn={search.drawn} onChange={onChange} />
      <DataTable
        label={`Groups of ${search.entity}`}
        rows={named}
        columns={columns}
        sort={choice.order}
        onSort={(column) => onChange({ order: turnOrder(choice, column), pages: undefined })}
      />
      {query.isFetchNextPageError && (
        <SearchError search={search} onChange={onChange} error={query.error} onRetry={() => void query.fetchNextPage()} />
      )}
    </Stack>
  )
}

/** Shows the groups, or why they are missing. */
export function Groups(props: GroupsProps) {
  const { search, onChange } = props
  const running = useGroups(search)
  const { query } = running
  const retry = query.refetch
  const onRetry = useMemo(() => () => void retry(), [retry])
  const error = query.error !== null && !query.isFetchNextPageError && (
    <SearchError search={search} onChange={onChange} onRetry={onRetry} error={query.error} />
  )
  if (query.data === undefined) return error || <Loader aria-label="Searching" />
  return (
    <Stack gap="sm">
      {error}
      <Found {...props} running={running} />
    </Stack>
  )
}
