/** One connector of the service, without types, and its files as streams. */
import { dropAbsent, isObject } from '../definition/object.ts'
import type { Download, DownloadOptions } from '../engine/types.ts'
import { fail, failValidation, moveProblems } from '../errors.ts'
import { toFileName } from '../values/file-name.ts'
import { parseFilter } from '../values/filter/parse.ts'
import { writeJson } from '../values/json/json.ts'
import { anything, callRules, checkOptions, downloadRules, type OptionRule, type OptionRules, rowRules } from '../values/options.ts'
import { createRowReader, type RowForm } from '../values/rows/rows.ts'
import { makeResumable } from '../values/walks/resume.ts'
import { type ListPage, type Part, type WalkOptions, walkPages, walkParts, walkPositions, walkRecords } from '../values/walks/walk.ts'
import type { CheckResult } from '../wire/checks.ts'
import { type Endpoint, endpoints } from '../wire/endpoints.ts'
import type { ChangesPage, ConnectorChangesPage } from '../wire/feed/changes.ts'
import type { ChangeConsumer, ChangeConsumerInput } from '../wire/feed/consumers.ts'
import {
  type ChangesPageQuery,
  type ChangesParams,
  type ConnectorChangesParams,
  changesRules,
  checkConnectorChanges,
  type FollowedChange,
  keepCursor,
  walkChangePages,
  walkChanges,
} from './changes.ts'
import { createDeadline, defaultDeadlineMs } from './deadline.ts'
import { type ConnectorChoice, ConnectorLookup, isMissing } from './find-connector.ts'
import { readCheckFailure } from './problem.ts'
import { checkValues, type RequestOptions, type RequestParts, type Transport } from './transport.ts'
import type { ExportDownload, SearchOptions, WriteOptions } from './types.ts'

/** Options of every call of a hosted connector; each method reads its own. */
export interface HostedCallOptions extends DownloadOptions, WalkOptions, SearchOptions, WriteOptions {}

/** Rules of the options of a call. */
export const hostedCallRules: OptionRules = {
  ...callRules,
  ...downloadRules,
  idempotencyKey: ['must be a string with at least one character', (value) => typeof value === 'string' && value !== ''],
  maxAge: ['must be a whole number from 0, in seconds', (value) => Number.isInteger(value) && Number(value) >= 0],
  allowPartial: ['must be true or false', (value) => typeof value === 'boolean'],
}

/** Reads the file name of a `Content-Disposition` header (RFC 6266). */
function readFileName(header: string | null): string {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(header ?? '')?.[1]
  if (encoded !== undefined) {
    try {
      return decodeURIComponent(encoded)
    } catch {
      // the plain name follows
    }
  }
  const [, quoted, plain] = /filename=(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header ?? '') ?? []
  return quoted?.replace(/\\(.)/g, '$1') ?? plain ?? 'download'
}

/** Reads the length of an answer. A compressed answer states the length of other bytes. */
function readLength({ headers }: Response): number | null {
  const stated = headers.get('content-length')
  return stated === null || headers.has('content-encoding') ? null : Number(stated)
}

/** What a transfer is checked against. */
interface Transfer {
  readonly response: Response
  /** Aborted by the caller. */
  readonly signal: AbortSignal | undefined
  /** Ends the request when the reader cancels the stream. */
  readonly stop: () => void
  /** Address of the service, for errors. */
  readonly url: string
}

/** Makes a stream that fails if the transfer breaks off: it never ends as if the file were whole. */
function guardStream({ response, signal, stop, url }: Transfer): ReadableStream<Uint8Array> {
  const reader = response.body?.getReader()
  const length = readLength(response)
  let bytes = 0
  const failBroken = (cause?: unknown) => {
    const reason = `the transfer broke off after ${bytes}${length === null ? '' : ` of ${length}`} bytes`
    return fail('service_unreachable', { url, reason }, { cause })
  }
  const read = async () => {
    try {
      return await reader?.read()
    } catch (thrown) {
      throw signal?.aborted === true ? signal.reason : failBroken(thrown)
    }
  }
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { value } = (await read()) ?? {}
        bytes += value?.byteLength ?? 0
        if (value !== undefined) return controller.enqueue(value)
        if (length !== null && bytes !== length) throw failBroken()
        controller.close()
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  )
}

/**
 * Opens a file. The signal of the options aborts its body too, and so does cancelling the stream.
 * @param open sends the request
 */
async function openDownload(
  transport: Transport,
  { signal, deadlineMs }: RequestOptions,
  open: (options: RequestOptions) => Promise<Response>,
): Promise<Download> {
  const cancelled = new AbortController()
  const either = signal === undefined ? cancelled.signal : AbortSignal.any([signal, cancelled.signal])
  const response = await open({ signal: either, deadlineMs })
  const { headers } = response
  return {
    status: response.status === 206 ? 206 : 200,
    type: headers.get('content-type') ?? 'application/octet-stream',
    length: readLength(response),
    range: headers.get('content-range'),
    name: toFileName(readFileName(headers.get('content-disposition'))),
    etag: headers.get('etag'),
    stream: guardStream({ response, signal, stop: () => cancelled.abort(), url: transport.settings.url }),
  }
}

/** Parameters of a search, as the program gave them. */
type SearchParams = Readonly<Record<string, unknown>>

const searchRules: OptionRules = {
  filter: anything,
  text: anything,
  sort: anything,
  fields: anything,
  include: anything,
  limit: anything,
  cursor: anything,
  count: anything,
}
const aggregateRules: OptionRules = {
  filter: anything,
  text: anything,
  group_by: anything,
  measures: anything,
  include: anything,
  having: anything,
  sort: anything,
  limit: anything,
  cursor: anything,
}
const maybeText: OptionRule = ['must be a string', (value) => value === null || typeof value === 'string']
const maybePaths: OptionRule = ['must be a list of paths', (value) => value === null || Array.isArray(value)]
/** Without a check, text or fields of a wrong type would be left out, and the export would have more than was asked for. */
const exportRules: OptionRules = {
  filter: anything,
  sort: anything,
  text: maybeText,
  fields: maybePaths,
  format: maybeText,
  formulas: maybeText,
}

/** Reads a filter, which can be text such as `title like "price%" and started >= 2026-01-01`. @throws FerruleError with line and column */
const readFilter = (filter: unknown): unknown => (typeof filter === 'string' ? parseFilter(filter) : filter)

/** Builds the members of an execute request that say how fresh the copy must be. */
const buildFreshness = ({ maxAge, allowPartial }: HostedCallOptions): Record<string, unknown> =>
  dropAbsent({ max_age: maxAge, allow_partial: allowPartial })

/** Builds the parameters of `context_store_search`. */
function buildSearch(params: SearchParams): Record<string, unknown> {
  checkOptions(searchRules, params)
  const { filter, text, sort, ...rest } = params
  return { query: dropAbsent({ filter: readFilter(filter), text, sort }), ...dropAbsent(rest) }
}

/** Builds the parameters of `context_store_aggregate`. */
function buildAggregate(params: SearchParams): Record<string, unknown> {
  checkOptions(aggregateRules, params)
  const { filter, text, having, ...rest } = params
  return {
    query: dropAbsent({ filter: readFilter(filter), text }),
    ...dropAbsent({ having: moveProblems('/having', () => readFilter(having)), ...rest }),
  }
}

const writePart = (value: unknown): string | undefined => (value === undefined || value === null ? undefined : writeJson(value))

/** Writes the paths of fields as the address takes them. */
function writeFields(fields: unknown): string | undefined {
  if (!Array.isArray(fields)) return undefined
  const paths = fields.map((path: unknown) => (Array.isArray(path) ? path.join('.') : String(path)))
  const odd = paths.findIndex((path) => path.includes(','))
  if (odd >= 0) throw failValidation([{ field: `/fields/${odd}`, message: 'must not hold a comma', error_code: 'value' }])
  return paths.join(',')
}

/** Builds the query of an export. */
function buildExportQuery(params: SearchParams, { maxAge, allowPartial }: HostedCallOptions) {
  checkOptions(exportRules, params)
  const { filter, text, sort, fields, format, formulas } = params
  return {
    format: typeof format === 'string' ? format : undefined,
    formulas: typeof formulas === 'string' ? formulas : undefined,
    filter: writePart(readFilter(filter)),
    text: typeof text === 'string' ? text : undefined,
    sort: writePart(sort),
    fields: writeFields(fields),
    max_age: maxAge,
    allow_partial: allowPartial,
  }
}

const readExportFreshness = (headers: Headers): ExportDownload['context_store'] => ({
  synced_at: headers.get('x-context-store-synced-at'),
  verified_at: headers.get('x-context-store-verified-at'),
})

/** Reads the position after a page of a search; null after the last. */
function readSearchPosition(page: { readonly meta: unknown }): { readonly cursor: string } | null {
  const cursor = isObject(page.meta) ? page.meta['cursor'] : undefined
  return typeof cursor === 'string' ? { cursor } : null
}

type Params = Readonly<Record<string, unknown>>
type Args = [params?: Params, options?: HostedCallOptions]
/** Values of the path of a connector's routes. */
type Slots = { readonly connector_id: string }
type RowArgs = [params?: Params, options?: HostedCallOptions & { readonly as?: RowForm }]

/** Actions that change something at the vendor. What is not known may be one. */
const reads: ReadonlySet<string> = new Set(['list', 'get', 'download', 'context_store_search', 'context_store_aggregate'])
/** Parameter of a download that asks for a part of the file. */
const rangeParameter = 'range_header'
/** Who answers, for errors of a walk. */
const vendor = 'the service'

/** A connector of the service. */
export class Hosted {
  readonly #transport: Transport
  readonly #lookup: ConnectorLookup
  readonly #fields: readonly string[] | undefined
  #isClosed = false

  /** @param fields paths of the fields that records keep. No option of a call, because records would lack what their types promise */
  constructor(transport: Transport, choice: ConnectorChoice, fields?: readonly string[]) {
    this.#transport = transport
    this.#lookup = new ConnectorLookup(transport, choice)
    this.#fields = fields
  }

  async execute(entity: string, action: string, ...[params, options = {}]: Args): Promise<unknown> {
    checkOptions(hostedCallRules, options)
    return action === 'download' ? this.#download(entity, params ?? {}, options) : this.#run({ entity, action, params }, options)
  }

  async *pages(entity: string, ...[params = {}, options = {}]: Args): AsyncGenerator<ListPage, void, undefined> {
    checkOptions(hostedCallRules, options)
    yield* walkPages((current) => this.#run<ListPage>({ entity, action: 'list', params: current }, options), params, { ...options, vendor })
  }

  records(entity: string, ...args: Args): AsyncGenerator<unknown, void, undefined> {
    return walkRecords(this.pages(entity, ...args))
  }

  async *parts(entity: string, ...[params, options = {}]: Args): AsyncGenerator<Part, void, undefined> {
    checkOptions(hostedCallRules, options)
    yield* this.#parts(entity, params, options)
  }

  async *rows(entity: string, ...[params, options = {}]: RowArgs): AsyncGenerator<unknown, void, undefined> {
    checkOptions({ ...hostedCallRules, ...rowRules }, options)
    const read = createRowReader({ as: options.as, params, vendor })
    for await (const { data } of this.#parts(entity, params, options)) {
      const convert = read(data)
      if (Array.isArray(data.data)) for (const row of data.data) yield convert(row)
    }
  }

  #parts(entity: string, params: Params | undefined, options: HostedCallOptions): AsyncGenerator<Part, void, undefined> {
    const run = (of: string, action: string, given: Params | undefined) => this.#run<Part>({ entity: of, action, params: given }, options)
    const first = () => run(entity, 'list', params)
    return walkParts({ first, get: (of, given) => run(of, 'get', given), isReady: Array.isArray }, options)
  }

  async search(entity: string, ...[params = {}, options = {}]: Args): Promise<unknown> {
    checkOptions(hostedCallRules, options)
    return this.#search(entity, params, options)
  }

  async *searchPages(entity: string, ...[params = {}, options = {}]: Args): AsyncGenerator<Pick<ListPage, 'data'>, void, undefined> {
    checkOptions(hostedCallRules, options)
    const load = (current: Params) => this.#search(entity, current, options)
    yield* walkPositions({ load, params, readNext: readSearchPosition, vendor }, options)
  }

  searchRecords(entity: string, ...args: Args): AsyncGenerator<unknown, void, undefined> {
    return walkRecords(this.searchPages(entity, ...args))
  }

  async aggregate(entity: string, ...[params = {}, options = {}]: Args): Promise<unknown> {
    checkOptions(hostedCallRules, options)
    return this.#run({ entity, action: 'context_store_aggregate', params: buildAggregate(params) }, options)
  }

  async export(entity: string, ...[params = {}, options = {}]: Args): Promise<ExportDownload> {
    checkOptions(hostedCallRules, options)
    checkValues(params, '/params')
    const query = buildExportQuery(params, options)
    let headers = new Headers()
    const file = await openDownload(this.#transport, options, async (request) => {
      const send = (slots: Slots, left: RequestOptions) =>
        this.#open(endpoints.exportEntity, { ...left, slots: { ...slots, entity }, query })
      const response = await this.#send(request, send)
      headers = response.headers
      return response
    })
    return { ...file, context_store: readExportFreshness(headers) }
  }

  async *changePages(
    entity: string,
    params: ChangesParams = {},
    options: HostedCallOptions = {},
  ): AsyncGenerator<ChangesPage, void, undefined> {
    checkOptions(hostedCallRules, options)
    checkOptions(changesRules, params)
    yield* walkChangePages((query) => this.#listChanges(entity, query, options), params, options)
  }

  /** Reads one page, without waiting for a change. */
  changePage(entity: string, { after, limit }: Omit<ChangesParams, 'follow'>, options: HostedCallOptions = {}): Promise<ChangesPage> {
    checkOptions(hostedCallRules, options)
    checkOptions(changesRules, { after, limit })
    return this.#listChanges(entity, { after, limit }, options)
  }

  #listChanges(entity: string, query: ChangesPageQuery, options: HostedCallOptions): Promise<ChangesPage> {
    return this.#send(options, (slots, left) =>
      this.#transport.json<ChangesPage>(endpoints.listChanges, { ...left, slots: { ...slots, entity }, query }),
    )
  }

  changes(entity: string, params: ChangesParams = {}, options: HostedCallOptions = {}): AsyncGenerator<FollowedChange, void, undefined> {
    return walkChanges(this.changePages(entity, params, options), params.after)
  }

  /** Yields pages of the changes of all entities of the connector. A consumer moves when a page was handled. */
  async *allChangePages(
    params: ConnectorChangesParams = {},
    options: HostedCallOptions = {},
  ): AsyncGenerator<ConnectorChangesPage, void, undefined> {
    checkOptions(hostedCallRules, options)
    checkConnectorChanges(params)
    const { consumer, entities, after } = params
    const registered =
      consumer === undefined ? undefined : await this.#saveConsumer(consumer, entities === undefined ? {} : { entities }, options)
    const asked = (registered?.entities ?? entities)?.join()
    const load = (query: ChangesPageQuery) =>
      this.#send(options, (slots, left) => {
        const parts = { ...left, slots, query: { ...query, entities: asked } }
        return this.#transport.json<ConnectorChangesPage>(endpoints.listConnectorChanges, parts)
      })
    const pages = walkChangePages(load, { ...params, after: registered?.cursor ?? after }, options)
    if (consumer === undefined || registered === undefined) return yield* pages
    const move = (cursor: string, replaces: string | null) => this.#saveConsumer(consumer, { cursor, replaces }, options)
    yield* keepCursor(pages, { cursor: registered.cursor, move })
  }

  /** Yields the changes of all entities of the connector. */
  allChanges(
    params: ConnectorChangesParams = {},
    options: HostedCallOptions = {},
  ): AsyncGenerator<FollowedChange<ConnectorChangesPage>, void, undefined> {
    return walkChanges(this.allChangePages(params, options), params.after)
  }

  /** Registers or moves a consumer. A repetition changes nothing, so it is sent again after a failure that can pass. */
  #saveConsumer(name: string, body: ChangeConsumerInput, options: HostedCallOptions): Promise<ChangeConsumer> {
    return this.#send(options, (slots, left) =>
      this.#transport.json<ChangeConsumer>(endpoints.saveChangeConsumer, { ...left, slots: { ...slots, name }, body, isRead: true }),
    )
  }

  /**
   * Proves the credentials of the connector with one cheap call to the vendor.
   * @throws FerruleError `upstream_auth_failed` and others
   */
  async check(options: HostedCallOptions = {}): Promise<void> {
    checkOptions(hostedCallRules, options)
    const result = await this.#send(options, (slots, left) =>
      this.#transport.json<CheckResult>(endpoints.checkConnector, { ...left, slots, isRead: true }),
    )
    if (result.status === 'failed') throw readCheckFailure(result)
  }

  /** Returns the id of the connector; the service is asked once if it was chosen by name or kind. */
  id(options: HostedCallOptions = {}): Promise<string> {
    return this.#send(options, async ({ connector_id }) => connector_id)
  }

  /** Refuses later calls. Waits for nothing: the runtime keeps and closes the connections of `fetch`. */
  async close(): Promise<void> {
    this.#isClosed = true
  }

  #search(entity: string, params: Params, options: HostedCallOptions) {
    const request = { entity, action: 'context_store_search', params: buildSearch(params) }
    return this.#run<{ readonly data: unknown[]; readonly meta: unknown }>(request, options)
  }

  /** Runs an action whose answer is JSON. */
  #run<T>(request: { readonly entity: string; readonly action: string; readonly params: Params | undefined }, options: HostedCallOptions) {
    checkValues(request.params, '/params') // before the service is asked for the id of the connector
    const { idempotencyKey } = options
    const body = { ...request, ...buildFreshness(options), select_fields: this.#fields }
    const isRead = reads.has(request.action)
    return this.#send(options, (slots, left) =>
      this.#transport.json<T>(endpoints.execute, { ...left, slots, body, isRead, idempotencyKey }),
    )
  }

  async #download(entity: string, params: Params, options: HostedCallOptions): Promise<Download> {
    const open = (given: Params) =>
      openDownload(this.#transport, options, (request) =>
        this.#send(request, (slots, left) =>
          this.#open(endpoints.execute, { ...left, slots, body: { entity, action: 'download', params: given }, isRead: true }),
        ),
      )
    const first = await open(params)
    const reopen = (range: string) => open({ ...params, [rangeParameter]: range })
    return options.resume === true ? makeResumable({ first, reopen, vendor }) : first
  }

  #open(endpoint: Endpoint, parts: RequestParts): Promise<Response> {
    // identity: the length of a compressed answer says nothing about the file
    return this.#transport.open(endpoint, { ...parts, headers: { accept: '*/*', 'accept-encoding': 'identity' } })
  }

  /** Sends a request to the connector, which is looked up first. One deadline for both. */
  async #send<T>(options: RequestOptions, send: (slots: Slots, left: RequestOptions) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw fail('connector_closed', {})
    const { known } = this.#lookup
    try {
      if (known !== undefined) return await send({ connector_id: known }, { signal: options.signal, deadlineMs: options.deadlineMs })
      return await this.#findAndSend(options, send)
    } catch (thrown) {
      if (isMissing(thrown)) this.#lookup.forget()
      throw thrown
    }
  }

  async #findAndSend<T>(
    { signal, deadlineMs = defaultDeadlineMs }: RequestOptions,
    send: (slots: Slots, left: RequestOptions) => Promise<T>,
  ): Promise<T> {
    const deadline = createDeadline(deadlineMs, signal)
    try {
      const connector_id = await this.#lookup.find(deadline)
      return await send({ connector_id }, { signal, deadlineMs: deadline.remaining() })
    } finally {
      deadline.release()
    }
  }
}
