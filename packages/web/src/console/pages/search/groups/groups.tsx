/** The groups that a search is divided into, as a chart and a table. */
import { Alert, Group, Loader, MultiSelect, NativeSelect, Select, Stack, Text, TextInput } from '@mantine/core'
import { parseFilter } from 'ferrule/core'
import { aggregateLimits, findTransport, isObject, isTimeUnit, readJsonNumbers } from 'ferrule/internal'
import { endpoints } from 'ferrule/wire'
import { useMemo, useState } from 'react'
import { useFerrule } from '../../../data/ferrule.ts'
import { LineChart } from '../../../parts/chart/line-chart.tsx'
import type { Line } from '../../../parts/chart/lines.tsx'
import { bindValue } from '../../../parts/form/text-entry.ts'
import { Quiet, SmallButton, Strong } from '../../../parts/looks.tsx'
import { printCount, printCounted, printDigits } from '../../../parts/print.ts'
import type { DataColumn } from '../../../parts/table/columns.ts'
import { DataTable } from '../../../parts/table/data-table.tsx'
import { type ChangeAddress, groupLimits, type SearchAddress } from '../address.ts'
import type { FilterField } from '../filter/fields.ts'
import { readReferred } from '../record-columns.ts'
import { Freshness, More, Remarks, SearchView } from '../results.tsx'
import searchClasses from '../search.module.css'
import { type FoundPage, isPage, type RunnableSearch, type RunningSearch, usePages } from '../use-search.ts'
import classes from './chart.module.css'
import {
  addTyped,
  buildAggregate,
  type GroupChoice,
  type GroupKey,
  type GroupMeasure,
  listOfGroups,
  type Offer,
  offerGroups,
  offerMeasures,
  type RelatedField,
  turnOrder,
  writeGroup,
} from './choice.ts'
import { drawPicture, listDrawable, type Picture } from './picture.ts'
import { type NamedRow, printGroup, printRelated } from './print-group.ts'

/** Prints the value of a measure. A text that is the least or the greatest stays as it is, such as a number of a telephone. */
const printMeasure = (value: unknown, of: GroupMeasure['of']): string => {
  if (value === null || value === undefined) return '–'
  const isText = typeof value === 'string' && /^\d+$/.test(value) && (of?.is === 'min' || of?.is === 'max')
  return isText ? value : printDigits(value)
}

const readMember = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined)

function nameRows(rows: readonly unknown[], { groups, measures }: GroupChoice): readonly NamedRow[] {
  const values = [
    ...groups.flatMap(({ title, related }, index) => [
      [title, (row: unknown) => readMember(row, `g${index}`)] as const,
      ...related.map((each) => [each.title, (row: unknown) => readMember(readReferred(row, each.reference), each.field)] as const),
    ]),
    ...measures.map(({ title }, index) => [title, (row: unknown) => readMember(row, `m${index}`)] as const),
  ]
  return rows.map((row) => Object.fromEntries(values.map(([title, read]) => [title, read(row)])))
}

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
            <SmallButton onClick={onRetry}>Read them again</SmallButton>
          </Stack>
        </Alert>
      )}
    </>
  )
}

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
    </Stack>
  )
}

/** Shows the groups. */
export function Groups(props: GroupsProps) {
  const running = useGroups(props.search)
  return (
    <SearchView search={props.search} onChange={props.onChange} query={running.query}>
      <Found {...props} running={running} />
    </SearchView>
  )
}

const colors = ['blue', 'orange', 'green', 'violet', 'red'] as const
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })

/** Prints a value of the axis in little room. */
const printAxis = (value: number): string => (Math.abs(value) < 1e15 ? compact.format(value) : value.toExponential(1))

function Bars({ title, remarks, bars }: Extract<Picture, { readonly is: 'bars' }>) {
  const [first] = bars
  const described = `${title}. ${first === undefined ? '' : `The first bar is ${first.label} with ${first.text}.`} ${remarks.join(' ')} The table has all numbers.`
  return (
    <>
      <Strong>{title}</Strong>
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
function GroupChart({ rows, choice, all, drawn, onChange }: GroupChartProps) {
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
          {...bindValue(measure.token, (next) => onChange({ draw: next }, { replace: true }))}
          w="fit-content"
          maw="100%"
        />
      )}
      {picture.is === 'bars' ? <Bars {...picture} /> : <TimeLines {...picture} />}
      {picture.remarks.length > 0 && <Quiet>{picture.remarks.join(' ')}</Quiet>}
    </Stack>
  )
}

/** Reads a number that a double holds; longer ones keep their digits. */
function readDigits(digits: string): number | bigint | string {
  const value = Number(digits)
  if (/^-?\d+$/.test(digits)) return Number.isSafeInteger(value) ? value : BigInt(digits)
  return String(value) === digits ? value : digits
}

/** A page of groups with what was asked: until the next choice is answered, the last one stays in sight. */
interface GroupPage extends FoundPage {
  readonly data: readonly Readonly<Record<string, unknown>>[]
  readonly choice: GroupChoice
}

const hasRows = (page: FoundPage): page is Omit<GroupPage, 'choice'> => page.data.every(isObject)

/** Reads the groups: rows have groups as `g0` …, and measures as `m0` …. */
function useGroups(search: RunnableSearch): RunningSearch<GroupPage> {
  const ferrule = useFerrule()
  const { connector, entity, filter, maxAge, allowPartial, pages, limit, groups } = search
  const aggregate = buildAggregate(groups)
  return usePages({
    key: ['groups', { connector, entity, filter, aggregate, limit, maxAge, allowPartial }],
    pages,
    read: async (cursor, signal) => {
      const params = {
        ...aggregate,
        limit,
        ...(filter === '' ? {} : { query: { filter: parseFilter(filter) } }),
        ...(cursor === undefined ? {} : { cursor }),
      }
      const body = { entity, action: 'context_store_aggregate', params, max_age: maxAge, ...(allowPartial ? { allow_partial: true } : {}) }
      // The client's own reading of JSON rounds what has a fraction.
      const response = await findTransport(ferrule).open(endpoints.execute, {
        slots: { connector_id: connector },
        body,
        isRead: true,
        signal,
      })
      const answer = readJsonNumbers(await response.text(), readDigits)
      if (!isPage(answer) || !hasRows(answer)) throw new Error('The service answered something that is no page of groups.')
      return { ...answer, choice: groups }
    },
  })
}

/** What the choices get. */
interface OptionsProps {
  readonly address: SearchAddress
  readonly fields: readonly FilterField[]
  /** Fields of the records that the entity refers to. */
  readonly related: readonly RelatedField[]
  readonly onChange: ChangeAddress
}

/** Entries that are offered at once; typing a part of the name finds the others. */
const mostOffered = 100
/** Fields of related records that are shown at most: each is a column. */
const mostRelated = 20

/** What a choice of several entries gets. */
interface ManyProps {
  readonly label: string
  readonly placeholder: string
  readonly most: number
  readonly chosen: readonly { readonly token: string; readonly title: string }[]
  readonly offer: (fields: readonly FilterField[]) => readonly Offer[]
  readonly fields: readonly FilterField[]
  readonly onChange: (tokens: readonly string[]) => void
}

/** Chooses several entries. Paths that no document names can be typed. */
function Many({ label, placeholder, most, chosen, offer, fields, onChange }: ManyProps) {
  const [typed, setTyped] = useState('')
  const data = useMemo(() => {
    const own = chosen.map(({ token, title }) => ({ value: token, label: title }))
    const titles = new Set(chosen.map(({ title }) => title))
    return [...own, ...offer(addTyped(fields, typed)).filter((each) => !titles.has(each.label))]
  }, [chosen, offer, fields, typed])
  return (
    <MultiSelect
      label={label}
      {...(chosen.length === 0 ? { placeholder } : {})}
      classNames={{ inputField: searchClasses.columnInput ?? '' }}
      data={data}
      value={chosen.map(({ token }) => token)}
      onChange={onChange}
      searchValue={typed}
      onSearchChange={setTyped}
      nothingFoundMessage="No field has this name"
      limit={mostOffered}
      maxValues={most}
      hidePickedOptions
      searchable
      clearable
    />
  )
}

/** What the choice of related fields gets. */
interface RelatedFieldsProps {
  readonly offered: readonly RelatedField[]
  readonly shown: readonly RelatedField[]
  readonly onChange: ChangeAddress
}

/** Chooses fields of related records, where there are some. */
export function RelatedFields({ offered, shown, onChange }: RelatedFieldsProps) {
  if (offered.length === 0 && shown.length === 0) return null
  return (
    <Many
      label="Fields of related records"
      placeholder="none"
      most={mostRelated}
      chosen={shown}
      offer={() => offered.map(({ token, title }) => ({ value: token, label: title }))}
      fields={[]}
      onChange={(tokens) => onChange({ include: tokens.join(','), pages: undefined })}
    />
  )
}

const number = /^-?\d+(?:\.\d+)?$/

/** Reads the begins of ranges; undefined: they are no ascending numbers. The service compares long ones exactly. */
function readBounds(text: string): readonly string[] | undefined {
  const bounds = text.split(/[\s,;]+/).filter((each) => each !== '')
  const isRising = bounds.every((each, index) => number.test(each) && (index === 0 || Number(bounds[index - 1]) < Number(each)))
  return isRising && bounds.length > 0 && bounds.length <= aggregateLimits.mostBounds ? bounds : undefined
}

/** Enters the begins of the ranges of a field. */
function Bounds({ group, onChange }: { readonly group: GroupKey; readonly onChange: (token: string) => void }) {
  const [text, setText] = useState(group.bounds.join(', '))
  const bounds = readBounds(text)
  const apply = () => bounds !== undefined && onChange(writeGroup({ ...group, bounds }))
  return (
    <TextInput
      label={`Ranges of ${group.field} begin at`}
      {...bindValue(text, setText)}
      onBlur={apply}
      onKeyDown={({ key }) => key === 'Enter' && apply()}
      error={bounds === undefined && 'Enter ascending numbers, such as 0, 60, 300'}
    />
  )
}

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((each) => each !== 'UTC')]

/** Chooses groups, measures, the zone of periods and the size of a page. */
export function GroupOptions({ address: { groups: choice, limit, isZoned }, fields, related, onChange }: OptionsProps) {
  const { groups, measures, zone } = choice
  const shown = groups.flatMap((group) => group.related)
  const offered = useMemo(() => listOfGroups(related, groups), [related, groups])
  const setGroups = (tokens: readonly string[]) => {
    // A colleague in another zone sees the same periods.
    const own = isZoned ? {} : { zone: Intl.DateTimeFormat().resolvedOptions().timeZone }
    onChange({ by: tokens.join(','), ...own, pages: undefined })
  }
  return (
    <>
      <Many
        label="Group by"
        placeholder="nothing: one row over all records"
        most={aggregateLimits.mostKeys}
        chosen={groups}
        offer={offerGroups}
        fields={fields}
        onChange={setGroups}
      />
      <RelatedFields offered={offered} shown={shown} onChange={onChange} />
      <Many
        label="Measures"
        placeholder="number of records"
        most={aggregateLimits.mostMeasures}
        chosen={measures}
        offer={offerMeasures}
        fields={fields}
        onChange={(tokens) => onChange({ measures: tokens.join(','), pages: undefined })}
      />
      {groups.some(({ by }) => isTimeUnit(by)) && (
        <Select
          label="Time zone"
          data={zones.includes(zone) ? zones : [zone, ...zones]}
          value={zone}
          onChange={(chosen) => onChange({ zone: chosen ?? 'UTC', pages: undefined })}
          limit={mostOffered}
          allowDeselect={false}
          searchable
        />
      )}
      {groups
        .filter(({ by }) => by === 'ranges')
        .map((group) => (
          <Bounds
            key={group.token}
            group={group}
            onChange={(token) => setGroups(groups.map((each) => (each === group ? token : each.token)))}
          />
        ))}
      <NativeSelect
        label="Groups on a page"
        data={groupLimits.toSorted((a, b) => a - b).map((each) => ({ value: String(each), label: printCount(each) }))}
        {...bindValue(String(limit), (next) => onChange({ limit: next, pages: undefined }))}
      />
    </>
  )
}
