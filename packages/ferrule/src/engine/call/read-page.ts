/** Reads the records of a list's answer, parsed here or in a worker thread, and looks up joined records in between. */

import { RawRows } from '../json/raw-rows.ts'
import { failInvalidAnswer, type Success, type WireAnswer } from './answer.ts'
import { readAnswerApart, readTaken } from './apart-answer.ts'
import type { ApartValue } from './apart-job.ts'
import { type LookedUp, listIdsToLookUp, showsHidden } from './hidden.ts'
import { lookUp } from './lookup.ts'
import { buildPage, nameRows, type Page } from './page.ts'
import { buildApartCall, type Running } from './transport.ts'

const fetchLookedUp = async (running: Running, ids: readonly string[]): Promise<LookedUp> =>
  ids.length === 0 ? new Map() : lookUp(running, ids)

/** Makes a page of a worker's result. A body that needs a lookup is parsed again with the looked-up records. */
async function readPageApart(running: Running, value: ApartValue, answer: WireAnswer): Promise<Page> {
  if (value.is === 'rows') {
    const { bytes, count, ...page } = value
    return { ...page, data: new RawRows(Buffer.from(bytes.buffer), count) }
  }
  const call = buildApartCall({ ...running, take: 'page' })
  if (value.is !== 'ids' || call === undefined) throw failInvalidAnswer(running.operation, 'there are no rows in it')
  const found = await lookUp(running, value.ids)
  const completed = await readAnswerApart({ ...call, found }, { ...answer, bytes: Buffer.from(value.bytes.buffer) })
  const next = readTaken(running.operation, completed)
  if (next?.is !== 'rows') throw failInvalidAnswer(running.operation, 'there are no rows in it')
  return readPageApart(running, next, completed)
}

/**
 * Reads the records of a page.
 * @throws FerruleError `upstream_answer_invalid`, and errors of the lookup: nothing is shown then
 */
export async function readPage(running: Running, { answer, body, text }: Omit<Success, 'is' | 'warnings'>): Promise<Page> {
  const { operation, params, connection } = running
  const value = readTaken(operation, answer)
  if (value !== undefined) return readPageApart(running, value, answer)
  const options = { operation, params, showsHidden: showsHidden(connection, operation) }
  const named = nameRows(options, body)
  const { isSame, ...page } = buildPage(options, named, await fetchLookedUp(running, listIdsToLookUp(options, named.rows)))
  if (isSame && text !== undefined) return { ...page, text }
  text?.release()
  return page
}
