/** What every command works with: settings, output, and the terminal. Without a terminal a missing answer is an error that says where to give it. */
import { once } from 'node:events'
import type { FormulaMode } from '../values/csv.ts'
import { parseFields } from '../values/projection.ts'
import { failUsage, Interrupted, OutputClosed } from './failure.ts'
import { type FormatName, formatNames, Output, Sink } from './output/output.ts'
import { noProgress, type Progress } from './output/progress.ts'
import { showControls, showInLine } from './output/terminal.ts'
import type { ServiceFlags } from './settings.ts'

/** Values of options as they were given. */
export type CommandOptions = Readonly<Record<string, unknown>>

/** The surroundings of a command. */
export interface CommandContext {
  /** Positional arguments. */
  readonly args: readonly string[]
  readonly options: CommandOptions
  readonly flags: ServiceFlags
  readonly env: Readonly<Record<string, string | undefined>>
  readonly version: string
  /** Aborts with `Interrupted` on Ctrl-C, with `OutputClosed` when nobody reads the output. */
  readonly signal: AbortSignal
  /** Timeout of a request, in milliseconds. */
  readonly deadlineMs: number | undefined
  readonly output: Output
  readonly ask: Asker
  /** Writes a remark to standard error; nothing with `--quiet`. */
  note(text: string): void
  /** Opens a line that shows progress; none where the output is drawn on the same terminal. */
  openProgress(options: { readonly isOutputShown: boolean }): Promise<Progress>
}

/** Reads an option that is text. */
export function readText(options: CommandOptions, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

/** Reads an option that is a flag without a value. */
export const readFlag = (options: CommandOptions, name: string): boolean => options[name] === true

/** Reads an option that can be repeated. */
export function readList(options: CommandOptions, name: string): readonly string[] {
  const value = options[name]
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

/** Reads an option that is a number. @throws FerruleError `validation_failed` */
export function readNumber(options: CommandOptions, name: string, least = 0): number | undefined {
  const text = readText(options, name)
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value) && value >= least) return value
  throw failUsage(`--${name} must be a number from ${least}, not ${text}.`, 'Correct the option.')
}

/** Waits for the end that a signal brings. */
export const whenAborted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort')
}

/** Returns the format: the wanted one, else a table on a terminal and JSON elsewhere. */
export function chooseFormat(options: CommandOptions): FormatName {
  const wanted = options['json'] === true ? 'json' : formatNames.find((name) => name === options['format'])
  return wanted ?? (process.stdout.isTTY ? 'table' : 'json')
}

/** Returns what CSV does with text that a spreadsheet would run. */
export const chooseFormulas = (options: CommandOptions): FormulaMode => (options['formulas'] === 'keep' ? 'keep' : 'mark')

const smallestWidth = 20

function openOutput(options: CommandOptions, note: (text: string) => void, onClosed: () => void): Output {
  const fields = readText(options, 'fields')
  const { stdout } = process
  return new Output(
    {
      format: chooseFormat(options),
      fields: fields === undefined ? undefined : parseFields(fields),
      formulas: chooseFormulas(options),
      jq: readText(options, 'jq'),
      width: Math.max(smallestWidth, stdout.columns || 120),
      stream: stdout,
      isTerminal: stdout.isTTY === true,
      note,
    },
    new Sink(stdout, onClosed),
  )
}

/** What a command is started with. */
export interface Start {
  readonly args: readonly string[]
  readonly options: CommandOptions
  readonly version: string
}

/**
 * Makes the surroundings of a command.
 * @param controller stops the command
 * @throws FerruleError `validation_failed` for a wrong global option
 */
export function createContext({ args, options, version }: Start, controller: AbortController): CommandContext {
  const isQuiet = readFlag(options, 'quiet')
  const note = (text: string): void => {
    if (!isQuiet) process.stderr.write(`${showControls(text)}\n`)
  }
  const seconds = readNumber(options, 'timeout', 0.001)
  const isTerminal = process.stdin.isTTY && process.stderr.isTTY
  const canAsk = isTerminal && !isBuildServer(process.env) && options['input'] !== false
  const isShown = process.stderr.isTTY && !isQuiet
  return {
    args,
    options,
    version,
    note,
    env: process.env,
    signal: controller.signal,
    flags: {
      profile: readText(options, 'profile'),
      url: readText(options, 'url'),
      organization: readText(options, 'organization'),
      workspace: readText(options, 'workspace'),
    },
    deadlineMs: seconds === undefined ? undefined : seconds * 1_000,
    output: openOutput(options, note, () => controller.abort(new OutputClosed())),
    ask: createAsker(canAsk),
    openProgress: async ({ isOutputShown }) =>
      isShown && !(isOutputShown && process.stdout.isTTY)
        ? (await import('./output/progress.ts')).drawProgress(process.stderr)
        : noProgress,
  }
}

interface Question {
  readonly message: string
  /** Where the answer can be given instead: a flag, a variable or a file. */
  readonly instead: string
  /** Suggested answer. */
  readonly initial?: string
  readonly check?: (answer: string) => string | undefined
}

interface PromptChoice extends Pick<Question, 'message' | 'instead'> {
  readonly options: readonly { readonly value: string; readonly label: string }[]
}

interface Asker {
  /** False: there is no terminal, or prompts are switched off. */
  readonly canAsk: boolean
  text(question: Question): Promise<string>
  secret(question: Question): Promise<string>
  select(choice: PromptChoice): Promise<string>
  /** Asks before something is deleted. `isConfirmed`: `--yes` was given. */
  confirm(message: string, isConfirmed: boolean): Promise<void>
}

const isBuildServer = (env: Readonly<Record<string, string | undefined>>): boolean =>
  env['CI'] !== undefined && env['CI'] !== '' && env['CI'] !== 'false' && env['CI'] !== '0'

const refuse = ({ message, instead }: Pick<Question, 'message' | 'instead'>) =>
  failUsage(`An answer is missing: ${message}.`, `There is no terminal to ask on. Give ${instead}.`)

const load = () => import('@clack/prompts')

/** Waits for the answer of a prompt. @throws Interrupted when the user leaves the prompt */
async function answer<T extends string | boolean>(prompt: (clack: Awaited<ReturnType<typeof load>>) => Promise<T | symbol>): Promise<T> {
  const given = await prompt(await load())
  if (typeof given === 'symbol') throw new Interrupted()
  return given
}

const required =
  (check: Question['check']) =>
  (text: string | undefined): string | undefined =>
    text === undefined || text === '' ? 'An answer is needed.' : check?.(text)

/** Makes the asker. @param canAsk true: standard input and standard error are a terminal, and nothing forbids prompts */
export function createAsker(canAsk: boolean): Asker {
  const output = process.stderr
  return {
    canAsk,
    text: (question) => {
      if (!canAsk) throw refuse(question)
      const initial = question.initial === undefined ? {} : { initialValue: question.initial }
      return answer<string>(({ text }) => text({ message: question.message, output, validate: required(question.check), ...initial }))
    },
    secret: (question) => {
      if (!canAsk) throw refuse(question)
      return answer<string>(({ password }) => password({ message: question.message, output, validate: required(question.check) }))
    },
    select: (choice) => {
      if (!canAsk) throw refuse(choice)
      return answer<string>(({ select }) =>
        select({
          message: showInLine(choice.message),
          output,
          options: choice.options.map(({ value, label }) => ({ value, label: showInLine(label) })),
        }),
      )
    },
    confirm: async (message, isConfirmed) => {
      if (isConfirmed) return
      if (!canAsk) throw failUsage(`${message} needs a confirmation.`, 'There is no terminal to ask on. Give --yes.')
      const isAgreed = await answer(({ confirm }) => confirm({ message: `${showInLine(message)}?`, output, initialValue: false }))
      if (!isAgreed) throw new Interrupted()
    },
  }
}
