/**
 * The text of a token for MCP: `frl_mcp_`, 30 characters of base 62 from 176 random bits, and 6 characters with the CRC-32 of all before.
 * Scanners for secrets find it by `frl_mcp_[0-9A-Za-z]{36}` and tell it from other texts by the checksum.
 */
import { crc32 } from 'node:zlib'
import type { FerruleError } from 'ferrule'
import { fail } from 'ferrule/internal'
import { buildMcpAddress } from '../../main/settings/mcp-address.ts'
import type { Settings } from '../../main/settings/settings.ts'
import { digestText } from '../../values/secret-text.ts'

const prefix = 'frl_mcp_'
const form = /^frl_mcp_[0-9A-Za-z]{36}$/
const randomLength = 30
const checksumLength = 6
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const base = BigInt(digits.length)

/** Writes a number in base 62 with leading zeros. */
function writeBase62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= base) text = digits.charAt(Number(rest % base)) + text
  return text
}

const addChecksum = (text: string): string => text + writeBase62(BigInt(crc32(text)), checksumLength)

/** Creates a token with the digest that is stored. */
export function newMcpToken(randomBytes: (size: number) => Buffer): { readonly token: string; readonly digest: string } {
  const token = addChecksum(prefix + writeBase62(BigInt(`0x${randomBytes(22).toString('hex')}`), randomLength))
  return { token, digest: digestText(token) }
}

/** Returns whether a bearer token claims to be a token for MCP. */
export const isMcpToken = (bearer: string): boolean => bearer.startsWith(prefix)

/** Returns the digest that is stored for a token; undefined for a malformed text. */
export function digestMcpToken(bearer: string): string | undefined {
  if (!form.test(bearer) || addChecksum(bearer.slice(0, -checksumLength)) !== bearer) return undefined
  return digestText(bearer)
}

/** Builds the refusal of a token for MCP at any other address of the service. The token is not looked up, so nothing is said about it. */
export const refuseMcpToken = (settings: Settings): FerruleError =>
  fail(
    'invalid_token',
    { reason: 'it is a token for MCP' },
    { hint: `Send it to ${buildMcpAddress(settings)}; a token for this address comes from POST /api/v1/account/applications/token.` },
  )
