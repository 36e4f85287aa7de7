/** Reads the streams of a manifest, and those that they are called for. What nobody read of a stream stops it. */

import { toEntityName } from '../sentences.ts'
import { readSchemes } from './authentication.ts'
import { Component, type References, UnreadableManifest } from './component.ts'
import type { Draft, Folded, Nested, Parent } from './draft.ts'
import { readIncremental } from './incremental.ts'
import type { UniqueNames } from './names.ts'
import { Notes } from './outcome.ts'
import { type RequestOption, readPaging } from './paging.ts'
import { readPartitions } from './partitions.ts'
import { checkFilter, readKey, readSelector, readTransformations } from './records.ts'
import { type Entry, type RequestDraft, readRequest } from './request.ts'
import type { AuthSource } from './scheme.ts'

// Calls for each pair of records of two streams, of which one hangs on the other: each record has one parent, so that is no pair.

/** Finds the value of a further stream in what the parent has; undefined for streams that do not hang on each other. */
function foldOne({ field, option, parents }: Nested, deepest: Nested): Folded | undefined {
  const [[above, ...others], [below, ...more]] = [parents, deepest.parents]
  if (above === undefined || below === undefined || others.length + more.length > 0) return undefined
  const isAbove = ({ draft, path }: Parent): boolean => draft === above.draft && path === above.path
  const folded = { field, parent: above, ...(option === undefined ? {} : { option }) }
  if (below.draft === above.draft) return { ...folded, passed: undefined }
  const own = below.draft.partition
  if (own?.parents.length === 1 && own.parents.some(isAbove)) return { ...folded, passed: own.field }
  const held = own?.folded?.find(({ parent }) => isAbove(parent))
  return held === undefined ? undefined : { ...folded, passed: held.field }
}

/**
 * Finds the stream on which the list hangs, where each other one is a parent of that one. Pairs of a record and a foreign parent are left
 * out: nothing is below them.
 */
function foldNested(all: readonly Nested[], notes: Notes): Draft['partition'] {
  if (all.length < 2) return all[0]
  for (const deepest of all) {
    const others = all.filter((each) => each !== deepest)
    const folded = others.flatMap((each) => foldOne(each, deepest) ?? [])
    if (folded.length < others.length) continue
    notes.doubt('sync', 'guessed')
    return { ...deepest, folded }
  }
  return notes.stop('calls for each pair of records of two streams')
}

/** Most streams, with those that only others need. */
const mostStreams = 400

/** Reads streams once each. */
export class StreamReader {
  readonly drafts: Draft[] = []
  readonly #references: References
  readonly #auth: Omit<AuthSource, 'notes' | 'base'>
  readonly #names: UniqueNames
  readonly #known = new Map<object, Map<string, Draft>>()
  readonly #open = new Set<object>()

  constructor(references: References, auth: Omit<AuthSource, 'notes' | 'base'>, names: UniqueNames) {
    this.#references = references
    this.#auth = auth
    this.#names = names
  }

  /** Reads a stream. @param given the component as its holder has it */
  read(given: Component): Draft {
    given.leaveAll()
    const id = JSON.stringify(given.parameters)
    const known = this.#known.get(given.node)?.get(id)
    if (known !== undefined) return known
    const notes = new Notes()
    const name = given.text('name') ?? 'stream'
    const draft = this.#guard(given, notes, () => this.#readNew(given, name, notes))
    const same = this.drafts.find((other) => other.name === name && sign(other) === sign(draft))
    const kept = same ?? { ...draft, entity: this.#names.take(toEntityName(name)) }
    if (same === undefined) this.drafts.push(kept)
    this.#known.set(given.node, new Map([...(this.#known.get(given.node) ?? []), [id, kept]]))
    return kept
  }

  #guard(given: Component, notes: Notes, read: () => Draft): Draft {
    if (this.#open.has(given.node) || this.drafts.length >= mostStreams) {
      notes.stop(this.#open.has(given.node) ? 'a stream that is called for itself' : `more than ${mostStreams} streams`)
      return emptyDraft(given.text('name') ?? 'stream', notes)
    }
    this.#open.add(given.node)
    try {
      return read()
    } catch (thrown) {
      if (!(thrown instanceof UnreadableManifest)) throw thrown
      notes.stop('a reference that leads nowhere', thrown.message)
      return emptyDraft(given.text('name') ?? 'stream', notes)
    } finally {
      this.#open.delete(given.node)
    }
  }

  #readNew(given: Component, name: string, notes: Notes): Draft {
    const met: Component[] = []
    const stream = new Component({ references: this.#references, met }, given.node, {
      parameters: given.parameters,
      usual: 'DeclarativeStream',
    })
    if (stream.type === 'StateDelegatingStream') return this.#readDelegating(stream, notes)
    if (stream.type !== 'DeclarativeStream') {
      notes.stop('a stream that is known only when it is read', stream.type)
      return emptyDraft(name, notes)
    }
    stream.leave('name', 'state_migrations')
    if (stream.take('file_uploader') !== undefined) notes.stop('files that are copied with the records')
    const retriever = stream.child('retriever')
    const draft = this.#readRetriever(stream, retriever, { name, notes })
    if (notes.reasons.length === 0)
      for (const each of met)
        for (const property of each.listUnread()) notes.stop('a property that no word of kind files has', `${each.type}.${property}`)
    return draft
  }

  #readRetriever(
    stream: Component,
    retriever: Component | undefined,
    { name, notes }: { readonly name: string; readonly notes: Notes },
  ): Draft {
    if (retriever === undefined || retriever.isCustom || retriever.type !== 'SimpleRetriever') {
      notes.stop(retriever?.isCustom ? 'custom code: retriever' : 'a job of the vendor that is waited for', retriever?.type)
      return emptyDraft(name, notes)
    }
    retriever.leave('ignore_stream_slicer_parameters_on_paginated_requests')
    const decoder = retriever.child('decoder')
    if (decoder !== undefined && decoder.type !== 'JsonDecoder')
      notes.stop('answers that are no JSON', decoder.isCustom ? 'custom code: decoder' : decoder.type)
    decoder?.leaveAll()
    if (retriever.take('pagination_reset') !== undefined) notes.stop('pages that begin again within a walk')
    const read = readRequest(retriever.child('requester'), notes)
    const incremental = readIncremental(stream.child('incremental_sync'), notes)
    const routers = [...retriever.children('partition_router'), ...retriever.children('stream_slicer')]
    const partitions = this.#readPartitions(routers, notes)
    const asked = withBody(read, listOptions({ incremental, ...partitions }))
    const rows = readSelector(retriever.child('record_selector'), notes) ?? { at: '', merge: [], isKeyed: false }
    const shaped = readTransformations(stream.children('transformations'), notes)
    checkFilter(rows, shaped, notes)
    const fixed = Object.fromEntries(
      [...(asked?.query ?? []), ...(asked?.body ?? [])].flatMap((entry) =>
        typeof entry.value === 'object' ? [] : [[entry.name, String(entry.value)]],
      ),
    )
    const way = readPaging(retriever.child('paginator'), {
      notes,
      fixed,
      hasBody: asked?.hasBody === true,
      at: rows.at,
      token: findToken(asked),
    })
    const request = withBody(asked, way?.options ?? [])
    // The last row around is another record.
    if (rows.at.includes('[]') && way?.way?.next.startsWith('last:')) notes.stop('the last of rows within rows as a position')
    return {
      ...{ name, entity: '', notes, request, rows, shaped, way, incremental, schema: this.#readSchema(stream, notes) },
      schemes: request === undefined ? [] : readSchemes(request.authenticator, { ...this.#auth, notes, base: request.base }),
      key: readKey(stream.takeAll('primary_key'), notes),
      ...partitions,
    }
  }

  #readPartitions(routers: readonly Component[], notes: Notes): Pick<Draft, 'partition' | 'lists'> {
    const { substreams, lists } = readPartitions(routers, notes)
    const nested = substreams.map(({ field, option, parents = [] }) => ({
      field,
      ...(option === undefined ? {} : { option }),
      parents: parents.map(({ stream, path, extra }) => ({ draft: this.read(stream), path, extra })),
    }))
    return { lists, partition: foldNested(nested, notes) }
  }

  #readSchema(stream: Component, notes: Notes): unknown {
    const [loader] = stream.children('schema_loader')
    if (loader?.isCustom) return notes.stop('custom code: schema loader')
    if (loader?.type === 'InlineSchemaLoader') return loader.takeAll('schema')
    loader?.leaveAll()
    notes.doubt('fields', 'not said')
    return undefined
  }

  /** Reads the form of a stream that reads everything: what changed is a part of it. */
  #readDelegating(stream: Component, notes: Notes): Draft {
    const whole = stream.child('full_refresh_stream')
    if (whole === undefined) {
      notes.stop('a stream of two streams')
      return emptyDraft('stream', notes)
    }
    const draft = this.#readNew(whole, stream.text('name') ?? 'stream', notes)
    notes.leave('filters', 'incremental_stream')
    return draft
  }
}

const emptyDraft = (name: string, notes: Notes): Draft => ({
  ...{ name, entity: '', notes, request: undefined, schemes: [], way: undefined, rows: { at: '', merge: [], isKeyed: false } },
  ...{
    shaped: { added: new Map(), computed: new Set(), merge: [] },
    schema: undefined,
    key: undefined,
    incremental: undefined,
    partition: undefined,
    lists: [],
  },
})

/** Lists the parameters that take values of a walk. */
const listOptions = ({ incremental, partition, lists }: Pick<Draft, 'incremental' | 'partition' | 'lists'>): readonly RequestOption[] =>
  [
    incremental?.send,
    incremental?.until,
    partition?.option,
    ...[...(partition?.folded ?? []), ...lists].map(({ option }) => option),
  ].flatMap((option) => option ?? [])

/** Lets a GET have a body, if a parameter stands in one. */
function withBody(request: RequestDraft | undefined, options: readonly RequestOption[]): RequestDraft | undefined {
  const own = options.filter((option) => option.in === 'body')
  if (request === undefined || own.length === 0 || request.body.length > 0) return request
  return { ...request, hasBody: true, as: own.some(({ isForm }) => isForm) ? 'form' : request.as }
}

/** Two streams of one name are the same when they read the same rows. */
const sign = ({ request, rows, partition, lists }: Draft): string =>
  JSON.stringify([
    request?.url,
    lists,
    request?.query,
    request?.body,
    request?.lists,
    rows.at,
    rows.where,
    partition?.field,
    partition?.parents.map(({ draft }) => draft.name),
  ])

/** Finds the parameter that takes the position of the next page by an expression. */
function findToken(request: RequestDraft | undefined): RequestOption | undefined {
  const isToken = ({ value }: Entry): boolean => {
    const [part, ...others] = typeof value === 'object' ? value : []
    return part?.is === 'slot' && part.root === 'next_page_token' && others.length === 0
  }
  const [query, body] = [request?.query.find(isToken), request?.body.find(isToken)]
  if (query !== undefined) return { name: query.name, in: 'query' }
  return body === undefined ? undefined : { name: body.name, in: 'body' }
}
