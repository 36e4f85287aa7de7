/** Calls the vendor for a walk, with a lower priority than calls of clients. */

import { type BodyMemory, type Engine, type Outcome, RawJson, RawRows } from 'ferrule/engine'
import { asFerruleError, describeExecute, errorConsequences, fail, inSpan, isObject, readBatches } from 'ferrule/internal'
import type { Answered, Ask } from '../../../context/sync/types.ts'
import type { ConnectorAccess } from '../../model/access.ts'
import type { CallReport } from '../../model/metrics.ts'
import type { Connectors } from '../../model/types.ts'

/** Timeout of a call, in milliseconds. */
const deadlineMs = 120_000

/** Services that the calls of a walk need. */
export interface AskServices {
  readonly connectors: Pick<Connectors, 'markAuthError' | 'markHealthy'>
  readonly engine: Pick<Engine, 'run'>
  /** Memory budget for answers. */
  readonly memory?: BodyMemory | undefined
  /** Called after every call. Must not throw. */
  readonly onCall?: ((report: CallReport) => void) | undefined
  /** Called with errors beside a call. Must not throw. */
  readonly onBackgroundError: (error: unknown) => void
}

/** Options of one attempt. */
export interface AskOptions {
  readonly access: ConnectorAccess
  readonly signal: AbortSignal
  /** Called after every successful call. */
  readonly called: (entity: string) => void
}

async function readAllRows(rows: readonly unknown[] | RawRows): Promise<readonly unknown[]> {
  if (!(rows instanceof RawRows)) return rows
  const all: unknown[] = []
  for await (const batch of readBatches(rows)) for (const row of batch) all.push(row)
  return all
}

async function readAnswer(outcome: Outcome, entity: string): Promise<Answered> {
  if (outcome.type === 'file') throw fail('definition_invalid', { reason: `${entity} answers a file to a sync` })
  if (outcome.type === 'record') return { rows: [outcome.data instanceof RawJson ? outcome.data.toJSON() : outcome.data], next: null }
  const { next_params: next } = outcome.meta
  const { hidden, doubt } = outcome
  return {
    rows: await readAllRows(outcome.data),
    next: isObject(next) ? next : null,
    ...(hidden === undefined ? {} : { hidden }),
    ...(doubt === undefined ? {} : { doubt }),
  }
}

/** Builds the function that calls the vendor. Refused credentials set `auth_error`, and the first success clears it. */
export function createAsk(services: AskServices, { access, signal, called }: AskOptions): Ask {
  const { connectors, engine, onCall, onBackgroundError, memory } = services
  const { kind } = access.connection.kind.definition
  let isMarked = false
  return async ({ entity, action, params }) => {
    const lease = memory?.open(access.place.organizationId)
    const report = (code: CallReport['code']) => onCall?.({ kind, entity, action, code })
    try {
      const outcome = await inSpan(
        () => describeExecute({ kind, entity, action }, { connectorId: access.place.connectorId, signal }),
        () => engine.run(access.connection, { entity, action, params, deadlineMs, background: true, signal, memory: lease }),
      )
      report('ok')
      called(entity)
      if (!isMarked) await connectors.markHealthy(access).catch(onBackgroundError)
      isMarked = true
      return await readAnswer(outcome, entity)
    } catch (thrown) {
      const error = asFerruleError(thrown)
      report(signal.aborted ? 'aborted' : error.code)
      if (errorConsequences[error.code].credentials === 'refused' && !signal.aborted)
        await connectors.markAuthError(access, error.message).catch(onBackgroundError)
      throw thrown
    } finally {
      lease?.close()
    }
  }
}
