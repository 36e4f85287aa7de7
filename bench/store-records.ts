/** Calls as a vendor describes them, for benchmarks of the context store: 20 fields, titles of six words out of 4,000. */
import { createHash } from 'node:crypto'
import { gong } from '../packages/ferrule/src/connectors/gong/index.ts'
import { buildSearchTable } from '../packages/server/src/copies/search/columns.ts'
import { buildPrimaryKey } from '../packages/server/src/copies/search/keys.ts'
import type { StoredRecord } from '../packages/server/src/copies/store/row-encoder.ts'

/** Where they are written to. */
export const kind = gong.definition
/** Their table. */
export const table = buildSearchTable('gong', 'calls', kind.entities.calls)

const letters = 'ghijklmnop'
const vocabulary = Array.from({ length: 4_000 }, (_, index) =>
  createHash('sha256')
    .update(String(index))
    .digest('hex')
    .replace(/\d/g, (digit) => letters[Number(digit)] ?? '')
    .slice(0, 4 + (index % 6)),
)

/** A word; small numbers come often. */
const word = (seed: number): string => {
  const share = Math.abs(Math.sin(seed * 12.9898)) ** 2
  return vocabulary[Math.floor(share * vocabulary.length) % vocabulary.length] ?? ''
}

const titleOf = (index: number): string => [1, 2, 3, 5, 7, 11].map((factor) => word(index * factor + factor)).join(' ')
const momentOf = (index: number): string => new Date(1_700_000_000_000 + index * 61_000).toISOString()

/** The searchable fields of a call. */
export const callOf = (index: number): Readonly<Record<string, unknown>> => ({
  id: String(7_000_000_000_000_000_000n + BigInt(index) * 7_919n),
  title: titleOf(index),
  scheduled: momentOf(index - 1),
  started: momentOf(index),
  duration: index % 3_600,
  primaryUserId: String(1_000_000 + (index % 500)),
  direction: index % 2 === 0 ? 'Inbound' : 'Outbound',
  system: 'Zoom',
  scope: 'External',
  media: 'Video',
  language: 'eng',
  url: `https://app.example.com/call?id=${index}`,
  workspaceId: '623457276584334',
  sdrDisposition: 'Got the gatekeeper',
  clientUniqueId: `7JEHFRGXDDZFEW2FC4U${index}`,
  customData: 'Conference call',
  purpose: 'Demo call',
  meetingUrl: `https://example.zoom.us/j/${index}`,
  isPrivate: index % 7 === 0,
  calendarEventId: `abcde${index}@example.com`,
})

/** Calls of a range, as a sync gives them to the store. */
export const recordsOf = (from: number, count: number): StoredRecord[] =>
  Array.from({ length: count }, (_, offset) => {
    const fields = callOf(from + offset)
    return { key: buildPrimaryKey(table.key, fields) ?? '', fields }
  })
