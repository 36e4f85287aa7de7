/** Lists the accounts of a consent, and ends its token. */
import type { ConsentAccounts } from '../../definition/index.ts'
import { FerruleError } from '../../errors.ts'
import { writeJson } from '../../values/json/json.ts'
import { failInvalidAnswer } from '../call/answer.ts'
import { buildAuthContext, type Calling, exchangeBeside } from '../call/transport.ts'
import type { Connection } from '../connection.ts'
import { authorize } from '../credentials/auth.ts'
import { findScheme } from '../credentials/check.ts'
import type { CredentialValues } from '../credentials/source.ts'
import { getAt, parsePath } from '../json/paths.ts'

/** An account that the owner can choose. */
export interface ConsentAccount {
  readonly id: string
  readonly name: string
}

/** Opens the credentials, and finds their scheme. */
export async function openScheme(calling: Calling) {
  const { opened } = await authorize(calling.connection, buildAuthContext(calling))
  const values = opened.values.reveal()
  const [, scheme] = findScheme(calling.connection.kind.definition, Object.keys(values)) ?? []
  return { values, scheme }
}

/** Fills the parameters of a call from credential fields; undefined if one is missing. */
function fillFields(send: Readonly<Record<string, string>>, values: CredentialValues): Readonly<Record<string, string>> | undefined {
  const filled = Object.entries(send).flatMap(([name, field]) => (values[field] === undefined ? [] : [[name, values[field]] as const]))
  return filled.length < Object.keys(send).length ? undefined : Object.fromEntries(filled)
}

function readAccounts(connection: Connection, { at, id, name }: ConsentAccounts, body: unknown): readonly ConsentAccount[] {
  const rows = getAt(body, parsePath(at))
  if (!Array.isArray(rows)) throw failInvalidAnswer(connection, 'there is no list of accounts')
  return rows.map((row) => {
    const own = String(getAt(row, parsePath(id)) ?? '')
    if (own === '') throw failInvalidAnswer(connection, 'there is an account without an id')
    return { id: own, name: String(getAt(row, parsePath(name)) ?? own) }
  })
}

/**
 * Lists the accounts that the consent behind a connection's credentials covers. The request can carry the secret of the application in its
 * query, so nothing may log its address.
 * @returns undefined if the credentials do not come from a consent with accounts
 * @throws FerruleError of the vendor
 */
export async function listConsentAccounts(calling: Calling): Promise<readonly ConsentAccount[] | undefined> {
  const { values, scheme } = await openScheme(calling)
  const accounts = scheme?.consent?.accounts
  const query = accounts === undefined ? undefined : fillFields(accounts.send, values)
  if (accounts === undefined || query === undefined) return undefined
  const reply = await exchangeBeside(calling, `${accounts.call}?${new URLSearchParams(query)}`, { unprefixed: true })
  return reply.is === 'empty' ? [] : readAccounts(calling.connection, accounts, reply.body)
}

/**
 * Ends the access token of a consent at the vendor. Does nothing if the vendor has no such endpoint, or ended the token before.
 * @throws FerruleError of the vendor
 */
export async function revokeConsent(calling: Calling): Promise<void> {
  const { values, scheme } = await openScheme(calling)
  const revoke = scheme?.consent?.revoke
  const fields = revoke === undefined ? undefined : fillFields(revoke.send, values)
  if (revoke === undefined || fields === undefined) return
  try {
    await exchangeBeside(calling, revoke.call, { body: writeJson(fields), unprefixed: true })
  } catch (thrown) {
    const code = thrown instanceof FerruleError ? thrown.upstream?.code : undefined
    if (code === undefined || !revoke.ended.includes(code)) throw thrown
  }
}
