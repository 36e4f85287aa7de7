/** Finds the connectors that tools may use: what the source has, narrowed to what the program chose. */

import { fail } from '../errors.ts'
import { findNearNames } from '../values/near-names.ts'
import { listSome } from '../values/texts.ts'
import type { AgentConnector, AgentSource, ConnectorPage, RequestLimits } from './agent-source.ts'
import { quoteName } from './answers/bounds.ts'

/** What tools are narrowed to. */
export interface Narrowing {
  /** Name of a workspace; null or undefined: whatever the source reaches. */
  readonly workspace?: string | null | undefined
  /** Ids or names of connectors; undefined: all. */
  readonly connectors?: readonly string[] | undefined
}

/** Maximum number of pages that are read to find a name. */
const mostPages = 20
/** Maximum number of names in an error. */
const mostNames = 20

/** Connectors within a narrowing. */
export class Reach {
  readonly source: AgentSource
  readonly #workspace: string | undefined
  readonly #connectors: ReadonlySet<string> | undefined

  constructor(source: AgentSource, { workspace, connectors }: Narrowing) {
    this.source = source
    this.#workspace = workspace ?? undefined
    this.#connectors = connectors === undefined ? undefined : new Set(connectors)
  }

  /** True: the tools reach a part of the source only. */
  get isNarrow(): boolean {
    return this.#workspace !== undefined || this.#connectors !== undefined
  }

  #includes({ id, name, workspace }: AgentConnector): boolean {
    if (this.#workspace !== undefined && workspace !== this.#workspace) return false
    return this.#connectors === undefined || this.#connectors.has(id) || this.#connectors.has(name)
  }

  /** Lists one page of connectors. */
  async list(cursor: string | undefined, limits: RequestLimits): Promise<ConnectorPage> {
    const { connectors, next } = await this.source.listConnectors({ workspace: this.#workspace, cursor }, limits)
    return { connectors: connectors.filter((each) => this.#includes(each)), next }
  }

  /** Reads the connector of an id. @throws FerruleError `connector_not_found` */
  async get(id: string, limits: RequestLimits): Promise<AgentConnector> {
    const found = await this.source.getConnector(id, limits)
    if (found !== undefined && this.#includes(found)) return found
    throw fail('connector_not_found', {})
  }

  /**
   * Finds a connector.
   * @param given id, name, or slug of a kind that has one connector only; undefined: the only connector
   * @throws FerruleError `connector_not_found`, `connector_ambiguous`
   */
  async find(given: string | undefined, limits: RequestLimits): Promise<AgentConnector> {
    const byId = given === undefined ? undefined : await this.source.getConnector(given, limits)
    if (byId !== undefined && this.#includes(byId)) return byId
    const all = await this.listAll(limits)
    const folded = given?.toLowerCase()
    const tests: readonly ((each: AgentConnector) => boolean)[] = [
      ({ id, name }) => id === given || name === given,
      ({ name }) => name.toLowerCase() === folded,
      ({ kind }) => kind === folded || folded === undefined,
    ]
    const fitting = tests.map((fits) => all.filter(fits)).find((found) => found.length > 0) ?? []
    const [only] = fitting
    if (only !== undefined && fitting.length === 1) return only
    throw fitting.length > 1 ? failAmbiguous(given, fitting) : failMissing(given, all)
  }

  /** Lists the connectors of all pages, up to 20 pages. */
  async listAll(limits: RequestLimits): Promise<readonly AgentConnector[]> {
    const all: AgentConnector[] = []
    let cursor: string | undefined
    for (let pages = 0; pages < mostPages; pages += 1) {
      const { connectors, next } = await this.list(cursor, limits)
      all.push(...connectors)
      if (next === null) return all
      cursor = next
    }
    return all
  }
}

const describe = ({ id, name, kind }: AgentConnector): string =>
  id === name ? `${quoteName(name)} (${kind})` : `${quoteName(name)} (${kind}, id ${id})`

const describeAll = (connectors: readonly AgentConnector[]): string => listSome(connectors.map(describe), mostNames)

const failAmbiguous = (given: string | undefined, fitting: readonly AgentConnector[]): Error =>
  fail('connector_ambiguous', { given: given === undefined ? 'no name' : quoteName(given), known: describeAll(fitting) })

function failMissing(given: string | undefined, all: readonly AgentConnector[]): Error {
  if (all.length === 0) return fail('connector_not_found', {}, { hint: 'No connector is connected. Ask the user to connect one.' })
  const names = all.flatMap(({ name, kind }) => [name, kind])
  const near = new Set(findNearNames(given ?? '', [...new Set(names)]))
  const fitting = all.filter(({ name, kind }) => near.has(name) || near.has(kind))
  const known = describeAll(fitting.length > 0 ? fitting : all)
  return fail(
    'connector_not_found',
    {},
    { hint: `${fitting.length > 0 ? 'The nearest names' : 'There'} are: ${known}. list_connectors has all.` },
  )
}
