/** Keeps for minutes what a write or a statement answered and an agent has not read yet: any node continues it. */
import { createHash, hkdfSync } from 'node:crypto'
import { deleteEndedAnswers, findKeptAnswer, insertKeptAnswer } from '../db/queries/kept-answers.ts'
import type { KeptAnswers } from '../model/types.ts'
import type { Parts } from '../parts.ts'
import { decrypt, encodeIdentity, encrypt, keyBytes, nonceBytes } from '../vault/cipher.ts'

/** Largest kept text, in bytes. */
const mostBytes = 4_000_000
/** Kept texts of an organization. */
const bounds = { mostAnswers: 1_000, mostBytes: 64_000_000 }

/** Only the signed handle has the id, so the database alone opens nothing. */
const deriveKey = (id: string): Uint8Array => new Uint8Array(hkdfSync('sha256', id, '', 'ferrule kept answer', keyBytes))
const digestId = (id: string): string => createHash('sha256').update(id).digest('base64url')

/** Builds the store. */
export const createKeptAnswers = ({
  database,
  source,
  onBackgroundError,
}: Pick<Parts, 'database' | 'source' | 'onBackgroundError'>): KeptAnswers => ({
  of: ({ organizationId }) => ({
    put: async (id, text, untilMs) => {
      const plain = Buffer.from(text)
      if (plain.length > mostBytes) return false
      const about = encodeIdentity('kept answer', organizationId)
      const sealed = encrypt(deriveKey(id), { plain, about, nonce: source.randomBytes(nonceBytes) })
      const row = { organization_id: organizationId, digest: digestId(id), sealed, expires_at: untilMs }
      try {
        await insertKeptAnswer(database.db, row, bounds)
        return true
      } catch (error) {
        onBackgroundError(error) // the write has happened: an error in place of its answer would let it happen again
        return false
      }
    },
    get: async (id) => {
      const sealed = await findKeptAnswer(database.db, { organization_id: organizationId, digest: digestId(id) }, source.clock())
      if (sealed === undefined) return undefined
      return decrypt(deriveKey(id), sealed, encodeIdentity('kept answer', organizationId))?.toString()
    },
  }),
  purgeExpired: (now) => deleteEndedAnswers(database.db, now),
})
