/** Chooses how records are grouped and measured. Every choice goes to the address at once. */
import { MultiSelect, NativeSelect, Select, TextInput } from '@mantine/core'
import { aggregateLimits, isTimeUnit } from 'ferrule/internal'
import { useMemo, useState } from 'react'
import { printCount } from '../../../parts/print.ts'
import { type ChangeAddress, groupLimits, type SearchAddress } from '../address.ts'
import type { FilterField } from '../filter/fields.ts'
import classes from '../search.module.css'
import { addTyped, type GroupKey, type Offer, offerGroups, offerMeasures, offerRelated, type RelatedField, writeGroup } from './choice.ts'

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
      classNames={{ inputField: classes.columnInput ?? '' }}
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
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={apply}
      onKeyDown={({ key }) => key === 'Enter' && apply()}
      error={bounds === undefined && 'Enter ascending numbers, such as 0, 60, 300'}
    />
  )
}

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((each) => each !== 'UTC')]

const isPeriod = ({ by }: Pick<GroupKey, 'by'>): boolean => isTimeUnit(by)

/** Chooses groups, measures, the zone of periods and the size of a page. */
export function GroupOptions({ address: { groups: choice, limit, isZoned }, fields, related, onChange }: OptionsProps) {
  const { groups, measures, zone } = choice
  const shown = groups.flatMap((group) => group.related)
  const offered = useMemo(() => offerRelated(related, groups), [related, groups])
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
      {(offered.length > 0 || shown.length > 0) && (
        <Many
          label="Fields of related records"
          placeholder="none"
          most={mostRelated}
          chosen={shown}
          offer={() => offered}
          fields={fields}
          onChange={(tokens) => onChange({ include: tokens.join(','), pages: undefined })}
        />
      )}
      <Many
        label="Measures"
        placeholder="number of records"
        most={aggregateLimits.mostMeasures}
        chosen={measures}
        offer={offerMeasures}
        fields={fields}
        onChange={(tokens) => onChange({ measures: tokens.join(','), pages: undefined })}
      />
      {groups.some(isPeriod) && (
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
        label="Groups of a page"
        data={groupLimits.toSorted((a, b) => a - b).map((each) => ({ value: String(each), label: printCount(each) }))}
        value={String(limit)}
        onChange={({ currentTarget }) => onChange({ limit: currentTarget.value, pages: undefined })}
      />
    </>
  )
}
