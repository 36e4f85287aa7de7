import { setTimeout as pause } from 'node:timers/promises'
import { FerruleError } from 'ferrule'
import type { Field } from 'ferrule/definition'
import * as wire from 'ferrule/wire'
import type { Consumers } from '../../copies/changes/consumers.ts'
import type { Changes, Followed, FoundChanges } from '../../copies/changes/feed.ts'
import { type ConnectorAccess, type Principal, requireScope, type Scope } from '../../values/access.ts'
import { failField, readQuery } from '../../values/read.ts'
import {
  type Answer,
  type Exchange,
  limited,
  type PrincipalRoute,
  principalRoute,
  type RouteId,
  requireCopies,
  type Services,
  slot,
} from '../route.ts'
import { eventStream } from '../streams/event-stream.ts'

const problems = [
  ...(['connector_not_found', 'workspace_inactive', 'entity_not_found', 'action_not_supported', 'validation_failed'] as const),
  ...(['invalid_cursor', 'context_store_unavailable', 'context_store_timeout', 'rate_limited', 'overloaded'] as const),
]

const aboutStream =
  '`accept: text/event-stream` gets an event `changes` with each page that has entries, at first also without; its id is `next`, and ' +
  '`Last-Event-ID` continues there. The stream ends with the client, and with the token: its last event is then `end`, with the problem.'

export const listChanges: PrincipalRoute = {
  ...wire.endpoints.listChanges,
  auth: 'principal',
  document: {
    id: 'listChanges',
    tag: 'copies',
    summary: "List the changes of an entity's copy",
    about:
      'Without `after` all records come first, between the marks snapshot_begin and snapshot_end, then what changes, without a gap. ' +
      'With `after=now` nothing comes first. ' +
      'Each page has the cursor of the next one. With `wait` an answer comes with the first change. Changes are written down from the first request on, ' +
      'and kept for some days (`changes_days` of the connector); a cursor whose changes are lost is answered by `changes_expired`. ' +
      aboutStream,
    scope: 'execute:read',
    query: wire.changesQuery,
    answer: { about: 'One page', schema: wire.changesPage, event: wire.changesEvent },
    problems: [...problems, 'changes_expired', 'context_store_not_ready'],
  },
  answer: (exchange, services) => {
    const query = readQuery(wire.changesQuery, exchange.query)
    return answerChanges(exchange, services, { ...query, entity: slot(exchange.params, 'entity'), event: wire.changesEvent })
  },
}

export const listConnectorChanges: PrincipalRoute = {
  ...wire.endpoints.listConnectorChanges,
  auth: 'principal',
  document: {
    id: 'listConnectorChanges',
    tag: 'copies',
    summary: "List the changes of a connector's copy",
    about:
      'The changes of all entities that can be searched, each entry with its entity. Order is kept within an entity, not between entities. An entity ' +
      'begins with all its records between its marks as soon as its first sync has ended, and again where its changes were lost. ' +
      'With `consumer` it reads from where that consumer is; only PUT of the consumer moves it. ' +
      aboutStream,
    scope: 'execute:read',
    query: wire.connectorChangesQuery,
    answer: { about: 'One page', schema: wire.connectorChangesPage, event: wire.connectorChangesEvent },
    problems: [...problems, 'consumer_not_found'],
  },
  answer: (exchange, services) => {
    const { entities, ...query } = readQuery(wire.connectorChangesQuery, exchange.query)
    return answerChanges(exchange, services, { ...query, entities: entities?.split(','), event: wire.connectorChangesEvent })
  },
}

interface ChangesRequest extends Followed {
  readonly limit?: number
  readonly wait?: number
  /** Name of the consumer that knows what to read. */
  readonly consumer?: string | undefined
  readonly event: wire.EventSchema
}

/** Answers with a page of changes, at once or after a wait, or with the pages as a stream of events. */
async function answerChanges(exchange: Exchange<Principal>, services: Services, asked: ChangesRequest): Promise<Answer> {
  const { limit = 100, wait = 0, event } = asked
  requireScope(exchange.who, 'execute:read')
  exchange.addVary('accept')
  const followed = await findFollowed(exchange, services, asked)
  const pages = new Pages(exchange, services, limit)
  if (exchange.header('accept')?.includes('text/event-stream') === true) {
    const after = exchange.header('last-event-id') ?? followed.after
    const values = pages.follow({ ...followed, after })
    const readId = ({ next }: FoundChanges): string => next
    return eventStream(exchange, services, { event, connectorId: slot(exchange.params, 'connector_id'), values, readId })
  }
  if (wait > 0) {
    const leave = services.streams.shares.enter(exchange.who)
    try {
      await pages.wait(followed, wait)
    } finally {
      leave()
    }
    await pages.checkWho()
  }
  return limited(exchange, services, async ({ signal }) => ({ json: await pages.read(followed, signal) }))
}

/** Returns what a request reads: what it names itself, or what its consumer does. @throws FerruleError `consumer_not_found` */
async function findFollowed(exchange: Exchange<Principal>, { platform, operations }: Services, asked: ChangesRequest): Promise<Followed> {
  const { entity, entities, after, consumer } = asked
  if (consumer === undefined) return { entity, entities, after }
  if (after !== undefined || entities !== undefined) throw failField('/consumer', 'cannot stand beside after or entities', 'conflict')
  const access = await platform.connectors.readAccess(exchange.who, slot(exchange.params, 'connector_id'))
  return requireCopies(operations.consumers).follow(access, consumer)
}

/** Errors after which a stream reads again. */
const pausing: ReadonlySet<string> = new Set(['rate_limited', 'overloaded'])

/** The pages that a request gets. A wait is no running call; whoever calls `wait` counts it as an event stream. */
class Pages {
  readonly #exchange: Exchange<Principal>
  readonly #services: Services
  readonly #limit: number

  constructor(exchange: Exchange<Principal>, services: Services, limit: number) {
    this.#exchange = exchange
    this.#services = services
    this.#limit = limit
  }

  async read(followed: Followed, signal: AbortSignal | undefined): Promise<FoundChanges> {
    const access = await this.#readAccess()
    return this.#changes.read(access, { ...followed, limit: this.#limit, signal })
  }

  /** Waits for the first change. @param seconds at most */
  async wait(followed: Followed, seconds: number): Promise<void> {
    const { stopping } = this.#services
    const wait = { ms: seconds * 1_000, signal: this.#exchange.signal, isEnding: () => stopping.isDraining }
    const access = await this.#readAccess()
    await this.#changes.wait(access, followed, wait)
  }

  /** Looks again at what allowed the request, after a wait. */
  async checkWho(): Promise<void> {
    await this.#services.platform.liveness.check(this.#exchange.who, { connectorId: this.#connectorId, countsToken: true })
  }

  /** Yields a page at once, then each page that has entries. */
  async *follow(followed: Followed): AsyncGenerator<FoundChanges, void, undefined> {
    const first = await this.#readAsCall(followed)
    yield first
    for (let { next: after, has_more: hasMore } = first; !this.#services.stopping.isDraining; ) {
      if (!hasMore) {
        await this.wait({ ...followed, after }, wire.longestWait)
        await this.checkWho()
      }
      const page = await this.#readSoon({ ...followed, after })
      if (page.data.text !== '[]') yield page
      after = page.next
      hasMore = page.has_more
    }
  }

  #readAsCall(followed: Followed): Promise<FoundChanges> {
    const { who, signal } = this.#exchange
    const call = { organizationId: who.organizationId, signal }
    return this.#services.platform.admission.admit(call, (bounds) => this.read(followed, bounds.signal))
  }

  /** Reads a page when the organization has calls left. A stream that ended for that would come again at once. */
  async #readSoon(followed: Followed): Promise<FoundChanges> {
    for (;;) {
      try {
        return await this.#readAsCall(followed)
      } catch (thrown) {
        if (!(thrown instanceof FerruleError && pausing.has(thrown.code))) throw thrown
        await pause(thrown.retryAfterMs, undefined, { signal: this.#exchange.signal })
      }
    }
  }

  get #connectorId(): string {
    return slot(this.#exchange.params, 'connector_id')
  }

  get #changes(): Changes {
    return requireCopies(this.#services.operations.changes)
  }

  #readAccess() {
    return this.#services.platform.connectors.readAccess(this.#exchange.who, this.#connectorId)
  }
}

const unreadable = ['connector_not_found', 'workspace_inactive', 'context_store_unavailable'] as const
const consumerProblems = [...unreadable, 'consumer_not_found'] as const

interface OpenedConsumer extends Pick<Exchange<Principal>, 'who' | 'body'> {
  readonly access: ConnectorAccess
  readonly consumers: Consumers
  readonly name: string
}

type ConsumerRoute<S extends Field> = Omit<Parameters<typeof principalRoute<S>>[1], 'tag' | 'scope' | 'answer'> & {
  readonly scope: Scope
  answer(opened: OpenedConsumer): Promise<wire.Wire<S>>
}

/** Declares a route of the consumers of a connector. Without its scope nothing is read. */
const consumerRoute = <S extends Field>(id: RouteId, { scope, answer, ...route }: ConsumerRoute<S>) =>
  principalRoute<S>(id, {
    ...route,
    tag: 'copies',
    scope,
    answer: async ({ who, params, body }, { platform, operations }) => {
      requireScope(who, scope)
      const access = await platform.connectors.readAccess(who, slot(params, 'connector_id'))
      const consumers = requireCopies(operations.consumers)
      return { json: await answer({ who, body, access, consumers, name: slot(params, 'name') }) }
    },
  })

export const listChangeConsumers = consumerRoute('listChangeConsumers', {
  summary: 'List the consumers of changes',
  about: 'Each with where it stands, and how much it has not read.',
  scope: 'execute:read',
  returns: { about: 'Consumers', schema: wire.changeConsumerList },
  problems: unreadable,
  answer: async ({ access, consumers }) => ({ data: await consumers.list(access) }),
})

export const getChangeConsumer = consumerRoute('getChangeConsumer', {
  summary: 'Read a consumer of changes',
  scope: 'execute:read',
  returns: { about: 'The consumer', schema: wire.changeConsumer },
  problems: consumerProblems,
  answer: ({ access, consumers, name }) => consumers.get(access, name),
})

export const saveChangeConsumer = consumerRoute('saveChangeConsumer', {
  summary: 'Register a consumer of changes, or move its cursor',
  about:
    'What it has not read is kept beyond the days of other changes, at most 64 MB for an entity. An empty body registers it at the beginning: all ' +
    'records come first. Registration, and other entities, need connectors:write. A connector has at most 20 consumers, an organization 200.',
  scope: 'execute:read',
  body: wire.changeConsumerInput,
  example: {},
  returns: { about: 'The consumer', schema: wire.changeConsumer },
  problems: [...unreadable, 'consumer_moved', 'invalid_cursor', 'entity_not_found', 'action_not_supported', 'validation_failed'],
  answer: ({ who, body, access, consumers, name }) => consumers.save(access, { principal: who, name, body }),
})

export const deleteChangeConsumer = consumerRoute('deleteChangeConsumer', {
  summary: 'Delete a consumer of changes',
  about: 'Nothing is kept for it any more.',
  scope: 'connectors:write',
  returns: { about: 'The deleted consumer', schema: wire.changeConsumerRemoval },
  problems: consumerProblems,
  answer: ({ access, consumers, name }) => consumers.remove(access, name),
})
