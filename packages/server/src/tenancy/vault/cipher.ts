/** Encrypts with AES-256-GCM (NIST SP 800-38D). Layout: format byte, nonce, ciphertext, tag. */
import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'

/** Version of the layout; authenticated with the data. */
export const format = 1
/** Bytes of a nonce. Nonces are random, so one key may encrypt 2^32 times; rotation of data keys keeps far below. */
export const nonceBytes = 12
/** Bytes of a key. */
export const keyBytes = 32
const tagBytes = 16

/** Plain bytes, the identity to bind them to, and a nonce that the key never used. */
export interface Sealing {
  readonly plain: Uint8Array
  readonly about: Uint8Array
  readonly nonce: Uint8Array
}

/** Encodes an identity as bytes; JSON keeps its members apart. */
export const encodeIdentity = (...parts: readonly string[]): Buffer => Buffer.from(JSON.stringify([format, ...parts]))

/** A key. A KeyObject is several times faster than bytes. */
export type CipherKey = Uint8Array | KeyObject

/** Encrypts and authenticates bytes. */
export function encrypt(key: CipherKey, { plain, about, nonce }: Sealing): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(about)
  return Buffer.concat([Uint8Array.of(format), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Decrypts bytes. @returns undefined when `encrypt` did not produce the bytes with this key and identity */
export function decrypt(key: CipherKey, bytes: Uint8Array, about: Uint8Array): Buffer | undefined {
  if (bytes.length < 1 + nonceBytes + tagBytes || bytes[0] !== format) return undefined
  const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 1 + nonceBytes), { authTagLength: tagBytes }).setAAD(about)
  cipher.setAuthTag(bytes.subarray(-tagBytes))
  try {
    return Buffer.concat([cipher.update(bytes.subarray(1 + nonceBytes, -tagBytes)), cipher.final()])
  } catch {
    return undefined
  }
}
