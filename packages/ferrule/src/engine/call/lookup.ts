/** Looks up the records that complete the rows of a list, by a second call before anything is shown. */
import type { Lookup } from '../../definition/connector.ts'
import { FerruleError, fail } from '../../errors.ts'
import { getAt, parsePath, setAt } from '../json/paths.ts'
import { RawRows } from '../json/raw-rows.ts'
import { failInvalidAnswer, readRows, readTaken, type WireAnswer } from './answer.ts'
import type { LookedUp } from './hidden.ts'
import { type CompiledOperation, findLookup, findOperation } from './operation.ts'
import { readBatches, readMeta } from './page-records.ts'
import { buildRequest } from './request.ts'
import { exchange, exchangeOnce, type Running } from './transport.ts'

/** Maximum number of pages per batch. Usually a batch has one page; a vendor may split it. */
const maxLookupPages = 10

/**
 * Looks up records by their ids. The result lacks ids that the vendor does not know.
 * @throws the error of the lookup; nothing is shown then
 */
export async function lookUp(running: Running, ids: readonly string[]): Promise<LookedUp> {
  const name = running.operation.operation.join?.lookup ?? ''
  const { lookup, operation } = findLookup(running.operation.kind, name)
  const key = parsePath(lookup.key)
  const found = new Map<string, unknown>()
  for (let start = 0; start < ids.length; start += lookup.batch) {
    const params: Record<string, unknown> = {}
    setAt(params, parsePath(lookup.ids), ids.slice(start, start + lookup.batch))
    for (const row of await lookUpBatch({ ...running, operation, params })) found.set(String(getAt(row, key)), row)
  }
  await lookUpSingles(running, lookup, { ids, found })
  return found
}

/** Looks up ids one by one that the batches did not know. An id that cannot be looked up stays unknown: its row is left out and counted. */
async function lookUpSingles(
  running: Running,
  { single }: Lookup,
  { ids, found }: { ids: readonly string[]; found: Map<string, unknown> },
) {
  if (single === undefined) return
  const operation = findOperation(running.operation.kind, single.entity, single.action)
  for (const id of ids.filter((each) => !found.has(each)).slice(0, single.most)) {
    try {
      const record = await lookUpSingle({ ...running, operation, params: { [single.param]: id } })
      const holder: Record<string, unknown> = {}
      setAt(holder, parsePath(single.as), record)
      if (record !== undefined) found.set(id, holder)
    } catch (thrown) {
      running.deadline.signal.throwIfAborted()
      if (!(thrown instanceof FerruleError)) throw thrown
    }
  }
}

async function lookUpSingle(running: Running): Promise<unknown> {
  const { operation, params, runtime } = running
  const wire = buildRequest(operation, params, runtime.wall())
  const failed = (error: unknown) => Promise.reject(error) // one attempt is enough for a record that may not be there
  const reply = await exchangeOnce({ ...running, take: 'nothing' }, { wire: () => wire, failed })
  return reply.is === 'answer' ? getAt(reply.body, operation.at) : undefined
}

/** Converts a refused cursor: the caller sent none to the lookup, so the vendor refused its own. */
function toLookupError({ operation }: Running, thrown: unknown): unknown {
  if (!(thrown instanceof FerruleError) || thrown.code !== 'invalid_cursor') return thrown
  const details = thrown.upstream === undefined ? {} : { upstream: thrown.upstream }
  return failInvalidAnswer(operation, 'it refused a cursor that it had just given', details)
}

function readLookupRows(operation: CompiledOperation, { answer, body }: { readonly answer: WireAnswer; readonly body: unknown }) {
  const value = readTaken(operation, answer)
  return value?.is === 'rows' ? new RawRows(Buffer.from(value.bytes.buffer)) : readRows(operation, body)
}

async function lookUpBatch(running: Running): Promise<unknown[]> {
  const rows: unknown[] = []
  let params = running.params
  for (let page = 0; page < maxLookupPages; page++) {
    const request = buildRequest(running.operation, params, running.runtime.wall())
    const reply = await exchange({ ...running, params, take: 'rows' }, request).catch((thrown: unknown) => {
      throw toLookupError(running, thrown)
    })
    if (reply.is === 'empty') return rows
    const before = rows.length
    for await (const batch of readBatches(readLookupRows(running.operation, reply))) rows.push(...batch)
    const { next_params } = readMeta(running.operation, { ...reply, params, listed: rows.length - before })
    if (next_params === null) return rows
    params = { ...params, ...next_params }
  }
  throw fail('upstream_answer_invalid', { vendor: running.operation.kind.definition.title, reason: 'a lookup that does not end' })
}
