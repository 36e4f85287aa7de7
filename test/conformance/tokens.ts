/** Tokens that are made of a key. */
import { type JWTPayload, jwtVerify } from 'jose'
import { keysOfRun } from './made.ts'

/** The claims of a token. @throws when the public key of this run does not prove it, or it is not valid now */
export async function claimsOf(token: string): Promise<JWTPayload> {
  const { payload } = await jwtVerify(token, keysOfRun().publicKey, { algorithms: ['RS256'] })
  return payload
}
