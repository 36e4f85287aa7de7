/** The short form of a field: `string[]? Sentence`. */
import { type Said, sayUnknown } from './mistakes.ts'
import type { FieldUse } from './shape.ts'
import { type FieldType, isFieldType, listFieldTypes, listUses } from './vocabulary.ts'

/** What a short form says. */
export interface ShortField {
  readonly type: FieldType
  /** Values of `a|b|c`. */
  readonly values?: readonly string[]
  readonly many: boolean
  /** `?`: null, or left out by people who give credentials. `!`: a parameter that is required. */
  readonly mark: '' | '?' | '!'
  /** Undefined without a sentence. */
  readonly about?: string
}

const example: Readonly<Record<FieldUse, string>> = {
  record: 'name: string? Name of the user',
  parameter: 'query: string! Words to look for',
  credential: 'token: secret Token of the account',
  configuration: 'subdomain: label Subdomain of the account',
  any: 'id: string Id',
}

const checkMark = (mark: string, use: FieldUse): Said | undefined => {
  if (mark === '?' && use === 'parameter')
    return { message: 'parameters are optional without a ?; ! makes one required', example: example.parameter }
  if (mark === '!' && use !== 'parameter' && use !== 'any')
    return { message: '! is for parameters; fields are there without it, and ? says that one can be missing', example: example[use] }
  return undefined
}

/** Says that a word is no type. A word that is near none can be the only value of a field. */
function sayType(type: string, allowed: readonly string[]): Said {
  const said = sayUnknown('a type', type, allowed)
  return said.near === undefined ? { ...said, message: `${said.message}; a single value stands in $values` } : said
}

const checkType = (type: string, use: FieldUse): Said | undefined => {
  const allowed = listFieldTypes(use)
  if (allowed.includes(type)) return undefined
  if (isFieldType(type)) return { message: `the type ${type} is for ${listUses(type).join(' and ')} fields only`, example: example[use] }
  const isSentence = /^[A-Z]/.test(type) && !allowed.some((name) => name.toLowerCase() === type.toLowerCase())
  return isSentence
    ? { message: 'a type stands in front of the sentence', example: example[use] }
    : { ...sayType(type, allowed), example: example[use] }
}

/** Reads a type with its list and its mark, without a sentence. @returns what is wrong with it, if anything is */
export function parseShortField(text: string, use: FieldUse): ShortField | Said {
  const [, word = '', sentence = ''] = /^(\S+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? []
  const [, type = '', brackets = '', sign = ''] = /^(.*?)(\[\])?([?!])?$/.exec(word) ?? []
  const mark = sign === '?' || sign === '!' ? sign : ''
  const about = sentence.trim() === '' ? {} : { about: sentence.trim() }
  const wrongMark = checkMark(mark, use)
  if (wrongMark !== undefined) return wrongMark
  if (type.includes('|')) {
    const values = type.split('|')
    if (values.includes('') || new Set(values).size < values.length)
      return { message: 'between | stand different values', example: 'state: open|closed State' }
    return { type: 'string', values, many: brackets !== '', mark, ...about }
  }
  const wrong = checkType(type, use)
  if (wrong !== undefined || !isFieldType(type)) return wrong ?? { message: `${type} is not a type` }
  return { type, many: brackets !== '', mark, ...about }
}

/** Returns whether a text was read. */
export const isShortField = (read: ShortField | Said): read is ShortField => 'type' in read
