/** The command palette: type a few letters, go there. */
import { ActionIcon, Modal, ScrollArea, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import IconExternalLink from '@tabler/icons-react/icons/IconExternalLink'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatFilter } from 'ferrule/core'
import type { SearchHit, SearchResult } from 'ferrule/wire'
import { Fragment, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useFerrule } from '../data/ferrule.ts'
import { useReadAll } from '../data/read-all.ts'
import { useKinds, useKindTitles } from '../data/references.ts'
import { useService } from '../data/service.ts'
import { type AddressParams, useGo, useTenant } from '../data/tenant.ts'
import { pages } from '../pages.ts'
import { describeError } from '../parts/describe-error.ts'
import { bindValue } from '../parts/form/text-entry.ts'

/** Pages, connectors and kinds that are shown at once: alone, and above records. */
const [mostShown, mostBesideRecords] = [50, 6]

const pageDestinations: readonly Destination[] = pages
  .filter(({ group }) => group !== undefined)
  .map(({ path, title }) => ({ key: path, label: title, type: 'Page', path }))

/** Returns whether a page exists for a path of two parts. */
const hasPage = ({ path }: Destination): boolean => pages.some((page) => page.path.startsWith(`/${path.split('/')[1]}/:`))

function useDestinations(typed: string, most: number): readonly Destination[] {
  const found = useFoundDestinations()
  return filterDestinations([...pageDestinations, ...found.filter(hasPage)], typed, most)
}

/** Moves a position by the keys of a list. @returns undefined for other keys */
function move(key: string, position: number, count: number): number | undefined {
  const steps: Readonly<Record<string, number>> = { ArrowDown: position + 1, ArrowUp: position - 1, Home: 0, End: count - 1 }
  const next = steps[key]
  return next === undefined || count === 0 ? undefined : (next + count) % count
}

/** Something that can be opened: a destination, or a record that was found. */
type PaletteChoice = Destination | FoundRecord

interface OptionProps {
  readonly id: string
  readonly isChosen: boolean
  readonly onOpen: () => void
}

/** Shows an option. The chosen one is in sight. */
function Option({ id, isChosen, onOpen, children }: OptionProps & { readonly children: ReactNode }) {
  const option = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isChosen) option.current?.scrollIntoView({ block: 'nearest' })
  }, [isChosen])
  return (
    <UnstyledButton ref={option} id={id} role="option" aria-selected={isChosen} tabIndex={-1} className="palette-option" onClick={onOpen}>
      {children}
    </UnstyledButton>
  )
}

/** Shows a record, and the way to the vendor. */
function RecordOption({ hit, ...option }: OptionProps & { readonly hit: FoundRecord }) {
  return (
    <div className="palette-record" role="presentation">
      <Option {...option}>
        <RecordText hit={hit} />
      </Option>
      {hit.link !== null && (
        <ActionIcon
          {...{ component: 'a', href: hit.link, target: '_blank', rel: 'noreferrer' }}
          {...{ role: 'option', 'aria-selected': false, tabIndex: -1 }}
          variant="subtle"
          size={36}
          aria-label={`Open ${printTitle(hit)} at the vendor`}
        >
          <IconExternalLink size={18} aria-hidden="true" />
        </ActionIcon>
      )}
    </div>
  )
}

/** Shows the records of an entity. */
function RecordOptions({ group, id, toOption }: Pick<ResultsProps, 'id' | 'toOption'> & { readonly group: RecordGroup }) {
  const name = `${id}-${group.key}`
  return (
    // biome-ignore lint/a11y/useSemanticElements: a list of options has no fieldset
    <div role="group" aria-labelledby={name}>
      <Text id={name} size="xs" fw={600} c="dimmed" px="xs" pt="sm" pb={4} style={{ overflowWrap: 'anywhere' }}>
        {group.title}
      </Text>
      {group.hits.map((hit) => (
        <RecordOption key={hit.key} hit={hit} {...toOption(hit)} />
      ))}
    </div>
  )
}

/** Shows the results; the chosen one is the one that Enter opens. */
function Results({ id, shown, groups, toOption }: ResultsProps) {
  return (
    <ScrollArea.Autosize mah="min(60vh, 480px)" type="auto" offsetScrollbars="y">
      <div role="listbox" id={id} aria-label="Results">
        {shown.map((each) => (
          <Option key={each.key} {...toOption(each)}>
            <Text size="sm">{each.label}</Text>
            <Text size="xs" c="dimmed">
              {each.type}
            </Text>
          </Option>
        ))}
        {groups.map((group) => (
          <RecordOptions key={group.key} group={group} id={id} toOption={toOption} />
        ))}
      </div>
    </ScrollArea.Autosize>
  )
}
interface ResultsProps {
  readonly id: string
  readonly shown: readonly Destination[]
  readonly groups: readonly RecordGroup[]
  readonly toOption: (choice: PaletteChoice) => OptionProps
}

/** What was typed. */
interface Typed {
  readonly typed: string
  readonly onType: (text: string) => void
}

function PaletteField({ typed, onType, onGo }: Typed & { readonly onGo: () => void }) {
  const [position, setPosition] = useState(0)
  const id = useId()
  const go = useGo()
  const { groups, says, isOld } = useFoundRecords(typed)
  const shown = useDestinations(typed, groups.length > 0 ? mostBesideRecords : mostShown)
  const choices: readonly PaletteChoice[] = [...shown, ...groups.flatMap(({ hits }) => hits)]
  const chosen = Math.min(position, choices.length - 1)
  const open = (choice: PaletteChoice) => {
    onGo()
    if (choice.path === undefined) go('/search', toRecordParams(choice))
    else go(choice.path)
  }
  const openRecord = (hit: FoundRecord, isAway: boolean) => {
    if (!isAway) open(hit)
    else if (hit.link !== null) window.open(hit.link, '_blank', 'noreferrer')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const next = move(event.key, chosen, choices.length)
    const choice = choices[chosen]
    if (next !== undefined) setPosition(next)
    else if (event.key !== 'Enter' || choice === undefined) return
    else if (choice.path !== undefined) open(choice)
    else if (!isOld) openRecord(choice, event.ctrlKey || event.metaKey)
    event.preventDefault()
  }
  const type = (text: string) => {
    onType(text)
    setPosition(0)
  }
  const toOption = (choice: PaletteChoice): OptionProps => {
    const at = choices.indexOf(choice)
    return { id: `${id}-${at}`, isChosen: at === chosen, onOpen: () => open(choice) }
  }
  return (
    <>
      <TextInput
        placeholder="A page, a connector, or words of a record"
        aria-label="Where to go"
        role="combobox"
        aria-expanded={choices.length > 0}
        aria-controls={id}
        aria-activedescendant={choices.length > 0 ? `${id}-${chosen}` : undefined}
        {...bindValue(typed, type)}
        onKeyDown={onKeyDown}
        data-autofocus
        mb="sm"
      />
      {choices.length > 0 && <Results id={id} shown={shown} groups={groups} toOption={toOption} />}
      {choices.length === 0 && !isOld && <Text p="sm">Nothing has this name. Try fewer letters.</Text>}
      <Text role="status" size="xs" c="dimmed" px="xs" pt="xs">
        {says}
      </Text>
      {typeof choices[chosen]?.link === 'string' && (
        <Text size="xs" c="dimmed" px="xs" pt={4} visibleFrom="sm">
          Enter opens the record here, Ctrl+Enter at the vendor.
        </Text>
      )}
    </>
  )
}

/** Shows the palette. Loaded with its first use. */
export function PaletteDialog({ opened, onClose, ...typed }: Typed & { readonly opened: boolean; readonly onClose: () => void }) {
  // The page that opens takes the focus; without a choice it returns to where it was.
  const [hasGone, setGone] = useState(false)
  const go = () => {
    setGone(true)
    onClose()
  }
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Go to"
      size="lg"
      yOffset="10vh"
      returnFocus={!hasGone}
      onEnterTransitionEnd={() => setGone(false)}
    >
      <PaletteField {...typed} onGo={go} />
    </Modal>
  )
}

/** Something that the palette leads to. */
interface Destination {
  /** Unique. */
  readonly key: string
  readonly label: string
  /** What it is, such as `Page`. */
  readonly type: string
  /** Path below `/console`. */
  readonly path: string
  readonly link?: undefined
}

const pageSize = 100

/** Reads the connectors of the organization and the kinds of the service. What has not arrived is missing. */
function useFoundDestinations(): readonly Destination[] {
  const connectors = useReadAll(['palette', 'connectors'], (ferrule, from, signal) =>
    ferrule.connectors.page(from ?? { limit: pageSize }, { signal }),
  )
  const kinds = useKinds()
  return [
    ...(connectors.data?.rows ?? []).map(({ id, name, workspace_name, summarized_source_template: { name: kind } }) => ({
      key: id,
      label: name,
      type: `${kind} in ${workspace_name}`,
      path: `/connectors/${id}`,
    })),
    ...(kinds.data ?? []).map(({ connector_type: slug, name }) => ({ key: slug, label: name, type: 'Kind', path: `/kinds/${slug}` })),
  ]
}

/** Returns the destinations whose words begin with each typed word, the first ones. */
function filterDestinations(all: readonly Destination[], typed: string, most: number): readonly Destination[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = ({ label, type }: Destination) => {
    const text = `${label} ${type}`.toLowerCase()
    return wanted.every((word) => text.includes(word))
  }
  return all.filter(fits).slice(0, most)
}

/** Pause of typing before records are asked for, in milliseconds. */
const pauseMs = 250
const mostRecords = 20
/** Connectors that a sentence names at most. */
const mostNamed = 3

/** A record that was found. It has no path: `toRecordParams` makes its address. */
type FoundRecord = SearchHit & { readonly path?: undefined }

/** Records of one entity of a connector. */
interface RecordGroup {
  /** Unique. */
  readonly key: string
  readonly title: string
  readonly hits: readonly FoundRecord[]
}

interface FoundRecords {
  /** The group of the best record comes first. */
  readonly groups: readonly RecordGroup[]
  /** What the reader has to know of the search; '' while there is nothing to say. */
  readonly says: string
  /** True: the records are those of the words before. */
  readonly isOld: boolean
}

/** Returns whether a text is worth a search: the service refuses one without letters and digits. */
const isSearchable = (text: string): boolean => text.length > 1 && /[\p{L}\p{N}]/u.test(text)

const list = new Intl.ListFormat('en')

/** Names connectors and kinds, some of many. */
function listNames(leftOut: SearchResult['left_out'], printKind: (slug: string) => string): string {
  const names = [...new Set(leftOut.map(({ connector, kind }) => connector?.name ?? printKind(kind)))]
  return list.format(names.length <= mostNamed ? names : [...names.slice(0, mostNamed), `${names.length - mostNamed} more`])
}

function describeSearch({ data, meta, left_out }: SearchResult, printKind: (slug: string) => string): string {
  const { late: slow = [], failed: faulty = [], not_ready: unready = [] } = Object.groupBy(left_out, ({ reason }) => reason)
  const [late, failed, empty] = [listNames(slow, printKind), listNames(faulty, printKind), listNames(unready, printKind)]
  const found = data.length > 0
  return [
    !found && 'No record has all these words.',
    !found && empty !== '' && `Some copies cannot be searched yet: ${empty}.`,
    found && meta.near && 'No record has the words as written. These are near.',
    found && !meta.ranked && 'So many records have these words that the best need not come first.',
    meta.has_more && `The first ${data.length} records are shown; more words find less.`,
    late !== '' && `No answer in time: ${late}.`,
    failed !== '' && `Not searched, because of an error: ${failed}.`,
  ]
    .filter((sentence) => sentence !== false)
    .join(' ')
}

/** Puts records of one entity together. */
const groupHits = (hits: readonly SearchHit[]): readonly RecordGroup[] =>
  [...Map.groupBy(hits, ({ connector, entity }) => `${connector.id}-${entity}`)].map(([key, group]) => ({
    key,
    title: `${group[0]?.entity} of ${group[0]?.connector.name}`,
    hits: group,
  }))

/** Finds records by what was typed. Other words end the request of those before. */
function useFoundRecords(typed: string): FoundRecords {
  const wanted = typed.trim().slice(0, 1_000)
  const [settled] = useDebouncedValue(wanted, pauseMs)
  const { organizationId } = useTenant()
  const ferrule = useFerrule()
  const printKind = useKindTitles()
  const canSearch = useService().data?.context_store === true && isSearchable(wanted)
  const text = canSearch && settled === wanted ? wanted : undefined
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: [organizationId ?? null, 'palette', 'records', text],
    queryFn: ({ signal }) => ferrule.search({ text: text ?? '', limit: mostRecords }, { signal }),
    enabled: text !== undefined,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  })
  if (!canSearch) return { groups: [], says: '', isOld: false }
  if (error !== null) return { groups: [], says: `Records could not be searched. ${describeError(error).sentence}`, isOld: false }
  const isOld = data === undefined || isPlaceholderData
  return { groups: groupHits(data?.data ?? []), says: isOld ? 'Looking for records…' : describeSearch(data, printKind), isOld }
}

/** Names a record. */
const printTitle = ({ title, key }: SearchHit): string => title ?? key

/**
 * Returns the address of a record on the search page. The page makes a filter of the key. Where the key is of several parts, the words
 * that were found are the filter.
 */
function toRecordParams({ connector, entity, key, snippet }: SearchHit): AddressParams {
  const words = snippet === null ? '' : snippet.ranges.map(([from, to]) => snippet.text.slice(from, to)).join(' ')
  return {
    connector: connector.id,
    entity,
    record: key,
    filter: snippet === null || words === '' ? undefined : formatFilter({ fuzzy: { [snippet.field]: words } }),
  }
}

/** Cuts a text at its ranges: every second piece is one that was looked for. */
function cutPieces({ text, ranges }: NonNullable<SearchHit['snippet']>): readonly string[] {
  const ends = [0, ...ranges.flat(), text.length]
  return ends.slice(1).map((end, index) => text.slice(ends[index], end))
}

/** Shows a text with the words that were looked for. */
function Marked({ snippet }: { readonly snippet: NonNullable<SearchHit['snippet']> }) {
  return cutPieces(snippet).map((piece, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have no other name
    return index % 2 === 1 ? <mark key={index}>{piece}</mark> : <Fragment key={index}>{piece}</Fragment>
  })
}

/** Shows a record: its title, and the text in which words were found. */
function RecordText({ hit }: { readonly hit: SearchHit }) {
  const title = printTitle(hit)
  const { snippet } = hit
  const isTitle = snippet !== null && snippet.text === title
  return (
    <>
      <Text size="sm" lineClamp={2}>
        {isTitle ? <Marked snippet={snippet} /> : title}
      </Text>
      {snippet !== null && !isTitle && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          <Marked snippet={snippet} />
        </Text>
      )}
    </>
  )
}
