/**
 * Checked kinds of the operator, kept below the data folder: YAML takes some milliseconds for each kilobyte, and a second start with the same
 * files reads none of it. A process holds what it read, a few kilobytes for each kind, so files may change and go while it runs.
 */
import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConnectorDefinition } from 'ferrule/definition'
import { isObject } from 'ferrule/internal'
import { type KindSummary, packDefinition, summarizeDefinition } from '../../connectors/served-kind.ts'
import { createFolder } from '../../db/folder-lock.ts'
import { version } from '../../values/version.ts'

/** A kind whose definition is compressed: a twentieth of what it takes as an object. */
export interface KeptKind {
  readonly summary: KindSummary
  readonly packed: Buffer
}

const digest = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex')

/**
 * The program that checked: another one may read a file otherwise. In a checkout the version stays, so the time of the bundle is a part too.
 * `npm run dev` has no bundle: who changes the reader there deletes the folder.
 */
const program = `${version} ${statSync(process.argv[1] ?? '', { throwIfNoEntry: false })?.mtimeMs ?? ''}`

/** Names what was checked. @param parts digest of the source, and what else its check depends on */
export const nameKept = (...parts: readonly string[]): string => digest(JSON.stringify([program, ...parts]))

const isSummary = (value: unknown): value is KindSummary =>
  isObject(value) &&
  ['kind', 'id', 'title', 'about'].every((name) => typeof value[name] === 'string') &&
  typeof value['copied'] === 'boolean'

/** Reads a kept file: a line of JSON with the summary and the digest of the rest, then the compressed definition. */
function parseKept(content: Buffer): KeptKind | undefined {
  const end = content.indexOf('\n')
  if (end < 0) return undefined
  const packed = content.subarray(end + 1)
  try {
    const head: unknown = JSON.parse(content.toString('utf8', 0, end))
    if (isObject(head) && isSummary(head['summary']) && head['sha256'] === digest(packed)) return { summary: head['summary'], packed }
  } catch {
    // cut or changed: checked again
  }
  return undefined
}

/** The files of one start. */
export class KeptKinds {
  readonly #folder: string
  readonly #writes: boolean
  readonly #used = new Set<string>()
  #hasWritten = false

  /** @param folder `kinds` below the data folder. @param writes false for a command: only a service keeps kinds */
  constructor(folder: string, { writes }: { readonly writes: boolean }) {
    this.#folder = folder
    this.#writes = writes
  }

  /** Finds a kind that was checked before. */
  find(name: string): KeptKind | undefined {
    this.#used.add(name)
    try {
      return parseKept(readFileSync(join(this.#folder, name)))
    } catch {
      return undefined
    }
  }

  /** Keeps a checked kind. A folder that cannot be written costs time at the next start, and nothing else. */
  keep(name: string, definition: ConnectorDefinition): KeptKind {
    const packed = packDefinition(definition)
    const summary = summarizeDefinition(definition)
    if (this.#writes)
      try {
        createFolder(this.#folder)
        const beside = join(this.#folder, `${name}.${randomUUID()}`)
        writeFileSync(beside, Buffer.concat([Buffer.from(`${JSON.stringify({ summary, sha256: digest(packed) })}\n`), packed]), {
          mode: 0o600,
        })
        renameSync(beside, join(this.#folder, name)) // a start beside this one never reads half a file
        this.#hasWritten = true
      } catch {
        // read-only
      }
    return { summary, packed }
  }

  /** Deletes what this start did not use, after something new was kept: the folder never holds more than the kinds of two starts. */
  clean(): void {
    if (!this.#hasWritten) return
    try {
      for (const name of readdirSync(this.#folder)) if (!this.#used.has(name)) rmSync(join(this.#folder, name), { force: true })
    } catch {
      // read-only
    }
  }
}
