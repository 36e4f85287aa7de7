/** `search` without a connector: finds records of all connectors. */
import { fail, failValidation } from '../../errors.ts'
import { parseInclude } from '../../values/include-text.ts'
import type { SearchHit, SearchResult } from '../../wire/overview/search.ts'
import { writeRows } from '../answers/rows.ts'
import { type RunningCall, readString, readStrings } from '../context.ts'
import { describeUnsynced, type LinesPosition } from '../reading.ts'
import type { AgentAnswer } from '../types.ts'

/** Most records of a page, and the usual number. */
const [mostRecords, usualLimit] = [100, 20]
/** Arguments that one entity has. */
const ofEntity = ['sort', 'fields', 'max_age'] as const

/** A hit as a row: short, with all that the next call needs. */
const toRow = ({ connector, entity, key, title, snippet, time, link, related }: SearchHit) => ({
  connector: connector.name,
  entity,
  key,
  title,
  text: snippet === null || snippet.text === title ? null : snippet.text,
  time,
  link,
  ...(related === undefined ? {} : { related }),
})

const listUnlessEmpty = <T>(name: string, all: readonly T[], write: (each: T) => string) =>
  all.length === 0 ? {} : { [name]: all.map(write) }

/** Describes what stands beside the rows: counts, what was not searched, and what related records are missing. */
function describeRest({ meta, facets, left_out }: SearchResult): Readonly<Record<string, unknown>> {
  const counts = facets?.entities.map(({ kind, entity, count, exact }) => [`${kind}.${entity}`, exact ? count : `${count} or more`])
  return {
    ...(counts === undefined || counts.length === 0 ? {} : { found: Object.fromEntries(counts) }),
    ...(meta.near ? { near: 'nothing has the words as they were written: these are near' } : {}),
    ...listUnlessEmpty(
      'not_searched',
      left_out,
      ({ kind, connector, entities, reason }) => `${connector?.name ?? kind}: ${entities.join(', ')} (${reason})`,
    ),
    ...listUnlessEmpty(
      'not_included',
      meta.not_included ?? [],
      ({ kind, entities, message }) => `${kind}: ${entities.join(', ')} (${message.replace(/\.$/, '')})`,
    ),
    ...describeUnsynced(meta.related),
  }
}

/**
 * Searches all connectors that the tools reach.
 * @param filter conditions of the call
 */
export async function searchAll(running: RunningCall, filter: Readonly<Record<string, unknown>> | undefined): Promise<AgentAnswer> {
  const { context, args, limits, from } = running
  const { reach, handles, maxTokens } = context
  const foreign = ofEntity.filter((name) => args[name] !== undefined)
  if (foreign.length > 0)
    throw failValidation(
      foreign.map((name) => ({ field: `/${name}`, message: 'is for one entity: name its connector too', error_code: 'value' })),
    )
  const [text, entity] = [readString(running, 'text'), readString(running, 'entity')]
  if (text === undefined && filter === undefined)
    throw failValidation([{ field: '/text', message: 'or where is required without a connector', error_code: 'required' }])
  const include = parseInclude(readStrings(running, 'include') ?? [])
  const connectors = reach.isNarrow ? (await reach.listAll(limits)).map(({ id }) => id) : undefined
  const answer = await reach.source.searchAll?.(
    {
      ...(text === undefined ? {} : { text }),
      ...(filter === undefined ? {} : { filter }),
      ...(include === undefined ? {} : { include }),
      ...(entity === undefined ? {} : { entities: [entity] }),
      ...(connectors === undefined ? {} : { connectors }),
      ...(from?.cursor === undefined ? {} : { cursor: from.cursor }),
      limit: Math.min(mostRecords, typeof args['limit'] === 'number' ? args['limit'] : usualLimit),
    },
    limits,
  )
  if (answer === undefined) throw fail('context_store_unavailable', {})
  const { cursor } = answer.meta
  const locate = (offset: LinesPosition['offset']): LinesPosition => ({ type: 'lines', tool: 'search', args, offset })
  const written = await writeRows({
    subject: 'search of all connectors',
    title: 'the connected systems',
    rows: answer.data.map(toRow),
    isSingle: false,
    facts: describeRest(answer),
    offset: { at: from?.at ?? 0 },
    maxTokens,
    hasNext: cursor !== null,
    canNarrow: false,
    isChosen: true,
    known: { key: ['connector', 'entity', 'key'], searchable: ['title', 'text'] },
    writeHandle: (at) =>
      handles.write(locate(at === 'next' ? { at: 0, cursor: cursor ?? undefined } : { at: at.at, cursor: from?.cursor })),
  })
  return { text: written, isError: false, result: answer }
}
