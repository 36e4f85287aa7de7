/** `events` and `webhooks listen`: events of the organization, by polling. */
import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { Events } from '../../client/resources/webhooks.ts'
import { formatWebhookSecret, signWebhook } from '../../client/webhook-signature.ts'
import { FerruleError } from '../../errors.ts'
import type { EventQuery, PlatformEvent } from '../../wire/events.ts'
import { type CommandContext, readFlag, readText } from '../context.ts'
import { addHint, failUsage, Interrupted, readCause } from '../failure.ts'
import { callOptions, openSession } from '../session.ts'
import { readEventTypes } from './webhooks.ts'

/** Wait between two questions for events, in milliseconds. */
const pollMs = 2_000
/** Time for an answer of the local program, in milliseconds: that of the service. */
const answerMs = 20_000

/** Where a reader stands. */
interface Standing {
  /** Event after which it continues; undefined: from the oldest. */
  after: string | undefined
}

/** What is read. */
interface Reading {
  readonly events: Events
  readonly query: Pick<EventQuery, 'type'>
  /** True: it waits for more events at the end. */
  readonly isEndless: boolean
}

/** Yields events page by page. `standing` moves on when the page was taken. */
async function* walkEvents({ events, query, isEndless }: Reading, standing: Standing, context: CommandContext) {
  for (;;) {
    const from = standing.after === undefined ? {} : { after: standing.after }
    const { data, after, has_more } = await events.list({ ...query, ...from, limit: 100 }, callOptions(context))
    yield data
    standing.after = after ?? undefined
    if (has_more) continue
    if (!isEndless) return
    await wait(pollMs, undefined, { signal: context.signal })
  }
}

/** Prints events; with `--follow` until a signal comes. */
export async function printEvents(context: CommandContext): Promise<void> {
  const { options, output, signal } = context
  const given = readText(options, 'type')
  const { listedEventTypes } = await import('../../wire/events.ts')
  const [type] = readEventTypes(given === undefined ? [] : [given], listedEventTypes)
  const standing: Standing = { after: readText(options, 'after') }
  const isEndless = readFlag(options, 'follow')
  const reading = { events: new Events(await openSession(context)), query: type === undefined ? {} : { type }, isEndless }
  const batches = walkEvents(reading, standing, context)
  const columns = 'timestamp,type,data.connector_id,id'
  if (!isEndless) return output.list(batches, columns)
  try {
    await output.rows(batches, columns)
  } catch (thrown) {
    if (standing.after === undefined) throw thrown
    const sentence = `Continue with: --after ${standing.after}`
    if (signal.reason instanceof Interrupted) signal.reason.hint = sentence
    throw thrown instanceof FerruleError ? addHint(thrown, sentence) : thrown
  }
}

/** Reads the address of a local program. */
function readTarget({ options }: CommandContext): string {
  const given = readText(options, 'forwardTo')
  const url = given === undefined ? null : URL.parse(given)
  if (url !== null && ['http:', 'https:'].includes(url.protocol)) return url.href
  const message = given === undefined ? 'The address of your program is missing.' : `${given} is no address of a program.`
  throw failUsage(message, 'Write --forward-to with an address such as http://localhost:3000/hook.')
}

/** Sends an event to the local program once. A program that is down is a row too. */
async function forward(event: PlatformEvent, { url, secret }: { readonly url: string; readonly secret: string }, signal: AbortSignal) {
  const { id, type } = event
  const body = JSON.stringify(event)
  try {
    const headers = await signWebhook({ id, body }, [secret], Date.now())
    const limit = AbortSignal.any([signal, AbortSignal.timeout(answerMs)])
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: limit })
    await answer.body?.cancel()
    return { id, type, status: answer.status, error: null }
  } catch (thrown) {
    signal.throwIfAborted()
    return { id, type, status: null, error: readCause(thrown) }
  }
}

/** Sends events from now on to a local program, until a signal comes. */
export async function listen(context: CommandContext): Promise<void> {
  const { options, output, note, signal } = context
  if (readFlag(options, 'quiet')) throw failUsage('--quiet would hide the secret.', 'Leave --quiet out.')
  const target = { url: readTarget(context), secret: formatWebhookSecret(randomBytes(32)) }
  const events = new Events(await openSession(context))
  const standing: Standing = { after: undefined }
  for await (const _ of walkEvents({ events, query: {}, isEndless: false }, standing, context));
  note(`Secret: ${target.secret}`)
  note(`Events from now on go to ${target.url}. Ctrl+C ends it.`)
  try {
    for await (const page of walkEvents({ events, query: {}, isEndless: true }, standing, context))
      for (const event of page) {
        const row = await forward(event, target, signal)
        await output.report([row], ({ id, type, status, error }) => [`${type} ${id}: ${status ?? error}`])
      }
  } catch (thrown) {
    if (!(signal.reason instanceof Interrupted)) throw thrown
  }
}
