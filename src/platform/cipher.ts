/** AES-256-GCM (NIST SP 800-38D) as the vault uses it: format byte, nonce, ciphertext, tag. */
import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'

/** Version of the layout; part of what is authenticated. */
export const format = 1
/** Bytes of a nonce. Nonces are random: one key may seal 2^32 times, which the rotation of data keys keeps far away. */
export const nonceBytes = 12
/** Bytes of a key. */
export const keyBytes = 32
const tagBytes = 16

/** What is encrypted: the plain bytes, the identity that they are bound to, and a nonce that was never used with the key. */
export interface Sealing {
  readonly plain: Uint8Array
  readonly about: Uint8Array
  readonly nonce: Uint8Array
}

/** An identity as bytes; JSON keeps its parts apart. */
export const identity = (...parts: readonly string[]): Buffer => Buffer.from(JSON.stringify([format, ...parts]))

/** A key. As an object it is several times faster to use than as bytes. */
export type CipherKey = Uint8Array | KeyObject

/** Encrypts and authenticates. */
export function encrypt(key: CipherKey, { plain, about, nonce }: Sealing): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(about)
  return Buffer.concat([Uint8Array.of(format), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Decrypts. @returns undefined when the bytes were not made by `encrypt` with this key for this identity */
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
