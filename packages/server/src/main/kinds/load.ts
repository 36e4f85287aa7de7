/** Loads the kinds of the operator, and finds all mistakes of all files. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Rules } from 'ferrule/definition'
import { foldKindName, nameBeside } from 'ferrule/internal'
import type { Mistake } from 'ferrule/kind'
import { type ServedKind, summarize, unpackDefinition } from '../../connectors/served-kind.ts'
import { settingInvalid } from '../settings/value-types.ts'
import { findSources, type KindSource, readCode } from './find.ts'
import { type KeptKind, KeptKinds, nameKept } from './kept.ts'
import { makeLazyKind } from './lazy.ts'
import { importRules } from './rules.ts'

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

/** Finds the rules beside a file. */
function findRules({ path, mayHaveRules }: KindSource): string | undefined {
  const file = mayHaveRules ? findBeside(path, 'rules.js') : undefined
  return file === undefined ? undefined : pathToFileURL(file).href
}

async function readRules(url: string | undefined): Promise<{ readonly rules: Rules; readonly sentences: readonly string[] }> {
  if (url === undefined) return { rules: {}, sentences: [] }
  try {
    return { rules: await importRules(url), sentences: [] }
  } catch (thrown) {
    return { rules: {}, sentences: [`${url.slice('file://'.length)}: ${thrown instanceof Error ? thrown.message : String(thrown)}`] }
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

/** Finds where a file has a member at its top. */
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
