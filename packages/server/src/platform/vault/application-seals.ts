/** Encrypts the operator's applications at vendors with the master key: an organization has no data key of its own. */
import { type CredentialValues, Secret } from 'ferrule/engine'
import { fail } from 'ferrule/internal'
import { decrypt, encodeIdentity, encrypt, nonceBytes } from './cipher.ts'
import type { MasterKeys } from './master-key.ts'

/** Ids that are bound to an encrypted application. */
export interface ApplicationPlace {
  readonly organizationId: string
  readonly kind: string
}

/** An encrypted application. */
export interface SealedApplication {
  readonly masterKeyId: string
  readonly sealed: Uint8Array
}

/** Encrypts and decrypts applications. */
export interface ApplicationSeals {
  /** Encrypts the fields of an application. Call it in the transaction that stores them. */
  seal(place: ApplicationPlace, values: Secret<CredentialValues>): SealedApplication
  /** Decrypts the fields of an application. @throws FerruleError `credentials_unreadable` */
  open(place: ApplicationPlace, sealed: SealedApplication): Secret<CredentialValues>
}

const buildIdentity = ({ organizationId, kind }: ApplicationPlace): Buffer => encodeIdentity('vendor application', organizationId, kind)
const failUnreadable = (reason: string) =>
  fail('credentials_unreadable', { reason }, { hint: 'Restore the master key, or store them again.' })

/** Builds the seals over the master keys. */
export const createApplicationSeals = (masterKeys: MasterKeys, randomBytes: (size: number) => Buffer): ApplicationSeals => ({
  seal: (place, values) => {
    // Inside the transaction, a rotation in another process cannot drop the master key before the commit.
    masterKeys.refresh()
    const { id: masterKeyId, wrapping } = masterKeys.current()
    const plain = Buffer.from(JSON.stringify(values.reveal()))
    return { masterKeyId, sealed: encrypt(wrapping, { plain, about: buildIdentity(place), nonce: randomBytes(nonceBytes) }) }
  },
  open: (place, { masterKeyId, sealed }) => {
    if (masterKeys.find(masterKeyId) === undefined) masterKeys.refresh()
    const master = masterKeys.find(masterKeyId)
    if (master === undefined) throw failUnreadable(`the master key ${masterKeyId} is missing`)
    const plain = decrypt(master.wrapping, sealed, buildIdentity(place))
    if (plain === undefined) throw failUnreadable('the application at the vendor is damaged, or was copied from elsewhere')
    return new Secret(JSON.parse(plain.toString()) as CredentialValues) // authenticated bytes that `seal` wrote
  },
})

/** Returns credentials without some fields. */
export const omitFields = (values: Secret<CredentialValues>, names: readonly string[]): Secret<CredentialValues> =>
  new Secret(Object.fromEntries(Object.entries(values.reveal()).filter(([name]) => !names.includes(name))))

/** Returns credentials with the fields of their application. */
export const addFields = (values: Secret<CredentialValues>, application: Secret<CredentialValues>): Secret<CredentialValues> =>
  new Secret({ ...values.reveal(), ...application.reveal() })

/** Returns whether credentials have exactly these fields of an application. */
export const hasFields = (values: Secret<CredentialValues>, application: Secret<CredentialValues>): boolean =>
  Object.entries(application.reveal()).every(([name, value]) => values.reveal()[name] === value)
