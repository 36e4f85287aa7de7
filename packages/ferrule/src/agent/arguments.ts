/** Arguments of tools: the schema that models see, and the check of what they send. Frameworks do not check, or answer with a stack. */
import { isObject } from '../definition/object.ts'
import type { Problem } from '../errors.ts'
import { readJson } from '../json/json.ts'
import { findNearNames } from '../near-names.ts'
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

/** Reads JSON that a model wrote as a string in place of an object or a list. */
export function readText(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return readJson(value)
  } catch {
    return value
  }
}

const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) || typeof value === 'bigint'

const checks: Readonly<Record<ArgumentRule['type'], readonly [message: string, read: (value: unknown) => unknown]>> = {
  string: ['must be a string', (value) => (typeof value === 'string' ? value : undefined)],
  integer: ['must be a whole number', (value) => (isWhole(value) ? Number(value) : undefined)],
  boolean: ['must be true or false', (value) => (typeof value === 'boolean' ? value : undefined)],
  object: ['must be an object', (value) => (isObject(readText(value)) ? readText(value) : undefined)],
  strings: [
    'must be a list of strings',
    (value) => {
      const list = readText(value)
      return Array.isArray(list) && list.every((each) => typeof each === 'string') ? list : undefined
    },
  ],
}

/** Checked arguments: each has the type of its rule, or is left out. */
export type Arguments = Readonly<Record<string, unknown>>

/** Checked arguments, and every problem with its place. */
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

function checkOne(name: string, rule: ArgumentRule, value: unknown): readonly [value: unknown, problems: readonly Problem[]] {
  const [message, read] = checks[rule.type]
  const found = read(value)
  if (found === undefined) return [undefined, [problem(name, message, 'type')]]
  if (rule.choices === undefined || rule.choices.includes(String(found))) return [found, []]
  return [undefined, [problem(name, `must be one of ${rule.choices.join(', ')}`, 'enum')]]
}

/**
 * Checks arguments. Null counts as left out, because strict modes send null for optional arguments.
 * @returns the arguments that were given, and every problem with its place
 */
export function checkArguments(rules: ArgumentRules, given: unknown): CheckedArguments {
  const object = given === undefined || given === null ? {} : readText(given)
  if (!isObject(object)) return { args: {}, problems: [problem('arguments', 'must be an object', 'type')] }
  const names = Object.keys(rules)
  const entries = Object.entries(object).filter(([, value]) => value !== null && value !== undefined)
  const unknown = entries.flatMap(([name]) =>
    Object.hasOwn(rules, name) ? [] : [problem(name, `is not known${suggest(name, names)}; known: ${names.join(', ')}`, 'unknown')],
  )
  const isNeeded = (name: string): boolean => rules[name]?.required === true && rules[name].isFound !== true
  const missing = names.filter((name) => isNeeded(name) && !entries.some(([given_]) => given_ === name))
  const checked = entries.flatMap(([name, value]) => {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
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
