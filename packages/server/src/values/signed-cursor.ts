/** Format of all cursors: a JSON position after its signature (HMAC SHA-256, cut to 16 bytes), as base64url. */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** Lifetime of a cursor in milliseconds. */
export const cursorLife = 24 * 60 * 60 * 1000
const macLength = 16

/** Key and purpose of a signature. */
export interface CursorSeal {
  readonly key: Uint8Array
  /** Separates uses of one key: a cursor is valid for its purpose only. */
  readonly purpose: string
}

const computeMac = ({ key, purpose }: CursorSeal, payload: Uint8Array): Buffer =>
  createHmac('sha256', key).update(`ferrule ${purpose} cursor\n`).update(payload).digest().subarray(0, macLength)

/** Signs the content of a cursor. */
export function signCursor(content: readonly unknown[], seal: CursorSeal): string {
  const payload = Buffer.from(JSON.stringify(content))
  return Buffer.concat([computeMac(seal, payload), payload]).toString('base64url')
}

/** Verifies a cursor and returns its content; undefined for an invalid signature. */
export function verifyCursor(cursor: string, seal: CursorSeal): readonly unknown[] | undefined {
  const bytes = Buffer.from(cursor, 'base64url')
  const [mac, payload] = [bytes.subarray(0, macLength), bytes.subarray(macLength)]
  const isOurs = mac.length === macLength && timingSafeEqual(mac, computeMac(seal, payload))
  return isOurs ? JSON.parse(payload.toString()) : undefined
}
