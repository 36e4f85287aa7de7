/** The accounts behind credentials: lists those of a consent, ends its token, and compares two of them. */

import { isDeepStrictEqual } from 'node:util'
import type { ConnectorDefinition, ConsentAccounts } from '../../definition/index.ts'
import { errorConsequences } from '../../error-consequences.ts'
import { asFerruleError, FerruleError } from '../../errors.ts'
import { writeJson } from '../../values/json/json.ts'
import { failInvalidAnswer } from '../call/answer.ts'
import type { Call, Outcome } from '../call/outcome.ts'
import { buildAuthContext, type Calling, exchangeBeside } from '../call/transport.ts'
import type { Connection } from '../connection.ts'
import { authorize } from '../credentials/auth.ts'
import { findScheme } from '../credentials/check-credentials.ts'
import type { CredentialValues } from '../credentials/source.ts'
import { getAt, parsePath } from '../json/paths.ts'

/** An account that the owner can choose. */
export interface ConsentAccount {
  readonly id: string
  readonly name: string
}

async function openScheme(calling: Calling) {
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
  const rows = at === '' ? body : getAt(body, parsePath(at))
  if (!Array.isArray(rows)) throw failInvalidAnswer(connection, 'there is no list of accounts')
  return rows.map((row) => {
    const own = String(getAt(row, parsePath(id)) ?? '')
    if (own === '') throw failInvalidAnswer(connection, 'there is an account without an id')
    return { id: own, name: String(getAt(row, parsePath(name)) ?? own) }
  })
}

/**
 * Lists the accounts that the consent behind a connection's credentials covers. The request can carry the secret of the OAuth client in its
 * query, so nothing may log its address.
 * @returns undefined if the credentials do not come from a consent with accounts
 * @throws FerruleError of the vendor
 */
export async function listConsentAccounts(calling: Calling): Promise<readonly ConsentAccount[] | undefined> {
  const { values, scheme } = await openScheme(calling)
  const accounts = scheme?.consent?.accounts
  const query = accounts === undefined ? undefined : fillFields(accounts.send, values)
  if (accounts === undefined || query === undefined) return undefined
  const other = { ...calling, connection: { ...calling.connection, usesOther: true as const } }
  const reply = await exchangeBeside(other, `${accounts.call}?${new URLSearchParams(query)}`, { unprefixed: true })
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
  const isForm = revoke.as === 'form'
  const sent = isForm ? ({ body: `${new URLSearchParams(fields)}`, isForm } as const) : { body: writeJson(fields) }
  try {
    await exchangeBeside(calling, revoke.call, { ...sent, unprefixed: true })
  } catch (thrown) {
    const { status = 0, code } = (thrown instanceof FerruleError ? thrown.upstream : undefined) ?? {}
    // The body of a success says nothing (RFC 7009 section 2.2).
    const isDone = isForm && asFerruleError(thrown).code === 'upstream_answer_invalid' && status >= 200 && status < 300
    if (!isDone && (code === undefined || !revoke.ended.includes(code))) throw thrown
  }
}

/** What identifies the account behind credentials, as the vendor's own answers state it. Plain JSON, so that hosts can store it. */
export interface AccountIdentity {
  readonly kind: string
  /** Host of the customer's own base address; absent if the vendor has none. */
  readonly host?: string
  /** Ids of the account, sorted. */
  readonly ids: readonly string[]
  /** Reason why the ids prove nothing; absent if they do. */
  readonly unproven?: string
}

/** Runs an operation of a connection. */
export type RunOperation = (connection: Connection, call: Call) => Promise<Outcome>

/** Lists the ids that a connector's configuration names for its account; empty if it names none. */
function listConfiguredIds({ kind: { definition }, configuration }: Connection): readonly string[] {
  const { configuration: field = '' } = definition.known?.[definition.account?.among ?? ''] ?? {}
  const value = configuration[field]
  if (Array.isArray(value)) return value.map(String)
  return typeof value === 'string' ? [value] : []
}

/** Lists the configuration fields that decide which account credentials reach: those of the vendor's address, and the one with ids. */
function listAccountFields({
  account,
  base,
  known,
  origins: { api, other },
  prefix = '',
  version,
}: ConnectorDefinition): readonly string[] {
  const templates = `${typeof api === 'string' ? api : `{${api.by}}`}${prefix}`
  const slots = [...templates.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const ids = known?.[account?.among ?? '']?.configuration ?? ''
  return [...slots, ...(other === undefined ? [] : [other.configuration]), ...(base?.fields ?? []), ids].filter(
    (name) => name !== version?.configuration,
  )
}

/** Returns whether the same credentials reach the same account under another configuration, by the kind's definition. */
export const keepsAccount = (
  definition: ConnectorDefinition,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): boolean => listAccountFields(definition).every((name) => isDeepStrictEqual(before[name], after[name]))

const toId = (value: unknown): string[] =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? [String(value)] : []

/** Takes the ids out of an answer of the kind's operation. */
function takeIds({ kind: { definition } }: Connection, outcome: Outcome): readonly string[] {
  const path = parsePath(definition.account?.id ?? '')
  if (outcome.type === 'file') return []
  const records = outcome.type === 'record' ? [outcome.data] : outcome.data
  return Array.isArray(records) ? records.flatMap((record) => toId(getAt(record, path))) : []
}

async function readIds({ connection, deadline }: Calling, run: RunOperation): Promise<readonly string[]> {
  const { account } = connection.kind.definition
  if (account === undefined) return []
  const { entity, action, params } = account
  return takeIds(connection, await run(connection, { entity, action, params, deadlineMs: deadline.remaining, signal: deadline.signal }))
}

/** Reads the host of the customer's base address that the vendor named in an exchange. */
async function readHost(calling: Calling): Promise<string | undefined> {
  const { values, scheme } = await openScheme(calling)
  const field = calling.connection.kind.definition.base?.fields.find((name) => name in (scheme?.exchange?.read ?? {}))
  const base = field === undefined ? undefined : values[field]
  return base === undefined || !URL.canParse(base) ? undefined : new URL(base).host
}

/** Returns whether an error means that the credentials work, and do not reach what identifies the account. */
const isUnproven = (thrown: unknown): thrown is FerruleError =>
  thrown instanceof FerruleError && (thrown.code === 'missing_parameter' || errorConsequences[thrown.code].credentials === 'accepted')

type ProvenIds = Pick<AccountIdentity, 'ids' | 'unproven'>

/** Selects, of the ids that the credentials reach, those that the connector uses. */
function selectIds(connection: Connection, reached: readonly string[]): ProvenIds {
  const configured = listConfiguredIds(connection)
  const ids = configured.length === 0 ? reached : reached.filter((id) => configured.includes(id))
  if (reached.length === 0) return { ids: [], unproven: 'the vendor names no account' }
  return { ids: [...new Set(ids)].sort() }
}

async function findIds(calling: Calling, run: RunOperation): Promise<ProvenIds> {
  try {
    const { account } = calling.connection.kind.definition
    const accounts = account?.among === undefined ? undefined : await listConsentAccounts(calling)
    return selectIds(calling.connection, accounts?.map(({ id }) => id) ?? (await readIds(calling, run)))
  } catch (thrown) {
    if (!isUnproven(thrown)) throw thrown
    return { ids: [], unproven: thrown.message }
  }
}

const buildIdentity = async (calling: Calling, ids: ProvenIds): Promise<AccountIdentity> => {
  const host = await readHost(calling)
  return { kind: calling.connection.kind.definition.kind, ...(host === undefined ? {} : { host }), ...ids }
}

/**
 * Reads which account a connection's credentials reach. Only the vendor's answers count, not what the configuration claims. Of several
 * accounts, those that the connector uses.
 * @throws FerruleError of a vendor that refuses the credentials or does not answer
 */
export async function readAccount(calling: Calling, run: RunOperation): Promise<AccountIdentity> {
  return buildIdentity(calling, await findIds(calling, run))
}

/** Returns whether the operation of a kind's check is the one that names the account. */
function isCheckOfAccount({ check, account }: ConnectorDefinition): boolean {
  if (account === undefined || check.entity !== account.entity || check.action !== account.action) return false
  return isDeepStrictEqual(check.params, account.params)
}

interface PassedCheck {
  /** Answer of the check's operation; undefined if the probe replaced it. */
  readonly outcome: Outcome | undefined
  readonly run: RunOperation
}

/**
 * Reads which account credentials reach whose check has passed. The answer of the check counts where its operation names the account; one
 * more request otherwise.
 * @returns undefined if nothing proves the account, for whatever reason: the check has proven the credentials
 */
export async function readCheckedAccount(calling: Calling, { outcome, run }: PassedCheck): Promise<AccountIdentity | undefined> {
  const { connection } = calling
  try {
    const isStated = outcome !== undefined && isCheckOfAccount(connection.kind.definition)
    const ids = isStated ? selectIds(connection, takeIds(connection, outcome)) : await findIds(calling, run)
    return ids.unproven === undefined ? await buildIdentity(calling, ids) : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns whether new credentials reach the account of the earlier ones. They do if they reach every id of the earlier account, on the
 * same host where both have one.
 * @param before undefined if the earlier account was never read
 */
export function isSameAccount(before: AccountIdentity | undefined, after: AccountIdentity): 'same' | 'different' | 'unproven' {
  if (before === undefined) return 'unproven'
  if (before.kind !== after.kind) return 'different'
  if (before.host !== undefined && after.host !== undefined && before.host !== after.host) return 'different'
  if (before.unproven !== undefined || after.unproven !== undefined || before.ids.length === 0) return 'unproven'
  return before.ids.every((id) => after.ids.includes(id)) ? 'same' : 'different'
}
