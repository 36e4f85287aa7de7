/** Builds the program of commander from the descriptions of the commands. */
import { Command, type CommanderError, Option } from 'commander'
import { exitMeanings } from './exit-codes.ts'
import { type CommandSpec, globalOptions, type OptionSpec } from './spec.ts'
import { commands, groups } from './specs/index.ts'

/** Starts a command with its arguments and all its options. */
export type Runner = (spec: CommandSpec, args: readonly string[], options: Readonly<Record<string, unknown>>) => Promise<void>

/** What commander refuses: the command, and why. */
export class Refusal extends Error {
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
export function formatHelp(command: Command): string {
  const parts: string[] = []
  command.configureOutput({ writeErr: (part) => void parts.push(part) }).outputHelp({ error: true })
  return parts.join('')
}

const collect = (value: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), value]

function buildOption({ flags, about, choices, isList }: OptionSpec): Option {
  const option = new Option(flags, about)
  if (choices !== undefined) option.choices(choices)
  if (isList) option.argParser(collect)
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

const formatExamples = (examples: readonly string[]): string => `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`

function buildCommand(spec: CommandSpec, run: Runner): Command {
  const command = new Command(spec.name.split(' ').at(-1)).description(spec.about)
  if (spec.args !== undefined) command.arguments(spec.args)
  if (spec.usage !== undefined) command.usage(`${spec.usage} [options]`)
  for (const option of spec.options ?? []) command.addOption(buildOption(option))
  if (spec.details !== undefined) command.addHelpText('after', `\n${spec.details}`)
  command.addHelpText('after', formatExamples(spec.examples))
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

/**
 * Builds the program. Errors are thrown: it never ends the process.
 * @param run starts the chosen command
 */
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
