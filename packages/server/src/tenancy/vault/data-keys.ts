/** Manages data keys: one per workspace, wrapped with the master key, unwrapped in memory only. */
import { createSecretKey, type KeyObject } from 'node:crypto'
import { BoundedMap, fail } from 'ferrule/internal'
import type { Db } from '../../db/database.ts'
import type { IdSource } from '../../values/ids.ts'
import { type DataKeyRow, findDataKey, insertDataKey } from '../sql/keys.ts'
import { decrypt, encodeIdentity, encrypt, keyBytes, nonceBytes } from './cipher.ts'
import type { MasterKeys } from './master-key.ts'

/** The workspace of a data key. */
export interface WorkspaceRef {
  readonly organizationId: string
  readonly workspaceId: string
}
/** A data key of a workspace. */
export interface DataKeyRef extends WorkspaceRef {
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

const buildIdentity = (id: string, { organizationId, workspaceId }: WorkspaceRef): Buffer =>
  encodeIdentity('data key', organizationId, workspaceId, id)
const toRef = (row: DataKeyRow): WorkspaceRef => ({ organizationId: row.organization_id, workspaceId: row.workspace_id })
const unreadableError = (reason: string) => fail('credentials_unreadable', { reason })

function unwrap(masterKeys: MasterKeys, row: DataKeyRow): Buffer {
  if (masterKeys.find(row.master_key_id) === undefined) masterKeys.refresh()
  const master = masterKeys.find(row.master_key_id)
  if (master === undefined) throw unreadableError(`the master key ${row.master_key_id} is missing`)
  const key = decrypt(master.wrapping, row.wrapped, buildIdentity(row.id, toRef(row)))
  if (key === undefined) throw unreadableError('the data key of the workspace is damaged')
  return key
}

/** Builds the data keys over the master keys. */
export function createDataKeys(masterKeys: MasterKeys, source: IdSource): DataKeys {
  const unwrapped = new BoundedMap<string, KeyObject>(keysInMemory)
  const wrap = (plain: Buffer, id: string, ref: WorkspaceRef) => {
    const { id: masterKeyId, wrapping } = masterKeys.current()
    return { masterKeyId, wrapped: encrypt(wrapping, { plain, about: buildIdentity(id, ref), nonce: source.randomBytes(nonceBytes) }) }
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
