/** Loads master keys from the settings, or from a file beside the embedded database. */
import { hkdfSync } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { CredentialValues, Secret } from 'ferrule/engine'
import { computeCredentialDigest, fail } from 'ferrule/internal'
import type { Settings } from '../../main/settings/settings.ts'

/** Keys derived (HKDF with SHA-256, RFC 5869) from one master key of 32 bytes. */
export interface MasterKey {
  /** Identifies the key: another key has another id. */
  readonly id: string
  /** Wraps data keys. */
  readonly wrapping: Buffer
  readonly signing: Buffer
  /** Signs cursors of searches and lists. */
  readonly cursors: Buffer
  /** Digests accepted credentials. */
  readonly proofs: Buffer
  /** Signs cookies and forms of the authorization server. */
  readonly cookies: Buffer
}

/** The master keys of this process. */
export interface MasterKeys {
  /** Returns the key for new data. */
  current(): MasterKey
  find(id: string): MasterKey | undefined
  /** Returns all known keys, the current one first. */
  all(): readonly MasterKey[]
  /** Reads the file again, because another process may have rotated it. Does nothing for keys of the settings. */
  refresh(): void
  /** True when the service creates and deletes keys itself; false for keys of the settings. */
  readonly ownsKeys: boolean
  /** Makes `key` the current one and writes it to disk. */
  add(key: Buffer): void
  /** Removes all keys from the file except the current one and those in `used`. */
  drop(used: ReadonlySet<string>): void
}

/** Options of `openMasterKeys`. */
export interface MasterKeyOptions {
  readonly settings: Settings
  readonly randomBytes: (size: number) => Buffer
  /** Ids of the master keys that wrap stored data keys. */
  readonly used: readonly string[]
}

const keyBytes = 32
const deriveBytes = (key: Buffer, purpose: string, size: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', `ferrule ${purpose}`, size))
const deriveKey = (key: Buffer): MasterKey => ({
  id: deriveBytes(key, 'master key id', 12).toString('base64url'),
  wrapping: deriveBytes(key, 'data key wrapping', keyBytes),
  signing: deriveBytes(key, 'token signing', keyBytes),
  cursors: deriveBytes(key, 'search cursors', keyBytes),
  proofs: deriveBytes(key, 'credential proofs', keyBytes),
  cookies: deriveBytes(key, 'oauth cookies', keyBytes),
})

/** Computes the digest that proves accepted credentials of a budget. */
export const computeProof = ({ proofs }: MasterKey, budget: string, values: Secret<CredentialValues>): string =>
  computeCredentialDigest(budget, values.reveal(), proofs)

/**
 * Opens the master keys and compares them with the ids in use.
 * @throws FerruleError `setting_invalid` when a key in use is missing, or the file is unreadable, damaged or open to others
 */
export function openMasterKeys(options: MasterKeyOptions): MasterKeys {
  const { settings, used } = options
  const keys = settings.masterKey === undefined ? openFileKeys(options) : openSettingsKeys(settings.masterKey.reveal(), settings)
  const missing = used.filter((id) => keys.find(id) === undefined)
  if (missing.length > 0) throw wrongKeyError(settings, missing)
  return keys
}

const wrongKeyError = (settings: Settings, missing: readonly string[]) =>
  fail('setting_invalid', {
    name: settings.masterKey === undefined ? 'FERRULE_DATA' : 'FERRULE_MASTER_KEY',
    reason: `stored credentials need the master key ${missing.join(' and ')}, which is not given; restore it, or name it in FERRULE_MASTER_KEY_PREVIOUS`,
  })

const listKeys = (current: MasterKey, all: ReadonlyMap<string, MasterKey>): readonly MasterKey[] => [
  current,
  ...[...all.values()].filter(({ id }) => id !== current.id),
]

function openSettingsKeys(key: Buffer, settings: Settings): MasterKeys {
  const current = deriveKey(key)
  const all = new Map(
    [...settings.previousMasterKeys.map((previous) => deriveKey(previous.reveal())), current].map((each) => [each.id, each]),
  )
  const kept = () => undefined
  return {
    current: () => current,
    find: (id) => all.get(id),
    all: () => listKeys(current, all),
    refresh: kept,
    ownsKeys: false,
    add: kept,
    drop: kept,
  }
}

function openFileKeys({ settings, randomBytes, used }: MasterKeyOptions): MasterKeys {
  const file = join(settings.dataFolder, 'master.key')
  const previous = settings.previousMasterKeys.map((key) => key.reveal())
  let lines = readKeys(file)
  if (lines.length === 0 && used.length > 0)
    throw fail('setting_invalid', {
      name: 'FERRULE_DATA',
      reason: `the master key file ${file} is missing, but stored credentials need it; restore it`,
    })
  if (lines.length === 0) lines = createFile(file, randomBytes(keyBytes))
  // Old keys stay known, so that tokens from before a rotation still verify.
  const all = new Map<string, MasterKey>()
  const learn = (): MasterKey => {
    const [first = deriveKey(Buffer.alloc(0)), ...rest] = [...lines, ...previous].map(deriveKey)
    for (const key of [first, ...rest]) all.set(key.id, key)
    return first
  }
  let current = learn()
  const write = (next: readonly Buffer[]): void => {
    renameSync(writeDraft(file, next), file)
    syncFolder(file)
    lines = next
    current = learn()
  }
  return {
    current: () => current,
    find: (id) => all.get(id),
    all: () => listKeys(current, all),
    refresh: () => {
      const read = readKeys(file)
      if (read.length === 0) throw fail('credentials_unreadable', { reason: `the master key file ${file} is missing` })
      const isSame = read.length === lines.length && read.every((line, index) => lines[index]?.equals(line))
      if (isSame) return // seals ask each time, and keys are costly to derive
      lines = read
      current = learn()
    },
    ownsKeys: true,
    add: (key) => write([key, ...lines]),
    drop: (inUse) => write(lines.filter((line, index) => index === 0 || inUse.has(deriveKey(line).id))),
  }
}

/** Returns the keys of the file, the current one first; empty when the file is missing. */
function readKeys(file: string): readonly Buffer[] {
  const text = readProtected(file)
  if (text === undefined) return []
  const keys = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Buffer.from(line, 'base64url'))
  if (keys.length > 0 && keys.every((key) => key.length === keyBytes)) return keys
  throw fail('setting_invalid', { name: 'FERRULE_DATA', reason: `the master key file ${file} is damaged; restore it` })
}

function readProtected(file: string): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0)
    throw fail('setting_invalid', { name: 'FERRULE_DATA', reason: `others may read the master key file; run chmod 600 ${file}` })
  return readFileSync(file, 'utf8')
}

/** Creates the file unless it exists. Returns its keys. */
function createFile(file: string, key: Buffer): readonly Buffer[] {
  const draft = writeDraft(file, [key])
  try {
    linkSync(draft, file)
  } catch (error) {
    if (!(error instanceof Error && Reflect.get(error, 'code') === 'EEXIST')) throw error
  } finally {
    rmSync(draft)
  }
  syncFolder(file)
  return readKeys(file)
}

/** Writes a complete file beside the real one, and flushes it to disk. */
function writeDraft(file: string, keys: readonly Buffer[]): string {
  const draft = `${file}.${process.pid}`
  rmSync(draft, { force: true })
  const handle = openSync(draft, 'wx', 0o600)
  try {
    writeSync(handle, keys.map((key) => `${key.toString('base64url')}\n`).join(''))
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  return draft
}

/** Flushes the folder, so that a new file name is durable. Windows cannot open folders. */
function syncFolder(file: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(join(file, '..'), 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
