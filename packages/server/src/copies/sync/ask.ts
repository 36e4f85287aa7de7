/** Calls the vendor for a walk, with a lower priority than calls of clients. */
import { FerruleError } from 'ferrule'
import type { Withdrawn } from 'ferrule/definition'
import { type BodyMemory, type Engine, type Outcome, RawJson, RawRows } from 'ferrule/engine'
import { asFerruleError, fail, isObject, readBatches } from 'ferrule/internal'
import { type CallServices, runMarked } from '../../connectors/run-call.ts'
import type { ConnectorAccess } from '../../values/access.ts'
import type { Answered, Ask } from './walk/types.ts'

/** Timeout of a call, in milliseconds. */
const deadlineMs = 120_000

export interface AskServices extends Omit<CallServices, 'usage'> {
  readonly engine: Pick<Engine, 'run'>
  /** Memory budget for answers. */
  readonly memory?: BodyMemory | undefined
  readonly onBackgroundError: (error: unknown) => void
}

export interface AskOptions {
  readonly access: ConnectorAccess
  readonly signal: AbortSignal
  /** Called after every successful call. */
  readonly called: (entity: string) => void
  /** Called when values of an entity are left out because the vendor has withdrawn them. */
  readonly withdrew?: (entity: string, names: readonly string[]) => void
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
    hidden,
    doubt,
  }
}

/** Builds the function that calls the vendor. Refused credentials set `auth_error`, and the first success clears it. */
export function createAsk(services: AskServices, options: AskOptions): Ask {
  return leaveOutWithdrawn(createPlainAsk(services, options), options)
}

function createPlainAsk(services: AskServices, { access, signal, called }: AskOptions): Ask {
  const { engine, memory } = services
  return async (asked) => {
    const lease = memory?.open(access.place.organizationId)
    const call = { ...asked, deadlineMs, background: true, signal, memory: lease }
    try {
      const outcome = await runMarked(services, { access, call }, () => engine.run(access.connection, call))
      called(asked.entity)
      return await readAnswer(outcome, asked.entity)
    } catch (thrown) {
      const error = signal.aborted ? thrown : asFerruleError(thrown)
      if (error !== thrown) services.onBackgroundError(thrown) // a fault of this service, which fails one list at most
      throw error
    } finally {
      lease?.close()
    }
  }
}

/** Parses a JSON array of strings; undefined for anything else. */
function parseNames(value: unknown): readonly string[] | undefined {
  if (typeof value !== 'string' || !value.startsWith('[')) return undefined
  const parsed: unknown = JSON.parse(value)
  return Array.isArray(parsed) && parsed.every((name) => typeof name === 'string') ? parsed : undefined
}

/** Finds the values of a request that its refusal says the vendor has withdrawn. */
function findWithdrawn(thrown: unknown, { matches }: Withdrawn, names: readonly string[]): readonly string[] {
  if (!(thrown instanceof FerruleError) || thrown.code !== 'upstream_invalid_request') return []
  const listed = new RegExp(matches).exec(thrown.upstream?.message ?? '')?.[1] ?? ''
  const refused = new Set([...listed.matchAll(/'([^']+)'|"([^"]+)"/g)].map(([, single, double]) => single ?? double))
  return names.filter((name) => refused.has(name))
}

/** Asks again without values that the vendor has withdrawn, and leaves them out from then on. Each answer names at least one more. */
function leaveOutWithdrawn(ask: Ask, { access, withdrew }: AskOptions): Ask {
  const { entities } = access.connection.kind.definition
  const known = new Map<string, ReadonlySet<string>>()
  const askWithout: Ask = async (call) => {
    const rule = entities[call.entity]?.sync?.withdrawn
    const names = rule === undefined ? undefined : parseNames(call.params[rule.param])
    if (rule === undefined || names === undefined) return ask(call)
    const out = known.get(call.entity) ?? new Set()
    const left = names.filter((name) => !out.has(name))
    try {
      return await ask({ ...call, params: { ...call.params, [rule.param]: JSON.stringify(left) } })
    } catch (thrown) {
      const gone = findWithdrawn(thrown, rule, left)
      if (gone.length === 0 || gone.length === left.length) throw thrown
      known.set(call.entity, new Set([...out, ...gone]))
      withdrew?.(call.entity, [...out, ...gone])
      return askWithout(call)
    }
  }
  return askWithout
}
