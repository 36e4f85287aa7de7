/** Finds the connector that calls go to: by id, by name, or as the only one of its kind in the workspace. */
import { FerruleError, fail } from '../errors.ts'
import { listSome, uuid } from '../values/texts.ts'
import type { ConnectorSummary } from '../wire/connectors.ts'
import { endpoints } from '../wire/endpoints.ts'
import type { Page } from '../wire/paging.ts'
import { type Deadline, waitWithin } from './deadline.ts'
import type { Transport } from './transport.ts'

/** Which connector is meant. */
export interface ConnectorChoice {
  /** Slug of the kind; undefined: any kind, for a connector that is chosen by id or name. */
  readonly kind: string | undefined
  /** Id or name; undefined: the only one of its kind. */
  readonly connector: string | undefined
}

type ListedConnector = Pick<ConnectorSummary, 'id' | 'name' | 'connector_type'>
type Query = Readonly<Record<string, string | number | undefined>>

const pageSize = 100
/** Maximum number of connectors that an error lists. */
const longestList = 20

function describeAll(connectors: readonly ListedConnector[]): string {
  const sorted = connectors.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  return listSome(
    sorted.map(({ name, connector_type, id }) => `${name} (${connector_type}, ${id})`),
    longestList,
  )
}

/** Finds a connector once. Concurrent calls share the search; a failed search is forgotten. */
export class ConnectorLookup {
  readonly #transport: Transport
  readonly #choice: ConnectorChoice
  #found: Promise<string> | undefined
  /** The id, when no search is needed any more. */
  #known: string | undefined

  constructor(transport: Transport, choice: ConnectorChoice) {
    this.#transport = transport
    this.#choice = choice
    this.#known = choice.connector !== undefined && uuid.test(choice.connector) ? choice.connector : undefined
  }

  /** The id, if it was given or found. */
  get known(): string | undefined {
    return this.#known
  }

  /**
   * Returns the id of the connector.
   * @param deadline ends the wait of this call; the shared search continues
   * @throws FerruleError `connector_not_found`, `connector_ambiguous`, and what the list throws
   */
  async find(deadline: Deadline): Promise<string> {
    if (this.#known !== undefined) return this.#known
    this.#found ??= this.#keep(this.#search())
    return waitWithin(this.#found, deadline)
  }

  /** Forgets what was found, when the service no longer has it. An id that was given stays. */
  forget(): void {
    if (this.#found === undefined) return
    this.#found = undefined
    this.#known = undefined
  }

  /** Keeps what a search finds, and forgets the search if it fails. */
  #keep(search: Promise<string>): Promise<string> {
    search.then(
      (id) => {
        this.#known = id
      },
      () => this.forget(),
    )
    return search
  }

  async #search(): Promise<string> {
    const { kind, connector } = this.#choice
    const all = await this.#list({ connector_type: kind })
    const fitting = connector === undefined ? all : all.filter(({ name }) => name === connector)
    const [only] = fitting
    if (only === undefined) throw await this.#failMissing()
    if (fitting.length > 1)
      throw fail('connector_ambiguous', { given: connector ?? `the kind ${kind}`, known: describeAll(fitting) }, { hint: chooseHint })
    return only.id
  }

  async #list(query: Query): Promise<readonly ListedConnector[]> {
    const listed: ListedConnector[] = []
    for (let cursor: string | undefined; ; ) {
      const { data, next } = await this.#page({ ...query, cursor })
      listed.push(...data)
      cursor = next === null ? undefined : (new URL(next, 'https://service.example').searchParams.get('cursor') ?? undefined)
      if (cursor === undefined) return listed
    }
  }

  #page(query: Query): Promise<Page<ListedConnector>> {
    const workspace = this.#transport.settings.workspace
    return this.#transport.json(endpoints.listConnectors, { query: { workspace_name: workspace, limit: pageSize, ...query } })
  }

  /** Builds the error of a connector that is not there: it lists what the workspace has. */
  async #failMissing(): Promise<FerruleError> {
    const { workspace } = this.#transport.settings
    const { kind, connector } = this.#choice
    const { data } = await this.#page({})
    const wanted = [connector === undefined ? [] : `named ${connector}`, kind === undefined ? [] : `of the kind ${kind}`].flat()
    const has = data.length === 0 ? 'It has no connectors.' : `It has ${describeAll(data)}.`
    const hint = `The workspace ${workspace} has no connector ${wanted.join(' ')}. ${has} Create one, or choose by the option connector.`
    return fail('connector_not_found', {}, { hint })
  }
}

const chooseHint = 'Choose one by the option connector: its id or its name.'

/** Returns whether an error says that the connector does not exist any more. */
export const isMissing = (thrown: unknown): boolean => thrown instanceof FerruleError && thrown.code === 'connector_not_found'
