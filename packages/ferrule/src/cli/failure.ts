/** Failures of the command: how they are made, and how they are shown. */
import { styleText } from 'node:util'
import { asFerruleError, FerruleError, type Problem, withHint } from '../errors.ts'
import { writeJson } from '../values/json/json.ts'
import { showControls } from './output/terminal.ts'

/** The user ended the command with Ctrl-C, or left a prompt. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
  override readonly message = 'Interrupted.'
  /** How to continue. */
  hint = ''
}

/** The reader of our output has closed its end, for example `head`. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed'
}

/** An error whose sentences stand in the output already: it only decides on the exit code. */
export class Shown extends Error {
  override readonly name = 'Shown'
  override readonly cause: unknown

  constructor(cause: unknown) {
    super('The output says what failed.')
    this.cause = cause
  }
}

/** Makes the error of a wrong use of the command. The caller throws it. @param message what is wrong @param hint what to do */
export const failUsage = (message: string, hint: string): FerruleError => new FerruleError('validation_failed', { message, hint }, {})

/** Makes the error of a wrong variable or file. The caller throws it. @param message what is wrong @param hint what to do */
export const failSetting = (message: string, hint: string): FerruleError => new FerruleError('setting_invalid', { message, hint }, {})

/** Adds the sentence that says how the command continues: to an error, and to an interruption, which prints it at its end. */
export function addResumption(thrown: unknown, sentence: string, { reason }: AbortSignal): unknown {
  if (reason instanceof Interrupted) reason.hint = sentence
  return thrown instanceof FerruleError ? withHint(thrown, `${thrown.hint} ${sentence}`.trimStart()) : thrown
}

/** Reads the code of an error of Node, such as `ENOENT`. */
export function readErrorCode(thrown: unknown): string | undefined {
  const code: unknown = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'code') : undefined
  return typeof code === 'string' ? code : undefined
}

/** Why a file cannot be opened, by the code of Node. */
const fileReasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not open it',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is no folder',
}

/** Makes a wrong use of an error of Node that names a file, such as one that does not exist. Other errors stay. */
export function nameFile(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || thrown instanceof FerruleError) return thrown
  const reason = fileReasons[readErrorCode(thrown) ?? '']
  const path: unknown = Reflect.get(thrown, 'path')
  return reason === undefined || typeof path !== 'string' ? thrown : failUsage(`${path}: ${reason}.`, 'Name another file.')
}

/** Reads why a request failed: `fetch` hides the reason in the cause. */
export const readCause = (thrown: unknown): string => {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
  // An attempt at several addresses of a name fails with a code and no sentence.
  return cause instanceof Error ? cause.message || (readErrorCode(cause) ?? cause.name) : String(cause)
}

/** Describes a problem as far as the sentence of the error does not say it: its field, where the sentence has the rest. */
function describeProblem({ field, message }: Problem, said: string): readonly string[] {
  const text = message.replace(/\.$/, '')
  if (said.includes(text)) return []
  const rest = text.startsWith(`${field}: `) ? text.slice(field.length + 2) : text.slice(field.length + 1)
  if (!text.startsWith(field) || !said.includes(rest)) return [text]
  return said.includes(field) ? [] : [`at ${field}`]
}

/** Lists the fields that an error names, when its sentence does not show them already. */
function listDetails(error: FerruleError): string[] {
  const details = new Set(error.errors.flatMap((problem) => describeProblem(problem, error.message)))
  const { upstream } = error
  const said = [upstream?.status, upstream?.code, upstream?.message].filter((part) => part !== undefined && part !== '')
  const vendor = said.length === 0 || error.message.includes(String(said.at(-1))) ? [] : [`the vendor answered: ${said.join(' ')}`]
  const request = error.headers['x-request-id']
  return [...details, ...vendor, ...(request === undefined ? [] : [`request ${request}`])]
}

/** Formats an error for people: what happened, where, and what to do. @param stream the terminal, which decides on colour */
export function formatFailure(thrown: unknown, stream: NodeJS.WritableStream): string {
  const error = asFerruleError(thrown)
  const isUnexpected = !(thrown instanceof FerruleError)
  const message = isUnexpected ? `The command failed: ${thrown instanceof Error ? thrown.message : String(thrown)}` : error.message
  const head = `${styleText('red', 'Error:', { stream })} ${showControls(message)}`
  const details = isUnexpected ? [] : listDetails(error).map((text) => `  ${showControls(text)}`)
  const hint = isUnexpected ? 'This is a fault of the command: report it with FERRULE_DEBUG=1.' : error.hint
  return [head, ...details, ...(hint === '' ? [] : [`${styleText('dim', 'What to do:', { stream })} ${showControls(hint)}`])].join('\n')
}

/** Formats an error for programs: problem details (RFC 9457) as one line of JSON. */
export function formatProblem(thrown: unknown): string {
  const error = asFerruleError(thrown)
  return showControls(writeJson(error.toProblem(error.headers['x-request-id'])))
}

/** Exit codes by what happened. */
export const exitCodes = {
  success: 0,
  failure: 1,
  authentication: 2,
  notFound: 3,
  usage: 4,
  passing: 5,
  setting: 78,
  interrupted: 130,
} as const

/** Meanings of the codes, for help and the reference page. */
export const exitMeanings: Readonly<Record<(typeof exitCodes)[keyof typeof exitCodes], string>> = {
  0: 'success',
  1: 'failure',
  2: 'authentication: the service or the vendor refused the credentials',
  3: 'not found',
  4: 'wrong usage, or a request that is not valid',
  5: 'the vendor or the service failed or throttles: try again later',
  78: 'a wrong setting: a variable or the profile file',
  130: 'interrupted',
}

type ExitRule = readonly [says: (error: FerruleError) => boolean, code: number]

/** The table; the first rule that fits an error decides. */
const rules: readonly ExitRule[] = [
  [({ code }) => code === 'setting_invalid', exitCodes.setting],
  [({ code }) => code === 'internal_error' || code === 'outcome_unknown', exitCodes.failure],
  [({ retryable }) => retryable, exitCodes.passing],
  [({ status, fault }) => status === 401 || status === 403 || fault === 'credentials', exitCodes.authentication],
  [({ status }) => status === 404, exitCodes.notFound],
  [({ status }) => status >= 400 && status < 500, exitCodes.usage],
  [({ fault }) => fault === 'vendor', exitCodes.passing],
]

/** Returns the exit code of an error. */
export const findExitCode = (error: FerruleError): number => rules.find(([says]) => says(error))?.[1] ?? exitCodes.failure
