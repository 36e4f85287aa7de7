/** Sends writes to vendors that carry out what they get: each is sent once, unless the vendor knows a repeated one by a header. */
import { createHash, randomUUID } from 'node:crypto'
import { v4, v5 } from 'uuid'
import { FerruleError, fail } from '../../errors.ts'
import { writeJson } from '../../values/json/json.ts'
import { buildRequest, type WireRequest } from '../call/request.ts'
import { exchange, pauseOrThrow, type Reply, type Running } from '../call/transport.ts'
import { mayHaveRun } from '../http/unsent.ts'
import { sortKeys } from '../json/paths.ts'

/** Namespace of ids derived from an Idempotency-Key (RFC 9562 section 5.5). */
const keyNamespace = '0f6b8a52-51e5-4d0b-8c3f-6a2b7b1d9c44'

function failUnknownOutcome({ operation }: Running, id: string, cause: Error): FerruleError {
  const { title } = operation.kind.definition
  const hint = `Look at ${title} before you write again: the same call writes a second time if the first one was carried out.`
  const upstream = cause instanceof FerruleError ? { upstream: cause.upstream } : {}
  return fail('outcome_unknown', { vendor: title, request_id: id, reason: cause.message.replace(/\.$/, '') }, { cause, hint, ...upstream })
}

/** How long a vendor remembers a repeated write if its definition does not say it, in seconds: a day. */
const usualMemory = 24 * 60 * 60

/**
 * Takes the write for this call. The hold lasts as long as the vendor knows a repetition, so a repetition that can reach it within that time
 * is sent too.
 * @returns whether an earlier attempt may have been carried out
 */
async function claimOnce(running: Running, id: string, fingerprint: string): Promise<boolean> {
  const { connection, runtime, deadline, idempotencyKey, operation } = running
  const { once, remembers = usualMemory } = operation.operation
  if (idempotencyKey === undefined) return false
  const now = runtime.clock()
  const until = Math.ceil(now + (once === undefined ? deadline.remaining : remembers * 1_000))
  const claim = await connection.writes?.claim(id, fingerprint, { owner: randomUUID(), until, isOnly: true })
  if (claim?.repeated !== true && claim?.busyUntil === undefined) return false
  const isKnown = once !== undefined && claim.busyUntil !== undefined && claim.busyUntil >= now + deadline.remaining
  if (!isKnown) throw failUnknownOutcome(running, id, new Error('an earlier attempt of this call may have been sent'))
  return true
}

/**
 * Sends a write.
 * @param read reads the answer: one that it refuses reports no outcome either
 * @param given the request; by default that of the operation
 * @throws FerruleError `outcome_unknown` if the vendor may have carried it out and reported no outcome, and of the vendor
 */
export async function sendWrite<T>(running: Running, read: (reply: Reply) => T, given?: WireRequest): Promise<T> {
  const { operation, params, runtime, idempotencyKey } = running
  const { once } = operation.operation
  const request = given ?? buildRequest(operation, params, runtime.wall())
  const fingerprint = createHash('sha256')
    .update(writeJson([operation.entityName, operation.action, sortKeys(params)]))
    .digest('base64url')
  const id = idempotencyKey === undefined ? v4() : v5(`${idempotencyKey}\0${fingerprint}`, keyNamespace)
  const sent = once === undefined ? request : { ...request, headers: { ...request.headers, [once]: id } }
  let mayBeDone = await claimOnce(running, id, fingerprint)
  let wasSent = false
  const onSend = (): void => {
    wasSent = true
  }
  // A later attempt can be refused before the vendor looks at the key. That says nothing of the attempts before.
  const noteFailure = (error: unknown): void => {
    mayBeDone ||= wasSent && (!(error instanceof FerruleError) || mayHaveRun(error))
    wasSent = false
  }
  const failed = (error: unknown, failures: number): Promise<void> => {
    noteFailure(error)
    return pauseOrThrow(running, error, failures)
  }
  try {
    return read(await exchange({ ...running, onSend }, sent, failed))
  } catch (error) {
    noteFailure(error)
    throw mayBeDone && error instanceof Error ? failUnknownOutcome(running, id, error) : error
  }
}
