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
  const added = new Set<string>()
  for (const spec of commands) {
    const [first = '', second] = spec.name.split(' ')
    const parent = second === undefined ? program : (parents.get(first) ?? program)
    parent.addCommand(buildCommand(spec, run))
    if (parent !== program && !added.has(first)) program.addCommand(parent)
    added.add(first)
  }
  for (const command of [program, ...listAll(program)]) prepare(command)
  return program
}

const listAll = (command: Command): readonly Command[] => command.commands.flatMap((each) => [each, ...listAll(each)])

/** Makes a command throw instead of ending the process, and keeps its words to itself: the caller prints errors. */
function prepare(command: Command): void {
  command
    .exitOverride()
    .configureHelp({ showGlobalOptions: command.parent !== null })
    .configureOutput({ writeErr: () => undefined })
    .helpCommand(false)
}
