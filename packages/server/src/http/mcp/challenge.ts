/** Challenges of the endpoint (RFC 6750 section 3, RFC 9728 section 5.1): they say how a client gets a token that is accepted. */

import type { FastifyReply } from 'fastify'
import { type FerruleError, FerruleError as KnownError } from 'ferrule'
import type { Scope } from '../../values/scopes.ts'

/** Name of the error in a challenge. A request without a token gets none (RFC 6750). */
const challengeErrors: Readonly<Partial<Record<FerruleError['code'], string | undefined>>> = {
  invalid_token: 'invalid_token',
  token_expired: 'invalid_token',
  insufficient_scope: 'insufficient_scope',
}

const quote = (text: string): string => `"${text.replaceAll(/[^\x20-\x7e]|["\\]/g, "'")}"`

/** What a challenge says beside the error. */
export interface ChallengeOptions {
  /** Address of the metadata of the endpoint; undefined: the service does not know its own address. */
  readonly metadata: string | undefined
  readonly scopes: readonly Scope[]
}

/** Adds the challenge of a refusal to its answer; other errors need none. */
export function addChallenge(reply: FastifyReply, thrown: unknown, { metadata, scopes }: ChallengeOptions): void {
  if (!(thrown instanceof KnownError) || (thrown.status !== 401 && thrown.code !== 'insufficient_scope')) return
  const error = challengeErrors[thrown.code]
  const parts: readonly (readonly [string, string | undefined])[] = [
    ['error', error],
    ['error_description', error === undefined ? undefined : thrown.message],
    ['scope', scopes.join(' ')],
    ['resource_metadata', metadata],
  ]
  const said = parts.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${quote(value)}`]))
  reply.header('www-authenticate', `Bearer ${said.join(', ')}`)
}
