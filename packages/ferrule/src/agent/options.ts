/** Options of `createTools`, checked when a program runs. */
import { checkOptions, type OptionRule, type OptionRules } from '../values/options.ts'
import type { KeptStore } from './kept.ts'
import type { Narrowing } from './reach.ts'

/** Options of `createTools`. */
export interface ToolOptions extends Narrowing {
  /** True: the tool `write` is there too. Default: false. */
  readonly write?: boolean | undefined
  /** Maximum number of tokens of an answer (o200k), from 1,000; 8,000 by default. */
  readonly maxTokens?: number | undefined
  /** Makes a tool for each of these operations in place of the general ones: `gong.calls.list`, `shopify.orders.*`. */
  readonly include?: readonly string[] | undefined
  /**
   * Who calls, for example token and organization: handles of `read_more` work for the same subject only. Default: the same client or
   * connections of this process.
   */
  readonly subject?: string | undefined
  /**
   * Where positions, and what cannot be read again, are kept for 10 minutes. Processes that share one read each other's handles; `subject`
   * must then name the caller. Default: this process's memory, shared by all tools.
   */
  readonly kept?: KeptStore | undefined
  /** Milliseconds since 1970; default: the machine's clock. */
  readonly now?: (() => number) | undefined
}

/** Smallest budget: our own sentences and a handle have to fit beside the data. */
const smallestBudget = 1_000

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const texts: OptionRule = ['must be a list of strings', (value) => Array.isArray(value) && value.every(isText)]

/** Rules of the options, by name. */
export const toolOptions: OptionRules = {
  write: ['must be true or false', (value) => typeof value === 'boolean'],
  maxTokens: [`must be a whole number from ${smallestBudget}`, (value) => Number.isInteger(value) && Number(value) >= smallestBudget],
  include: texts,
  subject: ['must be a string', (value) => typeof value === 'string'],
  kept: ['must be a store with put and get', (value) => typeof value === 'object' && value !== null && 'put' in value && 'get' in value],
  now: ['must be a function', (value) => typeof value === 'function'],
  workspace: ['must be a name or null', (value) => value === null || isText(value)],
  connectors: texts,
}

/** Checks options. @throws FerruleError `validation_failed` with the place of every problem */
export const checkToolOptions = (options: unknown): void => checkOptions(toolOptions, options)
