/** Records that complete the rows of a list: a second call of the vendor, before anything is shown. */
import { FerruleError, fail } from '../errors.ts'
import { invalidAnswer, rowsOf, type WireAnswer } from './answer.ts'
import { takenFrom } from './apart-answer.ts'
import type { Found } from './hidden.ts'
import { metaOf } from './meta.ts'
import { type CompiledOperation, lookupOf } from './operation.ts'
import { inBatches } from './page.ts'
import { getAt, parsePath, setAt } from './paths.ts'
import { RawRows } from './raw-rows.ts'
import { buildRequest } from './request.ts'
import { exchange, type Running } from './transport.ts'

/** Pages that a lookup may have: one per batch in practice; a vendor that splits a batch is followed this far. */
const maxLookupPages = 10

/**
 * The records of some ids by the lookup of an operation. Ids that the vendor does not know are not in it.
 * @throws what a lookup meets; nothing is shown then
 */
export async function lookUp(running: Running, ids: readonly string[]): Promise<Found> {
  const name = running.operation.operation.join?.lookup ?? ''
  const { lookup, operation } = lookupOf(running.operation.kind, name)
  const key = parsePath(lookup.key)
  const found = new Map<string, unknown>()
  for (let start = 0; start < ids.length; start += lookup.batch) {
    const params: Record<string, unknown> = {}
    setAt(params, parsePath(lookup.ids), ids.slice(start, start + lookup.batch))
    for (const row of await lookUpBatch({ ...running, operation, params })) found.set(String(getAt(row, key)), row)
  }
  return found
}

/** The caller of a list sent no cursor to its lookup: one that the vendor refuses is its own. */
function ofLookup({ operation }: Running, thrown: unknown): unknown {
  if (!(thrown instanceof FerruleError) || thrown.code !== 'invalid_cursor') return thrown
  const details = thrown.upstream === undefined ? {} : { upstream: thrown.upstream }
  return invalidAnswer(operation, 'it refused a cursor that it had just given', details)
}

function rowsIn(operation: CompiledOperation, { answer, body }: { readonly answer: WireAnswer; readonly body: unknown }) {
  const value = takenFrom(operation, answer)
  return value?.is === 'rows' ? new RawRows(Buffer.from(value.bytes.buffer)) : rowsOf(operation, body)
}

async function lookUpBatch(running: Running): Promise<unknown[]> {
  const rows: unknown[] = []
  let params = running.params
  for (let page = 0; page < maxLookupPages; page++) {
    const request = buildRequest(running.operation, params, running.runtime.wall())
    const reply = await exchange({ ...running, params, take: 'rows' }, request).catch((thrown: unknown) => {
      throw ofLookup(running, thrown)
    })
    if (reply.is === 'empty') return rows
    const before = rows.length
    for await (const batch of inBatches(rowsIn(running.operation, reply))) rows.push(...batch)
    const { next_params } = metaOf(running.operation, { ...reply, params, listed: rows.length - before })
    if (next_params === null) return rows
    params = { ...params, ...next_params }
  }
  throw fail('upstream_answer_invalid', { vendor: running.operation.kind.definition.title, reason: 'a lookup that does not end' })
}
