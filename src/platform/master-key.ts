/** Master keys: from the settings, or from a file beside the embedded database. */
import { hkdfSync } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '../errors.ts'
import type { Settings } from './settings.ts'

/** What is derived (HKDF with SHA-256, RFC 5869) from one master key of 32 bytes. */
export interface MasterKey {
  /** Names the key and proves it: another key has another id. */
  readonly id: string
  /** Wraps data keys. */
  readonly wrapping: Buffer
  /** Signs tokens. */
  readonly signing: Buffer
  /** Signs the cursors of searches and of lists. */
  readonly cursors: Buffer
  /** Digests credentials that have proven themselves. */
  readonly proofs: Buffer
}

/** The master keys that this process knows. */
export interface MasterKeys {
  /** Wraps what is new. */
  current(): MasterKey
  find(id: string): MasterKey | undefined
  /** Reads the file again, because another process may have rotated it. Nothing for keys of the settings. */
  refresh(): void
  /** Whether keys are made and dropped here; false for keys of the settings. */
  readonly ownsKeys: boolean
  /** Makes `key` the current one; it is on the disk when this returns. */
  add(key: Buffer): void
  /** Removes every key from the file that is neither current nor in `used`. */
  drop(used: ReadonlySet<string>): void
}

/** What the keys are opened with. */
export interface MasterKeyOptions {
  readonly settings: Settings
  readonly randomBytes: (size: number) => Buffer
  /** Ids of the master keys that data keys are wrapped with. */
  readonly used: readonly string[]
}

const keyBytes = 32
const derived = (key: Buffer, purpose: string, size: number): Buffer => Buffer.from(hkdfSync('sha256', key, '', `ferrule ${purpose}`, size))
const derive = (key: Buffer): MasterKey => ({
  id: derived(key, 'master key id', 12).toString('base64url'),
  wrapping: derived(key, 'data key wrapping', keyBytes),
  signing: derived(key, 'token signing', keyBytes),
  cursors: derived(key, 'search cursors', keyBytes),
  proofs: derived(key, 'credential proofs', keyBytes),
})

/**
 * Opens the master keys and compares them with what is in use.
 * @throws FerruleError `setting_invalid` when a key in use is missing, or the file is unreadable, damaged or open to others
 */
export function openMasterKeys(options: MasterKeyOptions): MasterKeys {
  const { settings, used } = options
  const keys = settings.masterKey === undefined ? fileKeys(options) : settingsKeys(settings.masterKey.reveal(), settings)
  const missing = used.filter((id) => keys.find(id) === undefined)
  if (missing.length > 0) throw wrongKey(settings, missing)
  return keys
}

const wrongKey = (settings: Settings, missing: readonly string[]) =>
  fail('setting_invalid', {
    name: settings.masterKey === undefined ? 'FERRULE_DATA' : 'FERRULE_MASTER_KEY',
    reason: `stored credentials need the master key ${missing.join(' and ')}, which is not given; restore it, or name it in FERRULE_MASTER_KEY_PREVIOUS`,
  })

function settingsKeys(key: Buffer, settings: Settings): MasterKeys {
  const current = derive(key)
  const all = new Map([...settings.previousMasterKeys.map((previous) => derive(previous.reveal())), current].map((each) => [each.id, each]))
  const kept = () => undefined
  return { current: () => current, find: (id) => all.get(id), refresh: kept, ownsKeys: false, add: kept, drop: kept }
}

function fileKeys({ settings, randomBytes, used }: MasterKeyOptions): MasterKeys {
  const file = join(settings.dataFolder, 'master.key')
  const previous = settings.previousMasterKeys.map((key) => key.reveal())
  let lines = readKeys(file)
  if (lines.length === 0 && used.length > 0)
    throw fail('setting_invalid', {
      name: 'FERRULE_DATA',
      reason: `the master key file ${file} is missing, but stored credentials need it; restore it`,
    })
  if (lines.length === 0) lines = createFile(file, randomBytes(keyBytes))
  // Keys that were seen stay known, so that tokens of before a rotation are still verified.
  const all = new Map<string, MasterKey>()
  const learn = (): MasterKey => {
    const [first = derive(Buffer.alloc(0)), ...rest] = [...lines, ...previous].map(derive)
    for (const key of [first, ...rest]) all.set(key.id, key)
    return first
  }
  let current = learn()
  const write = (next: readonly Buffer[]): void => {
    replaceFile(file, next)
    lines = next
    current = learn()
  }
  return {
    current: () => current,
    find: (id) => all.get(id),
    refresh: () => {
      lines = readKeys(file)
      if (lines.length === 0) throw fail('credentials_unreadable', { reason: `the master key file ${file} is missing` })
      current = learn()
    },
    ownsKeys: true,
    add: (key) => write([key, ...lines]),
    drop: (inUse) => write(lines.filter((line, index) => index === 0 || inUse.has(derive(line).id))),
  }
}

/** The keys of the file, the current one first; none when there is no file. */
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

/** Makes the file unless it exists, and answers the keys that it holds then. */
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

function replaceFile(file: string, keys: readonly Buffer[]): void {
  renameSync(writeDraft(file, keys), file)
  syncFolder(file)
}

/** A complete file beside the real one, on the disk. */
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

/** A new name is durable when its folder is; Windows does not open folders. */
function syncFolder(file: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(join(file, '..'), 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
