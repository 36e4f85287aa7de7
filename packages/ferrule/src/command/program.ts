/** Builds the program of commander from the descriptions of the commands. */
import { Command, Option } from 'commander'
import { exitMeanings } from './exit-codes.ts'
import { type CommandSpec, globalOptions, type OptionSpec } from './spec.ts'
import { commands, groups } from './specs/index.ts'

/** Starts a command with its arguments and all its options. */
export type Runner = (spec: CommandSpec, args: readonly string[], options: Readonly<Record<string, unknown>>) => Promise<void>

const collect = (value: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), value]

function buildOption({ flags, about, choices, isList }: OptionSpec): Option {
  const option = new Option(flags, about)
  if (choices !== undefined) option.choices(choices)
  if (isList) option.argParser(collect)
  return option
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
    await run(spec, command.args, command.optsWithGlobals<Record<string, unknown>>())
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

/** Makes a command throw instead of ending the process, and keeps its words to itself: the caller prints errors. */
function prepare(command: Command, program: Command): void {
  command
    .exitOverride()
    // Options of `mcp` are not those of `mcp install`.
    .configureHelp({ showGlobalOptions: command.parent !== null, visibleGlobalOptions: () => [...program.options] })
    .configureOutput({ writeErr: () => undefined })
    .helpCommand(false)
}
