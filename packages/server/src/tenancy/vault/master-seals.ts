/**
 * Encrypts with the master key what belongs to no workspace: the operator's OAuth clients at vendors, the secrets of webhooks and what vendors
 * send, since an organization has no data key, and tokens of deleted connectors, whose data key may be deleted too.
 */
import { type CredentialValues, Secret } from 'ferrule/engine'
import { fail } from 'ferrule/internal'
import type { MasterKeys } from './master-key.ts'
import { decrypt, encodeIdentity, encrypt, nonceBytes } from './vault.ts'

/** Ids that are bound to an encrypted OAuth client, or to the credentials of a deleted connector. */
export interface ConsentRef {
  readonly organizationId: string
  readonly kind: string
  /** The deleted connector; absent for an OAuth client. */
  readonly connectorId?: string
}

/** Ids that are bound to the encrypted secrets of a webhook's endpoint. */
export interface EndpointRef {
  readonly organizationId: string
  readonly endpointId: string
}

/** Ids that are bound to what is encrypted of an address that a vendor sends webhooks to: its secret, or an event. */
export interface SourceRef {
  readonly organizationId: string
  readonly sourceId: string
  readonly part: 'secret' | 'event'
}

/** Ids that are bound to encrypted fields. */
type SealedRef = ConsentRef | EndpointRef | SourceRef

/** An encrypted OAuth client, or encrypted credentials. */
export interface SealedFields {
  readonly masterKeyId: string
  readonly sealed: Uint8Array
}

/** Encrypts and decrypts OAuth clients, secrets of webhooks, and credentials of deleted connectors. */
export interface MasterSeals {
  /** Encrypts fields. Call it in the transaction that stores them. */
  seal(ref: SealedRef, values: Secret<CredentialValues>): SealedFields
  /** Decrypts fields. @throws FerruleError `credentials_unreadable` */
  open(ref: SealedRef, sealed: SealedFields): Secret<CredentialValues>
}

function buildIdentity(ref: SealedRef): Buffer {
  if ('sourceId' in ref) return encodeIdentity(`webhook source ${ref.part}`, ref.organizationId, ref.sourceId)
  if ('endpointId' in ref) return encodeIdentity('webhook endpoint', ref.organizationId, ref.endpointId)
  const { organizationId, kind, connectorId } = ref
  if (connectorId === undefined) return encodeIdentity('oauth client', organizationId, kind)
  return encodeIdentity('deleted connector', organizationId, kind, connectorId)
}

const failUnreadable = (reason: string) =>
  fail('credentials_unreadable', { reason }, { hint: 'Restore the master key, or store them again.' })

/** Builds the seals over the master keys. */
export const createMasterSeals = (masterKeys: MasterKeys, randomBytes: (size: number) => Buffer): MasterSeals => ({
  seal: (ref, values) => {
    // Inside the transaction, a rotation in another process cannot drop the master key before the commit.
    masterKeys.refresh()
    const { id: masterKeyId, wrapping } = masterKeys.current()
    const plain = Buffer.from(JSON.stringify(values.reveal()))
    return { masterKeyId, sealed: encrypt(wrapping, { plain, about: buildIdentity(ref), nonce: randomBytes(nonceBytes) }) }
  },
  open: (ref, { masterKeyId, sealed }) => {
    if (masterKeys.find(masterKeyId) === undefined) masterKeys.refresh()
    const master = masterKeys.find(masterKeyId)
    if (master === undefined) throw failUnreadable(`the master key ${masterKeyId} is missing`)
    const plain = decrypt(master.wrapping, sealed, buildIdentity(ref))
    if (plain === undefined) throw failUnreadable('what the master key encrypts is damaged, or was copied from elsewhere')
    return new Secret(JSON.parse(plain.toString()) as CredentialValues) // authenticated bytes that `seal` wrote
  },
})

/** Returns credentials without some fields. */
export const omitFields = (values: Secret<CredentialValues>, names: readonly string[]): Secret<CredentialValues> =>
  new Secret(Object.fromEntries(Object.entries(values.reveal()).filter(([name]) => !names.includes(name))))

/** Returns credentials with the fields of their OAuth client. */
export const addFields = (values: Secret<CredentialValues>, oauthClient: Secret<CredentialValues>): Secret<CredentialValues> =>
  new Secret({ ...values.reveal(), ...oauthClient.reveal() })

/** Returns whether credentials have exactly these fields of an OAuth client. */
export const hasFields = (values: Secret<CredentialValues>, oauthClient: Secret<CredentialValues>): boolean =>
  Object.entries(oauthClient.reveal()).every(([name, value]) => values.reveal()[name] === value)
