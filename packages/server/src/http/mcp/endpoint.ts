/** The MCP endpoint of the service: who may use it, and the tools that a token gets. They pass the same checks and limits as HTTP. */
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { FerruleError, FerruleError as KnownError } from 'ferrule'
import type { AgentConnector, AgentKind, AgentRequest, AgentSource, ChangesWish, RequestLimits } from 'ferrule/agents'
import { type FileAnswer, JsonText, parseJson, RawJson, RawRows } from 'ferrule/engine'
import { createMcpServer, fail, isObject, type McpMessage, type McpSdk, markUnreviewed, readProblem, toConnector } from 'ferrule/internal'
import { type ChangesPage, defaultMcpScopes, type ExecuteRequest, executeInput } from 'ferrule/wire'
import { ExecuteLimits, type Hold } from '../../calls/admission.ts'
import { answerBody } from '../../calls/cut-records.ts'
import type { Executed, ReplayedAnswer } from '../../calls/executed.ts'
import { executeOperation } from '../../calls/operations.ts'
import { describeServedKind } from '../../connectors/kinds.ts'
import { buildMcpAddress } from '../../main/settings/own-address.ts'
import { type Principal, requireScope, type Scope } from '../../values/access.ts'
import { readBody } from '../../values/read.ts'
import { version } from '../../values/version.ts'
import { requireCopies, type Services } from '../route.ts'
import { createDoor } from './doors.ts'
import { findMetadataAddress } from './metadata.ts'
import { type Arrival, type McpExchange, mountMcp } from './mount.ts'

/** Name of the error in a challenge. A request without a token gets none (RFC 6750). */
const challengeErrors: Readonly<Partial<Record<FerruleError['code'], string | undefined>>> = {
  invalid_token: 'invalid_token',
  token_expired: 'invalid_token',
  insufficient_scope: 'insufficient_scope',
}

const quote = (text: string): string => `"${text.replaceAll(/[^\x20-\x7e]|["\\]/g, "'")}"`

interface ChallengeOptions {
  /** Address of the metadata of the endpoint; undefined: the service does not know its own address. */
  readonly metadata: string | undefined
  readonly scopes: readonly Scope[]
}

/** Adds the challenge of a refusal to its answer; other errors need none. */
function addChallenge(reply: FastifyReply, thrown: unknown, { metadata, scopes }: ChallengeOptions): void {
  if (!(thrown instanceof KnownError) || (thrown.status !== 401 && thrown.code !== 'insufficient_scope')) return
  const error = challengeErrors[thrown.code]
  const parts: readonly (readonly [string, string | undefined])[] = [
    ['error', error],
    ['error_description', error === undefined ? undefined : thrown.message],
    ['scope', scopes.join(' ')],
    ['resource_metadata', metadata],
  ]
  const said = parts.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${quote(value)}`]))
  reply.header('www-authenticate', `Bearer ${said.join(', ')}`)
}

const bearer = /^bearer +(\S+) *$/i

const readHeader = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)

/** The tools, loaded with the first request, as the SDK. */
const loadTools = () => import('ferrule/agents')

/** Returns the scope that a message needs; undefined: any token will do. */
async function findScope({ method, params: { name } }: McpMessage): Promise<Scope | undefined> {
  if (method === 'resources/read') return 'execute:read'
  return method === 'tools/call' && typeof name === 'string' ? (await loadTools()).toolScopes.get(name) : undefined
}

/** Names the holder of a token: the MCP token, else the client, whose bearer tokens change every 15 minutes. */
const identify = ({ organizationId, applicationId, workspaceIds, token }: Principal): string =>
  JSON.stringify(token.id === null ? [organizationId, applicationId, workspaceIds] : [organizationId, token.id])

class Gate {
  readonly #services: Services
  readonly #rates: ExecuteLimits

  constructor(services: Services, steady: () => number) {
    this.#services = services
    this.#rates = new ExecuteLimits({ perMinute: services.settings.mcpRateLimit, atOnce: 0, clock: steady })
  }

  /** Authenticates a request and counts it. @throws FerruleError the refusal; its answer has a challenge */
  async authenticate({ request, reply }: Arrival): Promise<Principal> {
    const token = bearer.exec(request.headers.authorization ?? '')?.[1]
    try {
      const { platform, settings } = this.#services
      const organizationHeader = readHeader(request.headers['x-organization-id'])
      const principal = await platform.mcpTokens.authenticate({ bearer: token, resource: buildMcpAddress(settings), organizationHeader })
      const rate = this.#rates.count(identify(principal))
      if (rate?.exceeded) throw fail('rate_limited', { limit: rate.limit }, { retryAfterMs: rate.resetMs })
      return principal
    } catch (thrown) {
      addChallenge(reply, thrown, { metadata: this.#findMetadata(request), scopes: defaultMcpScopes })
      throw thrown
    }
  }

  /**
   * Checks the scope of a message. A call beyond the token's scopes gets a challenge, so that a client can ask its user for more.
   * @throws FerruleError `insufficient_scope`
   */
  async admit({ who, message }: McpExchange<Principal>, { request, reply }: Arrival): Promise<void> {
    const scope = await findScope(message)
    if (scope === undefined) return
    try {
      requireScope(who, scope)
    } catch (thrown) {
      addChallenge(reply, thrown, { metadata: this.#findMetadata(request), scopes: [...new Set([...defaultMcpScopes, scope])] })
      throw thrown
    }
  }

  /** Finds the address of the metadata, in the form by which the request came. */
  #findMetadata({ headers: { host }, url }: FastifyRequest): string | undefined {
    return findMetadataAddress(this.#services.settings, { host, path: /^\/mcp\/(\?|$)/.test(url) ? '/mcp/' : '/mcp' })
  }
}

async function createServer(services: Services, sdk: McpSdk, { who, message, requestId }: McpExchange<Principal>) {
  const { createTools } = await loadTools()
  const source = createServiceSource(services, { principal: who, requestId })
  const tools = await createTools(source, {
    write: who.scopes.has('execute:write'),
    // Each request has tools of its own, on any node: they read each other's handles.
    subject: identify(who),
    now: services.clock,
    kept: services.platform.keptAnswers.of(who),
  })
  const onError = (err: unknown) => services.logger.error({ request_id: requestId, err }, 'a tool failed')
  const onCall = services.metrics.tool
  return createMcpServer({ sdk, tools, source, version, findArguments: () => message.params['arguments'], onCall, onError })
}

/** Mounts the endpoint `/mcp`. Nothing of it is loaded before its first request. */
export function mountServiceMcp(app: FastifyInstance, services: Services): void {
  const gate = new Gate(services, services.steady)
  mountMcp<Principal>(app, {
    path: '/mcp',
    door: createDoor(services.settings),
    authenticate: (arrival) => gate.authenticate(arrival),
    identify,
    admit: (exchange, arrival) => gate.admit(exchange, arrival),
    createServer: (sdk, exchange) => createServer(services, sdk, exchange),
    onError: (err) => services.logger.debug({ err: err.message }, 'a message was refused'),
  })
}

/** Connectors of a page: the most that the service lists at once. */
const pageSize = 100

interface SourceCaller {
  readonly principal: Principal
  /** Id of the HTTP request, for errors that are stored with a key. */
  readonly requestId: string
}

/** Parses rows in batches, and lets other requests run between two of them. */
async function parseRows(rows: RawRows): Promise<readonly unknown[]> {
  const all: unknown[] = []
  for (const batch of rows.batches()) {
    for (const row of batch) all.push(row)
    await setImmediate()
  }
  return all
}

/** Parses what is still JSON: tools cut values and not bytes. The rows of a statement stand inside of its record. */
async function readData(data: unknown): Promise<unknown> {
  if (isObject(data) && data['data'] instanceof RawJson) return { ...data, data: await readData(data['data']) }
  if (data instanceof JsonText) return parseJson(data.text)
  if (!(data instanceof RawJson)) return data
  try {
    return data instanceof RawRows ? await parseRows(data) : data.toJSON()
  } finally {
    data.release()
  }
}

/** Opens a file as the library does. Its slot is free again when the transfer has ended. */
function toDownload(file: FileAnswer, hold: Hold) {
  hold((end) => file.body.once('close', end))
  return {
    ...{
      status: file.status,
      type: file.contentType,
      length: file.contentLength,
      range: file.contentRange,
      name: file.name,
      etag: file.etag,
    },
    stream: Readable.toWeb(file.body),
  }
}

/** Converts a stored answer of an earlier write with the same key. */
function readReplayed({ status, text }: ReplayedAnswer): unknown {
  const body = parseJson(text)
  if (status === 200) return body
  throw readProblem({ status, headers: new Headers() }, body)
}

async function toResult(outcome: Exclude<Executed, { readonly type: 'file' }> | ReplayedAnswer): Promise<unknown> {
  if (outcome.type === 'replayed') return readReplayed(outcome)
  const body = answerBody(outcome)
  return { ...body, data: await readData(body.data) }
}

/** Builds the body that the same call has over HTTP. */
const toBody = ({ entity, action, params, fields, maxAge }: AgentRequest): ExecuteRequest =>
  readBody(executeInput, {
    entity,
    action,
    params,
    ...(fields === undefined ? {} : { select_fields: [...fields] }),
    max_age: maxAge,
  })

async function execute(
  { platform, operations }: Services,
  { principal, requestId }: SourceCaller,
  { connector, given, limits }: { readonly connector: AgentConnector; readonly given: AgentRequest; readonly limits: RequestLimits },
): Promise<unknown> {
  const call = { connectorId: connector.id, request: toBody(given), idempotencyKey: given.idempotencyKey, requestId }
  return platform.admission.admit({ organizationId: principal.organizationId, ...limits }, async (bounds, hold) => {
    const outcome = await executeOperation(operations, principal, { ...call, ...bounds })
    return outcome.type === 'file' ? toDownload(outcome.file, hold) : toResult(outcome)
  })
}

async function readChanges(
  { platform, operations }: Services,
  who: Principal,
  { connector, wish, limits }: { readonly connector: AgentConnector; readonly wish: ChangesWish; readonly limits: RequestLimits },
): Promise<ChangesPage> {
  return platform.admission.admit({ organizationId: who.organizationId, ...limits }, async ({ signal }) => {
    const access = await platform.connectors.readAccess(who, connector.id)
    const page = await requireCopies(operations.changes).read(access, { ...wish, signal })
    return { ...page, data: parseJson(page.data.text) as ChangesPage['data'] } // what the feed has written
  })
}

/**
 * Makes the source of one request.
 * @param services what routes use
 * @param caller who asks
 */
function createServiceSource(services: Services, caller: SourceCaller): AgentSource {
  const { platform } = services
  const { principal } = caller
  return {
    listConnectors: async ({ workspace, cursor }) => {
      const query = {
        limit: pageSize,
        workspace_name: workspace,
        cursor,
      }
      const { data, next } = await platform.connectors.list(principal, query)
      return { connectors: data.map(toConnector), next }
    },
    getConnector: async (id) => {
      try {
        return toConnector(await platform.connectors.get(principal, id))
      } catch (thrown) {
        if (thrown instanceof FerruleError && thrown.code === 'connector_not_found') return undefined
        throw thrown
      }
    },
    readFreshness: async ({ id }) =>
      (await platform.syncs.status(principal, id)).entities.map(({ entity, state, ready_for_search, records, synced_at }) => ({
        entity,
        state,
        records,
        searchable: ready_for_search,
        syncedAt: synced_at,
      })),
    readChanges: (connector, wish, limits) => readChanges(services, principal, { connector, wish, limits }),
    searchAll: (wish, limits) =>
      platform.admission.admit({ organizationId: principal.organizationId, ...limits }, (bounds) =>
        requireCopies(services.operations.everything).search(principal, wish, bounds),
      ),
    readKind: async ({ kind, version }): Promise<AgentKind> => {
      const found = await platform.kinds.getVersion(principal.organizationId, kind, version)
      const { definition, entities } = await describeServedKind(found)
      const { connector_type: slug, name: title, description } = definition
      const read = { kind: slug, title, description, entities }
      return found.definition.foreign ? markUnreviewed(read) : read
    },
    execute: (connector, given, limits) => execute(services, caller, { connector, given, limits }),
  }
}
