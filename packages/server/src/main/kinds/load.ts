/** Loads the kinds of FERRULE_KINDS, and finds all mistakes of all files. */
import { access, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Rules } from 'ferrule/definition'
import { formatMistake, type Mistake, readKind } from 'ferrule/kind'
import { foldKindName } from '../../connectors/catalogue.ts'
import { settingInvalid } from '../settings/value-types.ts'
import { findSources, type KindSource, readCode } from './find.ts'
import { importRules, type ServedKind } from './rules.ts'

/** A kind with its file, or the sentences about what is wrong with it. */
interface Loaded {
  readonly kind?: ServedKind
  readonly path: string
  readonly text: string
  readonly sentences: readonly string[]
}

/** Returns the file of the rules of `acme.kind.yaml`: `acme.rules.js`. */
const nameRules = (path: string): string => `${path.replace(/(?:\.kind)?\.(?:ya?ml|json)$/, '')}.rules.js`

/** Finds the rules beside a file. */
async function findRules({ path, mayHaveRules }: KindSource): Promise<string | undefined> {
  if (!mayHaveRules) return undefined
  const file = resolve(nameRules(path))
  return access(file).then(
    () => pathToFileURL(file).href,
    () => undefined,
  )
}

async function readRules(url: string | undefined): Promise<{ readonly rules: Rules; readonly sentences: readonly string[] }> {
  if (url === undefined) return { rules: {}, sentences: [] }
  try {
    return { rules: await importRules(url), sentences: [] }
  } catch (thrown) {
    return { rules: {}, sentences: [`${url.slice('file://'.length)}: ${thrown instanceof Error ? thrown.message : String(thrown)}`] }
  }
}

async function loadSource(source: KindSource): Promise<Loaded> {
  const { path } = source
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (thrown) {
    return { path, text: '', sentences: [`${path} cannot be read${readCode(thrown)}`] }
  }
  const rulesModule = await findRules(source)
  const { rules, sentences } = await readRules(rulesModule)
  const { definition, mistakes } = await readKind(text, { name: path, rules })
  const kind = definition === undefined ? {} : { kind: { definition, rules, ...(rulesModule === undefined ? {} : { rulesModule }) } }
  return { ...kind, path, text, sentences: [...sentences, ...mistakes.map(formatMistake)] }
}

/** Finds where a file has a member at its top. */
function findMember(text: string, member: string): Pick<Mistake, 'line' | 'column'> {
  const lines = text.split('\n')
  const at = lines.findIndex((line) => new RegExp(`^\\s*[{]?\\s*"?${member}"?\\s*:`).test(line))
  return { line: Math.max(at, 0) + 1, column: Math.max(lines[at]?.indexOf(member) ?? 0, 0) + 1 }
}

/** Names that lead to one kind: no other kind may have them, in any member. */
const listNames = ({ definition: { kind, id, title } }: ServedKind): readonly (readonly [member: string, name: string])[] => [
  ['kind', kind],
  ['id', id],
  ['title', title],
]

/** Finds kinds whose slug, id or title leads to another kind already. */
function findRepeated(loaded: readonly Loaded[], shipped: readonly ServedKind[]): readonly string[] {
  const owners = new Map<string, string>()
  for (const kind of shipped)
    for (const [, name] of listNames(kind)) owners.set(foldKindName(name), `${kind.definition.kind}, which ships with the service`)
  return loaded.flatMap(({ kind, path, text }) => {
    const names = kind === undefined ? [] : listNames(kind)
    const taken = names.find(([, name]) => owners.has(foldKindName(name)))
    for (const [, name] of names) if (!owners.has(foldKindName(name))) owners.set(foldKindName(name), path)
    if (taken === undefined) return []
    const [member, name] = taken
    const owner = owners.get(foldKindName(name)) ?? ''
    const message = `${name} is the name of another kind already: ${owner}`
    return [formatMistake({ file: path, ...findMember(text, member), path: member, message, example: `${member}: acme` })]
  })
}

/**
 * Loads the kinds of some names.
 * @param names files, folders and packages
 * @param shipped kinds whose names are taken
 * @throws FerruleError `setting_invalid` with all mistakes, a line each
 */
export async function loadKinds(names: readonly string[], shipped: readonly ServedKind[]): Promise<readonly ServedKind[]> {
  const found = await Promise.all(names.map(findSources))
  const sources = found.flatMap((each) => ('sources' in each ? each.sources : []))
  const loaded: Loaded[] = []
  for (const source of sources) loaded.push(await loadSource(source)) // one after the other: each may hold its text and its tree
  const sentences = [
    ...found.flatMap((each) => ('problem' in each ? [each.problem] : [])),
    ...loaded.flatMap((each) => each.sentences),
    ...findRepeated(loaded, shipped),
  ]
  if (sentences.length > 0) throw settingInvalid('FERRULE_KINDS', ['its kinds have mistakes', ...sentences].join('\n'))
  return loaded.flatMap(({ kind }) => kind ?? [])
}
