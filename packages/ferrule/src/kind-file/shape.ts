/** The shapes of values in kind files: what a key may hold. The reader's checks and the schema for editors come from them. */
import { dropAbsent } from '../definition/object.ts'
import type { FormName } from './forms.ts'

/** What fields are used for: the meaning of their words depends on it. `any`: in groups for several uses. */
export type FieldUse = 'record' | 'parameter' | 'credential' | 'configuration' | 'any'

/** What a key may hold. */
export type Shape =
  /** A sentence or another text, of at most so many characters. */
  | { readonly is: 'text'; readonly form?: FormName; readonly most?: number }
  | { readonly is: 'word'; readonly words: readonly string[] }
  | { readonly is: 'flag' }
  | { readonly is: 'number'; readonly least: number }
  /** A text, a number or true or false, which is sent or compared as it is. */
  | { readonly is: 'scalar' }
  /** Anything that JSON has. */
  | { readonly is: 'value' }
  | { readonly is: 'list'; readonly of: Shape }
  /** Names that the author chooses. `most`: how many. */
  | { readonly is: 'map'; readonly of: Shape; readonly names: FormName; readonly most?: number }
  | { readonly is: 'keys'; readonly group: string }
  /** The short form `{ name: value }` with one entry; or the keys of a group, known by one of them. */
  | { readonly is: 'pair'; readonly of: Shape; readonly names: FormName; readonly group: string; readonly known: string }
  /** One of several, told apart by being a text, a list or a map. */
  | { readonly is: 'either'; readonly of: readonly Shape[] }
  | { readonly is: 'fields'; readonly use: FieldUse }

/** One key of a group. */
export interface KeyRow {
  readonly key: string
  readonly holds: Shape
  /** What the key says, for people who know the vendor. */
  readonly about: string
  readonly example: string
  readonly required?: true
  /** What holds without it. */
  readonly without?: string
}
/** The keys that stand together in one map. */
export interface KeyGroup {
  readonly title: string
  readonly keys: readonly KeyRow[]
}

/** A text. */
export const text = (form?: FormName, most?: number): Shape => ({ is: 'text', ...dropAbsent({ form, most }) })
/** One of some words. */
export const word = (...words: readonly string[]): Shape => ({ is: 'word', words })
/** A list. */
export const list = (of: Shape): Shape => ({ is: 'list', of })
/** Names that the author chooses, with their values. */
export const map = (names: FormName, of: Shape, most?: number): Shape => ({ is: 'map', names, of, ...dropAbsent({ most }) })
/** The keys of a group. */
export const keys = (group: string): Shape => ({ is: 'keys', group })
/** One of several shapes. */
export const either = (...of: readonly Shape[]): Shape => ({ is: 'either', of })
/** Fields for one use. */
export const fields = (use: FieldUse): Shape => ({ is: 'fields', use })
/** True or false. */
export const flag: Shape = { is: 'flag' }
/** A text, a number, or true or false. */
export const scalar: Shape = { is: 'scalar' }
/** Anything. */
export const value: Shape = { is: 'value' }

/** Longest sentence and longest name, in characters. */
export const longest = { sentence: 300, name: 64 }
/** A sentence. */
export const sentence = text(undefined, longest.sentence)
/** A name for people. */
export const title = text(undefined, longest.name)
/** Fixed values by name. */
export const constants = map('name', scalar)

/** Makes a row of the table. */
export const key = (name: string, holds: Shape, about: string, rest: Omit<KeyRow, 'key' | 'holds' | 'about'>): KeyRow => ({
  key: name,
  holds,
  about,
  ...rest,
})
