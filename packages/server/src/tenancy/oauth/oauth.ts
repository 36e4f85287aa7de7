/** Assembles the state of the authorization server. */

import { setImmediate as turn } from 'node:timers/promises'
import { isForeignKeyViolation } from '../../db/database.ts'
import type { Parts } from '../../main/parts.ts'
import { digestParts } from '../../values/secret-text.ts'
import {
  consumeOAuthRecord,
  countOAuthRecords,
  deleteEndedOAuthRecords,
  deleteOAuthRecord,
  extendOAuthRecord,
  findOAuthRecord,
  insertOAuthRecord,
  saveOAuthRecord,
} from '../sql/oauth.ts'
import type { Tokens } from '../tokens/token-types.ts'
import { createOAuthGrants } from './grants.ts'
import type { OAuth, OAuthRecordKey } from './oauth-types.ts'

/** Time for which a used code or refresh token is recognized, in milliseconds. */
const recognizedMs = 7 * 24 * 60 * 60 * 1_000
/** Maximum number of records of a type that anybody can create. */
const mostRecords = 20_000
/** Rows per statement of the garbage collection. */
const batch = 100

const digestKey = ({ type, id }: OAuthRecordKey): string => digestParts(type, id)

/** Methods of the records. */
type OAuthRecords = Pick<OAuth, 'save' | 'find' | 'consume' | 'remove' | 'extend' | 'hasRoom' | 'purgeExpired'>

/** Builds the methods of the records. */
function createOAuthRecords({ database, source, vault }: Parts): OAuthRecords {
  const { db } = database
  return {
    save: async (key, { content, lifeMs, grantId, keepsFirst = false }) => {
      const now = source.clock()
      const sealed = vault.sealRecord(key, JSON.stringify(content))
      const times = { consumed_at: null, created_at: now, expires_at: now + lifeMs }
      try {
        const row = { digest: digestKey(key), type: key.type, grant_id: grantId ?? null, sealed, ...times }
        await (keepsFirst ? insertOAuthRecord(db, row) : saveOAuthRecord(db, row))
        return true
      } catch (thrown) {
        if (isForeignKeyViolation(thrown)) return false
        throw thrown
      }
    },
    find: async (key) => {
      const now = source.clock()
      const row = await findOAuthRecord(db, digestKey(key), now)
      const text = row === undefined ? undefined : vault.openRecord(key, row.sealed)
      if (row === undefined || text === undefined) return undefined
      return { content: JSON.parse(text), usedForMs: row.consumed_at === null ? null : now - row.consumed_at }
    },
    consume: (key) => {
      const now = source.clock()
      return consumeOAuthRecord(db, digestKey(key), { now, until: now + recognizedMs })
    },
    remove: (key) => deleteOAuthRecord(db, digestKey(key)),
    extend: (key, lifeMs) => extendOAuthRecord(db, digestKey(key), source.clock() + lifeMs),
    hasRoom: async (type) => (await countOAuthRecords(db, type)) < mostRecords,
    purgeExpired: async (now) => {
      let removed = 0
      for (let last = batch; last === batch; removed += last) {
        last = await deleteEndedOAuthRecords(db, now, batch)
        await turn() // the embedded database blocks the event loop
      }
      return removed
    },
  }
}

/** Builds the service. */
export const createOAuth = (parts: Parts, tokens: Pick<Tokens, 'checkClient'>): OAuth => ({
  cookieKeys: () => parts.masterKeys.all().map(({ cookies }) => cookies.toString('base64url')),
  ...createOAuthRecords(parts),
  ...createOAuthGrants(parts, tokens),
})
