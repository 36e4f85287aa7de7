/** Handles the credentials of a consent: opens the operator's OAuth client, and keeps the token while accounts are chosen. */
import type { ConnectorDefinition } from 'ferrule/definition'
import { type CredentialValues, findConsent, Secret } from 'ferrule/engine'
import type { Parts, Seals } from '../../main/parts.ts'
import { addFields, omitFields } from '../../tenancy/vault/master-seals.ts'
import { digestParts } from '../../values/ids.ts'
import type { OAuthClientRow } from '../sql/oauth-clients.ts'
import type { ConnectAttemptRow } from '../sql/visits.ts'

/** Opens the operator's OAuth client. @throws FerruleError `credentials_unreadable` */
export const openOAuthClient = ({ masterSeals }: Pick<Parts, 'masterSeals'>, row: OAuthClientRow): Secret<CredentialValues> =>
  masterSeals.open({ organizationId: row.organization_id, kind: row.kind }, { masterKeyId: row.master_key_id, sealed: row.sealed })

type AttemptOwner = Pick<ConnectAttemptRow, 'organization_id'>
const buildRef = ({ organization_id: organizationId }: AttemptOwner, cookie: string) =>
  ({ type: 'ConnectAttempt', id: cookie, organizationId }) as const

/** Encrypts credentials for the browser of an attempt: its cookie is the key, so the database alone opens nothing. */
export const sealConsent = (
  { vault }: Pick<Parts, 'vault'>,
  {
    attempt,
    cookie,
    definition,
  }: { readonly attempt: ConnectAttemptRow; readonly cookie: string; readonly definition: ConnectorDefinition },
  values: Secret<CredentialValues>,
): Uint8Array => {
  const own = omitFields(values, findConsent(definition)?.oauthClientFields ?? [])
  return vault.sealRecord(buildRef(attempt, cookie), JSON.stringify(own.reveal()))
}

/** Encrypts the verifier of an attempt that begins, like its credentials later. */
export const sealVerifier = (
  { vault }: Pick<Parts, 'vault'>,
  { attempt, cookie }: { readonly attempt: AttemptOwner; readonly cookie: string },
  verifier: Secret<string>,
): Uint8Array => vault.sealRecord(buildRef(attempt, cookie), verifier.reveal())

/** Decrypts the verifier of an attempt that has begun; undefined if its page got none. */
export function openVerifier(
  { vault }: Pick<Parts, 'vault'>,
  { attempt, cookie }: { readonly attempt: ConnectAttemptRow; readonly cookie: string },
): Secret<string> | undefined {
  const text = attempt.sealed === null ? undefined : vault.openRecord(buildRef(attempt, cookie), attempt.sealed)
  return text === undefined ? undefined : new Secret(text)
}

/** Decrypts the credentials of an attempt, and adds the OAuth client as it is now. @returns undefined for another browser */
export function openConsent(
  parts: Seals,
  { attempt, cookie, oauthClient }: { readonly attempt: ConnectAttemptRow; readonly cookie: string; readonly oauthClient: OAuthClientRow },
): Secret<CredentialValues> | undefined {
  const text = attempt.sealed === null ? undefined : parts.vault.openRecord(buildRef(attempt, cookie), attempt.sealed)
  if (text === undefined) return undefined
  return addFields(new Secret(JSON.parse(text) as CredentialValues), openOAuthClient(parts, oauthClient)) // authenticated bytes of `sealConsent`
}

/** Returns the digest by which connectors of one token are known; null when the vendor ends no tokens. */
export function digestToken(
  { kind, credentials }: ConnectorDefinition,
  organizationId: string,
  values: Secret<CredentialValues>,
): string | null {
  const consent = Object.values(credentials).find((scheme) => scheme.consent !== undefined)?.consent
  if (consent?.revoke === undefined) return null
  const own = Object.values(consent.revoke.send).filter((field) => !consent.oauthClient.includes(field))
  const plain = values.reveal()
  return digestParts(
    'consent',
    organizationId,
    kind,
    own.map((field) => plain[field] ?? ''),
  )
}

/** Returns credentials in the form in which a request carries them. */
export const toGivenCredentials = (values: Secret<CredentialValues>): CredentialValues => values.reveal()
