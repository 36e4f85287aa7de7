/** What is made for each call or each run, so that no file can have it: ids and tokens of the engine, keys of the test. */
import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { parseJson, writeJson } from '../../packages/ferrule/src/values/json/json.ts'

/** What fills a slot: an id that the engine makes (RFC 9562), a signed token (RFC 7519). */
const patterns: Readonly<Record<string, string>> = {
  '{uuid}': '[0-9a-f]{8}-[0-9a-f]{4}-[45][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}',
  '{jwt}': '[\\w-]+\\.[\\w-]+\\.[\\w-]+',
}

/** Slot → what was met instead. */
export type Made = Map<string, string>

/**
 * Returns whether a string is what a template says. `made` keeps what fills a slot, which has to be the same wherever the
 * slot comes again.
 */
export function fits(text: string | undefined, template: string, made: Made): boolean {
  const slot = Object.keys(patterns).find((name) => template.includes(name))
  if (slot === undefined || text === undefined) return text === template
  const [before = '', after = ''] = template.split(slot).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const value = new RegExp(`^${before}(${patterns[slot]})${after}$`).exec(text)?.[1]
  if (value === undefined || (made.get(slot) ?? value) !== value) return false
  made.set(slot, value)
  return true
}

/** A JSON value with its slots filled. */
export function filled(value: unknown, made: Made): unknown {
  if (value === undefined || made.size === 0) return value
  return parseJson([...made].reduce((text, [slot, met]) => text.replaceAll(slot, met), writeJson(value)))
}

let pair: { readonly publicKey: KeyObject; readonly privateKey: KeyObject } | undefined

/** The RSA keys of this run. */
export function keysOfRun(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  pair ??= generateKeyPairSync('rsa', { modulusLength: 2048 })
  return pair
}

/** JSON with `{private_key}` (PKCS #8, PEM) and `{fingerprint}` (SHA-256 of the public key, base64) of this run filled in. */
export function withKeys(json: string): string {
  if (!json.includes('{private_key}')) return json
  const { publicKey, privateKey } = keysOfRun()
  const pem = JSON.stringify(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const fingerprint = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64')
  return json.replaceAll('"{private_key}"', pem).replaceAll('{fingerprint}', fingerprint)
}
