/** A call's place in the vendor's budget: how it gets one, and what the answer tells of it. */
import type { ErrorRule, Limits } from '../definition/connector.ts'
import { type FerruleError, fail } from '../errors.ts'
import { headerOf, type WireAnswer } from './answer.ts'
import type { Authorization } from './auth.ts'
import type { Connection } from './connection.ts'
import type { Deadline } from './deadline.ts'
import { type Asker, budgetKey, credentialDigest, type Limiter, type Turn } from './limits.ts'
import type { CompiledOperation } from './operation.ts'
import { configured, ownOriginOf } from './origin.ts'

/** What asks for a place. */
interface Asking {
  readonly runtime: { readonly limiter?: Limiter; readonly steady: () => number }
  readonly connection: Connection
  readonly operation: CompiledOperation
  readonly deadline: Deadline
  readonly background?: boolean | undefined
}

const keyOf = ({ connection, operation }: Asking, authorization: Authorization): string => {
  const { kind, limits } = operation.kind.definition
  const values = authorization.opened.values.reveal()
  const shared = limits.key.map((field) => values[field] ?? connection.configuration[field]).find((value) => typeof value === 'string')
  return budgetKey(kind, connection.origin?.api ?? '', ownOriginOf(connection), String(shared ?? ''))
}

/** The budget's rules, by the configuration of the connector. */
const limitsOf = ({ connection, operation }: Asking): Limits => {
  const { limits } = operation.kind.definition
  const { other } = limits
  return other !== undefined && configured(connection, other.configuration) === other.is ? { ...limits, rates: other.rates } : limits
}

function askerOf(asking: Asking, authorization: Authorization): Asker {
  const { proof } = asking.connection
  const { values } = authorization.opened
  const key = keyOf(asking, authorization)
  const asker = { key, credential: credentialDigest(key, values.reveal()), limits: limitsOf(asking) }
  return proof === undefined ? asker : { ...asker, isProven: () => proof.holds(key, values) }
}

const tooLate = ({ operation }: Asking, wait: number) =>
  fail('upstream_rate_limited', { vendor: operation.kind.definition.title }, { retryAfterMs: wait })

/** Pauses where the deadline allows it. @throws FerruleError `upstream_rate_limited` where it does not */
async function pause(asking: Asking, wait: number): Promise<void> {
  if (wait > asking.deadline.remaining) throw tooLate(asking, wait)
  await asking.deadline.pause(wait)
}

/** Reserves a turn. A call in the background reserves none that anybody else could take: it asks again. */
async function reserved(asking: Asking, limiter: Limiter, asker: Asker): Promise<{ readonly turn: Turn; readonly wait: number }> {
  const { runtime, deadline, background } = asking
  for (;;) {
    const now = runtime.steady()
    const { turn, wait } = await limiter.reserve(asker, { now, latest: now + deadline.remaining, background })
    if (turn !== undefined) return { turn, wait }
    if (!background) throw tooLate(asking, wait)
    await pause(asking, wait)
  }
}

/** The place of one call that is sent, or of one whose budget nobody watches. */
export class Place {
  readonly #asking: Asking
  readonly #authorization: Authorization
  readonly #turn: Turn | undefined

  constructor(asking: Asking, authorization: Authorization, turn: Turn | undefined) {
    this.#asking = asking
    this.#authorization = authorization
    this.#turn = turn
  }

  /** What the answer proves of the credentials; undefined: nothing. */
  prove(taken: boolean | undefined): void {
    if (this.#turn === undefined || taken === undefined) return
    const { runtime, connection } = this.#asking
    runtime.limiter?.prove(this.#turn, taken, runtime.steady())
    connection.proof?.keep(this.#turn.asker.key, this.#authorization.opened.values, taken)
  }

  /** What the answer tells of the level. */
  observe(answer: WireAnswer): void {
    const { runtime, operation } = this.#asking
    const { bucket } = operation.kind.definition.limits
    const level = bucket === undefined ? undefined : headerOf(answer, bucket.header)
    if (this.#turn !== undefined && level !== undefined) runtime.limiter?.observe(this.#turn, level, runtime.steady())
  }

  /** How long to wait by a rule of the kind, in milliseconds: refusals for too many calls in a row add up, other failures do not. */
  waitBy({ is, wait }: ErrorRule): number | undefined {
    if (wait === undefined) return undefined
    const { limiter, steady } = this.#asking.runtime
    const isCounted = this.#turn !== undefined && is === 'upstream_rate_limited'
    return (isCounted ? limiter?.refuse(this.#turn, wait, steady()) : undefined) ?? wait.first * 1000
  }

  /** The vendor's "wait", in an error. */
  hold({ code, retryAfterMs }: FerruleError): void {
    if (this.#turn === undefined || code !== 'upstream_rate_limited' || retryAfterMs === undefined) return
    const { limiter, steady } = this.#asking.runtime
    const now = steady()
    limiter?.postpone(this.#turn, now + retryAfterMs, now)
  }

  /** The call has ended. */
  giveBack(): void {
    if (this.#turn !== undefined) this.#asking.runtime.limiter?.giveBack(this.#turn)
  }
}

/**
 * Waits for the turn of a call.
 * @throws FerruleError `upstream_rate_limited` when it would come after the deadline; the reason of a signal that ends the wait
 */
export async function takePlace(asking: Asking, authorization: Authorization): Promise<Place> {
  const { limiter, steady } = asking.runtime
  if (limiter === undefined) return new Place(asking, authorization, undefined)
  const { turn, wait } = await reserved(asking, limiter, askerOf(asking, authorization))
  try {
    await asking.deadline.pause(wait)
    for (let more = await limiter.enter(turn, steady()); more > 0; more = await limiter.enter(turn, steady())) await pause(asking, more)
  } catch (error) {
    limiter.giveBack(turn)
    throw error
  }
  return new Place(asking, authorization, turn)
}
