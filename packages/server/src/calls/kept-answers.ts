/** Keeps for minutes where agents continue to read, and what a write or a statement answered: any node continues it. */
import type { Parts } from '../main/parts.ts'
import type { RecordRef, Vault } from '../tenancy/vault/vault.ts'
import { digestText } from '../values/ids.ts'
import { deleteEndedAnswers, findKeptAnswer, insertKeptAnswer } from './sql/idempotency.ts'
import type { KeptAnswers } from './writes.ts'

/** Largest kept text, in bytes. */
const mostBytes = 4_000_000
/** Kept texts of an organization. */
const bounds = { mostAnswers: 4_000, mostBytes: 64_000_000 }

/** Only the handle, or a position under it, has the id. */
const locate = (organizationId: string, id: string): RecordRef => ({ type: 'kept answer', organizationId, id })

/** Builds the store. */
export const createKeptAnswers = ({
  database,
  source,
  vault,
  onBackgroundError,
}: Pick<Parts, 'database' | 'source' | 'onBackgroundError'> & {
  readonly vault: Pick<Vault, 'sealRecord' | 'openRecord'>
}): KeptAnswers => ({
  of: ({ organizationId }) => ({
    put: async (id, text, untilMs) => {
      if (Buffer.byteLength(text) > mostBytes) return false
      const sealed = vault.sealRecord(locate(organizationId, id), text)
      const row = { organization_id: organizationId, digest: digestText(id), sealed, expires_at: untilMs }
      try {
        await insertKeptAnswer(database.db, row, bounds)
        return true
      } catch (error) {
        onBackgroundError(error) // the write has happened: an error in place of its answer would let it happen again
        return false
      }
    },
    get: async (id) => {
      const sealed = await findKeptAnswer(database.db, { organization_id: organizationId, digest: digestText(id) }, source.clock())
      if (sealed === undefined) return undefined
      return vault.openRecord(locate(organizationId, id), sealed)
    },
  }),
  purgeExpired: (now) => deleteEndedAnswers(database.db, now),
})
