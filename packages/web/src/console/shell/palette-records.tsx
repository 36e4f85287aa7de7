/** Records that the palette finds: the search of everything, asked after a pause of typing. */
import { Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatFilter } from 'ferrule/core'
import type { SearchHit, SearchResult } from 'ferrule/wire'
import { Fragment } from 'react'
import { useFerrule } from '../data/ferrule.ts'
import { useService } from '../data/service.ts'
import { type AddressParams, useTenant } from '../data/tenant.ts'
import { describeError } from '../parts/describe-error.ts'

/** Pause of typing before records are asked for, in milliseconds. */
const pauseMs = 250
/** Records that are shown at most. */
const mostRecords = 20
/** Connectors that a sentence names at most. */
const mostNamed = 3

/** A record that was found. It has no path: `toRecordParams` makes its address. */
export type FoundRecord = SearchHit & { readonly path?: undefined }

/** Records of one entity of a connector. */
export interface RecordGroup {
  /** Unique. */
  readonly key: string
  readonly title: string
  readonly hits: readonly FoundRecord[]
}

/** What was found. */
export interface FoundRecords {
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

/** Names connectors, some of many. */
function listNames(leftOut: SearchResult['left_out'], reason: SearchResult['left_out'][number]['reason']): string {
  const names = [...new Set(leftOut.filter((each) => each.reason === reason).map(({ connector, kind }) => connector?.name ?? kind))]
  return list.format(names.length <= mostNamed ? names : [...names.slice(0, mostNamed), `${names.length - mostNamed} more`])
}

/** Describes what the records do not show. */
export function describeSearch({ data, meta, left_out }: SearchResult): string {
  const [late, failed, empty] = [listNames(left_out, 'late'), listNames(left_out, 'failed'), listNames(left_out, 'not_ready')]
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
export function useFoundRecords(typed: string): FoundRecords {
  const wanted = typed.trim().slice(0, 1_000)
  const [settled] = useDebouncedValue(wanted, pauseMs)
  const { organizationId } = useTenant()
  const ferrule = useFerrule()
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
  return { groups: groupHits(data?.data ?? []), says: isOld ? 'Looking for records…' : describeSearch(data), isOld }
}

/** Names a record. */
export const printTitle = ({ title, key }: SearchHit): string => title ?? key

/** Returns the words of a snippet that were looked for. */
const readWords = ({ text, ranges }: NonNullable<SearchHit['snippet']>): string =>
  ranges.map(([from, to]) => text.slice(from, to)).join(' ')

/**
 * Returns the address of a record on the search page. The page makes a filter of the key. Where the key is of several parts, the words
 * that were found are the filter.
 */
export function toRecordParams({ connector, entity, key, snippet }: SearchHit): AddressParams {
  const words = snippet === null ? '' : readWords(snippet)
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
export function RecordText({ hit }: { readonly hit: SearchHit }) {
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
