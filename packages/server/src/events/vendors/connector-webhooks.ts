/** Shows and makes the address that a vendor sends the webhooks of a connector to. */

import { defaultDeadlineMs, type Engine } from 'ferrule/engine'
import { asFerruleError, buildSubscriptions, errorConsequences, fail, isLoopback } from 'ferrule/internal'
import { type ConnectorWebhooks, connectorWebhooksInput } from 'ferrule/wire'
import { type CallServices, runMarked } from '../../connectors/access.ts'
import type { ServedKind } from '../../connectors/connector-types.ts'
import { buildSourceUrl } from '../../connectors/links/addresses.ts'
import { connectionQuery, holdConnector, requireConnector, type SealedConnectorRow } from '../../connectors/sql/connectors.ts'
import { findSyncedConnector } from '../../copies/status/groups.ts'
import type { Db } from '../../db/database.ts'
import type { Parts } from '../../main/parts.ts'
import { type ConnectorAccess, type Principal, type RequestedId, requireScope } from '../../values/access.ts'
import { asId, isoOrNull, newSecret } from '../../values/ids.ts'
import { failField, readBody } from '../../values/read.ts'
import * as sql from '../sql/vendor-events.ts'
import { mostWaiting } from './receiver.ts'
import { listConnectorAccounts } from './sources.ts'
import type { EventConnectors } from './vendor-event-worker.ts'
import { openOfferedSecret, sealSourceSecret } from './vendor-seals.ts'

/** Services that asking needs. */
interface SubscribeServices extends Omit<CallServices, 'usage'> {
  readonly engine: Pick<Engine, 'request'>
}

type Subscription = NonNullable<ConnectorWebhooks['subscriptions']>[number]

const failSubscribing = (reason: string) => failField('/subscribe', `cannot be done: ${reason}`, 'unsupported')

/** Asks for the topics of the copied entities, one after the other. A topic that the credentials do not allow stops no other one. */
async function subscribe(
  services: SubscribeServices,
  access: ConnectorAccess,
  target: { readonly address: string; readonly entities: readonly string[] },
): Promise<readonly Subscription[]> {
  const { definition } = access.connection.kind
  const requests = buildSubscriptions(definition, target)
  if (requests === undefined) throw failSubscribing(`ask ${definition.title} itself, with the address and the topics`)
  const answers: Subscription[] = []
  for (const { topic, request } of requests) {
    const call = { entity: 'request', action: request.method, signal: undefined }
    const send = () => services.engine.request(access.connection, { request, deadlineMs: defaultDeadlineMs })
    try {
      await runMarked(services, { access, call }, send)
      answers.push({ topic, state: 'made', message: null })
    } catch (thrown) {
      const { code, message } = asFerruleError(thrown)
      if (errorConsequences[code].syncRun !== 'continue') throw thrown
      const isKnown = message.includes(definition.webhooks?.subscribe?.known ?? '')
      answers.push(isKnown ? { topic, state: 'known', message: null } : { topic, state: 'refused', message })
    }
  }
  return answers
}

/** Webhooks of a connector. All methods throw `connector_not_found` for what the principal does not see. */
export interface ConnectorWebhookService {
  /** Reads the address, what came there, and what is missing. Scope connectors:read. */
  get(principal: Principal, id: string): Promise<ConnectorWebhooks>
  /**
   * Makes the address, sets the secret, and asks the vendor for events. Scope connectors:write.
   * @throws FerruleError `not_offered` for a kind without webhooks; `validation_failed`; those of the vendor
   */
  set(principal: Principal, id: string, body: unknown): Promise<ConnectorWebhooks>
  /** Deletes the address with its secret, and what waits there. Scope connectors:write. */
  remove(principal: Principal, id: string): Promise<ConnectorWebhooks>
}

type ServiceParts = Pick<Parts, 'database' | 'source' | 'settings' | 'kinds' | 'masterSeals'>

interface Addressed {
  readonly connector: SealedConnectorRow
  readonly kind: ServedKind | undefined
  readonly own: sql.SourceRow | undefined
  readonly ofOAuthClient: sql.SourceRow | undefined
  /** Secret that a request has stated, and nobody has confirmed. */
  readonly offered: string | undefined
}

async function readAddressed(parts: ServiceParts, db: Db, connector: SealedConnectorRow): Promise<Addressed> {
  const owner = { organizationId: connector.organization_id, connectorId: connector.id }
  const oauthClientId = connector.oauth_client_id
  const kind = await parts.kinds.find(connector, db)
  const own = await sql.findConnectorSource(db, owner)
  return {
    connector,
    kind,
    own,
    offered: findOffered(parts, { kind, own }),
    ofOAuthClient: oauthClientId === null ? undefined : await sql.findOAuthClientSource(db, connector.organization_id, oauthClientId),
  }
}

function findOffered(parts: ServiceParts, { kind, own }: Pick<Addressed, 'kind' | 'own'>): string | undefined {
  const { challenge, signature } = kind?.definition.webhooks ?? {}
  const isStated = challenge !== undefined && 'secret' in challenge && signature !== undefined
  return isStated && own !== undefined ? openOfferedSecret(parts, own, signature.secret) : undefined
}

// JSON that this service wrote.
const parseAnswers = ({ subscriptions }: sql.SourceRow): readonly Subscription[] | null =>
  subscriptions === null ? null : JSON.parse(subscriptions)
const parseNames = (json: string | null): readonly string[] => (json === null ? [] : JSON.parse(json))

/** Returns what verifies requests. */
function findVerifier({ connector, kind, own, ofOAuthClient, offered }: Addressed): ConnectorWebhooks['verified_by'] {
  const having = [offered === undefined ? own : undefined, ofOAuthClient].filter((source) => source !== undefined)
  if (having.some(({ sealed }) => sealed !== null)) return 'secret'
  const name = kind?.definition.webhooks?.signature.secret ?? ''
  const fields = [...parseNames(connector.credential_fields), ...parseNames(connector.oauth_client_fields)]
  return fields.includes(name) ? 'credentials' : 'nothing'
}

interface Known {
  /** The address of the connector, else that of its OAuth client. */
  readonly address: string | undefined
  readonly received: number
  readonly waiting: number
}

const withoutAddress = 'The service does not know its public address: set FERRULE_PUBLIC_URL.'
const onlyHere = 'The vendor cannot reach an address of this machine: set FERRULE_PUBLIC_URL.'
const unproven = 'The account of the connector is not known, so events of its OAuth client do not reach it: check the connector.'
const unconfirmed =
  'A request has stated a secret, offered_secret. Anybody could have sent it: give it to the vendor, and set it here when the vendor takes it.'
const refused = 'The newest requests were refused: the secret is not the one that the vendor signs with.'

/** Says what is missing for events to come. */
function listMissing(addressed: Addressed, { address, received, waiting }: Known): readonly string[] {
  const { connector, kind, own, ofOAuthClient } = addressed
  const webhooks = kind?.definition.webhooks
  if (kind === undefined || webhooks === undefined) return ['The kind reads no webhooks. Syncs keep the copy true.']
  const source = own ?? ofOAuthClient
  if (source === undefined) return ['There is no address: make one, and give it to the vendor.']
  const isUnproven = webhooks.account !== undefined && listConnectorAccounts(kind, connector).length === 0
  const unset = `Nothing verifies requests, so all are refused: set a secret. ${webhooks.signature.find.says}`
  const isRefused = own !== undefined && parseAnswers(own)?.some(({ state }) => state === 'refused') === true
  const sentences = [
    address === undefined && withoutAddress,
    address !== undefined && isLoopback(new URL(address).hostname) && onlyHere,
    findVerifier(addressed) === 'nothing' && (addressed.offered === undefined ? unset : unconfirmed),
    ofOAuthClient !== undefined && isUnproven && unproven,
    received === 0 && 'Nothing has come yet: name the address and the topics at the vendor.',
    isRefused && 'The vendor refused some topics: see subscriptions.',
    isNewer(source.last_refused_at, source.last_event_at) && refused,
    waiting >= mostWaiting && 'Too many events wait, so new ones are turned away.',
  ]
  return sentences.filter((sentence) => sentence !== false)
}

const isNewer = (one: number | null | undefined, other: number | null | undefined): boolean => (one ?? 0) > (other ?? 0)

const newest = (...times: readonly (number | null | undefined)[]): string | null =>
  isoOrNull(times.reduce<number | null>((latest, time) => (isNewer(time, latest) ? (time ?? null) : latest), null))

async function buildRecord(parts: ServiceParts, db: Db, addressed: Addressed): Promise<ConnectorWebhooks> {
  const { connector, kind, own, ofOAuthClient } = addressed
  const sources = [own, ofOAuthClient].filter((source) => source !== undefined)
  const sum = (count: (source: sql.SourceRow) => number) => sources.reduce((all, source) => all + Number(count(source)), 0)
  const backlog = await sql.readBacklog(db, { organizationId: connector.organization_id, connectorId: connector.id })
  const address = own === undefined ? undefined : buildSourceUrl(parts.settings, 'connectors', own.id)
  const ofAll = ofOAuthClient === undefined ? undefined : buildSourceUrl(parts.settings, 'apps', ofOAuthClient.id)
  const received = sum((source) => source.received)
  const lag = isNewer(own?.last_worked_at, ofOAuthClient?.last_worked_at) ? own?.last_lag_ms : (ofOAuthClient ?? own)?.last_lag_ms
  return {
    connector_id: connector.id,
    address: address ?? null,
    application_address: ofAll ?? null,
    verified_by: findVerifier(addressed),
    offered_secret: addressed.offered ?? null,
    topics: Object.keys(kind?.definition.webhooks?.events ?? {}),
    received,
    repeated: sum((source) => source.repeated),
    turned_away: sum((source) => source.turned_away),
    worked: sum((source) => source.worked),
    given_up: sum((source) => source.given_up),
    waiting: backlog.waiting,
    oldest_waiting_at: isoOrNull(backlog.oldestAt),
    last_event_at: newest(...sources.map((source) => source.last_event_at)),
    last_refused_at: newest(...sources.map((source) => source.last_refused_at)),
    last_worked_at: newest(...sources.map((source) => source.last_worked_at)),
    last_lag_ms: lag === null || lag === undefined ? null : Number(lag),
    subscribable: kind?.definition.webhooks?.subscribe !== undefined,
    subscriptions: own === undefined ? null : parseAnswers(own),
    missing: listMissing(addressed, { address: address ?? ofAll, received, waiting: backlog.waiting }),
  }
}

/** Makes the address, or changes its secret. */
function set(parts: ServiceParts, { principal, id }: RequestedId, secret: string | null | undefined): Promise<ConnectorWebhooks> {
  return parts.database.transaction(async (db) => {
    const connector = await requireConnector(db, principal, id, holdConnector)
    const kind = await parts.kinds.find(connector, db)
    const webhooks = kind?.definition.webhooks
    if (kind === undefined || webhooks === undefined)
      throw fail('not_offered', { what: `webhooks of ${kind?.definition.title ?? 'this kind'}` })
    const owner = { organizationId: connector.organization_id, connectorId: connector.id }
    const now = parts.source.clock()
    const named = { organization_id: connector.organization_id, connector_id: connector.id, oauth_client_id: null }
    await sql.insertSource(db, { id: newSecret(parts.source.randomBytes), ...named, created_at: now })
    const own = await sql.findConnectorSource(db, owner)
    if (own !== undefined && secret !== undefined) {
      const name = webhooks.signature.secret
      const sealed = secret === null ? { sealed: null, master_key_id: null } : sealSourceSecret(parts, own, { name, text: secret })
      await sql.updateSource(db, own, { ...sealed, last_refused_at: null, updated_at: now })
    }
    return buildRecord(parts, db, await readAddressed(parts, db, connector))
  })
}

/** Stores what the vendor answered, for the status. */
const keepAnswers = (parts: ServiceParts, { principal, id }: RequestedId, answers: readonly Subscription[]): Promise<ConnectorWebhooks> =>
  parts.database.transaction(async (db) => {
    const connector = await requireConnector(db, principal, id, holdConnector)
    const { own } = await readAddressed(parts, db, connector)
    if (own !== undefined) await sql.updateSource(db, own, { subscriptions: JSON.stringify(answers), updated_at: parts.source.clock() })
    return buildRecord(parts, db, await readAddressed(parts, db, connector))
  })

/** Returns the address, if requests there can be verified. @throws FerruleError `validation_failed` */
function requireVerified({ address, verified_by: verifier }: ConnectorWebhooks): string {
  if (address === null) throw failSubscribing('the service does not know its public address; set FERRULE_PUBLIC_URL')
  if (verifier === 'nothing') throw failSubscribing('nothing verifies the requests of the vendor; set a secret')
  return address
}

/** Builds the service. @param connectors opens connectors, and hears what the vendor says of their credentials */
export function createConnectorWebhooks(parts: Parts, connectors: EventConnectors): ConnectorWebhookService {
  const read = connectionQuery(parts.database.db)
  return {
    get: async (principal, given) => {
      requireScope(principal, 'connectors:read')
      const id = asId(given)
      const connector = id === undefined ? undefined : await read(principal, id)
      if (connector === undefined) throw fail('connector_not_found', {})
      const status = await buildRecord(parts, parts.database.db, await readAddressed(parts, parts.database.db, connector))
      return principal.scopes.has('connectors:write') ? status : { ...status, offered_secret: null }
    },
    set: async (principal, id, given) => {
      requireScope(principal, 'connectors:write')
      const body = readBody(connectorWebhooksInput, given ?? {})
      const status = await set(parts, { principal, id }, body.secret)
      if (body.subscribe !== true) return status
      const address = requireVerified(status)
      const access = await connectors.readAccess(principal, id)
      const { wanted } = await findSyncedConnector(parts, principal, id)
      const services = { connectors, engine: parts.engine, onBackgroundError: parts.onBackgroundError }
      const answers = await subscribe(services, access, { address, entities: wanted })
      return keepAnswers(parts, { principal, id }, answers)
    },
    remove: async (principal, id) => {
      requireScope(principal, 'connectors:write')
      return parts.database.transaction(async (db) => {
        const connector = await requireConnector(db, principal, id, holdConnector)
        const addressed = await readAddressed(parts, db, connector)
        if (addressed.own !== undefined) await sql.deleteSource(db, addressed.own)
        return buildRecord(parts, db, { ...addressed, own: undefined, offered: undefined })
      })
    },
  }
}
