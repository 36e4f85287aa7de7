/** Client credentials of a token request: in the body (JSON or form), or as HTTP Basic (RFC 6749 section 2.3.1). */

import { FerruleError, type Problem } from 'ferrule'
import { fail, failValidation, isObject } from 'ferrule/internal'

const problem = (name: string, message: string, error_code: string): Problem => ({ field: `/${name}`, message, error_code })

/** Decodes one part of HTTP Basic, which is form-encoded. Keeps a stray percent sign. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

function basicClient(header: string | undefined): { readonly id: string; readonly secret: string } | undefined {
  const encoded = /^basic +([A-Za-z0-9+/=]+)$/i.exec(header ?? '')?.[1]
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? []
  return id === undefined || secret === undefined ? undefined : { id: decoded(id), secret: decoded(secret) }
}

function readString(body: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = body[name] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  throw failValidation([problem(name, 'must be a string', 'type')])
}

/** Client credentials of a token request. */
export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
  readonly scope: string | undefined
  /** The client authenticated by HTTP Basic, so a refusal must ask for it. */
  readonly basic: boolean
}

/**
 * Reads a token request. Ignores unknown members: clients of RFC 6749 may send more.
 * @throws FerruleError `validation_failed`
 */
export function readClientCredentials(given: unknown, authorization: string | undefined): ClientCredentials {
  const body = isObject(given) ? given : {}
  const grant = readString(body, 'grant_type') ?? 'client_credentials'
  if (grant !== 'client_credentials') throw failValidation([problem('grant_type', 'must be client_credentials', 'enum')])
  const basic = basicClient(authorization)
  const clientId = basic?.id ?? readString(body, 'client_id')
  const clientSecret = basic?.secret ?? readString(body, 'client_secret')
  const missing = [...(clientId === undefined ? ['client_id'] : []), ...(clientSecret === undefined ? ['client_secret'] : [])]
  if (clientId === undefined || clientSecret === undefined)
    throw failValidation(missing.map((name) => problem(name, 'is required', 'required')))
  return { clientId, clientSecret, scope: readString(body, 'scope'), basic: basic !== undefined }
}

/** A refused client that used HTTP Basic is asked for it again (RFC 6749 section 5.2); everything else stays as it is. */
export const challenged = (thrown: unknown, { basic }: ClientCredentials): unknown =>
  basic && thrown instanceof FerruleError && thrown.code === 'invalid_client'
    ? fail('invalid_client', {}, { headers: { 'www-authenticate': 'Basic realm="ferrule"' } })
    : thrown
