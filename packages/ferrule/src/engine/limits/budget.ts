/** A call's turn in the vendor's budget: how the call gets one, and what its answer reports. */
import type { ErrorRule, Limits } from '../../definition/connector.ts'
import { type FerruleError, fail } from '../../errors.ts'
import type { KeptProof, OpenedCredentials } from '../credentials/source.ts'
import { type HttpAnswer, readHeader } from '../http/answer.ts'
import type { Deadline } from '../http/deadline.ts'
import { findVendorOrigin, type OriginSource, readConfiguration } from '../http/origin.ts'
import { type Asker, computeBudgetKey, computeCredentialDigest, type Limiter, readWindowEnd, type Turn } from './limits.ts'
import type { OwnGate } from './own-rates.ts'

/** The credentials of a call. */
type Opened = { readonly opened: OpenedCredentials }

/** The call that asks for a turn. */
interface Asking {
  readonly runtime: {
    readonly limiter?: Limiter | undefined
    readonly ownRates?: OwnGate | undefined
    readonly steady: () => number
    readonly wall: () => number
  }
  readonly connection: OriginSource & { readonly proof?: KeptProof }
  readonly deadline: Deadline
  readonly background?: boolean | undefined
  readonly operation: { readonly operation: { readonly budget?: string } }
}

const computeKey = ({ connection, operation: { operation } }: Asking, authorization: Opened): string => {
  const { kind, limits } = connection.kind.definition
  const values = authorization.opened.values.reveal()
  const shared = limits.key.map((field) => values[field] ?? connection.configuration[field]).find((value) => typeof value === 'string')
  const own = operation.budget === undefined ? [] : [operation.budget]
  return computeBudgetKey(kind, connection.origin?.api ?? '', findVendorOrigin(connection), String(shared ?? ''), ...own)
}

/** Chooses the rates by the connector's configuration. */
const chooseLimits = ({ connection, operation: { operation } }: Asking): Limits => {
  const { limits } = connection.kind.definition
  const { other } = limits
  const own = limits.budgets?.[operation.budget ?? '']
  if (own !== undefined) return { ...limits, rates: own }
  return other !== undefined && readConfiguration(connection, other.configuration) === other.is ? { ...limits, rates: other.rates } : limits
}

function buildAsker(asking: Asking, authorization: Opened): Asker {
  const { proof } = asking.connection
  const { values } = authorization.opened
  const key = computeKey(asking, authorization)
  const asker = { key, credential: computeCredentialDigest(key, values.reveal()), limits: chooseLimits(asking) }
  return proof === undefined ? asker : { ...asker, isProven: () => proof.holds(key, values) }
}

const failTooLate = ({ connection }: Asking, wait: number) =>
  fail('upstream_rate_limited', { vendor: connection.kind.definition.title }, { retryAfterMs: wait })

/**
 * Pauses within the deadline.
 * @throws FerruleError `upstream_rate_limited` if the pause exceeds the deadline
 */
async function pause(asking: Asking, wait: number): Promise<void> {
  if (wait > asking.deadline.remaining) throw failTooLate(asking, wait)
  await asking.deadline.pause(wait)
}

/** Reserves a turn. A background call reserves no turn that another call could take; it asks again. */
async function reserveTurn(asking: Asking, limiter: Limiter, asker: Asker): Promise<{ readonly turn: Turn; readonly wait: number }> {
  const { runtime, deadline, background } = asking
  for (;;) {
    const now = runtime.steady()
    const { turn, wait } = await limiter.reserve(asker, { now, latest: now + deadline.remaining, background })
    if (turn !== undefined) return { turn, wait }
    if (!background) throw failTooLate(asking, wait)
    await pause(asking, wait)
  }
}

/** The turn of one call. Does nothing if the engine ignores the vendor's limits. */
export class BudgetTurn {
  readonly #asking: Asking
  readonly #authorization: Opened
  readonly #turn: Turn | undefined

  constructor(asking: Asking, authorization: Opened, turn: Turn | undefined) {
    this.#asking = asking
    this.#authorization = authorization
    this.#turn = turn
  }

  /** Records what the answer proves about the credentials; undefined: nothing. */
  prove(taken: boolean | undefined): void {
    if (this.#turn === undefined || taken === undefined) return
    const { runtime, connection } = this.#asking
    runtime.limiter?.prove(this.#turn, taken, runtime.steady())
    connection.proof?.keep(this.#turn.asker.key, this.#authorization.opened.values, taken)
  }

  /** Records the level that the answer reports. */
  observe(answer: HttpAnswer): void {
    const { runtime, connection } = this.#asking
    const { bucket } = connection.kind.definition.limits
    const level = bucket === undefined ? undefined : readHeader(answer, bucket.header)
    if (this.#turn === undefined) return
    if (level !== undefined) runtime.limiter?.observe(this.#turn, level, runtime.steady())
    const wait = readWindowEnd(this.#turn.asker.limits, answer, runtime.wall())
    const { window } = connection.kind.definition.limits
    const isUsedUp = window?.left !== undefined && Number(readHeader(answer, window.left) ?? 1) === 0
    const now = runtime.steady()
    if (isUsedUp && wait !== undefined) runtime.limiter?.postpone(this.#turn, now + wait, now)
  }

  /** Computes the wait by a rule of the kind, in milliseconds. Only refusals for too many calls in a row add up. */
  waitBy({ is, wait }: ErrorRule): number | undefined {
    if (wait === undefined) return undefined
    const { limiter, steady } = this.#asking.runtime
    const isCounted = this.#turn !== undefined && is === 'upstream_rate_limited'
    return (isCounted ? limiter?.refuse(this.#turn, wait, steady()) : undefined) ?? wait.first * 1000
  }

  /** Records the vendor's wait from an error. */
  hold({ code, retryAfterMs }: FerruleError): void {
    if (this.#turn === undefined || code !== 'upstream_rate_limited' || retryAfterMs === undefined) return
    const { limiter, steady } = this.#asking.runtime
    const now = steady()
    limiter?.postpone(this.#turn, now + retryAfterMs, now)
  }

  /** Ends the turn. */
  giveBack(): void {
    if (this.#turn !== undefined) this.#asking.runtime.limiter?.giveBack(this.#turn)
  }
}

/**
 * Waits for the turn of a call. The caller's own rates come last, so that they count what is sent.
 * @throws FerruleError `upstream_rate_limited` if the turn comes after the deadline; the reason of a signal that ends the wait
 */
export async function takeTurn(asking: Asking, authorization: Opened): Promise<BudgetTurn> {
  const { limiter, ownRates, steady } = asking.runtime
  if (limiter === undefined) return new BudgetTurn(asking, authorization, undefined)
  const asker = buildAsker(asking, authorization)
  const { turn, wait } = await reserveTurn(asking, limiter, asker)
  try {
    await asking.deadline.pause(wait)
    for (let more = await limiter.enter(turn, steady()); more > 0; more = await limiter.enter(turn, steady())) await pause(asking, more)
    await ownRates?.pass({ key: asker.key, deadline: asking.deadline, vendor: asking.connection.kind.definition.title })
  } catch (error) {
    limiter.giveBack(turn)
    throw error
  }
  return new BudgetTurn(asking, authorization, turn)
}
