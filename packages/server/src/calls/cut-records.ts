/** Cuts answers to what a call wishes: its fields, and the length of strings. A worker thread can do it. Builds the body of the answer. */
import { JsonText, type Outcome, parseJson, RawJson, RawRows, readJson, writeJson } from 'ferrule/engine'
import { isObject, splitRawJson } from 'ferrule/internal'
import type { ExecuteRequest } from 'ferrule/wire'
import type { Cut, ExecutedData, Found } from './executed.ts'

/** Longest string that stays whole, in UTF-16 units. */
export const longestText = 2_000
/** Maximum number of distinct paths of shortened strings in an answer. */
const namedPaths = 100

/** Shortens a string without splitting a surrogate pair. */
function cut(text: string): string {
  const last = text.charCodeAt(longestText - 1)
  const end = last >= 0xd800 && last <= 0xdbff ? longestText - 1 : longestText
  return `${text.slice(0, end)}… [${text.length} characters]`
}

function shorten(value: unknown, path: string, cuts: Set<string>): unknown {
  if (typeof value === 'string') {
    if (value.length <= longestText) return value
    if (cuts.size < namedPaths) cuts.add(path)
    return cut(value)
  }
  if (Array.isArray(value)) return value.map((element) => shorten(element, `${path}[]`, cuts))
  if (!isObject(value)) return value
  const prefix = path === '' ? '' : `${path}.`
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shorten(part, prefix + name, cuts)]))
}

/**
 * Shortens every string of more than 2,000 characters to that length and appends its original length.
 * @param records not modified
 * @returns the records, and at most 100 paths of shortened strings (`transcript[].sentences[].text`)
 */
export function shortenTexts(records: readonly unknown[]): { readonly records: readonly unknown[]; readonly paths: readonly string[] } {
  const cuts = new Set<string>()
  return { records: records.map((record) => shorten(record, '', cuts)), paths: [...cuts] }
}

/** Field names below a path; an empty map selects everything below. */
interface FieldTree extends Map<string, FieldTree> {}

/** Builds a tree of paths. `a[].b` equals `a.b`, because arrays fan out. */
function buildTree(paths: readonly string[]): FieldTree {
  const root: FieldTree = new Map()
  for (const path of paths) {
    let at = root
    const names = path.replaceAll('[]', '').split('.')
    for (const [index, name] of names.entries()) {
      const known = at.get(name)
      if (known?.size === 0) break // an earlier path covers the branch
      const next: FieldTree = index === names.length - 1 ? new Map() : (known ?? new Map())
      at.set(name, next)
      at = next
    }
  }
  return root
}

function selectFromList(value: readonly unknown[], tree: FieldTree): unknown {
  const selected = value.map((element) => selectFrom(element, tree))
  if (value.length > 0 && selected.every((part) => part === undefined)) return undefined
  // Objects without a match stay as {}, so that positions do not shift among objects.
  return selected.map((part, index) => (part === undefined && isObject(value[index]) ? {} : part)).filter((part) => part !== undefined)
}

/** Returns the selected part of a value; undefined when no path matches. */
function selectFrom(value: unknown, tree: FieldTree): unknown {
  if (tree.size === 0) return value
  if (Array.isArray(value)) return selectFromList(value, tree)
  if (!isObject(value)) return undefined
  const kept: [string, unknown][] = []
  for (const [name, below] of tree) {
    const part = Object.hasOwn(value, name) ? selectFrom(value[name], below) : undefined
    if (part !== undefined) kept.push([name, part])
  }
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

function excludeFrom(value: unknown, tree: FieldTree): unknown {
  if (Array.isArray(value)) return value.map((element) => excludeFrom(element, tree))
  if (!isObject(value)) return value
  const kept: [string, unknown][] = []
  for (const [name, part] of Object.entries(value)) {
    const below = tree.get(name)
    if (below === undefined) kept.push([name, part])
    else if (below.size > 0) kept.push([name, excludeFrom(part, below)])
  }
  return Object.fromEntries(kept)
}

interface FieldChoice {
  /** Dot paths to keep; takes precedence over `exclude`. Absent, null and `[]` keep all. */
  readonly select?: readonly string[] | null | undefined
  /** Dot paths to omit. */
  readonly exclude?: readonly string[] | null | undefined
}

/**
 * Builds a function that cuts one record; undefined when all fields stay.
 *
 * Paths have dots (`metaData.id`). An array fans out, written as `parties[].name` or `parties.name`. The function keeps the nesting,
 * ignores unknown paths and does not modify the given record.
 */
export function fieldProjection({ select, exclude }: FieldChoice): ((record: unknown) => unknown) | undefined {
  if (select && select.length > 0) {
    const tree = buildTree(select)
    return (record) => selectFrom(record, tree) ?? {}
  }
  if (!exclude || exclude.length === 0) return undefined
  const tree = buildTree(exclude)
  return (record) => excludeFrom(record, tree)
}

/** The members of a request that select parts of records. */
export type Wish = Pick<ExecuteRequest, 'select_fields' | 'exclude_fields' | 'skip_truncation'>

const buildProjection = (wish: Wish) => fieldProjection({ select: wish.select_fields, exclude: wish.exclude_fields })

/** Cuts the records of a list. */
export function cutRecords(records: readonly unknown[], wish: Wish): { readonly data: readonly unknown[] } & Cut {
  const project = buildProjection(wish)
  const data = project === undefined ? records : records.map(project)
  if (wish.skip_truncation !== false) return { data }
  const shortened = shortenTexts(data)
  return { data: shortened.records, truncatedFields: shortened.paths }
}

/** Returns whether records keep all fields. */
export const isWhole = (wish: Wish): boolean => buildProjection(wish) === undefined

/** Cuts a single record, which keeps its long strings. */
export const cutRecord = (record: unknown, wish: Wish): unknown => buildProjection(wish)?.(record) ?? record

/** Cuts the result of a search. Parses its JSON only when a record must be cut. */
export function cutFound(found: Found, wish: Wish): Found {
  const isUntouched = isWhole(wish) && wish.skip_truncation !== false
  if (isUntouched || !(found.data instanceof JsonText)) return found
  const records = parseJson(found.data.text)
  return Array.isArray(records) ? { ...found, ...cutRecords(records, wish) } : found
}

/** Records to cut. */
export interface CutJob {
  readonly wish: Wish
  /** True for the records of a list, false for a single record. */
  readonly isList: boolean
  /** JSON in UTF-8. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** The cut records. */
export interface CutResult extends Cut {
  /** JSON in UTF-8. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Cuts large answers outside the event loop. */
export interface Cutter {
  /** Runs a job. @throws the signal's reason */
  cut(job: CutJob, signal?: AbortSignal): Promise<CutResult>
}

/** Runs a job in this thread. */
export function cutApart({ wish, isList, bytes }: CutJob): CutResult {
  const value = readJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
  const { data, ...cut } = isList && Array.isArray(value) ? cutRecords(value, wish) : { data: cutRecord(value, wish) }
  return { ...cut, bytes: new TextEncoder().encode(writeJson(data)) }
}

type Data = Exclude<Outcome, { readonly type: 'file' }>

/** Returns whether an outcome stays unchanged. Single records always keep their long strings. */
export const isUntouched = ({ type }: Pick<Data, 'type'>, wish: Wish): boolean =>
  isWhole(wish) && (type === 'record' || wish.skip_truncation !== false)

const onThisThread: Cutter = { cut: async (job: CutJob) => cutApart(job) }

interface CutOptions {
  /** Cuts JSON bytes; defaults to this thread. */
  readonly cutter?: Cutter | undefined
  readonly signal?: AbortSignal | undefined
}

/** Cuts a vendor's outcome; files stay unchanged, and so does text, which only untouched lists have. @throws as `Cutter.cut` */
export async function cutOutcome(outcome: Outcome, wish: Wish, { cutter = onThisThread, signal }: CutOptions = {}): Promise<Outcome & Cut> {
  if (outcome.type === 'list' && outcome.text !== undefined) return { ...outcome, data: outcome.text }
  if (outcome.type === 'file' || isUntouched(outcome, wish)) return outcome
  const found = splitRawJson(outcome.data)
  const isList = outcome.type === 'list'
  if (found !== undefined) {
    const whole = new Uint8Array(Buffer.concat(found.parts))
    found.raw.release()
    const { bytes, ...cut } = await cutter.cut({ wish, isList, bytes: whole }, signal)
    const json = Buffer.from(bytes.buffer)
    return isList ? { ...outcome, ...cut, data: new RawRows(json) } : { ...outcome, ...cut, data: new RawJson(json) }
  }
  if (outcome.type === 'record') return { ...outcome, data: cutRecord(outcome.data, wish) }
  return outcome.data instanceof RawRows ? outcome : { ...outcome, ...cutRecords(outcome.data, wish) }
}

/** Builds the body of an answer that is no file; `writeBody` writes it. */
export const answerBody = (executed: ExecutedData | Found) => ({
  data: executed.data,
  meta: executed.meta,
  truncated_fields: executed.truncatedFields,
  ...(executed.type === 'found' ? { context_store: executed.contextStore } : {}),
})
