// A process that makes calls under Idempotency-Keys until it is killed. Its argument is JSON of `CallerOptions`; standard output gets
// one line of JSON (`CallLine`) for each step of a call, before the next step is made.
import { randomUUID } from 'node:crypto'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Call, Outcome } from '../../packages/ferrule/src/engine/call/outcome.ts'
import type { Connection } from '../../packages/ferrule/src/engine/connection.ts'
import type { Claim } from '../../packages/ferrule/src/engine/writes/claims.ts'
import { writeJson } from '../../packages/ferrule/src/values/json/json.ts'
import { answerBody } from '../../packages/server/src/calls/cut-records.ts'
import { executeOperation } from '../../packages/server/src/calls/operations.ts'
import { openPlatform } from '../../packages/server/src/main/platform.ts'
import type { Platform } from '../../packages/server/src/main/platform-types.ts'
import { readSettings } from '../../packages/server/src/main/settings/settings.ts'
import { stall, writable } from '../platform/kinds.ts'
import { createStubEngine } from './engines.ts'
import { principalOf } from './kill-writer.ts'

/** What the caller is told. */
export interface CallerOptions {
  readonly env: Readonly<Record<string, string>>
  readonly connectorId: string
  /** Added to the clock, so that leases of killed callers have run out. */
  readonly clockOffset: number
}
/** What the caller says: it is ready; it begins a call; the vendor got the call; the client got its answer. */
export type CallLine =
  | { readonly step: 'ready' }
  | { readonly step: 'begin' | 'sent'; readonly key: string }
  | { readonly step: 'done'; readonly key: string; readonly text: string }

/** Concurrent calls. */
const lanes = 3
const say = (line: CallLine): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

/** Opens the platform as it is after a number of killed callers. */
export const openAt = (env: CallerOptions['env'], clockOffset: number): Promise<Platform> =>
  openPlatform({
    settings: readSettings(env, { kinds: ['notes', 'market-stall'] }),
    kinds: [writable, stall],
    engine: () => createStubEngine(),
    clock: () => Date.now() + clockOffset,
  })

/** Returns whether the vendor recognizes the key's write by an id of its own. */
export const hasVendorId = (key: string): boolean => key.startsWith('known')

/** One answered call. */
export interface Answered {
  readonly text: string
  readonly replayed: boolean
}
/** Where a call is made. */
export interface Caller {
  readonly platform: Platform
  readonly connectorId: string
  /** Told when the vendor gets the call, with what the claim said where there is one. */
  readonly sent: (claim: Claim | undefined) => Promise<void> | void
}

/** Makes a call. @throws FerruleError of the service */
export async function callUnder(key: string, { platform, connectorId, sent }: Caller): Promise<Answered> {
  const run = async (connection: Connection, _call: Call): Promise<Outcome> => {
    await sent(hasVendorId(key) ? await connection.writes?.claim(key, 'the write', { owner: randomUUID(), until: 0 }) : undefined)
    return { type: 'record', data: { made: randomUUID() }, meta: {} }
  }
  const request = { entity: 'posts', action: 'create', params: { text: key } }
  const services = { platform, engine: { run, check: async () => {}, scopes: async () => undefined } }
  const outcome = await executeOperation(services, principalOf(platform), { connectorId, request, idempotencyKey: key })
  if (outcome.type === 'file') throw new Error('a write answers no file')
  return outcome.type === 'replayed' ? { text: outcome.text, replayed: true } : { text: writeJson(answerBody(outcome)), replayed: false }
}

async function run({ env, connectorId, clockOffset }: CallerOptions): Promise<void> {
  const platform = await openAt(env, clockOffset)
  say({ step: 'ready' })
  const work = Array.from({ length: lanes }, async (_, lane) => {
    for (let count = 0; ; count += 1) {
      const key = `${count % 2 === 0 ? 'known' : 'unknown'} ${lane} ${randomUUID()}`
      const sent = async () => {
        say({ step: 'sent', key })
        await yieldToEventLoop()
      }
      say({ step: 'begin', key })
      const { text } = await callUnder(key, { platform, connectorId, sent })
      say({ step: 'done', key, text })
      await yieldToEventLoop()
    }
  })
  await Promise.all(work)
}

if (import.meta.main) await run(JSON.parse(process.argv[2] ?? '{}'))
