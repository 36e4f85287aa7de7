/** Runs the command: parses the arguments, starts the action, and turns what happens into words and an exit code (docs/decisions/command.md). */
import { Command, type CommanderError, Option } from 'commander'
import { asFerruleError, FerruleError } from '../errors.ts'
import { type CommandOptions, chooseFormat, createContext } from './context.ts'
import {
  exitCodes,
  exitMeanings,
  failUsage,
  findExitCode,
  formatFailure,
  formatProblem,
  Interrupted,
  nameFile,
  OutputClosed,
  Shown,
} from './failure.ts'
import { checkFields } from './known-fields.ts'
import { type Failed, nameCommands } from './next-steps.ts'
import { type CommandSpec, globalOptions, type OptionSpec } from './spec.ts'
import { commands, groups } from './specs/index.ts'

/** Reads options of a command line that commander has refused, as far as errors need them. */
function guessOptions(args: readonly string[]): CommandOptions {
  const at = args.findIndex((arg) => arg === '--format' || arg.startsWith('--format='))
  const given = args[at]?.split('=')[1] ?? args[at + 1]
  return at < 0 ? {} : { format: given }
}

function report(given: unknown, options: CommandOptions, failed?: Failed): number {
  const thrown = given instanceof FerruleError ? nameCommands(given, failed) : nameFile(given)
  if (thrown instanceof OutputClosed) return exitCodes.success
  if (thrown instanceof Shown) return findExitCode(asFerruleError(thrown.cause))
  if (thrown instanceof Interrupted) {
    process.stderr.write(`${[thrown.message, thrown.hint].join(' ').trim()}\n`)
    return exitCodes.interrupted
  }
  const text = chooseFormat(options) === 'table' ? formatFailure(thrown, process.stderr) : formatProblem(thrown)
  process.stderr.write(`${text}\n`)
  if (process.env['FERRULE_DEBUG'] === '1') process.stderr.write(`${formatStack(thrown)}\n`)
  return findExitCode(asFerruleError(thrown))
}

function formatStack(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  return thrown.cause === undefined ? String(thrown.stack) : `${thrown.stack}\nCaused by: ${formatStack(thrown.cause)}`
}

function toError({ command, cause }: Refusal): FerruleError {
  const usage = `Usage: ${command.createHelp().commandUsage(command)}`
  if (cause.code === 'commander.help') return failUsage('A command is missing.', `${usage}: ${listCommands(command)}.`)
  const [first = '', suggestion = usage] = cause.message.replace(/^error: /, '').split('\n')
  const sentence = first.replace(/\.$/, '')
  return failUsage(`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`, suggestion.replace(/^\(|\)$/g, ''))
}

const listCommands = ({ commands }: Refusal['command']): string => commands.map((each) => each.name()).join(', ')

/** Codes of commander for a line that is not complete. */
const incomplete: readonly string[] = ['commander.help', 'commander.missingArgument']

/** Reports what commander refuses. A line that is not complete gets the help, unless `--format` asks for data. */
function reportRefusal(refusal: Refusal, options: CommandOptions): number {
  const { command, cause } = refusal
  if (cause.exitCode === 0) return exitCodes.success // help and version
  const { format = 'table' } = options
  if (!incomplete.includes(cause.code) || format !== 'table') return report(toError(refusal), options)
  const { message } = toError(refusal)
  process.stderr.write(`${formatFailure(failUsage(message, ''), process.stderr)}\n\n${formatHelp(command)}`)
  return exitCodes.usage
}

/** Aborts at the first signal; the second ends the process at once. */
function listenToSignals(controller: AbortController): void {
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted)
    controller.abort(new Interrupted())
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
}

/** Keeps a closed reader from ending the process with a stack: what is left to write has no reader. */
function ignoreClosedReaders(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
}

async function printCompletions(words: readonly string[], version: string): Promise<number> {
  const { findCompletions } = await import('./completion.ts')
  process.stdout.write(await findCompletions(words, version))
  return exitCodes.success
}

/**
 * Runs the command.
 * @param args arguments of the process
 * @param version of the package
 * @returns the exit code
 */
export async function main(args: readonly string[], version: string): Promise<number> {
  ignoreClosedReaders()
  if (args[0] === 'complete' && args[1] === '--') return printCompletions(args.slice(2), version)
  const controller = new AbortController()
  let started: Failed | undefined
  const program = buildProgram(async (spec, given, options) => {
    started = { spec, args: given, options }
    refuseParquet(spec, options)
    const action = await spec.load()
    listenToSignals(controller)
    const context = createContext({ args: given, options, version }, controller)
    await checkFields(spec, context)
    await action(context)
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCodes.success
  } catch (thrown) {
    if (thrown instanceof Refusal) return reportRefusal(thrown, guessOptions(args))
    // What was aborted fails in many ways; the reason of the abort is what happened.
    return report(controller.signal.aborted ? controller.signal.reason : thrown, started?.options ?? guessOptions(args), started)
  }
}

function refuseParquet({ name }: CommandSpec, { format }: Readonly<Record<string, unknown>>): void {
  if (format === 'parquet' && name !== 'export') throw failUsage('Only an export has the format parquet.', 'Give another --format.')
}

type Runner = (spec: CommandSpec, args: readonly string[], options: Readonly<Record<string, unknown>>) => Promise<void>

class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly command: Command
  override readonly cause: CommanderError

  constructor(command: Command, cause: CommanderError) {
    super(cause.message)
    this.command = command
    this.cause = cause
  }
}

/** Returns the help of a command, as it is drawn on the terminal of errors. */
function formatHelp(command: Command): string {
  const parts: string[] = []
  command.configureOutput({ writeErr: (part) => void parts.push(part) }).outputHelp({ error: true })
  return parts.join('')
}

function buildOption({ flags, about, choices, isList }: OptionSpec): Option {
  const option = new Option(flags, isList ? `${about}; can be repeated` : about)
  if (choices !== undefined) option.choices(choices)
  if (isList) option.argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value])
  return option
}

/** Refuses arguments whose number is not the expected one, in the words of commander. */
function checkWords(command: Command, expected: readonly string[]): void {
  const { args } = command
  const missing = expected[args.length]
  if (missing !== undefined) command.error(`error: missing required argument '${missing}'`, { code: 'commander.missingArgument' })
  if (args.length > expected.length)
    command.error(`error: too many arguments. Expected ${expected.length} arguments but got ${args.length}.`)
}

function buildCommand(spec: CommandSpec, run: Runner): Command {
  const command = new Command(spec.name.split(' ').at(-1)).description(spec.about)
  if (spec.args !== undefined) command.arguments(spec.args)
  if (spec.usage !== undefined) command.usage(`${spec.usage} [options]`)
  for (const option of spec.options ?? []) command.addOption(buildOption(option))
  if (spec.details !== undefined) command.addHelpText('after', `\n${spec.details}`)
  command.addHelpText('after', `\nExamples:\n${spec.examples.map((line) => `  ${line}`).join('\n')}`)
  command.action(async () => {
    const options = command.optsWithGlobals<Record<string, unknown>>()
    if (spec.words !== undefined) checkWords(command, spec.words(options))
    await run(spec, command.args, options)
  })
  return command
}

const formatCodes = (): string =>
  `\nExit codes:\n${Object.entries(exitMeanings)
    .map(([code, meaning]) => `  ${code.padStart(3)}  ${meaning}`)
    .join('\n')}`

/** Builds the program. Errors are thrown: it never ends the process. @param run starts the chosen command */
export function buildProgram(run: Runner): Command {
  const program = new Command('ferrule')
    .description('Calls external systems, by a Ferrule service or with credentials of your own.')
    .option('-V, --version', 'print the version')
    .addHelpText('after', formatCodes())
  for (const option of globalOptions) program.addOption(buildOption(option))
  const parents = new Map(groups.map(({ name, about }) => [name, new Command(name).description(about)]))
  for (const spec of commands) {
    const [first = '', second] = spec.name.split(' ')
    const parent = second === undefined ? program : (parents.get(first) ?? program)
    const command = buildCommand(spec, run)
    parent.addCommand(command)
    if (parent === program) parents.set(first, command)
    else if (!program.commands.includes(parent)) program.addCommand(parent)
  }
  for (const command of [program, ...listAll(program)]) prepare(command, program)
  return program
}

const listAll = (command: Command): readonly Command[] => command.commands.flatMap((each) => [each, ...listAll(each)])

/** Makes a command throw a `Refusal` instead of ending the process, and keeps its words to itself: the caller prints errors. */
function prepare(command: Command, program: Command): void {
  command
    .exitOverride((cause) => {
      throw new Refusal(command, cause)
    })
    // Options of `mcp` are not those of `mcp install`.
    .configureHelp({ showGlobalOptions: command.parent !== null, visibleGlobalOptions: () => [...program.options] })
    .configureOutput({ writeErr: () => undefined })
    .helpCommand(command === program)
}
