/** Loads the kinds of the operator, and finds all mistakes of all files. */
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, isAbsolute, join, normalize, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ConnectorDefinition, Rules } from 'ferrule/definition'
import {
  findRecordingsPath,
  foldKindName,
  isKindPackage,
  isObject,
  kindFile,
  lockName,
  manifestName,
  nameBeside,
  type Pin,
  parsePins,
  readKindManifest,
} from 'ferrule/internal'
import type { Mistake } from 'ferrule/kind'
import {
  type KindSummary,
  packDefinition,
  type ServedKind,
  summarize,
  summarizeDefinition,
  unpackDefinition,
} from '../../connectors/connector-types.ts'
import { createFolder } from '../../db/folder-lock.ts'
import { version } from '../../values/version.ts'
import { settingInvalid } from '../settings/value-types.ts'
import { makeLazyKind } from './lazy.ts'
import { importRules } from './rules.ts'

// Checked kinds are kept below the data folder: YAML takes some milliseconds for each kilobyte, and a second start with the same files reads
// none of it. A process holds what it read, a few kilobytes for each kind, so files may change and go while it runs.

/** A kind whose definition is compressed: a twentieth of what it takes as an object. */
interface KeptKind {
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
const nameKept = (...parts: readonly string[]): string => digest(JSON.stringify([program, ...parts]))

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

class KeptKinds {
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

interface KindSource {
  readonly path: string
  /** Whether rules may lie beside it: never in a package, whose code nobody here has read. */
  readonly mayHaveRules: boolean
  /** What the index of a package or the lock says of the file. With it, a file that was checked before is not read again. */
  readonly sha256?: string
  /** What lists the digest, if it is not the index of the package. */
  readonly listedBy?: string
}

/** What was found under one name, or why there is nothing. */
type LoadedSources = { readonly sources: readonly KindSource[] } | { readonly problem: string }

/** Name of a package: a path begins with a dot or a slash, or has an ending. */
const packageName = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/

/** Returns the code of an error of Node, for sentences. */
const readCode = (thrown: unknown): string => (thrown instanceof Error && 'code' in thrown ? ` (${thrown.code})` : '')

/** Finds the folder of a package, from the working directory and from this program. */
function findPackage(name: string): string | undefined {
  for (const base of [join(process.cwd(), 'package.json'), import.meta.url])
    try {
      const manifest = findPackageJSON(name, base)
      if (manifest !== undefined) return dirname(manifest)
    } catch {
      // looks from the next one
    }
  return undefined
}

/** Returns whether a value is the path of a JSON file inside of the package. */
const isInside = (file: unknown): file is string =>
  typeof file === 'string' && !isAbsolute(file) && !normalize(file).startsWith('..') && file.endsWith('.json')

/** Reads the files of an index: `{"kinds": [{"kind": "acme", "file": "acme.json", "sha256": "…"}]}`. */
function readIndex(text: string, folder: string): readonly KindSource[] | undefined {
  let index: unknown
  try {
    index = JSON.parse(text)
  } catch {
    return undefined
  }
  const listed = isObject(index) ? index['kinds'] : undefined
  if (!Array.isArray(listed)) return undefined
  const sources = listed.flatMap((each: unknown): readonly KindSource[] => {
    const { file, sha256 } = isObject(each) ? each : {}
    if (!isInside(file)) return []
    return [{ path: join(folder, file), mayHaveRules: false, ...(typeof sha256 === 'string' ? { sha256 } : {}) }]
  })
  return sources.length === listed.length ? sources : undefined
}

/** Returns whether a file lies in a folder when links are followed. A file that does not exist lies nowhere else. */
async function liesIn(folder: string, path: string): Promise<boolean> {
  const real = await realpath(path).catch(() => undefined)
  return real === undefined || real.startsWith(`${await realpath(folder)}${sep}`)
}

/** Reads what the lock in the working directory says of a package; a text says what is wrong with the lock. */
async function findPin(name: string): Promise<Pin | string | undefined> {
  const path = join(process.cwd(), lockName)
  try {
    const pins = parsePins(await readFile(path, 'utf8'))
    return pins === undefined ? `${path} is not a lock of kinds` : pins.get(name)
  } catch (thrown) {
    return isObject(thrown) && thrown['code'] === 'ENOENT' ? undefined : `${path} cannot be read${readCode(thrown)}`
  }
}

/** Finds the digest that a lock has of a file with a kind, or of recordings. Their names there follow the kind, not the package. */
const findDigest = ({ files }: Pin, ending: RegExp): string | undefined => [...files].find(([file]) => ending.test(file))?.[1]

/** Finds the kind of a package named `ferrule-kind-…`: its manifest names one file (docs/decisions/kind-files.md). */
async function findSharedKind(name: string, folder: string): Promise<LoadedSources> {
  const manifest = readKindManifest(await readFile(join(folder, manifestName), 'utf8'), name)
  const refuse = (reason: string): LoadedSources => ({ problem: `the package ${name} is refused: ${reason}` })
  if (typeof manifest === 'string') return refuse(manifest)
  const path = join(folder, manifest.path)
  const recordings = findRecordingsPath(path)
  for (const file of [path, recordings]) if (!(await liesIn(folder, file))) return refuse(`${file} is a link that leads out of it`)
  const pin = await findPin(name)
  if (typeof pin === 'string') return { problem: pin }
  if (pin === undefined) return { sources: [{ path, mayHaveRules: false }] }
  if (pin.version !== manifest.version) return refuse(`${lockName} pins version ${pin.version}, and ${manifest.version} is installed`)
  const bytes = await readFile(recordings).catch(() => undefined)
  const digest = bytes === undefined ? undefined : createHash('sha256').update(bytes).digest('hex')
  if (digest !== findDigest(pin, /\.recordings\.json$/)) return refuse(`${recordings} is not what ${lockName} pins`)
  return { sources: [{ path, mayHaveRules: false, sha256: findDigest(pin, kindFile) ?? '', listedBy: lockName }] }
}

async function findInPackage(name: string): Promise<LoadedSources> {
  const folder = findPackage(name)
  if (folder === undefined) return { problem: `there is no file, folder or installed package ${name}` }
  if (isKindPackage(name)) return findSharedKind(name, folder)
  const sources = readIndex(await readFile(join(folder, 'index.json'), 'utf8').catch(() => ''), folder)
  if (sources !== undefined) return { sources }
  return { problem: `the package ${name} has no index of kinds: index.json with {"kinds": [{"file": "acme.json"}]}` }
}

async function findInFolder(folder: string): Promise<LoadedSources> {
  const files = (await readdir(folder)).filter((file) => kindFile.test(file)).toSorted()
  if (files.length === 0) return { problem: `the folder ${folder} has no file *.kind.yaml or *.kind.json` }
  return { sources: files.map((file) => ({ path: join(folder, file), mayHaveRules: true })) }
}

/** Finds the files of one name of the setting. */
async function findSources(name: string): Promise<LoadedSources> {
  try {
    const found = await stat(name)
    return found.isDirectory() ? await findInFolder(name) : { sources: [{ path: name, mayHaveRules: true }] }
  } catch (thrown) {
    if (packageName.test(name) && !kindFile.test(name)) return findInPackage(name)
    return { problem: `${name} cannot be read${readCode(thrown)}` }
  }
}

/** A kind with its file, or the sentences about what is wrong with it. */
interface Loaded {
  readonly kind?: ServedKind
  readonly path: string
  readonly sentences: readonly string[]
}

/** Loads the parser of files: a start whose files were all checked before does without. */
const loadReader = () => import('ferrule/kind')

/** Finds a file beside `acme.kind.yaml`, such as `acme.rules.js`. */
function findBeside(path: string, ending: string): string | undefined {
  const file = resolve(nameBeside(path, ending))
  return existsSync(file) ? file : undefined
}

function findRules({ path, mayHaveRules }: KindSource): string | undefined {
  const file = mayHaveRules ? findBeside(path, 'rules.js') : undefined
  return file === undefined ? undefined : pathToFileURL(file).href
}

/** Says what a module of CommonJS lacks: npm makes such folders, and Node refuses `export` in them without the reason. */
const explainSyntax = (thrown: unknown): string =>
  thrown instanceof SyntaxError && /export|import/.test(thrown.message)
    ? ': the package.json above it needs "type": "module", or another one lies beside the rules'
    : ''

async function readRules(url: string | undefined): Promise<{ readonly rules: Rules; readonly sentences: readonly string[] }> {
  if (url === undefined) return { rules: {}, sentences: [] }
  try {
    return { rules: await importRules(url), sentences: [] }
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown)
    return { rules: {}, sentences: [`${url.slice('file://'.length)}: ${reason}${explainSyntax(thrown)}`] }
  }
}

/** Names what the check of a file depends on: its text, and the names of the rules. */
const nameCheck = (sha256: string, rules: Rules): string =>
  nameKept(
    sha256,
    ...Object.entries(rules).map(
      ([group, each]) =>
        `${group} ${Object.keys(each ?? {})
          .toSorted()
          .join(' ')}`,
    ),
  )

/** The text of a file, or the sentence that says why it cannot be used. */
type SourceText = { readonly text: string; readonly sha256: string } | { readonly sentence: string }

function readSource({ path, sha256: listed, listedBy }: KindSource): SourceText {
  try {
    const text = readFileSync(path, 'utf8')
    const sha256 = createHash('sha256').update(text).digest('hex')
    if (listed === undefined || listed === sha256) return { text, sha256 }
    return { sentence: `${path} is not the file that ${listedBy ?? 'the index of its package'} lists: its sha256 is ${sha256}` }
  } catch (thrown) {
    return { sentence: `${path} cannot be read${readCode(thrown)}` }
  }
}

/** Loads a source: what was checked before is taken as it is, by its digest. A listed digest is enough, and the file is not read. */
async function loadSource(source: KindSource, keptKinds: KeptKinds): Promise<Loaded> {
  const { path, sha256: listed } = source
  const rulesModule = findRules(source)
  const recordings = findBeside(path, 'recordings.json')
  const { rules, sentences } = await readRules(rulesModule)
  const build = (kept: KeptKind): Loaded => {
    const beside = { ...(rulesModule === undefined ? {} : { rulesModule }), ...(recordings === undefined ? {} : { recordings }) }
    const parts = { read: () => unpackDefinition(kept.packed), rules, ...beside }
    return { path, kind: makeLazyKind(kept.summary, parts), sentences }
  }
  const known = listed === undefined ? undefined : keptKinds.find(nameCheck(listed, rules))
  if (known !== undefined) return build(known)
  const read = readSource(source)
  if ('sentence' in read) return { path, sentences: [...sentences, read.sentence] }
  const name = nameCheck(read.sha256, rules)
  const kept = listed === undefined ? keptKinds.find(name) : undefined
  if (kept !== undefined) return build(kept)
  const { formatMistake, readKind } = await loadReader()
  const { definition, mistakes } = await readKind(read.text, { name: path, rules })
  if (definition !== undefined) return build(keptKinds.keep(name, definition))
  return { path, sentences: [...sentences, ...mistakes.map(formatMistake)] }
}

function findMember(path: string, member: string): Pick<Mistake, 'line' | 'column'> {
  const lines = readFileSync(path, 'utf8').split('\n')
  const at = lines.findIndex((line) => new RegExp(`^\\s*[{]?\\s*"?${member}"?\\s*:`).test(line))
  return { line: Math.max(at, 0) + 1, column: Math.max(lines[at]?.indexOf(member) ?? 0, 0) + 1 }
}

/** Names that lead to one kind: no other kind may have them, in any member. */
const listNames = (each: ServedKind): readonly (readonly [member: string, name: string])[] => {
  const { kind, id, title } = summarize(each)
  return [
    ['kind', kind],
    ['id', id],
    ['title', title],
  ]
}

/** Finds kinds whose slug, id or title leads to another kind already. */
async function findRepeated(loaded: readonly Loaded[], shipped: readonly ServedKind[]): Promise<readonly string[]> {
  const owners = new Map<string, string>()
  for (const kind of shipped)
    for (const [, name] of listNames(kind)) owners.set(foldKindName(name), `${summarize(kind).kind}, which ships with the service`)
  const mistakes: Mistake[] = loaded.flatMap(({ kind, path }) => {
    const names = kind === undefined ? [] : listNames(kind)
    const taken = names.find(([, name]) => owners.has(foldKindName(name)))
    for (const [, name] of names) if (!owners.has(foldKindName(name))) owners.set(foldKindName(name), path)
    if (taken === undefined) return []
    const [member, name] = taken
    const message = `${name} is the name of another kind already: ${owners.get(foldKindName(name)) ?? ''}`
    return [{ file: path, ...findMember(path, member), path: member, message, example: `${member}: acme` }]
  })
  return mistakes.length === 0 ? [] : mistakes.map((await loadReader()).formatMistake)
}

/** Where kinds are kept, and whose names are taken. */
export interface LoadOptions {
  readonly shipped: readonly ServedKind[]
  /** Folder of the kinds that were checked before. */
  readonly folder: string
  readonly keeps: boolean
}

/**
 * Loads the kinds of some names. A wrong file ends the start, so each file is checked at the first start that sees it.
 * @param names files, folders and packages
 * @throws FerruleError `setting_invalid` with all mistakes, a line each
 */
export async function loadKinds(names: readonly string[], { shipped, folder, keeps }: LoadOptions): Promise<readonly ServedKind[]> {
  const found = await Promise.all(names.map(findSources))
  const sources = found.flatMap((each) => ('sources' in each ? each.sources : []))
  const kept = new KeptKinds(folder, { writes: keeps })
  const loaded: Loaded[] = []
  for (const source of sources) loaded.push(await loadSource(source, kept)) // one after the other: each may hold its text and its tree
  const sentences = [
    ...found.flatMap((each) => ('problem' in each ? [each.problem] : [])),
    ...loaded.flatMap((each) => each.sentences),
    ...(await findRepeated(loaded, shipped)),
  ]
  if (sentences.length > 0) throw settingInvalid('FERRULE_KINDS', ['its kinds have mistakes', ...sentences].join('\n'))
  kept.clean()
  return loaded.flatMap(({ kind }) => kind ?? [])
}
