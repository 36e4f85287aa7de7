import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Claim } from '../../packages/ferrule/src/engine/writes/claims.ts'
import { asFerruleError } from '../../packages/ferrule/src/errors.ts'
import type { Platform } from '../../packages/server/src/main/platform-types.ts'
import { type CallerOptions, type CallLine, callUnder, hasVendorId, openAt } from '../support/kill-calls.ts'
import { principalOf } from '../support/kill-writer.ts'
import { sessionsEnded } from '../support/kills.ts'
import { connectorBody, createWorld, overServer } from './world.ts'

const kills = 2
/** Longer than a lease, so that calls of killed processes count as dead in the next round. */
const roundMs = 300_000

/** Last reported step of each call before its process was killed. */
type Steps = Map<string, CallLine & { readonly key: string }>

/** @param from the step that the time to the kill is counted from */
async function callAndKill(options: CallerOptions, from: CallLine['step']): Promise<Steps> {
  const script = fileURLToPath(new URL('../support/kill-calls.ts', import.meta.url))
  const caller = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const steps: Steps = new Map()
  let isEnding = false
  for await (const text of createInterface({ input: caller.stdout })) {
    if (!text.endsWith('}')) continue // a kill can cut the last line
    const line: CallLine = JSON.parse(text)
    if (line.step !== 'ready') steps.set(line.key, line)
    if (isEnding || line.step !== from) continue
    isEnding = true
    setTimeout(() => caller.kill('SIGKILL'), 20 + randomInt(120))
  }
  if (caller.signalCode === null && caller.exitCode === null) await once(caller, 'exit')
  expect(caller.signalCode).toBe('SIGKILL')
  return steps
}

/** Repeats a call. Returns its error code, or its answer and the vendor's requests. */
async function repeat(platform: Platform, connectorId: string, key: string) {
  const claims: (boolean | undefined)[] = []
  const sent = (claim: Claim | undefined) => void claims.push(claim?.repeated)
  try {
    return { ...(await callUnder(key, { platform, connectorId, sent })), claims }
  } catch (thrown) {
    return { code: asFerruleError(thrown).code, claims }
  }
}

overServer('calls under Idempotency-Keys whose process is killed', (database) => {
  test(`are given again as they were answered, and never sent twice, ${kills} times`, async () => {
    const world = await createWorld(database, 'idempotency kills')
    const first = await openAt(world.env, 0)
    const { id: connectorId } = await first.connectors.create(principalOf(first), connectorBody())
    await first.close()
    const met: Record<string, number> = {}
    for (let round = 1; round <= kills; round += 1) {
      // The first caller ends a call, however slow the machine is.
      const from = round === 1 ? 'done' : 'ready'
      const steps = await callAndKill({ env: world.env, connectorId, clockOffset: round * 2 * roundMs }, from)
      if (world.env['DATABASE_URL'] !== undefined) await sessionsEnded(world.env['DATABASE_URL'])
      const platform = await openAt(world.env, (round * 2 + 1) * roundMs)
      for (const [key, line] of steps) {
        const told = await repeat(platform, connectorId, key)
        met[line.step] = (met[line.step] ?? 0) + 1
        if (line.step === 'done') expect(told).toEqual({ text: line.text, replayed: true, claims: [] })
        else if (hasVendorId(key)) expect([[], [true], ...(line.step === 'sent' ? [] : [[false]])]).toContainEqual(told.claims)
        else if (line.step === 'sent') expect(told).toMatchObject({ claims: [] })
        if (line.step === 'sent' && !('replayed' in told && told.replayed))
          expect([key, 'code' in told ? told.code : 'sent again']).toEqual([key, hasVendorId(key) ? 'sent again' : 'outcome_unknown'])
      }
      await platform.close()
    }
    expect(met['done']).toBeGreaterThan(0)
    await world.close()
  })
})
