/** The records of a list's answer, wherever its body was read: what has to be looked up first is asked for in between. */
import { invalidAnswer, type WireAnswer } from './answer.ts'
import type { ApartValue } from './apart.ts'
import { answerApart, takenFrom } from './apart-answer.ts'
import { type Found, idsToLookUp, showsHidden } from './hidden.ts'
import { lookUp } from './lookup.ts'
import { namedRows, type Page, pageFrom } from './page.ts'
import { RawRows } from './raw-rows.ts'
import { apartCallOf, type Running } from './transport.ts'

const foundFor = async (running: Running, ids: readonly string[]): Promise<Found> => (ids.length === 0 ? new Map() : lookUp(running, ids))

/** A body that was read apart and needs a lookup is read once more, with what was found. */
async function pageApart(running: Running, value: ApartValue, answer: WireAnswer): Promise<Page> {
  if (value.is === 'rows') {
    const { bytes, count, ...page } = value
    return { ...page, data: new RawRows(Buffer.from(bytes.buffer), count) }
  }
  const call = apartCallOf({ ...running, take: 'page' })
  if (value.is !== 'ids' || call === undefined) throw invalidAnswer(running.operation, 'there are no rows in it')
  const found = await lookUp(running, value.ids)
  const completed = await answerApart({ ...call, found }, { ...answer, bytes: Buffer.from(value.bytes.buffer) })
  const next = takenFrom(running.operation, completed)
  if (next?.is !== 'rows') throw invalidAnswer(running.operation, 'there are no rows in it')
  return pageApart(running, next, completed)
}

/**
 * Reads the records of a page.
 * @throws FerruleError `upstream_answer_invalid`, and what a lookup meets: nothing is shown then
 */
export async function readPage(running: Running, { answer, body }: { readonly answer: WireAnswer; readonly body: unknown }): Promise<Page> {
  const { operation, params, connection } = running
  const value = takenFrom(operation, answer)
  if (value !== undefined) return pageApart(running, value, answer)
  const options = { operation, params, showsHidden: showsHidden(connection, operation) }
  const named = namedRows(options, body)
  return pageFrom(options, named, await foundFor(running, idsToLookUp(options, named.rows)))
}
