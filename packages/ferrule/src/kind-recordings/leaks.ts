/** Finds what no recording may hold: credentials, and mail addresses of people. Pure. */
import { isObject } from '../definition/object.ts'
import type { Recording } from './recording.ts'

/** Forms of credentials that vendors give, each with its name. */
export const credentialForms: readonly (readonly [name: string, form: RegExp])[] = [
  ['a token of GitHub', /\b(?:gh[opusr]_[A-Za-z0-9]{20,}|github_pat_\w{20,})/],
  ['a token of Slack', /\bxox[abeoprs]-[\w-]{10,}/],
  ['a live key of Stripe', /\b[rs]k_live_\w{10,}/],
  ['a key of AWS', /\bA(?:KI|SI)A[0-9A-Z]{16}\b/],
  ['a key of Google', /\bAIza[\w-]{30,}/],
  ['a token of Shopify', /\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{20,}/],
  ['a signed token', /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]+/],
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
  ['credentials of a header', /\b(?:Bearer|Basic) [\w.~+/-]{16,}/],
]

/** A mail address. Bounded, so that long texts cost little. */
export const mailAddress = /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,5}/g

const reserved = /(?:^|[.@])example\.(?:com|net|org)$|\.(?:example|test|invalid|localhost)$/i

/** Returns whether a mail address can belong to nobody (RFC 2606). */
const isInvented = (address: string): boolean => reserved.test(address)

function* listTexts(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (Array.isArray(value)) for (const inner of value) yield* listTexts(inner)
  else if (isObject(value))
    for (const [name, inner] of Object.entries(value)) {
      yield name
      yield* listTexts(inner)
    }
}

/** Lists the leaks of a recording. Messages never quote a credential. */
export function listLeaks({ exchanges, params, data, meta }: Recording): string[] {
  const found = new Set<string>()
  for (const text of listTexts([params, data, meta, exchanges])) {
    for (const [name, form] of credentialForms)
      if (form.test(text)) found.add(`holds ${name}, or a text that looks like one: write something shorter instead`)
    for (const [address] of text.matchAll(mailAddress))
      if (!isInvented(address)) found.add(`holds the mail address ${address}: write one of example.com, or one that ends with .example`)
  }
  return [...found]
}
