/**
 * Requests that the vendor knows by an id: sent again after a failure, they are not carried out twice.
 * `submission-writes.ts` has the writes, which take more care.
 */
import { hash } from 'node:crypto'
import { v4, v5 } from 'uuid'
import type { Submission } from '../definition/entity.ts'
import { isObject } from '../definition/object.ts'
import { fail } from '../errors.ts'
import { claimKey } from './claims.ts'
import { writeJson } from './json.ts'
import { exchangeEnded, resultOf } from './polling.ts'
import { buildRequest, type WireRequest } from './request.ts'
import { submitWrite } from './submission-writes.ts'
import { isWrite, pauseOrThrow, type Reply, type Running } from './transport.ts'

/** Namespace of ids that are made of an Idempotency-Key (RFC 9562 section 5.5). */
const keyNamespace = '5d2c7b7e-7a0f-4b07-9a53-4ce09f0f6a3d'

/** The same value with its keys in order, so that the same request has the same text. */
const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, inner]) => [key, ordered(inner)]),
  )
}

/** Seconds that the vendor works on a request at most; 0 where that is not known. */
const limitOf = ({ operation, params }: Running, { within }: Submission): number =>
  Number(params[within] ?? operation.operation.defaults?.[within] ?? 0)

/** What a request is, whatever its id. */
function fingerprintOf(running: Running, submits: Submission): string {
  const { operation, params } = running
  const { [submits.id]: _id, [submits.again]: _again, ...what } = params
  const limited = { ...what, [submits.within]: limitOf(running, submits) }
  return hash('sha256', writeJson(ordered([operation.entityName, operation.action, limited])), 'base64url')
}

/**
 * The id of a submission: the caller's, one made of the Idempotency-Key of a write, or a new one. It is sent as it is compared here:
 * a vendor for which capitals make another id would carry out a repetition a second time.
 * @throws FerruleError `invalid_parameter` when both are given
 */
function idOf(running: Running, submits: Submission, fingerprint: string): string {
  const { params, idempotencyKey } = running
  const given = params[submits.id]
  if (idempotencyKey === undefined || !isWrite(running)) return typeof given === 'string' ? claimKey(given) : v4()
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
 * @throws FerruleError `outcome_unknown` for a write that may have been carried out, `request_id_conflict`, and of the vendor; errors
 *   of writes carry the id
 */
export async function submit(running: Running, submits: Submission): Promise<Reply & { readonly ready?: boolean }> {
  const { operation, params, runtime } = running
  const fingerprint = fingerprintOf(running, submits)
  const id = idOf(running, submits, fingerprint)
  const wire = buildRequest(operation, { ...params, [submits.id]: id, [submits.again]: undefined }, runtime.wall())
  const again: WireRequest = { ...wire, path: `${wire.path}&${submits.again}=true` }
  const reply = await (isWrite(running)
    ? submitWrite({ running, submits, id, fingerprint, seconds: limitOf(running, submits), wire, again })
    : submitRead(running, wire, again))
  if (reply.is === 'answer' && isObject(reply.body)) reply.body[submits.id] ??= id
  return reply
}

async function submitRead(running: Running, wire: WireRequest, again: WireRequest): Promise<Reply> {
  let next = wire
  const failed = async (error: unknown, failures: number): Promise<void> => {
    await pauseOrThrow(running, error, failures)
    next = again // the vendor gives the result that it has, so that the work is not paid twice
  }
  return resultOf(running, await exchangeEnded(running, { wire: () => next, failed }))
}
