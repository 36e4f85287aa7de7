/** Searches all connectors that a client reaches at once (docs/decisions/search-everything.md). */
import { fail, failValidation, readSlug } from 'ferrule/internal'
import { mostCounted, type SearchHit, type SearchInput, type SearchResult, searchInput } from 'ferrule/wire'
import type { CallBounds } from '../../calls/admission.ts'
import type { Connectors } from '../../connectors/connector-types.ts'
import { type Principal, requireScope } from '../../values/access.ts'
import type { CursorScope } from '../../values/cursor.ts'
import { digestParts } from '../../values/ids.ts'
import { problem, readBody } from '../../values/read.ts'
import { type Steps, workInSlices } from '../../values/slices.ts'
import { toEntityRef } from '../entity-ref.ts'
import { largestPage } from '../search/functions.ts'
import type { Searcher } from '../searcher.ts'
import type { ContextStore } from '../store/store.ts'
import type { Copies, SearchedConnector, SearchedEntity } from '../sync-types.ts'
import { FairSlots } from './fair-slots.ts'
import { compareHits, type HitPosition, readHitPosition, signHitPosition, type Walk } from './hit-positions.ts'
import { createDescriber, describeConnector, type SoughtCopy } from './hits.ts'
import { assertTaken } from './include.ts'
import { type EntityPlan, planEntity, splitWords, type Unfit } from './plan.ts'
import { describeRefusal, toOwnRefusal } from './refusals.ts'
import { addTroubles, CopyTimes, describeIncluded, findFailure, LeftOuts } from './remarks.ts'
import { chooseQuery, type FoundInCopy, SearchRun } from './run.ts'

/** Options of `Everything`. */
export interface EverythingOptions {
  readonly searcher: Pick<Searcher, 'parse' | 'readPositions' | 'count' | 'readRecords'>
  readonly store: Pick<ContextStore, 'canJoinConnectors' | 'searchSeveral'>
  readonly copies: Pick<Copies, 'listSearched' | 'countChanges'>
  readonly connectors: Pick<Connectors, 'readAccess'>
  /** HMAC key for cursors. */
  readonly cursorKey: () => Uint8Array
  readonly clock: () => number
  /** Timeout of a search, in milliseconds. */
  readonly searchMs: number
  /** Number of statements that this process runs at a time for all such searches. */
  readonly atOnce: number
  /** Maximum number of records of all entities that are ordered by relevance; default: that of a search of one entity. */
  readonly mostRanked?: number
}

const mostConnectors = 1_000
/** Fraction of the time in which copies answer; the rest is for the records of the page. */
const searchShare = 0.9
const defaultLimit = 20
/** Records of a page that are read together. */
const readAtOnce = 20

interface RunningSearch {
  readonly principal: Principal
  readonly input: SearchInput
  readonly words: readonly string[]
  readonly leftOuts: LeftOuts
}

/** Records that were found, and in which order. */
interface FoundInCopies {
  readonly walk: Walk
  readonly found: readonly FoundInCopy[]
  /** Records of each copy, at most `mostCounted` and one more. Only of a first page. */
  readonly counts: Counts
}

type Counts = ReadonlyMap<SoughtCopy, number>
const noCounts: Counts = new Map()

/** Searches all connectors that a client reaches. */
export class Everything {
  readonly #options: EverythingOptions
  readonly #slots: FairSlots

  constructor(options: EverythingOptions) {
    this.#options = options
    this.#slots = new FairSlots(options.atOnce)
  }

  /**
   * Returns a page of records of all connectors.
   * @param body `searchInput`
   * @throws FerruleError `insufficient_scope`, `validation_failed`, `missing_parameter`, `invalid_cursor`, `connector_not_found`,
   *   `workspace_inactive`, `query_too_complex`; those of a filter that no entity takes; `context_store_unavailable`
   */
  async search(
    principal: Principal,
    body: unknown,
    { signal, deadlineMs }: Pick<CallBounds, 'signal' | 'deadlineMs'>,
  ): Promise<SearchResult> {
    const begin = performance.now()
    requireScope(principal, 'execute:read')
    const input = readBody(searchInput, body)
    const words = splitWords(input)
    if (words.length === 0 && input.filter === undefined) throw fail('missing_parameter', { reason: 'text or filter is required' })
    const scope = this.#bind(principal, input)
    const from = input.cursor === undefined ? undefined : readHitPosition(input.cursor, scope)
    const changes = this.#options.copies.countChanges()
    const asked: RunningSearch = { principal, input, words, leftOuts: new LeftOuts() }
    const connectors = await this.#listConnectors(asked)
    const copies = this.#plan(asked, connectors)
    const end = begin + Math.min(this.#options.searchMs, deadlineMs ?? Number.POSITIVE_INFINITY) * searchShare
    const run = new SearchRun({ ...this.#options, slots: this.#slots }, { organizationId: principal.organizationId, signal, end })
    const finding = await this.#find(run, { asked, copies, from })
    const failure = findFailure(run.troubles, copies)
    if (failure !== undefined) throw failure
    // The first use after a start can empty a table whose kind changed: its status was read before.
    const times = new CopyTimes(changes === this.#options.copies.countChanges() ? connectors : await this.#listAll(asked))
    const isKept = (copy: SoughtCopy): boolean => times.find(copy) !== null
    const kept = finding.found.filter(({ copy }) => isKept(copy))
    const page = await this.#readPage(run, { ...finding, found: kept }, input.limit ?? defaultLimit)
    addTroubles(asked.leftOuts, run.troubles)
    const { walk } = finding
    return {
      data: page.data,
      meta: {
        has_more: page.next !== undefined,
        cursor: page.next === undefined ? null : signHitPosition(walk, page.next, scope),
        took_ms: Math.round(performance.now() - begin),
        ranked: walk.mode === 'ranked',
        near: walk.isNear,
        ...describeIncluded(page.copies, times),
      },
      facets: from === undefined ? countFacets([...finding.counts].filter(([copy]) => isKept(copy))) : null,
      left_out: asked.leftOuts.list(),
    }
  }

  /** Binds cursors to an organization and a search. The connectors are listed again for each page. */
  #bind({ organizationId }: Principal, { limit: _limit, cursor: _cursor, ...input }: SearchInput): CursorScope {
    const given = Object.entries(input).toSorted(([a], [b]) => (a < b ? -1 : 1))
    const digest = digestParts(organizationId, given)
    return {
      key: this.#options.cursorKey(),
      purpose: 'everything',
      digest,
      belongsTo: 'search or organization',
      now: this.#options.clock(),
    }
  }

  /** Lists the connectors of the view, at most one more than are searched. */
  #listAll({ principal, input }: Pick<RunningSearch, 'principal' | 'input'>): Promise<readonly SearchedConnector[]> {
    return this.#options.copies.listSearched(principal, { workspaceId: input.workspace_id?.toLowerCase(), most: mostConnectors + 1 })
  }

  /** Lists the connectors that are searched. @throws FerruleError for one that the client names and does not reach */
  async #listConnectors({ principal, input }: RunningSearch): Promise<readonly SearchedConnector[]> {
    const { connectors } = this.#options
    const all = await this.#listAll({ principal, input })
    if (all.length > mostConnectors)
      throw fail('query_too_complex', { reason: `more than ${mostConnectors} connectors are asked; name a workspace, kinds or connectors` })
    const ids = input.connectors?.map((id) => id.toLowerCase())
    for (const id of ids ?? [])
      if (!all.some(({ ref }) => ref.connectorId === id)) {
        await connectors.readAccess(principal, id)
        throw fail('connector_not_found', {})
      }
    const named = all.filter(({ ref }) => ids?.includes(ref.connectorId) ?? true)
    const kinds = named.map(({ kind }) => readSlug(kind.definition.kind))
    assertKnown('kinds', input.kinds, kinds)
    const ofKinds = named.filter((_, index) => input.kinds?.includes(kinds[index] ?? '') ?? true)
    assertKnown(
      'entities',
      input.entities,
      ofKinds.flatMap(({ entities }) => entities.map(({ entity }) => entity)),
    )
    return ofKinds
  }

  /** Plans the search of each entity that is ready. @throws FerruleError the refusal of a filter that no entity takes */
  #plan({ input, words, leftOuts }: RunningSearch, connectors: readonly SearchedConnector[]): readonly SoughtCopy[] {
    const plans = new Map<object, Map<string, EntityPlan | Unfit | undefined>>()
    const parts = { searcher: this.#options.searcher, wanted: input, words }
    let refused: Unfit | undefined
    let isTaken = false
    const toCopy = (of: SearchedConnector, { entity, syncedAt, reason }: SearchedEntity): readonly SoughtCopy[] => {
      const { ref: ids, kind, own } = of
      const ref = toEntityRef({ ref: ids, connection: { kind }, own }, entity)
      const known = plans.get(own ?? kind) ?? new Map<string, EntityPlan | Unfit | undefined>()
      plans.set(own ?? kind, known)
      if (!known.has(entity)) known.set(entity, planEntity(parts, ref))
      const plan = known.get(entity)
      if (plan !== undefined && 'refusal' in plan) {
        refused ??= plan
        leftOuts.add(
          { reason: 'no_field', kind: readSlug(kind.definition.kind), connector: null, message: describeRefusal(plan.refusal) },
          entity,
        )
        return []
      }
      isTaken = true
      if (syncedAt === null) leftOuts.addCopy({ of, entity }, 'not_ready', `The copy cannot be searched: ${reason}.`)
      if (plan === undefined || syncedAt === null) return []
      return [{ of, ref, plan, syncedAt, connector: ids.connectorId, entity, hasTime: plan.time !== undefined }]
    }
    const copies = connectors.flatMap((of) =>
      of.entities.filter(({ entity }) => input.entities?.includes(entity) ?? true).flatMap((each) => toCopy(of, each)),
    )
    const planned = [...plans.values()].flatMap((known) => [...known.values()])
    if (refused !== undefined && !isTaken) throw toOwnRefusal(refused.refusal, planned.length > 1)
    assertTaken(
      input.include ?? {},
      planned.flatMap((plan) => (plan === undefined || 'refusal' in plan ? [] : [plan])),
    )
    return copies
  }

  async #find(
    run: SearchRun,
    {
      asked: { input, words },
      copies,
      from,
    }: {
      readonly asked: RunningSearch
      readonly copies: readonly SoughtCopy[]
      readonly from: ReturnType<typeof readHitPosition> | undefined
    },
  ): Promise<FoundInCopies> {
    const limit = input.limit ?? defaultLimit
    const isExact = from?.walk.isNear !== true
    const able = words.length > 0 && isExact ? await run.look(copies) : copies
    if (from !== undefined) {
      return { walk: from.walk, found: (await run.readEach(able, from.walk, { limit, after: from.after })) ?? [], counts: noCounts }
    }
    const first = await findFirst(run, able, { isNear: false, limit })
    if (words.length === 0 || hasFound(first) || run.troubles.size > 0) return first
    const near = await findFirst(run, copies, { isNear: true, limit })
    return hasFound(near) ? near : first
  }

  /** Reads the records of a page, some at a time, and ends it early where they are large. */
  async #readPage(run: SearchRun, { walk, found }: FoundInCopies, limit: number) {
    const all = found
      .flatMap(({ copy, positions }) => positions.map((position) => ({ copy, position })))
      .toSorted((one, other) => compareHits(one.position, other.position))
    const data: SearchHit[] = []
    const copies = new Set<SoughtCopy>()
    let [count, bytes] = [0, 0]
    while (count < Math.min(limit, all.length) && bytes < largestPage) {
      const some = all.slice(count, Math.min(limit, count + readAtOnce))
      const records = await readTogether(run, some)
      data.push(...(await workInSlices(describeEach(some, records, walk))))
      for (const { copy } of some) copies.add(copy)
      count += some.length
      for (const record of records.values()) for (const json of record.values()) bytes += json.length
    }
    const hasMore = all.length > count || found.some((each) => each.hasMore)
    return { data, copies, next: hasMore ? all[count - 1]?.position : undefined }
  }
}

interface FoundRecord {
  readonly copy: SoughtCopy
  readonly position: HitPosition
}

type RecordsByCopy = ReadonlyMap<SoughtCopy, ReadonlyMap<string, string>>

async function readTogether(run: SearchRun, some: readonly FoundRecord[]): Promise<RecordsByCopy> {
  const read = async ([copy, own]: readonly [SoughtCopy, readonly FoundRecord[]]) =>
    [
      copy,
      await run.readRecords(
        copy,
        own.map(({ position }) => position.pk),
      ),
    ] as const
  return new Map(await Promise.all([...Map.groupBy(some, ({ copy }) => copy)].map(read)))
}

/** Describes records, each in a step. One that was deleted meanwhile is left out. */
function* describeEach(some: readonly FoundRecord[], records: RecordsByCopy, walk: Walk): Steps<readonly SearchHit[]> {
  const hits: SearchHit[] = []
  const describers = new Map<SoughtCopy, ReturnType<typeof createDescriber>>()
  for (const { copy, position } of some) {
    const describe = describers.get(copy) ?? createDescriber(copy, chooseQuery(copy, { ...walk, mode: 'ranked' }))
    describers.set(copy, describe)
    const json = records.get(copy)?.get(position.pk)
    if (json !== undefined) hits.push(describe(position.pk, json))
    yield
  }
  return hits
}

const hasFound = ({ counts }: FoundInCopies): boolean => [...counts.values()].some((count) => count > 0)

const sum = (counts: Counts): number => [...counts.values()].reduce((all, count) => all + count, 0)

/** Returns whether not too many records match to order them by relevance. */
async function canRank(run: SearchRun, walk: Walk, counts: Counts): Promise<boolean> {
  if (sum(counts) > run.mostRanked) return false
  const unknown = [...counts].filter(([, count]) => count > mostCounted).map(([copy]) => copy)
  return unknown.length === 0 || sum(new Map([...counts, ...(await run.countEach(unknown, walk, run.mostRanked))])) <= run.mostRanked
}

/** Counts the records of each copy, and reads the first page of the copies with records: by relevance where not too many match. */
async function findFirst(
  run: SearchRun,
  copies: readonly SoughtCopy[],
  { isNear, limit }: { readonly isNear: boolean; readonly limit: number },
): Promise<FoundInCopies> {
  const isRanked = copies.some(({ plan }) => plan.exact.relevance !== undefined)
  const walk: Walk = { mode: isRanked ? 'ranked' : 'newest', isNear }
  const counts = await run.countEach(copies, walk, mostCounted)
  const able = copies.filter((copy) => (counts.get(copy) ?? 0) > 0)
  const found = !isRanked || (await canRank(run, walk, counts)) ? await run.readEach(able, walk, { limit }) : undefined
  if (found !== undefined) return { walk, found, counts }
  const inKeys: Walk = { mode: 'keys', isNear }
  return { walk: inKeys, found: (await run.readEach(able, inKeys, { limit })) ?? [], counts }
}

/** Refuses names that nothing has: a misspelt one would find nothing. */
function assertKnown(field: 'kinds' | 'entities', wanted: readonly string[] | undefined, known: readonly string[]): void {
  const errors = (wanted ?? []).flatMap((name, index) =>
    known.includes(name)
      ? []
      : [problem(`/${field}/${index}`, `is none of yours: ${[...new Set(known)].join(', ') || 'there are none'}`, 'unknown')],
  )
  if (errors.length > 0) throw failValidation(errors)
}

interface Count {
  readonly count: number
  readonly exact: boolean
}

/** Sums the records by a name, the most first. */
function sumBy<T>(counts: readonly (readonly [SoughtCopy, number])[], describe: (copy: SoughtCopy) => T): (T & Count)[] {
  const sums = new Map<string, T & Count>()
  for (const [copy, found] of counts) {
    if (found === 0) continue
    const described = describe(copy)
    const name = JSON.stringify(described)
    const known = sums.get(name)
    const exact = known?.exact !== false && found <= mostCounted
    sums.set(name, { ...described, count: (known?.count ?? 0) + Math.min(found, mostCounted), exact })
  }
  return [...sums.values()].toSorted((one, other) => other.count - one.count)
}

function countFacets(counts: readonly (readonly [SoughtCopy, number])[]): SearchResult['facets'] {
  const kindOf = ({ of }: SoughtCopy): string => describeConnector(of).kind
  return {
    kinds: sumBy(counts, (copy) => ({ kind: kindOf(copy) })),
    entities: sumBy(counts, (copy) => ({ kind: kindOf(copy), entity: copy.entity })),
    connectors: sumBy(counts, ({ of }) => ({ connector: describeConnector(of) })),
  }
}
