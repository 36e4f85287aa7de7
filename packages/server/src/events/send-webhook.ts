/** Signs events as Standard Webhooks 1.0.0 and sends them. */
import { asFerruleError, clocks, type Http, parseRetryAfter, signWebhook } from 'ferrule/internal'
import { eventVersion } from 'ferrule/wire'
import { iso } from '../values/ids.ts'
import type { EventRow } from './sql/events.ts'

/** Time for one attempt, in milliseconds: the standard recommends 15 to 30 seconds. */
export const usualAttemptMs = 20_000
/** Bytes of an answer that are kept. */
const keptBytes = 1_024

type StoredEvent = Pick<EventRow, 'id' | 'type' | 'data' | 'created_at'>

/** Writes the body of an event: JSON with the members of `PlatformEvent`. */
export const writeEvent = ({ id, type, data, created_at }: StoredEvent): string =>
  JSON.stringify({ id, type, timestamp: iso(created_at), api_version: eventVersion, data: JSON.parse(data) })

/** What is sent. */
export interface SignedEvent {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Writes the body of an event and signs it.
 * @param secrets each of them signs; the newest first
 * @param now time of the attempt, in milliseconds since 1970
 */
export async function signEvent(event: StoredEvent, secrets: readonly string[], now: number): Promise<SignedEvent> {
  const body = writeEvent(event)
  return { headers: await signWebhook({ id: event.id, body }, secrets, now), body }
}

/** What became of one attempt. */
export interface Attempt {
  /** HTTP status; null without an answer. */
  readonly status: number | null
  /** Why there was no answer; null if there was one. */
  readonly error: string | null
  /** First kilobyte of the answer. */
  readonly answer: string | null
  readonly milliseconds: number
  /** Wait that the endpoint asks for, in milliseconds; a day at most. */
  readonly retryAfterMs: number | undefined
}

/** Reads the first kilobyte of a body and leaves the rest. */
async function readStart(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= keptBytes) break
  }
  return Buffer.concat(chunks).subarray(0, keptBytes).toString('utf8').replaceAll('\u0000', '')
}

/** Where an event goes. */
export interface Destination {
  readonly url: string
  /** True: the operator named the host, so it may be inside the network. */
  readonly isNamed: boolean
  /** Time for the attempt, in milliseconds. */
  readonly attemptMs: number
}

/** Sends an event once. Redirects are not followed. Never throws: a failure is an attempt without a status. */
export async function sendEvent(
  http: Pick<Http, 'open'>,
  { url, isNamed, attemptMs }: Destination,
  { headers, body, now }: SignedEvent & { readonly now: number },
): Promise<Attempt> {
  const begun = clocks.steady()
  const ended = () => Math.round(clocks.steady() - begun)
  try {
    const answer = await http.open({
      url: new URL(url),
      trust: isNamed ? 'config' : 'answer',
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(attemptMs),
      vendor: 'the endpoint',
    })
    const start = await readStart(answer.body).catch(() => null)
    answer.body.destroy()
    const retryAfterMs = parseRetryAfter(answer.headers, now)
    return { status: answer.status, error: null, answer: start, milliseconds: ended(), retryAfterMs }
  } catch (thrown) {
    return { status: null, error: explain(thrown, attemptMs), answer: null, milliseconds: ended(), retryAfterMs: undefined }
  }
}

/** Says why there was no answer, without what the endpoint sent. */
function explain(thrown: unknown, attemptMs: number): string {
  if (thrown instanceof Error && thrown.name === 'TimeoutError') return `no answer within ${attemptMs / 1_000} seconds`
  const { code, message } = asFerruleError(thrown)
  return code === 'upstream_answer_invalid' ? 'the address is not a public https address' : message
}
