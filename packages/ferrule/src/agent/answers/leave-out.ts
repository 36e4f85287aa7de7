/** Chooses the fields that say most about wide rows, so that an answer has many rows with a few fields. */
import { isObject } from '../../definition/object.ts'
import { writeLine } from './json.ts'
import { estimateTokens } from './token-count.ts'

const sampleRows = 10
/** Tokens of a row beside its fields. */
const rowFrame = 3

/** Paths of the fields that the definition of an entity names: its key, and what can be searched. */
export interface KnownFields {
  readonly key: readonly string[]
  readonly searchable: readonly string[]
}

type Row = Readonly<Record<string, unknown>>
/** A field, or a member of an object in a field. */
type Path = readonly [name: string, member?: string]

interface Field {
  readonly path: Path
  /** How much the field says: 0 says most. */
  readonly rank: number
  /** Tokens of the field in all rows of the sample. */
  readonly cost: number
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

const readAt = (row: Row, [name, member]: Path): unknown => {
  const value = row[name]
  return member === undefined ? value : isObject(value) ? value[member] : undefined
}

/** Lists the fields of rows; of a field with an object in each row, its members. */
function listPaths(rows: readonly Row[]): readonly Path[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)))
  return [...names].flatMap((name): readonly Path[] => {
    const values = rows.map((row) => row[name]).filter((value) => !isEmpty(value))
    const objects = values.filter(isObject)
    if (objects.length === 0 || objects.length < values.length) return [[name]]
    return [...new Set(objects.flatMap((value) => Object.keys(value)))].map((member) => [name, member])
  })
}

function rankField(path: Path, values: readonly unknown[], { key, searchable }: KnownFields): number {
  if (values.every(isEmpty)) return 5
  if (key.includes(path.join('.'))) return 0
  if (values.some((value) => typeof value === 'object' && value !== null)) return 4
  if (searchable.includes(path[0])) return 1
  return new Set(values.map((value) => writeLine(value ?? null))).size > 1 ? 2 : 3
}

function readField(path: Path, rows: readonly Row[], known: KnownFields): Field {
  const values = rows.map((row) => readAt(row, path))
  const given = values.filter((value) => value !== undefined)
  const cost = given.reduce<number>((sum, value) => sum + estimateTokens(`${writeLine({ [path.at(-1) ?? '']: value })},`), 0)
  return { path, cost, rank: rankField(path, values, known) }
}

/** What rows are to have room for. */
export interface Room {
  readonly rowTokens: number
  /** Maximum length of a text in the answer. */
  readonly mostCharacters: number
  readonly known: KnownFields
}

/**
 * Chooses the fields that rows go without. Stay first: the key, what can be searched, values that differ, other values, lists; small ones before
 * large ones.
 * @returns paths, the largest first; none where every field fits, where no field fits, or where a row is no object
 */
export function chooseLeftOut(rows: readonly unknown[], { rowTokens, mostCharacters, known }: Room): readonly Path[] {
  const sample = rows.slice(0, sampleRows).map((row) => shorten(row, mostCharacters, new Map()))
  const records = sample.filter(isObject)
  if (records.length < 2 || records.length < sample.length) return []
  const fields = listPaths(records).map((path) => readField(path, records, known))
  let left = (rowTokens - rowFrame) * records.length
  const leftOut = fields
    .toSorted((one, other) => one.rank - other.rank || one.cost - other.cost)
    .filter(({ cost }) => {
      if (cost > left) return true
      left -= cost
      return false
    })
  return leftOut.length === fields.length ? [] : leftOut.toSorted((one, other) => other.cost - one.cost).map(({ path }) => path)
}

/** Returns rows without some fields. An object that has no member left goes too. */
export function leaveOut(rows: readonly unknown[], paths: readonly Path[]): readonly unknown[] {
  const whole = new Set(paths.flatMap(([name, member]) => (member === undefined ? [name] : [])))
  const members = new Map<string, Set<string>>()
  for (const [name, member] of paths) if (member !== undefined) members.set(name, (members.get(name) ?? new Set()).add(member))
  const cutField = ([name, value]: readonly [string, unknown]): readonly (readonly [string, unknown])[] => {
    const dropped = members.get(name)
    if (whole.has(name)) return []
    if (dropped === undefined || !isObject(value)) return [[name, value]]
    const kept = Object.entries(value).filter(([member]) => !dropped.has(member))
    return kept.length === 0 ? [] : [[name, Object.fromEntries(kept)]]
  }
  return rows.map((row) => (isObject(row) ? Object.fromEntries(Object.entries(row).flatMap(cutField)) : row))
}

/** Lengths of the texts that were shortened, by the path of their field. Arrays are left out of paths. */
export type Shortened = Map<string, number>

/** Cuts a text without parting a pair of surrogates. */
function cut(text: string, most: number): string {
  const last = text.charCodeAt(most - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most)
}

function shortenAt(value: unknown, [most, path, found]: readonly [number, string, Shortened]): unknown {
  if (typeof value === 'string') {
    if (value.length <= most) return value
    found.set(path, Math.max(found.get(path) ?? 0, value.length))
    return `${cut(value, most)}… [${value.length} characters]`
  }
  if (Array.isArray(value)) return value.map((element: unknown) => shortenAt(element, [most, path, found]))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, shortenAt(member, [most, path === '' ? name : `${path}.${name}`, found])]),
  )
}

/** Shortens every text of a value. @param most maximum number of characters of a text @param found gets the paths of shortened texts */
export const shorten = (value: unknown, most: number, found: Shortened): unknown =>
  most === Number.POSITIVE_INFINITY ? value : shortenAt(value, [most, '', found])
