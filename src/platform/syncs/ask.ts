/** How a walk asks the vendor: as every call of the connector does, behind all calls that somebody waits for. */
import type { Answered, Ask } from '../../context/sync/types.ts'
import { isObject } from '../../definition/object.ts'
import type { Engine } from '../../engine/execute.ts'
import type { BodyMemory } from '../../engine/memory.ts'
import type { Outcome } from '../../engine/outcome.ts'
import { inBatches } from '../../engine/page.ts'
import { RawJson, RawRows } from '../../engine/raw-rows.ts'
import { asFerruleError, fail } from '../../errors.ts'
import type { CallReport } from '../operations.ts'
import type { ConnectorAccess, Connectors } from '../types.ts'

/** Milliseconds until a call of a walk gives up. */
const deadlineMs = 120_000

/** What asking needs. */
export interface AskServices {
  readonly connectors: Pick<Connectors, 'markAuthError' | 'markHealthy'>
  readonly engine: Pick<Engine, 'run'>
  /** What answers are counted in while they are read. */
  readonly memory?: BodyMemory | undefined
  /** Told of every call. Must not throw. */
  readonly onCall?: ((report: CallReport) => void) | undefined
  /** Takes what went wrong beside a call. Must not throw. */
  readonly onBackgroundError: (error: unknown) => void
}

/** One attempt, as its calls see it. */
export interface AskOptions {
  readonly access: ConnectorAccess
  readonly signal: AbortSignal
  /** Told of every call that was answered. */
  readonly called: (entity: string) => void
}

async function allOf(rows: readonly unknown[] | RawRows): Promise<readonly unknown[]> {
  if (!(rows instanceof RawRows)) return rows
  const all: unknown[] = []
  for await (const batch of inBatches(rows)) for (const row of batch) all.push(row)
  return all
}

async function answeredOf(outcome: Outcome, entity: string): Promise<Answered> {
  if (outcome.type === 'file') throw fail('definition_invalid', { reason: `${entity} answers a file to a sync` })
  if (outcome.type === 'record') return { rows: [outcome.data instanceof RawJson ? outcome.data.toJSON() : outcome.data], next: null }
  const { next_params: next } = outcome.meta
  const { hidden, doubt } = outcome
  return {
    rows: await allOf(outcome.data),
    next: isObject(next) ? next : null,
    ...(hidden === undefined ? {} : { hidden }),
    ...(doubt === undefined ? {} : { doubt }),
  }
}

/** Makes what a walk asks with. Refused credentials mark the connector, and the first success clears the mark. */
export function askOf(services: AskServices, { access, signal, called }: AskOptions): Ask {
  const { connectors, engine, onCall, onBackgroundError, memory } = services
  const { kind } = access.connection.kind.definition
  let isMarked = false
  return async ({ entity, action, params }) => {
    const lease = memory?.open(access.place.organizationId)
    const report = (code: CallReport['code']) => onCall?.({ kind, entity, action, code })
    try {
      const outcome = await engine.run(access.connection, { entity, action, params, deadlineMs, background: true, signal, memory: lease })
      report('ok')
      called(entity)
      if (!isMarked) await connectors.markHealthy(access).catch(onBackgroundError)
      isMarked = true
      return await answeredOf(outcome, entity)
    } catch (thrown) {
      const error = asFerruleError(thrown)
      report(signal.aborted ? 'aborted' : error.code)
      if (error.code === 'upstream_auth_failed' && !signal.aborted)
        await connectors.markAuthError(access, error.message).catch(onBackgroundError)
      throw thrown
    } finally {
      lease?.close()
    }
  }
}
