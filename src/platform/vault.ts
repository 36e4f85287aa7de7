/** The vault: credentials and kept outcomes, sealed with the data key of their workspace and bound to their connector. */
import { hkdfSync } from 'node:crypto'
import type { CredentialValues } from '../engine/connection.ts'
import { Secret } from '../engine/secret.ts'
import { fail } from '../errors.ts'
import { canonicalJson } from './canonical-json.ts'
import { decrypt, encrypt, identity, keyBytes, nonceBytes } from './cipher.ts'
import type { DataKeyPlace, DataKeys } from './data-keys.ts'
import type { Db } from './db/database.ts'

/** Whose credentials are sealed: bound to the bytes, so that they open nowhere else. */
export interface SealPlace extends DataKeyPlace {
  readonly connectorId: string
}

/** Sealed credentials. */
export interface Sealed {
  readonly sealed: Uint8Array
  /** Names of the fields, which are no secret. */
  readonly fields: readonly string[]
}

/** Which outcome is sealed: bound to the bytes with its status and code, which are stored in clear. */
export interface OutcomePlace extends SealPlace {
  readonly keyDigest: string
  readonly status: number
  readonly code: string | null
}

/** Which creation renewed credentials are kept for: they open only with the credentials that its request brought. */
export interface CreationPlace {
  readonly organizationId: string
  readonly keyDigest: string
  readonly given: Secret<CredentialValues>
}

/** Seals and opens credentials and kept outcomes. */
export interface Vault {
  /** @throws FerruleError `credentials_unreadable` when the data key cannot be had */
  seal(db: Db, place: SealPlace, values: Secret<CredentialValues>): Promise<Sealed>
  /**
   * @returns undefined when the data key is gone, because a rotation sealed the credentials anew: read the row again
   * @throws FerruleError `credentials_unreadable`
   */
  open(db: Db, place: SealPlace, sealed: Uint8Array): Promise<Secret<CredentialValues> | undefined>
  /** @returns undefined when the data key is gone: seal with the current one. @throws FerruleError `credentials_unreadable` */
  sealOutcome(db: Db, place: OutcomePlace, text: string): Promise<Uint8Array | undefined>
  /** @returns undefined when the bytes are damaged or the data key is gone. @throws FerruleError `credentials_unreadable` */
  openOutcome(db: Db, place: OutcomePlace, sealed: Uint8Array): Promise<string | undefined>
  /** There may be no workspace yet whose data key could be used, so the key is derived from the credentials that were given. */
  sealRenewed(place: CreationPlace, renewed: Secret<CredentialValues>): Uint8Array
  /** @returns undefined when other credentials were given, or the bytes are damaged */
  openRenewed(place: CreationPlace, sealed: Uint8Array): Secret<CredentialValues> | undefined
}

const about = ({ organizationId, workspaceId, connectorId, dataKeyId }: SealPlace): Buffer =>
  identity('credentials', organizationId, workspaceId, connectorId, dataKeyId)

const aboutOutcome = ({ organizationId, workspaceId, connectorId, dataKeyId, keyDigest, status, code }: OutcomePlace): Buffer =>
  identity('outcome', organizationId, workspaceId, connectorId, dataKeyId, keyDigest, String(status), code ?? '')

const aboutRenewed = ({ organizationId, keyDigest }: CreationPlace): Buffer => identity('renewed', organizationId, keyDigest)
const creationKey = (place: CreationPlace): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', canonicalJson(place.given.reveal()), place.keyDigest, 'ferrule creation', keyBytes))

/** Builds the vault over the data keys. */
export const createVault = (dataKeys: DataKeys, randomBytes: (size: number) => Buffer): Vault => ({
  seal: async (db, place, values) => {
    const key = await dataKeys.find(db, place)
    if (key === undefined) throw fail('credentials_unreadable', { reason: 'the data key of the workspace is missing' })
    const plain = Buffer.from(JSON.stringify(values.reveal()))
    return { sealed: encrypt(key, { plain, about: about(place), nonce: randomBytes(nonceBytes) }), fields: Object.keys(values.reveal()) }
  },
  open: async (db, place, sealed) => {
    const key = await dataKeys.find(db, place)
    if (key === undefined) return undefined
    const plain = decrypt(key, sealed, about(place))
    if (plain === undefined) throw fail('credentials_unreadable', { reason: 'they are damaged, or were copied from elsewhere' })
    return new Secret(JSON.parse(plain.toString()) as CredentialValues) // authenticated bytes that `seal` wrote
  },
  sealOutcome: async (db, place, text) => {
    const key = await dataKeys.find(db, place)
    if (key === undefined) return undefined
    return encrypt(key, { plain: Buffer.from(text), about: aboutOutcome(place), nonce: randomBytes(nonceBytes) })
  },
  openOutcome: async (db, place, sealed) => {
    const key = await dataKeys.find(db, place)
    return key === undefined ? undefined : decrypt(key, sealed, aboutOutcome(place))?.toString()
  },
  sealRenewed: (place, renewed) => {
    const plain = Buffer.from(JSON.stringify(renewed.reveal()))
    return encrypt(creationKey(place), { plain, about: aboutRenewed(place), nonce: randomBytes(nonceBytes) })
  },
  openRenewed: (place, sealed) => {
    const plain = decrypt(creationKey(place), sealed, aboutRenewed(place))
    return plain === undefined ? undefined : new Secret(JSON.parse(plain.toString()) as CredentialValues) // authenticated bytes of `sealRenewed`
  },
})
