/** Records of streams: where they stand in the answer, and what the platform makes of them. */
import { readFirstStep } from '../../definition/fields.ts'
import { isObject } from '../../definition/object.ts'
import type { FileCondition, Scalar } from '../../kind-file/file.ts'
import type { Component } from './component.ts'
import { readLiteral, splitTop } from './expression.ts'
import { isName } from './names.ts'
import type { Notes } from './outcome.ts'
import { toPath } from './paging.ts'
import type { FileFields } from './record-schema.ts'
import { readPlain, readSlot, readTemplate, type Slot } from './template.ts'

/** Where the rows of a list stand. */
export interface RowsDraft {
  readonly at: string
  readonly merge: readonly string[]
  readonly isKeyed: boolean
  /** Conditions that the records fulfil, by field. */
  readonly where?: Readonly<Record<string, Test>>
}
/** A field that the platform adds: a value of the row, or a value of the call. */
export type Added = { readonly path: string } | { readonly slot: Slot }

/** Writes steps as a path in which an index is a number; '' for none. */
const toRowPath = (steps: readonly string[]): string | undefined =>
  steps.length === 0 ? '' : toPath(steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step)))

function splitStars(steps: readonly string[]): readonly (readonly string[])[] {
  const groups: string[][] = [[]]
  for (const step of steps) {
    if (step === '*') groups.push([])
    else groups.at(-1)?.push(step)
  }
  return groups
}

/**
 * Reads where the rows are. A star stands for the values of an object, or for each row with an object around its fields; several of them for
 * lists within the rows of a list.
 */
function readPath(steps: readonly string[], notes: Notes): RowsDraft | undefined {
  const groups = splitStars(steps)
  const last = groups.at(-1) ?? []
  const around = groups.slice(0, -1)
  if (around.length === 0) {
    const at = toRowPath(last)
    return at === undefined ? notes.stop('rows at no plain path', steps.join('.')) : { at, merge: [], isKeyed: false }
  }
  const lists = around.map(toRowPath)
  const at = lists.some((each) => each === undefined) ? undefined : lists.join('[].')
  const inner = last.length === 0 ? '' : toPath(last)
  if (at === undefined || inner === undefined || lists.slice(1).includes(''))
    return notes.stop('rows within rows at no plain path', steps.join('.'))
  notes.doubt(inner !== '' ? 'list.merge' : lists.length > 1 ? 'list.at' : 'list.keyed', 'guessed')
  return { at, merge: inner === '' ? [] : [inner], isKeyed: inner === '' && lists.length === 1 }
}

const timeFilter = /stream_(interval|slice|state)|start_date|start_time|next_page_token/

/** Returns whether all parts of a condition are about the time that a walk asks for: a part about anything else decides which records count. */
const isTimeOnly = (condition: string): boolean => condition.split(/\b(?:and|or)\b/).every((part) => timeFilter.test(part))

type Test = Exclude<FileCondition, string>[string]

/** Most conditions of a list in a kind file. */
const mostConditions = 10

/** Reads literals, one or a list of them; null stands for None. */
function readLiterals(source: string): readonly (Scalar | null)[] | undefined {
  const [, inner] = /^\[(.+)\]$/.exec(source) ?? []
  const found = (inner === undefined ? [source] : splitTop(inner, /^,/)).map((each) => (/^none$/i.test(each) ? null : readLiteral(each)))
  return found.every((each) => each !== undefined) ? found : undefined
}

/** What a kind file reads as a value of configuration. */
const isSlot = /^\{\w+\}$/

/** Builds the test for some values. Nothing says both, that a field has no value and that it has one of some. */
function toTest(values: readonly (Scalar | null)[], isNot: boolean): Test | undefined {
  const scalars = values.flatMap((each) => each ?? [])
  const [first, ...others] = scalars
  if (first === undefined) return { exists: isNot }
  if (scalars.length < values.length || scalars.some((each) => isSlot.test(String(each)))) return undefined
  const is = others.length === 0 ? first : scalars
  return isNot ? { not: is } : is
}

/** Reads a condition on one field of the record. */
function readTest(source: string): readonly [path: string, test: Test] | undefined {
  const [, left = '', operator = '', right = ''] =
    /^(.+?)\s*(==|!=|<|>|\bis\s+not\b|\bis\b|\bnot\s+in\b|\bin\b)\s*(.+)$/s.exec(source) ?? []
  const slot = readSlot(left)
  const path = slot?.root === 'record' && slot.otherwise === undefined ? toPath(slot.path) : undefined
  if (path === undefined || path.includes('\\')) return undefined
  const isNot = /^!|\bnot\b/.test(operator)
  if (/^is/.test(operator)) {
    const [, word] = /^(none|defined)$/i.exec(right) ?? []
    return word === undefined ? undefined : [path, { exists: (word === 'defined') !== isNot }]
  }
  if (/^[<>]$/.test(operator)) {
    const bound = /^-?\d{1,15}$/.test(right) ? Number(right) : undefined
    return bound === undefined ? undefined : [path, operator === '>' ? { above: bound } : { below: bound }]
  }
  const values = right.startsWith('[') === /in$/.test(operator) ? readLiterals(right) : undefined
  const test = values === undefined ? undefined : toTest(values, isNot)
  return test === undefined ? undefined : [path, test]
}

/** Reads conditions that a record fulfils all; undefined for anything else. */
function readTests(condition: string): Readonly<Record<string, Test>> | undefined {
  const [, inner] = /^\{\{-?((?:(?!\}\}).)+?)-?\}\}$/s.exec(condition.trim()) ?? []
  const tests = inner === undefined ? [] : splitTop(inner.trim(), /^\s+and\s+/).map(readTest)
  const found = new Map(tests.flatMap((test) => (test === undefined ? [] : [test])))
  const isRight = found.size === tests.length && found.size > 0 && found.size <= mostConditions
  return isRight ? Object.fromEntries(found) : undefined
}

function readFilter(filter: Component | undefined, notes: Notes): Pick<RowsDraft, 'where'> {
  if (filter === undefined) return {}
  filter.leaveAll()
  if (filter.isCustom) return notes.stop('custom code: record filter') ?? {}
  const condition = filter.text('condition') ?? ''
  if (condition.trim() === '') return {}
  if (isTimeOnly(condition) && !/extra_fields/.test(condition)) {
    notes.leave('filters', 'record_filter')
    return {}
  }
  const where = readTests(condition)
  if (where === undefined) return notes.stop('records that the platform filters by a condition', condition) ?? {}
  // For the platform a missing field is not null.
  if (/\b(none|defined)\b/i.test(condition)) notes.doubt('list.where', 'guessed')
  return { where }
}

/** Stops a stream whose condition is on a field whose path in the rows differs from that in the records. */
export function checkFilter({ where = {}, merge }: RowsDraft, shaped: Shaped, notes: Notes): void {
  const moved = new Set([...merge, ...shaped.merge, ...shaped.added.keys(), ...shaped.computed].map(readFirstStep))
  for (const path of Object.keys(where))
    if (moved.has(readFirstStep(path))) notes.stop('a condition on a field that the platform moves', path)
}

/** Reads the selector of a stream. */
export function readSelector(selector: Component | undefined, notes: Notes): RowsDraft | undefined {
  if (selector === undefined) return notes.stop('a stream without a record selector')
  selector.leave('transform_before_filtering')
  if (selector.isCustom) return notes.stop('custom code: record selector')
  const normalization = selector.take('schema_normalization')
  if (typeof normalization === 'string' && normalization !== 'None') notes.leave('removed', 'schema_normalization')
  else if (isObject(normalization)) notes.stop('custom code: normalization')
  const filter = readFilter(selector.child('record_filter'), notes)
  const extractor = selector.child('extractor')
  if (extractor === undefined || extractor.isCustom) {
    extractor?.leaveAll()
    return notes.stop('custom code: record extractor')
  }
  if (extractor.type !== 'DpathExtractor') return notes.stop('an extractor that kind files do not have', extractor.type)
  const path = extractor.takeAll('field_path')
  const steps = (Array.isArray(path) ? path : path === undefined ? [] : [path]).map((step) => readPlain(readTemplate(String(step))))
  if (steps.some((step) => step === undefined)) return notes.stop('logic in the path of records', JSON.stringify(path))
  const rows = readPath(
    steps.flatMap((step) => (step === undefined || step === '' ? [] : step.split('/').length > 1 ? step.split('/') : [step])),
    notes,
  )
  return rows === undefined ? undefined : { ...rows, ...filter }
}

function readAdded(
  transformation: Component,
  { added, computed }: { added: Map<string, Added>; computed: Set<string> },
  notes: Notes,
): void {
  if (transformation.take('condition') !== undefined) notes.leave('derived', 'condition')
  for (const field of transformation.children('fields')) {
    field.leave('value_type')
    const path = field.takeAll('path')
    const steps = (Array.isArray(path) ? path : [path]).map(String)
    const [name = ''] = steps
    const template = field.template('value') ?? []
    const [part, ...others] = template
    const isPlain = steps.length === 1 && isName(name) && part?.is === 'slot' && others.length === 0
    const from = isPlain && part.root === 'record' ? toPath(part.path) : undefined
    if (from !== undefined && from !== name) added.set(name, { path: from })
    else if (isPlain && /^stream_(partition|slice)$/.test(part.root)) added.set(name, { slot: part })
    else if (from !== name) {
      notes.leave('derived', steps.join('.'))
      computed.add(name)
    }
  }
}

/** What the transformations of a stream say. */
export interface Shaped {
  readonly added: ReadonlyMap<string, Added>
  /** Fields whose values the platform computes, and a kind cannot. */
  readonly computed: ReadonlySet<string>
  readonly merge: readonly string[]
}

/** Reads the transformations of a stream. */
export function readTransformations(all: readonly Component[], notes: Notes): Shaped {
  const added = new Map<string, Added>()
  const computed = new Set<string>()
  const merge: string[] = []
  for (const each of all) {
    if (each.isCustom) {
      each.leaveAll()
      notes.stop('custom code: transformation')
    } else if (each.type === 'AddFields') readAdded(each, { added, computed }, notes)
    else if (each.type === 'RemoveFields') {
      each.leaveAll()
      notes.leave('removed', 'RemoveFields')
    } else if (each.type === 'DpathFlattenFields') {
      const path = each.takeAll('field_path')
      const from = toPath((Array.isArray(path) ? path : []).map(String))
      each.leave('delete_origin_value', 'replace_record')
      if (from === undefined || each.take('key_transformation') !== undefined) notes.stop('fields that the platform renames', each.type)
      else merge.push(from)
    } else {
      each.leaveAll()
      notes.stop('fields that the platform renames', each.type)
    }
  }
  return { added, computed, merge }
}

/** Reads the key of a stream; undefined for none. */
export function readKey(value: unknown, notes: Notes): readonly string[] | undefined {
  const keys = (Array.isArray(value) ? value.flat() : [value]).filter((each) => each !== undefined && each !== null && each !== '')
  if (keys.length === 0) return undefined
  const names = keys.map((each) => readPlain(readTemplate(String(each))) ?? '')
  return names.every(isName) ? names : notes.stop('a key with logic in it', JSON.stringify(value))
}

/** Makes sure that the record has the fields. */
export const withFields = (fields: FileFields, names: readonly string[], type = 'string'): FileFields => ({
  ...Object.fromEntries(names.filter((name) => !Object.hasOwn(fields, name)).map((name) => [name, type])),
  ...fields,
})
