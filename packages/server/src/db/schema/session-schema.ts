/** Declares the table of the console's sessions. */
import type { Moment } from './column-types.ts'

/** Sessions of the console. */
export interface ConsoleSessionTable {
  /** SHA-256 of the session's id, base64url: the id is a secret. */
  digest: string
  application_id: string
  /** Mark of the client secret at the sign-in: a replaced secret ends the session. */
  secret_mark: string
  created_at: Moment
  last_used_at: Moment
}
