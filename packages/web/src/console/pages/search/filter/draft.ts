/** A filter in three views: conditions, text and JSON. An edit of one changes the other two; one that cannot be read changes none. */
import { FerruleError, type FilterCondition, formatFilter, parseFilter } from 'ferrule/core'
import { findRounded, formatJson, isObject, readJson } from 'ferrule/internal'
import { type EditorProblem, toEditorProblems } from '../../../parts/code/props.ts'
import { type Group, makeGroup, toFilter, toTree, Unshown } from './tree.ts'

/** The conditions of a filter, or why the builder cannot show them. */
export type Shown = { readonly root: Group } | { readonly reason: string }

/** Why a view cannot be read. */
export interface ViewProblem {
  readonly view: 'text' | 'json' | 'builder'
  readonly sentence: string
  /** Problems at a line and column of the view. */
  readonly marks: readonly EditorProblem[]
}

/** The three views. */
export interface FilterDraft {
  readonly text: string
  readonly json: string
  readonly shown: Shown
  /** What the last view that could be read says; undefined: everything is found. */
  readonly filter: FilterCondition | undefined
  /** Conditions of the builder that lack a field or a value: they are not part of the filter. */
  readonly incomplete: number
  readonly problem?: ViewProblem
}

/** Makes what the builder shows of a filter. */
function show(filter: FilterCondition | undefined): Shown {
  try {
    return { root: toTree(filter) }
  } catch (thrown) {
    if (thrown instanceof Unshown) return { reason: thrown.message }
    throw thrown
  }
}

const printText = (filter: FilterCondition | undefined): string => (filter === undefined ? '' : formatFilter(filter))
const printJson = (filter: FilterCondition | undefined): string => (filter === undefined ? '' : formatJson(filter))

/** The views of no filter. */
export const emptyDraft: FilterDraft = { text: '', json: '', shown: { root: makeGroup() }, filter: undefined, incomplete: 0 }

/** Describes a refusal. The sentence of one with a position in the text has line and column. */
function describe(view: ViewProblem['view'], thrown: unknown): ViewProblem {
  if (!(thrown instanceof FerruleError)) throw thrown
  const sentences = thrown.errors.map(({ message }) => message.replace(/^\/filter(?=[ /])/, view === 'text' ? 'The text' : 'The filter'))
  return { view, sentence: sentences.join('; ') || thrown.message, marks: toEditorProblems(thrown.errors) }
}

/** Takes a text. */
export function editText(before: FilterDraft, text: string): FilterDraft {
  try {
    const filter = text.trim() === '' ? undefined : parseFilter(text)
    return { text, json: printJson(filter), shown: show(filter), filter, incomplete: 0 }
  } catch (thrown) {
    return { ...before, text, problem: describe('text', thrown) }
  }
}

/** Computes the line and column of an index. */
function locate(text: string, at: number): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, at).split('\n')
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}

/** A JSON text that is no filter. */
class JsonProblem extends Error {
  readonly at: { readonly line: number; readonly column: number } | undefined

  constructor(message: string, at?: { readonly line: number; readonly column: number }) {
    super(message)
    this.at = at
  }
}

/** Finds where the browser's parser stopped; not every message of it says so. */
function findStop(text: string, message: string): { readonly line: number; readonly column: number } | undefined {
  const [, at] = /at position (\d+)/.exec(message) ?? []
  if (at !== undefined) return locate(text, Number(at))
  return /end of JSON/i.test(message) ? locate(text, text.length) : undefined
}

function readFilter(text: string): FilterCondition {
  const rounded = findRounded(text)
  if (rounded !== undefined)
    throw new JsonProblem(
      `${rounded.digits.slice(0, 40)} has more digits than a number keeps; write it in double quotes`,
      locate(text, rounded.at),
    )
  try {
    const value = readJson(text)
    if (isObject(value)) return value
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    throw new JsonProblem(`This is not JSON: ${message}`, findStop(text, message))
  }
  throw new JsonProblem('A filter is an object such as { "eq": { "name": "value" } }', { line: 1, column: 1 })
}

function describeJson(thrown: unknown): ViewProblem {
  if (!(thrown instanceof JsonProblem)) return describe('json', thrown)
  const { message, at } = thrown
  return {
    view: 'json',
    sentence: at === undefined ? message : `Line ${at.line}, column ${at.column}: ${message}`,
    marks: at === undefined ? [] : [{ ...at, message }],
  }
}

/** Takes a JSON. */
export function editJson(before: FilterDraft, json: string): FilterDraft {
  try {
    const filter = json.trim() === '' ? undefined : readFilter(json)
    return { text: printText(filter), json, shown: show(filter), filter, incomplete: 0 }
  } catch (thrown) {
    return { ...before, json, problem: describeJson(thrown) }
  }
}

/** Takes conditions of the builder. */
export function editTree(before: FilterDraft, root: Group): FilterDraft {
  const { filter, incomplete } = toFilter(root)
  try {
    return { text: printText(filter), json: printJson(filter), shown: { root }, filter, incomplete }
  } catch (thrown) {
    return { ...before, shown: { root }, problem: describe('builder', thrown) }
  }
}
