/** A connector as a library: credentials in memory, the same engine, no platform. */
import { Readable } from 'node:stream'
import type { ConnectorDefinition, Kind } from '../definition/connector.ts'
import type { Operation } from '../definition/entity.ts'
import { memoryClaims } from './claims.ts'
import type { Connection, CredentialSource, CredentialValues, OriginOverride, VendorNotice } from './connection.ts'
import { checkConfiguration, checkCredentials, checkOrigin } from './credentials.ts'
import { createEngine, type Engine } from './execute.ts'
import { pageOf } from './meta.ts'
import { liveActionsOf, operationOf } from './operation.ts'
import { callOptions, checkOptions, connectOptions } from './options.ts'
import type { Call, Outcome } from './outcome.ts'
import { type ListPage, type Part, type WalkOptions, walkPages, walkParts, walkRecords, walkRows } from './pages.ts'
import { Secret } from './secret.ts'
import type { CallOptions, ConfigurationOf, CredentialsOf, Download, LocalConnector } from './types.ts'

/** What a local connector is made with, whatever its kind needs. */
interface AnyOptions<D extends ConnectorDefinition> {
  /** Fields of one credential scheme of the kind. */
  readonly credentials: CredentialsOf<D>
  /** Configuration values of the kind. */
  readonly config?: ConfigurationOf<D>
  /**
   * Sends requests to another origin than the vendor's: an egress proxy, a regional host, a recorded replay or the sandbox.
   * A text replaces the origins of the API and of OAuth; an object can name `media` too.
   */
  readonly origin?: string | OriginOverride
  /**
   * Takes credentials that the vendor replaced (single-use refresh tokens). It is awaited before they are used: store them
   * durably. When it fails, the calls that wait fail with its error; the new credentials stay in memory.
   */
  readonly onCredentials?: (next: CredentialsOf<D>) => void | Promise<void>
  /** Whether the vendor's rate is obeyed ahead of time; true by default. */
  readonly limits?: boolean
  /**
   * Takes what the vendor tells beside its answers: another version of its API answered, or what an entity uses is deprecated.
   * Told once for each distinct notice. What it throws fails the call that met the notice.
   */
  readonly onNotice?: (notice: VendorNotice) => void
}

/** Configuration must be given where the kind has a value that it needs. */
type NeededConfig<D extends ConnectorDefinition> =
  Record<never, never> extends ConfigurationOf<D> ? unknown : { readonly config: ConfigurationOf<D> }

/** What a local connector is made with. */
export type ConnectOptions<D extends ConnectorDefinition> = AnyOptions<D> & NeededConfig<D>

/** Credentials in memory; one renewal at a time. */
function memoryCredentials(
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
      // New credentials are not used before they were handed on; a renewal that failed is the error of those who asked for it.
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

/** Notices that are remembered; the oldest is forgotten, and told again when it comes back. */
const rememberedNotices = 1_000

/** Hands on each distinct notice once. */
function eachOnce(take: (notice: VendorNotice) => void): (notice: VendorNotice) => void {
  const told = new Set<string>()
  return (notice) => {
    const text = JSON.stringify(notice)
    if (told.has(text)) return
    told.add(text)
    if (told.size > rememberedNotices) told.delete(told.values().next().value ?? '') // a Set keeps insertion order: the oldest
    take(notice)
  }
}

const downloadOf = ({ file }: Extract<Outcome, { type: 'file' }>): Download => ({
  status: file.status,
  type: file.contentType,
  length: file.contentLength,
  range: file.contentRange,
  name: file.name,
  stream: Readable.toWeb(file.body) as ReadableStream<Uint8Array>, // Node's type of the same web stream
})

type Options = CallOptions & WalkOptions
type Args = [params?: Readonly<Record<string, unknown>>, options?: Options]

/** The untyped connector: what `LocalConnector` puts types over. */
class Local {
  readonly #engine: Engine
  readonly #connection: Connection

  constructor(engine: Engine, connection: Connection) {
    this.#engine = engine
    this.#connection = connection
  }

  async execute(entity: string, action: string, ...[params, options]: Args): Promise<unknown> {
    checkOptions(callOptions, options)
    return this.#run({ ...options, entity, action, params })
  }

  async *pages(entity: string, ...[params = {}, options]: Args): AsyncGenerator<ListPage, void, undefined> {
    checkOptions(callOptions, options)
    const load = async (current: Readonly<Record<string, unknown>>) =>
      (await this.#run({ ...options, entity, action: 'list', params: current })) as ListPage // a list gives a page
    yield* walkPages(load, params, { ...options, vendor: this.#connection.kind.definition.title })
  }

  records(entity: string, ...args: Args): AsyncGenerator<unknown, void, undefined> {
    return walkRecords(this.pages(entity, ...args))
  }

  async *parts(entity: string, ...[params, options]: Args): AsyncGenerator<Part, void, undefined> {
    checkOptions(callOptions, options)
    yield* this.#parts(entity, params, options ?? {})
  }

  async *rows(entity: string, ...[params, options]: Args): AsyncGenerator<unknown, void, undefined> {
    checkOptions(callOptions, options)
    const parts = this.#parts(entity, params, { ...options, rawRows: 'unread' })
    yield* walkRows(parts, this.#connection.kind.definition.title)
  }

  async #run(call: Call): Promise<unknown> {
    const outcome = await this.#engine.run(this.#connection, call)
    return outcome.type === 'file' ? downloadOf(outcome) : { data: outcome.data, meta: outcome.meta }
  }

  #parts(entity: string, params: Args[0], options: Options & Pick<Call, 'rawRows'>): AsyncGenerator<Part, void, undefined> {
    const run = async (of: string, action: string, given: Args[0]) =>
      (await this.#run({ ...options, entity: of, action, params: given })) as Part // a result in parts
    const page = pageOf(operationOf(this.#connection.kind, entity, 'list'))
    const number = page !== undefined && 'parts' in page ? page.parts.number : ''
    return walkParts({ first: () => run(entity, 'list', params), get: (of, given) => run(of, 'get', given), number }, options)
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

/** How the results of a list are walked. */
const walkersOf = (list: Operation | undefined): readonly ('pages' | 'records' | 'parts' | 'rows')[] => {
  if (list === undefined) return []
  return list.one ? ['parts', 'rows'] : ['pages', 'records']
}

const methodsOf = (local: Local, definition: ConnectorDefinition, entity: string): Readonly<Record<string, unknown>> => {
  const actions = liveActionsOf(definition.entities[entity] ?? { about: '', key: [] })
  const methods: [string, unknown][] = actions.map((action) => [action, (...args: Args) => local.execute(entity, action, ...args)])
  const names = walkersOf(definition.entities[entity]?.list)
  const walkers = names.map((name): [string, unknown] => [name, (...args: Args) => local[name](entity, ...args)])
  return Object.fromEntries([...methods, ...walkers])
}

/**
 * Makes a connector that runs in this process. Synchronous; nothing is sent until an operation is called.
 * @throws FerruleError `credentials_mismatch`, `validation_failed`
 */
export function connectLocally<D extends ConnectorDefinition>(kind: Kind<D>, options: ConnectOptions<D>): LocalConnector<D> {
  checkOptions(connectOptions, options)
  // JavaScript may leave out what the types demand: that is answered with the schemes that there are.
  const given: Partial<ConnectOptions<D>> = options ?? {}
  const { values } = checkCredentials(kind.definition, given.credentials === undefined ? {} : given.credentials)
  const configuration = checkConfiguration(kind.definition, given.config, '/config')
  const origin = checkOrigin(given.origin)
  // The values were checked against the scheme, so what is handed on has its type.
  const onCredentials = given.onCredentials as ((next: unknown) => void | Promise<void>) | undefined
  const connection: Connection = {
    kind,
    configuration,
    credentials: memoryCredentials(values, onCredentials),
    writes: memoryClaims(),
    ...(origin === undefined ? {} : { origin }),
    ...(given.onNotice === undefined ? {} : { notice: eachOnce(given.onNotice) }),
  }
  const local = new Local(createEngine({ limits: given.limits ?? true, searchRefusal: 'unsupported_in_local_mode' }), connection)
  const entities = Object.keys(kind.definition.entities).map((entity) => [entity, methodsOf(local, kind.definition, entity)] as const)
  // The typed door is a view of the untyped one: its types are computed from the same definition that the engine runs.
  return Object.assign(local, Object.fromEntries(entities)) as unknown as LocalConnector<D>
}
