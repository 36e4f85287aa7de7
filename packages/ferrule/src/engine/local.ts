/** A connector as a library: credentials in memory, the same engine, no platform. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ConnectorDefinition, Kind } from '../definition/connector.ts'
import { listLiveActions, type Operation } from '../definition/entity.ts'
import { isObject } from '../definition/object.ts'
import { buildKindDocument } from '../document/build-documents.ts'
import { fail } from '../errors.ts'
import { noteLocalConnection } from '../local-connections.ts'
import { describeExecute, inSpan } from '../tracing.ts'
import { BoundedMap } from '../values/bounded-map.ts'
import { anything, callRules, checkOptions, downloadRules, type OptionRule, type OptionRules, rowRules } from '../values/options.ts'
import { createRowReader, type RowForm } from '../values/rows/rows.ts'
import { makeResumable } from '../values/walks/resume.ts'
import { type ListPage, type Part, type WalkOptions, walkPages, walkParts, walkRecords } from '../values/walks/walk.ts'
import { createEngine, type Engine } from './call/execute.ts'
import { findOperation, nameOperation } from './call/operation.ts'
import type { Call, Outcome } from './call/outcome.ts'
import type { Connection, VendorNotice } from './connection.ts'
import { checkConfiguration, checkCredentials, checkOrigin, failWithoutCredentials } from './credentials/check-credentials.ts'
import { type CredentialSource, type CredentialValues, Secret } from './credentials/source.ts'
import type { OriginOverride } from './http/origin.ts'
import { isRows, RawRows } from './json/raw-rows.ts'
import { isOwnRates, OwnGate, type OwnRates } from './limits/own-rates.ts'
import type { CallOptions, ConfigurationOf, CredentialsOf, Download, DownloadOptions, LocalConnector, MemberName } from './types.ts'
import { createMemoryClaims } from './writes/claims.ts'

/**
 * Yields the rows of the parts of a result.
 * @param read takes each part in turn and returns the conversion of its rows
 * @throws as `walkParts`; FerruleError `upstream_answer_invalid` for rows that are not JSON
 */
export async function* walkRows(
  parts: AsyncIterable<Part>,
  { read, vendor }: { readonly read: (data: object) => (row: unknown) => unknown; readonly vendor: string },
): AsyncGenerator<unknown, void, undefined> {
  for await (const { data } of parts) {
    const convert = read(data)
    const batches = data.data instanceof RawRows ? readable(data.data, vendor) : [Array.isArray(data.data) ? data.data : []]
    for (const rows of batches) for (const row of rows) yield convert(row)
  }
}

function* readable(rows: RawRows, vendor: string): Generator<readonly unknown[], void, undefined> {
  try {
    yield* rows.batches()
  } catch {
    throw fail('upstream_answer_invalid', { vendor, reason: 'the rows are not valid JSON' }) // a SyntaxError quotes the rows
  } finally {
    rows.release()
  }
}

const aFunction: OptionRule = ['must be a function', (value) => typeof value === 'function']

/** Options of `connect`. */
export const connectOptions: OptionRules = {
  credentials: anything,
  config: anything,
  origin: ['must be an address or an object with addresses', (value) => typeof value === 'string' || isObject(value)],
  onCredentials: aFunction,
  limits: [
    'must be true, false or your own rates: perSecond (above 0, up to 1,000), perDay (1 to 1,000,000) or both, and perhaps a store with take()',
    (value) => typeof value === 'boolean' || isOwnRates(value),
  ],
  onNotice: aFunction,
}

const callOptions: OptionRules = { ...callRules, ...downloadRules }

/** Options of `rows()`. */
export const rowOptions: OptionRules = { ...callRules, ...rowRules }

interface AnyOptions<D extends ConnectorDefinition> {
  /** Fields of one credential scheme of the kind. */
  readonly credentials: CredentialsOf<D>
  /** Configuration values of the kind. */
  readonly config?: ConfigurationOf<D>
  /**
   * Sends requests to another origin: an egress proxy, a regional host, a recorded replay or the sandbox. A string replaces the origins of
   * the API and of OAuth; an object can also name `media`.
   */
  readonly origin?: string | OriginOverride
  /**
   * Receives credentials that the vendor replaced (single-use refresh tokens). Store them durably: the engine awaits the callback before it
   * uses them. If the callback fails, the waiting calls fail with its error, and the new credentials stay in memory.
   */
  readonly onCredentials?: (next: CredentialsOf<D>) => void | Promise<void>
  /**
   * True (default): calls wait in advance for the vendor's rate limit. An object adds your own rates. They count all calls to the account by
   * connectors of this process, and with a `store` by connectors of other processes.
   */
  readonly limits?: boolean | OwnRates
  /**
   * Receives the vendor's notices: another API version answered, or an entity uses something deprecated. Each distinct notice arrives once.
   * An exception fails the call that met the notice.
   */
  readonly onNotice?: (notice: VendorNotice) => void
}

/** Requires the configuration if the kind has a required value. */
type NeededConfig<D extends ConnectorDefinition> =
  Record<never, never> extends ConfigurationOf<D> ? unknown : { readonly config: ConfigurationOf<D> }

/** Options of `connect`. */
export type ConnectOptions<D extends ConnectorDefinition> = AnyOptions<D> & NeededConfig<D>

type Without<O, Other> = { readonly [N in Exclude<keyof Other, keyof O>]?: never }
/** Options of one mode or of the other, never of both. @typeParam H options of a connector of the service */
export type ModeOptions<D extends ConnectorDefinition, H> =
  | (ConnectOptions<D> & Without<ConnectOptions<D>, H>)
  | (H & Without<H, ConnectOptions<D>>)

/** Keeps credentials in memory and renews them once at a time. */
function createMemoryCredentials(
  first: CredentialValues,
  onCredentials: ((next: CredentialValues) => void | Promise<void>) | undefined,
): CredentialSource {
  let values = new Secret(first)
  let version = 0
  let renewal: Promise<void> | undefined
  const opened = () => ({ values, version: String(version) })
  const replace = async (exchange: Parameters<CredentialSource['renew']>[1]) => {
    values = await exchange(values)
    version += 1
    await onCredentials?.(values.reveal())
  }
  return {
    open: async () => {
      // New credentials are not used before `onCredentials` has them. A failed renewal is an error only for the calls that asked for it.
      await renewal?.catch(() => undefined)
      return opened()
    },
    renew: async (stale, exchange) => {
      if (stale === String(version)) {
        renewal ??= replace(exchange).finally(() => {
          renewal = undefined
        })
      }
      await renewal
      return opened()
    },
  }
}

/** Maximum number of remembered notices. A forgotten one can arrive again. */
const rememberedNotices = 1_000

/** Passes each distinct notice on once. */
function dropRepeated(take: (notice: VendorNotice) => void): (notice: VendorNotice) => void {
  const told = new BoundedMap<string, true>(rememberedNotices)
  return (notice) => {
    const text = JSON.stringify(notice)
    if (told.get(text) !== undefined) return
    told.set(text, true)
    take(notice)
  }
}

const toDownload = ({ file }: Extract<Outcome, { type: 'file' }>): Download => ({
  status: file.status,
  type: file.contentType,
  length: file.contentLength,
  range: file.contentRange,
  name: file.name,
  etag: file.etag,
  stream: Readable.toWeb(file.body) as ReadableStream<Uint8Array>, // Node's type of the same web stream
})

const toAnswer = (outcome: Outcome): unknown => (outcome.type === 'file' ? toDownload(outcome) : { data: outcome.data, meta: outcome.meta })

const runCall = (engine: Engine, connection: Connection, call: Call): Promise<unknown> =>
  inSpan(
    () => describeExecute(nameOperation(connection.kind.definition, call.entity, call.action), { signal: call.signal }),
    async () => toAnswer(await engine.run(connection, call)),
  )

type LocalCallOptions = CallOptions & DownloadOptions & WalkOptions
type Args = [params?: Readonly<Record<string, unknown>>, options?: LocalCallOptions]

/** The untyped connector behind `LocalConnector`. */
class Local {
  readonly #engine: Engine
  readonly #connection: Connection

  constructor(engine: Engine, connection: Connection) {
    this.#engine = engine
    this.#connection = connection
  }

  async execute(entity: string, action: string, ...[params, options]: Args): Promise<unknown> {
    checkOptions(callOptions, options)
    const call = { ...options, entity, action, params }
    return options?.resume === true && action === 'download' ? this.#resume(call) : this.#run(call)
  }

  async *pages(entity: string, ...[params = {}, options]: Args): AsyncGenerator<ListPage, void, undefined> {
    checkOptions(callOptions, options)
    const load = async (current: Readonly<Record<string, unknown>>) =>
      (await this.#run({ ...options, entity, action: 'list', params: current })) as ListPage // a list returns a page
    yield* walkPages(load, params, { ...options, vendor: this.#connection.kind.definition.title })
  }

  records(entity: string, ...args: Args): AsyncGenerator<unknown, void, undefined> {
    return walkRecords(this.pages(entity, ...args))
  }

  async *parts(entity: string, ...[params, options]: Args): AsyncGenerator<Part, void, undefined> {
    checkOptions(callOptions, options)
    yield* this.#parts(entity, params, options ?? {})
  }

  async *rows(
    entity: string,
    params: Args[0],
    options: LocalCallOptions & { readonly as?: RowForm } = {},
  ): AsyncGenerator<unknown, void, undefined> {
    checkOptions(rowOptions, options)
    const { as, ...others } = options
    const vendor = this.#connection.kind.definition.title
    const parts = this.#parts(entity, params, { ...others, rawRows: 'unread' })
    yield* walkRows(parts, { read: createRowReader({ as, params, vendor }), vendor })
  }

  #run(call: Call): Promise<unknown> {
    return runCall(this.#engine, this.#connection, call)
  }

  /** Opens a download that continues by range if its transfer breaks off. */
  async #resume(call: Call & { readonly params: Args[0] }): Promise<Download> {
    const { kind } = this.#connection
    const range = findOperation(kind, call.entity, call.action).operation.file?.range ?? ''
    const open = async (params: Args[0]) => (await this.#run({ ...call, params })) as Download // a download returns a file
    const reopen = (bytes: string) => open({ ...call.params, [range]: bytes })
    return makeResumable({ first: await open(call.params), reopen, vendor: kind.definition.title })
  }

  #parts(entity: string, params: Args[0], options: LocalCallOptions & Pick<Call, 'rawRows'>): AsyncGenerator<Part, void, undefined> {
    const run = async (of: string, action: string, given: Args[0]) =>
      (await this.#run({ ...options, entity: of, action, params: given })) as Part // a result in parts
    return walkParts({ first: () => run(entity, 'list', params), get: (of, given) => run(of, 'get', given), isReady: isRows }, options)
  }

  async check(options: CallOptions = {}): Promise<void> {
    checkOptions(callOptions, options)
    return this.#engine.check(this.#connection, options)
  }

  close(): Promise<void> {
    return this.#engine.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

const listWalkers = (list: Operation | undefined): readonly ('pages' | 'records' | 'parts' | 'rows')[] => {
  if (list === undefined) return []
  return list.one ? ['parts', 'rows'] : ['pages', 'records']
}

/** Names that entities cannot have as members of the connector. */
const memberNames: ReadonlySet<string> = new Set<MemberName>([
  'execute',
  'pages',
  'records',
  'parts',
  'rows',
  'changes',
  'entity',
  'check',
  'id',
  'close',
])

const buildMethods = (local: Local, definition: ConnectorDefinition, entity: string): Readonly<Record<string, unknown>> => {
  const actions = listLiveActions(definition.entities[entity] ?? { about: '', key: [] })
  const methods: [string, unknown][] = actions.map((action) => [action, (...args: Args) => local.execute(entity, action, ...args)])
  const names = listWalkers(definition.entities[entity]?.list)
  const walkers = names.map((name): [string, unknown] => [name, (...args: Args) => local[name](entity, ...args)])
  return Object.fromEntries([...methods, ...walkers])
}

/**
 * Makes the connection of a connector that runs in this process.
 * @throws FerruleError `credentials_mismatch`, `validation_failed`
 */
export function openConnection<D extends ConnectorDefinition>(kind: Kind<D>, options: ConnectOptions<D>): Connection {
  checkOptions(connectOptions, options)
  // JavaScript callers may omit what the types demand. The error then names the schemes.
  const given: Partial<ConnectOptions<D>> = options ?? {}
  if (given.credentials === undefined) throw failWithoutCredentials(kind.definition)
  const { values } = checkCredentials(kind.definition, given.credentials)
  const configuration = checkConfiguration(kind.definition, given.config, '/config')
  const origin = checkOrigin(given.origin)
  // The values passed the check of their scheme, so they have its type.
  const onCredentials = given.onCredentials as ((next: unknown) => void | Promise<void>) | undefined
  return {
    kind,
    configuration,
    credentials: createMemoryCredentials(values, onCredentials),
    writes: createMemoryClaims(),
    cursorKey: createHash('sha256')
      .update(`cursors ${JSON.stringify(values)}`)
      .digest(),
    origin,
    ...(given.onNotice === undefined ? {} : { notice: dropRepeated(given.onNotice) }),
  }
}

/**
 * Makes a connector that runs in this process. Synchronous: nothing is sent until you call an operation.
 * @param kind the kind
 * @param options credentials, configuration, origins and callbacks
 * @throws FerruleError `credentials_mismatch`, `validation_failed`
 */
export function connectLocally<D extends ConnectorDefinition>(kind: Kind<D>, options: ConnectOptions<D>): LocalConnector<D> {
  const connection = openConnection(kind, options)
  const { limits = true }: Partial<ConnectOptions<D>> = options
  const own = typeof limits === 'boolean' ? {} : { ownRates: new OwnGate(limits) }
  const engine = createEngine({ limits: limits !== false, searchRefusal: 'unsupported_in_local_mode', ...own })
  const local = new Local(engine, connection)
  const entities = new Map(Object.keys(kind.definition.entities).map((entity) => [entity, buildMethods(local, kind.definition, entity)]))
  const findEntity = (name: string): Readonly<Record<string, unknown>> => {
    const found = entities.get(name)
    if (found === undefined) findOperation(kind, name, '') // throws, with the known names
    return found ?? {}
  }
  noteLocalConnection(local, {
    readKind: () => buildKindDocument(kind.definition),
    execute: (call) => runCall(engine, connection, call),
  })
  // The typed connector is a view of the untyped one. Its types come from the definition that the engine runs.
  const shown = [...entities].filter(([name]) => !memberNames.has(name))
  return Object.assign(local, Object.fromEntries(shown), { entity: findEntity }) as unknown as LocalConnector<D>
}
