/** Runs one operation against a vendor, step by step. Read this file first. */
import { asksForDescribed, isWriting } from '../../definition/entity.ts'
import { isObject } from '../../definition/object.ts'
import { type ErrorDetails, FerruleError, fail } from '../../errors.ts'
import type { Connection } from '../connection.ts'
import {
  type AccountIdentity,
  type ConsentAccount,
  listConsentAccounts,
  type RunOperation,
  readAccount,
  readCheckedAccount,
  revokeConsent,
} from '../consent/accounts.ts'
import { type ConsentCode, exchangeConsent } from '../consent/exchange.ts'
import { readDiscovered } from '../credentials/auth.ts'
import type { BareConnection } from '../credentials/exchange.ts'
import type { CredentialValues, Secret } from '../credentials/source.ts'
import { clocks, Deadline, defaultDeadlineMs } from '../http/deadline.ts'
import { Http, type HttpSender } from '../http/http.ts'
import { explainAddress } from '../http/origin.ts'
import type { Proxies } from '../http/proxies.ts'
import { getAt, parsePath } from '../json/paths.ts'
import { RawJson, RawRows } from '../json/raw-rows.ts'
import { MemoryLimiter } from '../limits/in-memory.ts'
import type { Limiter } from '../limits/limits.ts'
import type { OwnGate } from '../limits/own-rates.ts'
import { DeclaredResults, findUndeclared, isAsDeclared, type Undeclared } from '../results/parts.ts'
import { awaitResult, type Result } from '../results/polling.ts'
import { sendWrite } from '../writes/plain.ts'
import { submit } from '../writes/submission.ts'
import { failInvalidAnswer, readDigest, readTaken, type Success, type WireAnswer } from './answer.ts'
import { type Apart, readAnswerApart } from './apart-answer.ts'
import type { ApartValue } from './apart-job.ts'
import { Descriptions, runDescribed } from './described.ts'
import { download } from './download.ts'
import {
  buildHiddenCount,
  describeUnclear,
  failHidden,
  findFilter,
  isHidden,
  type LookedUp,
  listIdsToLookUp,
  showsHidden,
} from './hidden.ts'
import { lookUp } from './lookup.ts'
import { explainEnd, type NextSource, readCursor, readNextMeta } from './next-pages.ts'
import { admitParams, type CompiledOperation, fillParams, findDivisible, findOperation, type Params } from './operation.ts'
import type { Call, Outcome } from './outcome.ts'
import {
  buildEmptyMeta,
  buildPage,
  canBeSame,
  describeDoubt,
  findNextPages,
  findPageDefinition,
  findRecord,
  isInParts,
  type ListMeta,
  nameRows,
  type Page,
  readMeta,
  shapeRecord,
  shapeRow,
} from './page-records.ts'
import { readDivided } from './refused-values.ts'
import { buildRequest, followPosition } from './request.ts'
import {
  buildApartCall,
  buildAuthContext,
  type Calling,
  exchange,
  exchangeBeside,
  exchangeOnce,
  isWrite,
  pauseOrThrow,
  type Reply,
  type Running,
  type Runtime,
  takeMemory,
} from './transport.ts'
import { describeUnreadSign } from './unread-signs.ts'
import { sendToVendor, type VendorCall, type VendorReply } from './vendor-request.ts'
import { fetchGrantedScopes } from './vendor-scopes.ts'

const fetchLookedUp = async (running: Running, ids: readonly string[]): Promise<LookedUp> =>
  ids.length === 0 ? new Map() : lookUp(running, ids)

/** Makes a page of a worker's result. A body that needs a lookup is parsed again with the looked-up records. */
async function readPageApart(running: Running, value: ApartValue, answer: WireAnswer): Promise<Page> {
  if (value.is === 'rows') {
    const { bytes, count, ...page } = value
    return { ...page, data: new RawRows(Buffer.from(bytes.buffer), count) }
  }
  const call = buildApartCall({ ...running, take: 'page' })
  if (value.is !== 'ids' || call === undefined) throw failInvalidAnswer(running.operation, 'there are no rows in it')
  const found = await lookUp(running, value.ids)
  const completed = await readAnswerApart({ ...call, found }, { ...answer, bytes: Buffer.from(value.bytes.buffer) })
  const next = readTaken(running.operation, completed)
  if (next?.is !== 'rows') throw failInvalidAnswer(running.operation, 'there are no rows in it')
  return readPageApart(running, next, completed)
}

/** Reads the records of a page. @throws FerruleError `upstream_answer_invalid`, and errors of the lookup: nothing is shown then */
async function readPage(running: Running, { answer, body, text }: Omit<Success, 'is' | 'warnings'>): Promise<Page> {
  const { operation, params, connection } = running
  const value = readTaken(operation, answer)
  if (value !== undefined) return readPageApart(running, value, answer)
  const options = {
    operation,
    params,
    showsHidden: showsHidden(connection, operation),
    filter: findFilter(connection, operation, running.unfiltered),
  }
  const named = nameRows(options, body)
  const { isSame, ...page } = buildPage(options, named, await fetchLookedUp(running, listIdsToLookUp(options, named.rows)))
  if (isSame && text !== undefined) return { ...page, text }
  text?.release()
  return page
}

/** Options of an engine. The defaults use the machine's clocks and randomness; tests replace them. */
export interface EngineOptions {
  /** Milliseconds since 1970 for stored timestamps; by default the machine's steady clock. */
  readonly clock?: () => number
  /** Milliseconds since 1970 as vendors know them; by default `clock`, else the machine's. */
  readonly wall?: () => number
  /** Milliseconds of a clock that never steps, for waits and windows. */
  readonly steady?: () => number
  /** A number from 0 (inclusive) to 1 (exclusive). */
  readonly random?: () => number
  /** True (default): calls wait in advance for the vendor's rate limit. */
  readonly limits?: boolean
  /** Keeps the vendors' budgets; by default the memory of this process. */
  readonly limiter?: Limiter
  /** The caller's own rates, beside the vendor's. */
  readonly ownRates?: OwnGate
  /** The error for actions of the copy, which no vendor answers. */
  readonly searchRefusal?: 'unsupported_in_local_mode' | 'context_store_unavailable'
  /** Parses large bodies outside the event loop. Without it the event loop parses all bodies. */
  readonly apart?: Apart
  /** Forward proxies; by default those of the environment (HTTP_PROXY, HTTPS_PROXY, NO_PROXY). */
  readonly proxies?: Secret<Proxies>
  /** Sends all requests instead of the machine's own connections, for replays. The engine closes it. */
  readonly http?: HttpSender
}

/** Options of a check. */
export type CheckOptions = Pick<Call, 'signal' | 'deadlineMs' | 'memory'>

/** Longest reading of an account after a check, in milliseconds. */
const identityMs = 10_000

/** Runs operations. Knows no vendor: a definition arrives as a value. */
export interface Engine {
  /** Runs one operation. @throws FerruleError of the error table; the reason of `call.signal` if it aborts */
  run(connection: Connection, call: Call): Promise<Outcome>
  /** Proves the credentials of a connection with one cheap call. @throws FerruleError `upstream_auth_failed` and others, as `run` */
  check(connection: Connection, options?: CheckOptions): Promise<void>
  /**
   * Fetches the scopes that the vendor granted to the credentials.
   * @returns undefined if the kind has no endpoint for scopes
   * @throws FerruleError of the vendor
   */
  scopes(connection: Connection, options?: CheckOptions): Promise<ReadonlySet<string> | undefined>
  /**
   * Exchanges the code of a consent for credentials, with one request that is never repeated.
   * @param connection the kind with its configuration and origins; there are no credentials yet
   * @returns the credentials, with the values of the OAuth client
   * @throws FerruleError `upstream_auth_failed` for a refusal; `consent_unclear` if nobody knows whether the vendor spent the code
   */
  exchangeConsent(connection: BareConnection, consented: ConsentCode): Promise<Secret<CredentialValues>>
  /**
   * Lists the accounts that the owner of a consent can choose from.
   * @returns undefined if the credentials do not come from a consent with accounts
   * @throws FerruleError of the vendor
   */
  listConsentAccounts(connection: Connection, options?: CheckOptions): Promise<readonly ConsentAccount[] | undefined>
  /**
   * Ends the token of a consent at the vendor. Does nothing if the vendor cannot, or ended the token before.
   * @throws FerruleError of the vendor
   */
  revokeConsent(connection: Connection, options?: CheckOptions): Promise<void>
  /**
   * Reads which account the credentials reach, for `isSameAccount`.
   * @throws FerruleError of a vendor that refuses the credentials or does not answer
   */
  readAccount(connection: Connection, options?: CheckOptions): Promise<AccountIdentity>
  /**
   * Proves the credentials as `check` does, and reads which account they reach: from the check's own answer where it names the account,
   * else with one more request of at most 10 seconds.
   * @returns undefined if nothing proves the account; a failed reading is no failed check
   * @throws FerruleError as `check`
   */
  checkAccount(connection: Connection, options?: CheckOptions): Promise<AccountIdentity | undefined>
  /** Sends a request that no operation describes, below the address of the kind's API. @throws FerruleError as `sendToVendor` */
  request(connection: Connection, call: VendorCall): Promise<VendorReply>
  /** Closes all sockets at once; running calls fail. */
  close(): Promise<void>
}

/** Reads the meta of a list. @throws FerruleError `upstream_answer_invalid` */
function readListMeta(
  { connection, operation }: Running,
  { given, made, ...source }: NextSource & { readonly made: Page['made'] },
): ListMeta {
  const page = findNextPages(operation)
  return page === undefined
    ? readMeta(operation, { ...source, params: given, made })
    : readNextMeta(connection, operation, page, { ...source, given })
}

/** Asks for a page. @throws FerruleError of the vendor */
async function askForPage(running: Running, given: Params): Promise<Reply> {
  const { operation, params, runtime } = running
  try {
    return await exchange({ ...running, take: 'page' }, buildRequest(operation, params, runtime.wall()))
  } catch (thrown) {
    throw explainEnd({ ...running, given }, thrown)
  }
}

async function runList(running: Running, given: Params): Promise<Outcome> {
  const { operation } = running
  const reply = await askForPage(running, given)
  if (reply.is === 'empty') return { type: 'list', data: [], meta: { ...buildEmptyMeta(operation), ...buildHiddenCount(running, 0) } }
  const { data, text, excluded, unclear, hidden, made, listed } = await readPage(running, reply)
  const listMeta = readListMeta(running, { ...reply, given, listed, made })
  const isEnd = listMeta.next_params === null && made === undefined
  const sign = isEnd ? describeUnreadSign(operation, { ...reply, listed, ...readWalked(running, given, listed) }) : undefined
  const own = describeDoubt(operation, reply.body, listed) ?? describeUnclear(operation, unclear) ?? sign
  const doubt = own ?? describeWarned(operation, reply.warnings)
  return {
    type: 'list',
    data,
    meta: {
      ...listMeta,
      ...buildHiddenCount(running, excluded),
      ...buildWarnings(own === undefined ? reply.warnings : [...reply.warnings, `${own}.`]),
    },
    ...(hidden.length === 0 ? {} : { hidden }),
    token: readToken(operation, reply.body),
    doubt,
    text,
    ...readDigest(operation, reply.answer),
  }
}

/** Reads how far a walk has come with a page. Cursors of other shapes are the vendor's own, and count nothing. */
function readWalked({ connection, operation }: Running, given: Params, listed = 0) {
  const page = findPageDefinition(operation)
  const start = findNextPages(operation) === undefined ? undefined : readCursor(connection, operation, given)
  const isCounted = page === undefined || 'position' in page
  return { asked: start?.position, brought: isCounted ? (start?.before ?? 0) + listed : undefined }
}

/** Reads the token of changes of a page; undefined for a list without one. */
function readToken({ entity }: CompiledOperation, body: unknown): string | number | bigint | undefined {
  const { token } = entity.sync ?? {}
  const value = token === undefined ? undefined : getAt(body, parsePath(token.read))
  return (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'bigint' ? value : undefined
}

/** Describes why a list may be incomplete: the vendor warns of it. Undefined without warnings. */
const describeWarned = ({ kind }: CompiledOperation, warnings: readonly string[]): string | undefined =>
  warnings.length === 0 ? undefined : `${kind.definition.title} warns: ${warnings.join('; ').replace(/\.$/, '')}`

/** Builds the meta field of the vendor's warnings; empty without warnings. */
const buildWarnings = (warnings: readonly string[]) => (warnings.length === 0 ? {} : { warnings })

async function runSingle(running: Running): Promise<Outcome> {
  const { operation, params, runtime } = running
  const read = (reply: Reply): Outcome => {
    if (reply.is === 'empty') throw fail('record_not_found', { reason: `${operation.entityName} has none` })
    return { type: 'record', data: readRecord(running, reply), meta: buildWarnings(reply.warnings), ...readDigest(operation, reply.answer) }
  }
  const asked = { ...running, take: 'record' } as const
  return isWrite(running) ? sendWrite(asked, read) : read(await exchange(asked, buildRequest(operation, params, runtime.wall())))
}

/** Reads the record of an answer. A write that the vendor answers with nothing has no fields. */
function readRecord({ operation, params, connection }: Running, { answer, body }: Extract<Reply, { is: 'answer' }>): unknown {
  if (operation.operation.answers === 'nothing') return {}
  const value = readTaken(operation, answer)
  if (value?.is === 'hidden') throw failHidden(operation)
  if (value?.is === 'record') return new RawJson(Buffer.from(value.bytes.buffer))
  if (isObject(body) && Object.keys(body).length === 0 && isWriting(operation.action)) return {}
  const row = findRecord(operation, body)
  if (row === undefined) throw failInvalidAnswer(operation, `there is no record at "${operation.operation.at}"`)
  if (isHidden({ operation, showsHidden: showsHidden(connection, operation) }, row)) throw failHidden(operation)
  return shapeRecord(operation, row, params)
}

/** Returns the whole answer as one record, whatever the action. At the deadline, the answer that says "not ready" is the record. */
async function runWhole(running: Running, given: Params): Promise<Outcome> {
  const { operation, params } = running
  const { submits } = operation.operation
  const reply = submits === undefined ? await readPart(running) : await submit(running, submits)
  if (reply.is === 'empty') throw fail('record_not_found', { reason: `${operation.entityName} has none` })
  const { body, ready = true } = reply
  if (!isObject(body)) throw failInvalidAnswer(operation, 'it is no object')
  const meta = readMeta(operation, { ...reply, params: given, ready })
  return { type: 'record', data: shapeRow(operation, body, params), meta: { ...meta, ...buildWarnings(reply.warnings) } }
}

const ask = (running: Running) => {
  const wire = buildRequest(running.operation, running.params, running.runtime.wall())
  return exchangeOnce(running, { wire: () => wire, failed: (error, failures) => pauseOrThrow(running, error, failures) })
}

/** Reads the first part of a result for the numbers that it declares, and nothing else of it. */
async function learnDeclared(running: Running, { first: params, settle }: Undeclared): Promise<void> {
  const held = running.memory?.held ?? 0
  const first = { ...running, params }
  const reply = await awaitResult(first, await ask(first))
  const rows = reply.is === 'answer' && isObject(reply.body) ? reply.body['data'] : undefined
  if (rows instanceof RawRows) rows.release()
  running.memory?.shrinkTo(held)
  settle()
}

/** Reads a part, and the first part too if nothing else says how many rows the part has. */
async function readPart(running: Running): Promise<Result> {
  const undeclared = findUndeclared(running)
  const held = running.memory?.held ?? 0
  const reply = await awaitResult(running, await ask(running))
  if (undeclared === undefined || reply.is === 'empty' || reply.ready === false) return reply
  await learnDeclared(running, undeclared)
  if (isAsDeclared(running, reply.body)) return reply
  running.memory?.shrinkTo(held)
  return awaitResult(running, await ask(running))
}

const runners = { list: runList, single: runSingle, whole: runWhole } as const
const chooseRunner = ({ action, operation }: CompiledOperation): keyof typeof runners => {
  if (operation.one) return 'whole'
  return action === 'list' ? 'list' : 'single'
}

async function runLive(runtime: Runtime, connection: Connection, call: Call): Promise<Outcome> {
  const operation: CompiledOperation = findOperation(connection.kind, call.entity, call.action)
  const given: Params = admitParams(operation, call.params)
  const deadlineMs = call.deadlineMs ?? defaultDeadlineMs
  const running = { runtime, connection, operation, params: followPosition(connection, operation, given) }
  if (operation.action === 'download') return { type: 'file', file: await download(running, { deadlineMs, signal: call.signal }) }
  using deadline = new Deadline(deadlineMs, connection.kind.definition.title, call.signal)
  await takeMemory({ operation, deadline, memory: call.memory })
  const params = await fillParams(connection, {
    operation,
    params: running.params,
    discovered: (field) => readDiscovered(connection, buildAuthContext({ runtime, deadline }), field),
  })
  const run = (described: CompiledOperation, own: Params): Promise<Outcome> =>
    runners[chooseRunner(operation)](
      {
        ...running,
        operation: described,
        params: own,
        deadline,
        idempotencyKey: call.idempotencyKey,
        background: call.background,
        unfiltered: call.unfiltered,
        memory: call.memory,
        digest: call.digest,
        keepsText: call.keepsText === true && canBeSame(operation),
        rawRows: isInParts(operation) ? call.rawRows : undefined,
      },
      given,
    )
  // A check and a caller must see the refusal; a sync reads the rest.
  const parameter = call.background === true ? findDivisible(operation, running.params) : undefined
  const runWhole = (described: CompiledOperation): Promise<Outcome> =>
    parameter === undefined
      ? run(described, params)
      : readDivided({ operation: described, parameter, run: (own) => run(described, own) }, params)
  if (!asksForDescribed(operation.operation, params)) return await runWhole(operation)
  const { signal, background, memory } = call
  const list = (asked: Pick<Call, 'entity' | 'params'>): Promise<Outcome> =>
    runLive(runtime, connection, { ...asked, action: 'list', signal, deadlineMs: deadline.remaining, background, memory })
  return await runDescribed({ connection, operation, params, runtime, list, memory }, runWhole)
}

/** Proves credentials by the kind's check, or by its probe if a parameter of the check cannot be filled. @returns the check's answer */
async function runCheck(runtime: Runtime, connection: Connection, options: CheckOptions): Promise<Outcome | undefined> {
  const { entity, action, params, probe } = connection.kind.definition.check
  try {
    return await runLive(runtime, connection, { ...options, entity, action, params })
  } catch (thrown) {
    const isProbed = probe !== undefined && thrown instanceof FerruleError && thrown.code === 'missing_parameter'
    if (!isProbed) throw explainAddress(connection, thrown)
    using deadline = new Deadline(options.deadlineMs ?? defaultDeadlineMs, connection.kind.definition.title, options.signal)
    await exchangeBeside({ runtime, connection, deadline }, probe)
    return undefined
  }
}

/** Actions that the copy of the service answers. */
const copyActions: readonly string[] = ['context_store_search', 'context_store_aggregate']

/** Makes the error of a search. An entity without search gets `action_not_supported` first. */
function failSearch(connection: Connection, call: Call, code: NonNullable<EngineOptions['searchRefusal']>): Error {
  const entity = connection.kind.definition.entities[call.entity]
  if (entity?.context_store_search === undefined) findOperation(connection.kind, call.entity, call.action)
  const details: ErrorDetails = { retryable: false }
  return code === 'context_store_unavailable' ? fail(code, {}, details) : fail(code, { action: call.action }, details)
}

/**
 * Makes an engine. Close it after use, because it keeps connections open.
 * @param options clocks, limits and the parser of large bodies; the defaults suit a host
 */
export function createEngine(options: EngineOptions = {}): Engine {
  const http = options.http ?? new Http(options.proxies)
  const limiter: Limiter | undefined = options.limits === false ? undefined : (options.limiter ?? new MemoryLimiter())
  const runtime: Runtime = {
    http,
    clock: options.clock ?? clocks.steady,
    wall: options.wall ?? options.clock ?? Date.now,
    steady: options.steady ?? clocks.steady,
    random: options.random ?? Math.random,
    declared: new DeclaredResults(),
    descriptions: new Descriptions(),
    limiter,
    ownRates: options.ownRates,
    apart: options.apart,
  }
  /** Runs a call beside the operations within its deadline. */
  const within = async <T>(connection: Connection, options: CheckOptions, call: (calling: Calling) => Promise<T>): Promise<T> => {
    using deadline = new Deadline(options.deadlineMs ?? defaultDeadlineMs, connection.kind.definition.title, options.signal)
    return await call({ runtime, connection, deadline })
  }
  const run: RunOperation = (connection, call) => runLive(runtime, connection, call)
  return {
    run: async (connection, call) => {
      if (!copyActions.includes(call.action)) return runLive(runtime, connection, call)
      throw failSearch(connection, call, options.searchRefusal ?? 'context_store_unavailable')
    },
    check: async (connection, given = {}) => void (await runCheck(runtime, connection, given)),
    scopes: (connection, given = {}) => within(connection, given, fetchGrantedScopes),
    exchangeConsent: (connection, consented) => exchangeConsent(runtime, connection, consented),
    listConsentAccounts: (connection, given = {}) => within(connection, given, listConsentAccounts),
    revokeConsent: (connection, given = {}) => within(connection, given, revokeConsent),
    readAccount: (connection, given = {}) => within(connection, given, (calling) => readAccount(calling, run)),
    checkAccount: async (connection, given = {}) => {
      const outcome = await runCheck(runtime, connection, given)
      const options = { ...given, deadlineMs: Math.min(identityMs, given.deadlineMs ?? identityMs) }
      return within(connection, options, (calling) => readCheckedAccount(calling, { outcome, run }))
    },
    request: (connection, { request, ...call }) => within(connection, call, (calling) => sendToVendor({ ...calling, ...call }, request)),
    close: () => http.close(),
  }
}
