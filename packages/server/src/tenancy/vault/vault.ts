/**
 * Encrypts credentials and stored outcomes with the data key of their workspace, bound to their connector (docs/decisions/platform-state.md). There is one
 * data key per workspace, wrapped with the master key and unwrapped in memory only.
 */
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { type CredentialValues, Secret } from 'ferrule/engine'
import { BoundedMap, fail } from 'ferrule/internal'
import type { Db } from '../../db/database.ts'
import { canonicalJson, type IdSource } from '../../values/ids.ts'
import { type DataKeyRow, findDataKey, insertDataKey } from '../sql/keys.ts'
import type { MasterKeys } from './master-key.ts'

/** Version of the layout: format byte, nonce, ciphertext, tag. It is authenticated with the data. */
const format = 1
/** Bytes of a nonce. Nonces are random, so one key may encrypt 2^32 times; rotation of data keys keeps far below. */
export const nonceBytes = 12
const keyBytes = 32
const tagBytes = 16

/** Plain bytes, the identity to bind them to, and a nonce that the key never used. */
interface Sealing {
  readonly plain: Uint8Array
  readonly about: Uint8Array
  readonly nonce: Uint8Array
}

/** Encodes an identity as bytes; JSON keeps its members apart. */
export const encodeIdentity = (...parts: readonly string[]): Buffer => Buffer.from(JSON.stringify([format, ...parts]))

/** A key. A KeyObject is several times faster than bytes. */
type CipherKey = Uint8Array | KeyObject

/** Encrypts and authenticates bytes with AES-256-GCM (NIST SP 800-38D). */
export function encrypt(key: CipherKey, { plain, about, nonce }: Sealing): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(about)
  return Buffer.concat([Uint8Array.of(format), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Decrypts bytes. @returns undefined when `encrypt` did not produce the bytes with this key and identity */
export function decrypt(key: CipherKey, bytes: Uint8Array, about: Uint8Array): Buffer | undefined {
  if (bytes.length < 1 + nonceBytes + tagBytes || bytes[0] !== format) return undefined
  const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 1 + nonceBytes), { authTagLength: tagBytes }).setAAD(about)
  cipher.setAuthTag(bytes.subarray(-tagBytes))
  try {
    return Buffer.concat([cipher.update(bytes.subarray(1 + nonceBytes, -tagBytes)), cipher.final()])
  } catch {
    return undefined
  }
}

/** The workspace of a data key. */
export interface WorkspaceRef {
  readonly organizationId: string
  readonly workspaceId: string
}
interface DataKeyRef extends WorkspaceRef {
  readonly dataKeyId: string
}

/** The data keys. */
export interface DataKeys {
  /** Creates and stores a key under a new id. Call it in the transaction that writes the id to the workspace. */
  create(db: Db, ref: DataKeyRef): Promise<void>
  /** Returns the key; undefined when it was destroyed. @throws FerruleError `credentials_unreadable` */
  find(db: Db, ref: DataKeyRef): Promise<KeyObject | undefined>
  /** Wraps the key with the current master key. @throws FerruleError `credentials_unreadable` */
  rewrap(row: DataKeyRow): { readonly masterKeyId: string; readonly wrapped: Uint8Array }
}

/** Maximum number of unwrapped keys in memory, about 3 kB each. */
const keysInMemory = 10_000

const buildKeyIdentity = (id: string, { organizationId, workspaceId }: WorkspaceRef): Buffer =>
  encodeIdentity('data key', organizationId, workspaceId, id)
const toRef = (row: DataKeyRow): WorkspaceRef => ({ organizationId: row.organization_id, workspaceId: row.workspace_id })
const unreadableError = (reason: string) => fail('credentials_unreadable', { reason })

function unwrap(masterKeys: MasterKeys, row: DataKeyRow): Buffer {
  if (masterKeys.find(row.master_key_id) === undefined) masterKeys.refresh()
  const master = masterKeys.find(row.master_key_id)
  if (master === undefined) throw unreadableError(`the master key ${row.master_key_id} is missing`)
  const key = decrypt(master.wrapping, row.wrapped, buildKeyIdentity(row.id, toRef(row)))
  if (key === undefined) throw unreadableError('the data key of the workspace is damaged')
  return key
}

/** Builds the data keys over the master keys. */
export function createDataKeys(masterKeys: MasterKeys, source: IdSource): DataKeys {
  const unwrapped = new BoundedMap<string, KeyObject>(keysInMemory)
  const wrap = (plain: Buffer, id: string, ref: WorkspaceRef) => {
    const { id: masterKeyId, wrapping } = masterKeys.current()
    return { masterKeyId, wrapped: encrypt(wrapping, { plain, about: buildKeyIdentity(id, ref), nonce: source.randomBytes(nonceBytes) }) }
  }
  return {
    create: async (db, ref) => {
      const id = ref.dataKeyId
      // Inside the transaction, a rotation in another process cannot drop the master key before the commit.
      masterKeys.refresh()
      const { masterKeyId, wrapped } = wrap(source.randomBytes(keyBytes), id, ref)
      const owner = { organization_id: ref.organizationId, workspace_id: ref.workspaceId }
      await insertDataKey(db, { id, ...owner, master_key_id: masterKeyId, wrapped, created_at: source.clock() })
    },
    find: async (db, ref) => {
      const known = unwrapped.get(ref.dataKeyId)
      if (known !== undefined) return known
      const row = await findDataKey(db, { ...ref, id: ref.dataKeyId })
      if (row === undefined) return undefined
      const key = createSecretKey(unwrap(masterKeys, row))
      unwrapped.set(row.id, key)
      return key
    },
    rewrap: (row) => wrap(unwrap(masterKeys, row), row.id, toRef(row)),
  }
}

/** Maximum number of connectors whose credentials are kept. */
const mostConnectors = 1_000
/** Longest time in milliseconds that credentials are kept, of deleted connectors too. */
const longestMs = 10_000

interface UnsealedCredentials {
  readonly identity: Buffer
  readonly sealed: Buffer
  readonly values: Secret<CredentialValues>
}

/** What credentials are sealed with. */
export interface SealedBytes {
  readonly connectorId: string
  /** The identity that the bytes are bound to. */
  readonly identity: Buffer
  readonly sealed: Uint8Array
}

/**
 * Credentials that were decrypted within the last seconds. They are found by the encrypted bytes, which the caller reads from the database
 * at each call: credentials that were replaced, re-encrypted or deleted, on whatever node, are never found.
 */
export class RecentlyOpened {
  readonly #opened = new BoundedMap<string, UnsealedCredentials>(mostConnectors)
  #timer: NodeJS.Timeout | undefined

  find({ connectorId, identity, sealed }: SealedBytes): Secret<CredentialValues> | undefined {
    const known = this.#opened.get(connectorId)
    return known?.identity.equals(identity) && known.sealed.equals(sealed) ? known.values : undefined
  }

  /** Keeps credentials until the next sweep. */
  add({ connectorId, identity, sealed }: SealedBytes, values: Secret<CredentialValues>): void {
    this.#opened.set(connectorId, { identity, sealed: Buffer.from(sealed), values })
    this.#timer ??= setTimeout(() => {
      this.#opened.clear()
      this.#timer = undefined
    }, longestMs).unref()
  }
}

/** Ids that are bound to encrypted credentials, so that the bytes decrypt nowhere else. */
export interface CredentialsRef extends DataKeyRef {
  readonly connectorId: string
}

/** Encrypted credentials. */
export interface Sealed {
  readonly sealed: Uint8Array
  /** Names of the fields, which are not secret. */
  readonly fields: readonly string[]
}

/** Ids that are bound to an encrypted outcome, with its status and code, which are stored in plain text. */
export interface OutcomeRef extends CredentialsRef {
  readonly keyDigest: string
  readonly status: number
  readonly code: string | null
}

/** Ids of a creation. Its renewed credentials decrypt only with the credentials of its request. */
export interface CreationRef {
  readonly organizationId: string
  readonly keyDigest: string
  readonly given: Secret<CredentialValues>
}

/** A record that only the holder of its id reads: an agent's handle, a code or token of an MCP client. */
export interface RecordRef {
  readonly type: string
  /** Secret id, random. The database has its digest only. */
  readonly id: string
  /** Organization of the record; the authorization server's records have none. */
  readonly organizationId?: string
}

/** Encrypts and decrypts credentials and outcomes. */
export interface Vault {
  /** Encrypts credentials. @throws FerruleError `credentials_unreadable` when the data key is missing */
  seal(db: Db, ref: CredentialsRef, values: Secret<CredentialValues>): Promise<Sealed>
  /**
   * Decrypts credentials.
   * @returns undefined when a rotation deleted the data key: read the row again
   * @throws FerruleError `credentials_unreadable`
   */
  open(db: Db, ref: CredentialsRef, sealed: Uint8Array): Promise<Secret<CredentialValues> | undefined>
  /**
   * Encrypts an outcome.
   * @returns undefined when the data key was deleted: use the current one.
   * @throws FerruleError `credentials_unreadable`
   */
  sealOutcome(db: Db, ref: OutcomeRef, text: string): Promise<Uint8Array | undefined>
  /**
   * Decrypts an outcome.
   * @returns undefined when the bytes are damaged or the key was deleted.
   * @throws FerruleError `credentials_unreadable`
   */
  openOutcome(db: Db, ref: OutcomeRef, sealed: Uint8Array): Promise<string | undefined>
  /** Encrypts renewed credentials. No workspace may exist yet, so the key is derived from the given credentials. */
  sealRenewed(ref: CreationRef, renewed: Secret<CredentialValues>): Uint8Array
  /** Decrypts renewed credentials. @returns undefined when other credentials were given, or the bytes are damaged */
  openRenewed(ref: CreationRef, sealed: Uint8Array): Secret<CredentialValues> | undefined
  /** Encrypts a record. The key is derived from its id, so the database alone opens nothing. */
  sealRecord(ref: RecordRef, text: string): Uint8Array
  /** Decrypts a record. @returns undefined for another type, id or organization, or damaged bytes */
  openRecord(ref: RecordRef, sealed: Uint8Array): string | undefined
}

const buildIdentity = ({ organizationId, workspaceId, connectorId, dataKeyId }: CredentialsRef): Buffer =>
  encodeIdentity('credentials', organizationId, workspaceId, connectorId, dataKeyId)

const buildOutcomeIdentity = ({ organizationId, workspaceId, connectorId, dataKeyId, keyDigest, status, code }: OutcomeRef): Buffer =>
  encodeIdentity('outcome', organizationId, workspaceId, connectorId, dataKeyId, keyDigest, String(status), code ?? '')

const buildRenewedIdentity = ({ organizationId, keyDigest }: CreationRef): Buffer => encodeIdentity('renewed', organizationId, keyDigest)
const deriveCreationKey = (ref: CreationRef): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', canonicalJson(ref.given.reveal()), ref.keyDigest, 'ferrule creation', keyBytes))

const deriveRecordKey = ({ type, id }: RecordRef): Uint8Array => new Uint8Array(hkdfSync('sha256', id, type, 'ferrule record', keyBytes))
const buildRecordIdentity = ({ type, organizationId }: RecordRef): Buffer => encodeIdentity('record', type, organizationId ?? '')

/** Builds the decryption of credentials. */
function createOpener(dataKeys: DataKeys): Vault['open'] {
  const recent = new RecentlyOpened()
  return async (db, ref, sealed) => {
    const bytes = { connectorId: ref.connectorId, identity: buildIdentity(ref), sealed }
    const known = recent.find(bytes)
    if (known !== undefined) return known
    const key = await dataKeys.find(db, ref)
    if (key === undefined) return undefined
    const plain = decrypt(key, sealed, bytes.identity)
    if (plain === undefined) throw fail('credentials_unreadable', { reason: 'they are damaged, or were copied from elsewhere' })
    const values = new Secret(JSON.parse(plain.toString()) as CredentialValues) // authenticated bytes that `seal` wrote
    recent.add(bytes, values)
    return values
  }
}

/** Builds the vault over the data keys. */
export const createVault = (dataKeys: DataKeys, randomBytes: (size: number) => Buffer): Vault => ({
  open: createOpener(dataKeys),
  seal: async (db, ref, values) => {
    const key = await dataKeys.find(db, ref)
    if (key === undefined) throw fail('credentials_unreadable', { reason: 'the data key of the workspace is missing' })
    const plain = Buffer.from(JSON.stringify(values.reveal()))
    return {
      sealed: encrypt(key, { plain, about: buildIdentity(ref), nonce: randomBytes(nonceBytes) }),
      fields: Object.keys(values.reveal()),
    }
  },
  sealOutcome: async (db, ref, text) => {
    const key = await dataKeys.find(db, ref)
    if (key === undefined) return undefined
    return encrypt(key, { plain: Buffer.from(text), about: buildOutcomeIdentity(ref), nonce: randomBytes(nonceBytes) })
  },
  openOutcome: async (db, ref, sealed) => {
    const key = await dataKeys.find(db, ref)
    return key === undefined ? undefined : decrypt(key, sealed, buildOutcomeIdentity(ref))?.toString()
  },
  sealRenewed: (ref, renewed) => {
    const plain = Buffer.from(JSON.stringify(renewed.reveal()))
    return encrypt(deriveCreationKey(ref), { plain, about: buildRenewedIdentity(ref), nonce: randomBytes(nonceBytes) })
  },
  openRenewed: (ref, sealed) => {
    const plain = decrypt(deriveCreationKey(ref), sealed, buildRenewedIdentity(ref))
    return plain === undefined ? undefined : new Secret(JSON.parse(plain.toString()) as CredentialValues) // authenticated bytes of `sealRenewed`
  },
  sealRecord: (ref, text) =>
    encrypt(deriveRecordKey(ref), {
      plain: Buffer.from(text),
      about: buildRecordIdentity(ref),
      nonce: randomBytes(nonceBytes),
    }),
  openRecord: (ref, sealed) => decrypt(deriveRecordKey(ref), sealed, buildRecordIdentity(ref))?.toString(),
})
