/** Chooses between the vendor and the service, and connects to the service (docs/decisions/library.md). */
import type { ConnectorDefinition } from '../definition/connector.ts'
import { dropAbsent, isObject } from '../definition/object.ts'
import { failValidation } from '../errors.ts'
import { checkOptions, type OptionRule, type OptionRules } from '../values/options.ts'
import type { ChangesParams } from './changes.ts'
import { Hosted, type HostedCallOptions } from './connector.ts'
import { namesService, readServiceSettings, type ServiceOptions } from './settings.ts'
import { Transport } from './transport.ts'
import type { HostedConnector } from './types.ts'

type Args = [params?: Readonly<Record<string, unknown>>, options?: HostedCallOptions]

/** Names of entities and actions. Runtimes and tools look for other names, for example `then`, `toJSON` or `$$typeof`. */
const isName = (name: string | symbol): name is string => typeof name === 'string' && name !== 'then' && /^[a-z][a-z0-9_]*$/.test(name)

function withMembers<T extends object>(own: T, make: (name: string) => unknown): T {
  const made = new Map<string, unknown>()
  return new Proxy(own, {
    get: (target, name) => {
      if (name in target || !isName(name)) return Reflect.get(target, name)
      if (!made.has(name)) made.set(name, make(name))
      return made.get(name)
    },
  })
}

const buildEntity = (hosted: Hosted, entity: string): object => {
  const search = Object.assign((...args: Args) => hosted.search(entity, ...args), {
    pages: (...args: Args) => hosted.searchPages(entity, ...args),
    records: (...args: Args) => hosted.searchRecords(entity, ...args),
  })
  const own = {
    pages: (...args: Args) => hosted.pages(entity, ...args),
    records: (...args: Args) => hosted.records(entity, ...args),
    parts: (...args: Args) => hosted.parts(entity, ...args),
    rows: (...args: Args) => hosted.rows(entity, ...args),
    aggregate: (...args: Args) => hosted.aggregate(entity, ...args),
    export: (...args: Args) => hosted.export(entity, ...args),
    changes: (params?: ChangesParams, options?: HostedCallOptions) => hosted.changes(entity, params, options),
    search,
  }
  return withMembers(
    own,
    (action) =>
      (...args: Args) =>
        hosted.execute(entity, action, ...args),
  )
}

/** Gives a connector its entities as members, for example `connector.calls.list()`. */
function withEntities(hosted: Hosted): object {
  const close = () => hosted.close()
  const own = {
    execute: (...args: Parameters<Hosted['execute']>) => hosted.execute(...args),
    pages: (...args: Parameters<Hosted['pages']>) => hosted.pages(...args),
    records: (...args: Parameters<Hosted['records']>) => hosted.records(...args),
    changes: (...args: Parameters<Hosted['allChanges']>) => hosted.allChanges(...args),
    entity: (name: string) => buildEntity(hosted, name),
    check: (...args: Parameters<Hosted['check']>) => hosted.check(...args),
    id: (...args: Parameters<Hosted['id']>) => hosted.id(...args),
    close,
    [Symbol.asyncDispose]: close,
  }
  return withMembers(own, (entity) => buildEntity(hosted, entity))
}

/** Options of a connector of the service. What is left out comes from the environment. */
export interface HostedOptions extends ServiceOptions {
  /** Id or name of the connector; default: the only one of its kind in the workspace. */
  readonly connector?: string
}

const text: OptionRule = ['must be a string with at least one character', (value) => typeof value === 'string' && value !== '']

/** What stands behind a connector of the service. */
export interface HostedConnection {
  readonly transport: Transport
  readonly hosted: Hosted
}
const hostedConnections = new WeakMap<object, HostedConnection>()

/** Finds what stands behind a connector of the service; undefined for any other value. */
export const findHostedConnection = (value: object): HostedConnection | undefined => hostedConnections.get(value)

/** Options of `connect` for a connector of the service. */
export const hostedOptions: OptionRules = {
  url: text,
  clientId: text,
  clientSecret: text,
  token: text,
  session: ['must be true or false', (value) => typeof value === 'boolean'],
  organizationId: text,
  workspace: text,
  connector: text,
  fetch: ['must be a function', (value) => typeof value === 'function'],
}

/** The checks have just proven it; TypeScript cannot see that. */
const isHostedOptions = (_options: unknown): _options is HostedOptions => true

/**
 * Reads the options of a connector of the service. `credentials` choose the vendor; else `url`, `FERRULE_URL` or `session` choose the service.
 * @returns the options for the service; undefined if the options choose the vendor, or name neither
 * @throws FerruleError `validation_failed` for options of both, and for wrong ones
 */
export function readHostedOptions(options: unknown): HostedOptions | undefined {
  if (options !== undefined && !isObject(options)) return undefined // the check of the local options reports it
  const given = dropAbsent(options ?? {})
  if (Object.hasOwn(given, 'credentials')) {
    const both = Object.keys(given).filter((name) => Object.hasOwn(hostedOptions, name))
    const message = 'cannot stand beside credentials: credentials call the vendor, and this option calls the service'
    if (both.length > 0) throw failValidation(both.map((name) => ({ field: `/${name}`, message, error_code: 'conflict' })))
    return undefined
  }
  if (!isHostedOptions(given) || !namesService(given)) return undefined
  checkOptions(hostedOptions, given)
  return given
}

/**
 * Makes a connector of the service. Synchronous: nothing is sent until you call an operation.
 * @param kind slug
 * @throws FerruleError `validation_failed`, `setting_invalid`
 */
export function connectHosted<D extends ConnectorDefinition>(kind: string, { connector, ...service }: HostedOptions): HostedConnector<D> {
  const transport = new Transport(readServiceSettings(service))
  const hosted = new Hosted(transport, { kind, connector })
  const view = withEntities(hosted)
  hostedConnections.set(view, { transport, hosted })
  // The typed connector is a view of the untyped one. The service knows the entities, so no definition is loaded.
  return view as HostedConnector<D>
}
