/** Arguments of tools: the schema that models see, and the check of what they send. Frameworks do not check, or answer with a stack. */
import { isObject } from '../definition/object.ts'
import type { Problem } from '../errors.ts'
import { readJson } from '../values/json/json.ts'
import { findNearNames } from '../values/near-names.ts'
import type { JsonSchema } from './types.ts'

/** An argument of a tool. */
export interface ArgumentRule {
  readonly type: 'string' | 'integer' | 'boolean' | 'object' | 'strings'
  readonly about: string
  readonly required?: boolean
  /** True: the schema asks for it, and a call without it is not refused by the check: the tool finds what is meant. */
  readonly isFound?: boolean
  /** The only values that are taken. */
  readonly choices?: readonly string[]
}
/** Arguments by name. */
export type ArgumentRules = Readonly<Record<string, ArgumentRule>>

const types: Readonly<Record<ArgumentRule['type'], JsonSchema>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  object: { type: 'object', additionalProperties: true },
  strings: { type: 'array', items: { type: 'string' } },
}

/** Builds the schema of arguments, within what every framework takes. */
export function buildInputSchema(rules: ArgumentRules): JsonSchema {
  const properties = Object.entries(rules).map(([name, { type, about, choices }]) => [
    name,
    { ...types[type], description: about, ...(choices === undefined ? {} : { enum: choices }) },
  ])
  const required = Object.keys(rules).filter((name) => rules[name]?.required === true)
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  }
}

/** Reads JSON that a model wrote as a string instead of an object or a list. */
export function readText(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return readJson(value)
  } catch {
    return value
  }
}

/** Reads a whole number; a string of digits is one too. */
function readWhole(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\s*-?\d{1,15}\s*$/.test(value) ? Number(value) : value
  return Number.isSafeInteger(number) || typeof number === 'bigint' ? Number(number) : undefined
}

/** Reads a list of strings; a string alone is a list of what its commas separate, other than those within parentheses. */
function readList(value: unknown): readonly string[] | undefined {
  const list = readText(value)
  if (typeof list === 'string') return list.split(/,(?![^()]*\))/).flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))
  return Array.isArray(list) && list.every((each) => typeof each === 'string') ? list.filter((each) => each !== '') : undefined
}

const words: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['false', false],
])

const checks: Readonly<Record<ArgumentRule['type'], readonly [message: string, read: (value: unknown) => unknown]>> = {
  string: ['must be a string, such as "calls"', (value) => (typeof value === 'string' ? value : undefined)],
  integer: ['must be a whole number, such as 10', readWhole],
  boolean: ['must be true or false', (value) => (typeof value === 'boolean' ? value : words.get(value))],
  object: ['must be an object, such as {"name":"value"}', (value) => (isObject(readText(value)) ? readText(value) : undefined)],
  strings: ['must be a list of strings, such as ["id","title"]', readList],
}

/** Texts that stand for nothing, where no text is wanted. */
const emptyTexts: ReadonlySet<string> = new Set(['', '{}', '[]', '0'])

/**
 * Returns whether an argument counts as left out. Strict modes send something for each optional one: null, an empty text or object, or 0,
 * which no argument needs.
 */
function isLeftOut(rule: ArgumentRule | undefined, value: unknown): boolean {
  if (value === null || value === undefined) return true
  if (rule === undefined) return false
  const { type, required, isFound } = rule
  const text = typeof value === 'string' ? value.trim() : undefined
  if (required === true && isFound !== true) return text === ''
  if (text !== undefined) return emptyTexts.has(text) && (type !== 'string' || text !== '0')
  return value === 0 || (typeof value === 'object' && Object.keys(value).length === 0)
}

/** Members that hosts add beside the arguments of the model (n8n-io/n8n#21716). They are dropped where a tool has no argument of the name. */
const hostMembers: ReadonlySet<string> = new Set([
  ...(['toolCallId', 'tool_call_id', 'sessionId', 'session_id', 'chatInput', 'chat_input', 'action', 'tool', '_meta'] as const),
])
export const isHostMember = (name: string): boolean => hostMembers.has(name)

/** Checked arguments: each has the type of its rule, or is left out. */
export type Arguments = Readonly<Record<string, unknown>>

/** Checked arguments, and every problem with its field. */
export interface CheckedArguments {
  readonly args: Arguments
  readonly problems: readonly Problem[]
}

const problem = (name: string, message: string, error_code: string): Problem => ({ field: `/${name}`, message, error_code })

/** Names what was probably meant, for the end of a message. */
export function suggest(given: string, known: readonly string[]): string {
  const [nearest] = findNearNames(given, known)
  return nearest === undefined ? '' : ` (did you mean ${nearest}?)`
}

/** Reads all arguments of a call: an object, its JSON, or nothing. */
export const readObject = (given: unknown): unknown =>
  given === undefined || given === null || (typeof given === 'string' && given.trim() === '') ? {} : readText(given)

function checkOne(name: string, rule: ArgumentRule, value: unknown): readonly [value: unknown, problems: readonly Problem[]] {
  const [message, read] = checks[rule.type]
  const found = read(value)
  if (found === undefined) return [undefined, [problem(name, message, 'type')]]
  if (rule.choices === undefined || rule.choices.includes(String(found))) return [found, []]
  return [undefined, [problem(name, `must be one of ${rule.choices.join(', ')}`, 'enum')]]
}

/**
 * Checks arguments. What strict modes send for optional arguments counts as left out, and what hosts add is dropped.
 * @returns the arguments that were given, and every problem with its field
 */
export function checkArguments(rules: ArgumentRules, given: unknown): CheckedArguments {
  const object = readObject(given)
  if (!isObject(object)) return { args: {}, problems: [problem('arguments', 'must be an object, such as {"name":"value"}', 'type')] }
  const names = Object.keys(rules)
  const findRule = (name: string): ArgumentRule | undefined => (Object.hasOwn(rules, name) ? rules[name] : undefined)
  const entries = Object.entries(object).filter(([name, value]) => !isLeftOut(findRule(name), value))
  const unknown = entries.flatMap(([name]) =>
    findRule(name) !== undefined || isHostMember(name)
      ? []
      : [problem(name, `is not known${suggest(name, names)}; known: ${names.join(', ')}`, 'unknown')],
  )
  const isNeeded = (name: string): boolean => rules[name]?.required === true && rules[name].isFound !== true
  const missing = names.filter((name) => isNeeded(name) && !entries.some(([given_]) => given_ === name))
  const checked = entries.flatMap(([name, value]) => {
    const rule = findRule(name)
    return rule === undefined ? [] : [[name, checkOne(name, rule, value)] as const]
  })
  return {
    args: Object.fromEntries(checked.map(([name, [value]]) => [name, value])),
    problems: [
      ...unknown,
      ...missing.map((name) => problem(name, 'is required', 'required')),
      ...checked.flatMap(([, [, found]]) => found),
    ],
  }
}
