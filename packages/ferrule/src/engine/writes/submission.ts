/**
 * Submits requests that the vendor identifies by an id and does not carry out twice. `submission-writes.ts` adds the precautions for
 * writes.
 */
import { createHash } from 'node:crypto'
import { v4, v5 } from 'uuid'
import type { Submission } from '../../definition/entity.ts'
import { isObject } from '../../definition/object.ts'
import { fail } from '../../errors.ts'
import { writeJson } from '../../values/json/json.ts'
import { buildRequest, type WireRequest } from '../call/request.ts'
import { isWrite, pauseOrThrow, type Reply, type Running } from '../call/transport.ts'
import { awaitResult, exchangeCancellable } from '../results/polling.ts'
import { normaliseRequestId } from './claims.ts'
import { submitWrite } from './submission-writes.ts'

/** Namespace of ids derived from an Idempotency-Key (RFC 9562 section 5.5). */
const keyNamespace = '5d2c7b7e-7a0f-4b07-9a53-4ce09f0f6a3d'

/** Sorts the keys of a value, so that equal requests have equal JSON. */
const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  )
}

/** Reads the vendor's time limit of a request, in seconds; 0 if unknown. */
const readTimeLimit = ({ operation, params }: Running, { within }: Submission): number =>
  Number(params[within] ?? operation.operation.defaults?.[within] ?? 0)

/** Computes a hash of the request without its id. */
function computeFingerprint(running: Running, submits: Submission): string {
  const { operation, params } = running
  const { [submits.id]: _id, [submits.again]: _again, ...what } = params
  const limited = { ...what, [submits.within]: readTimeLimit(running, submits) }
  return createHash('sha256')
    .update(writeJson(sortKeys([operation.entityName, operation.action, limited])))
    .digest('base64url')
}

/**
 * Chooses the id of a submission: the caller's, one derived from the write's Idempotency-Key, or a new one. Sends the normalised form,
 * because a vendor that distinguishes case would carry out a repetition twice.
 * @throws FerruleError `invalid_parameter` if both are given
 */
function chooseId(running: Running, submits: Submission, fingerprint: string): string {
  const { params, idempotencyKey } = running
  const given = params[submits.id]
  if (idempotencyKey === undefined || !isWrite(running)) return typeof given === 'string' ? normaliseRequestId(given) : v4()
  if (given === undefined) return v5(`${idempotencyKey}\0${fingerprint}`, keyNamespace)
  const message = 'cannot go with the header Idempotency-Key: both name the write'
  throw fail(
    'invalid_parameter',
    { reason: `/params/${submits.id} ${message}` },
    { errors: [{ field: `/params/${submits.id}`, message, error_code: 'conflict' }] },
  )
}

/**
 * Submits a request under an id and waits for its result within the deadline.
 * @throws FerruleError `outcome_unknown` for a write that may have been carried out, `request_id_conflict`, and of the vendor; errors of
 *   writes carry the id
 */
export async function submit(running: Running, submits: Submission): Promise<Reply & { readonly ready?: boolean }> {
  const { operation, params, runtime } = running
  const fingerprint = computeFingerprint(running, submits)
  const id = chooseId(running, submits, fingerprint)
  const wire = buildRequest(operation, { ...params, [submits.id]: id, [submits.again]: undefined }, runtime.wall())
  const again: WireRequest = { ...wire, path: `${wire.path}&${submits.again}=true` }
  const reply = await (isWrite(running)
    ? submitWrite({ running, submits, id, fingerprint, seconds: readTimeLimit(running, submits), wire, again })
    : submitRead(running, wire, again))
  if (reply.is === 'answer' && isObject(reply.body)) reply.body[submits.id] ??= id
  return reply
}

async function submitRead(running: Running, wire: WireRequest, again: WireRequest): Promise<Reply> {
  let next = wire
  const failed = async (error: unknown, failures: number): Promise<void> => {
    await pauseOrThrow(running, error, failures)
    next = again // the vendor returns the existing result, so the work is not paid twice
  }
  return awaitResult(running, await exchangeCancellable(running, { wire: () => next, failed }))
}
