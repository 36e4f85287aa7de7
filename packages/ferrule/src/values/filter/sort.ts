/** Parses orders written as text to the list that `context_store_search` takes: `started:desc,title`, or `started desc, title`. */
import { failValidation } from '../../errors.ts'
import { shorten } from './refusals.ts'

/** One key of an order: a field and its direction. */
export type SortEntry = Readonly<Record<string, 'asc' | 'desc'>>

const refuse = (message: string): Error =>
  failValidation([{ field: '/sort', message: `${message}: write field:asc or field:desc, such as started:desc,title`, error_code: 'enum' }])

function parseEntry(text: string): SortEntry {
  const [field = '', ...rest] = text.trim().split(/[\s:]+/)
  if (field === '') throw refuse('has an empty field')
  if (rest.length === 0) return { [field]: 'asc' }
  const direction = rest.join(' ').toLowerCase()
  if (direction === 'asc' || direction === 'desc') return { [field]: direction }
  throw refuse(`must say asc or desc after ${shorten(field)}, not "${shorten(rest.join(' '))}"`)
}

/**
 * Parses an order. A field without a direction ascends.
 * @throws FerruleError `validation_failed` for an empty field, and for a direction that is neither asc nor desc
 */
export const parseSort = (text: string): readonly SortEntry[] => text.split(',').map(parseEntry)
