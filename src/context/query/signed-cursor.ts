/** What all cursors are: a position as JSON behind its signature (HMAC SHA-256, cut to 16 bytes), as base64url. */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** Milliseconds that a cursor is valid. */
export const cursorLife = 24 * 60 * 60 * 1000
const macLength = 16

/** What a cursor is signed with. */
export interface CursorSeal {
  readonly key: Uint8Array
  /** Cursors of one purpose are none of another. */
  readonly purpose: string
}

const macOf = ({ key, purpose }: CursorSeal, payload: Uint8Array): Buffer =>
  createHmac('sha256', key).update(`ferrule ${purpose} cursor\n`).update(payload).digest().subarray(0, macLength)

/** Signs the content of a cursor. */
export function signedCursor(content: readonly unknown[], seal: CursorSeal): string {
  const payload = Buffer.from(JSON.stringify(content))
  return Buffer.concat([macOf(seal, payload), payload]).toString('base64url')
}

/** The content of a cursor that was signed so; undefined for anything else. */
export function readCursor(cursor: string, seal: CursorSeal): readonly unknown[] | undefined {
  const bytes = Buffer.from(cursor, 'base64url')
  const [mac, payload] = [bytes.subarray(0, macLength), bytes.subarray(macLength)]
  const isOurs = mac.length === macLength && timingSafeEqual(mac, macOf(seal, payload))
  return isOurs ? JSON.parse(payload.toString()) : undefined
}
