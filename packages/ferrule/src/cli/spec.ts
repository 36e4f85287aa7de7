/** How a command is described. Help, the reference page and the completion are printed from it. */
import type { CommandContext, CommandOptions } from './context.ts'

/** Runs a command. */
export type Action = (context: CommandContext) => Promise<void>

/** An option: its flags as commander reads them, and one sentence. */
export interface OptionSpec {
  readonly flags: string
  readonly about: string
  readonly choices?: readonly string[]
  /** True: the option can be repeated. */
  readonly isList?: true
}

/** A command. */
export interface CommandSpec {
  /** Words of the command: `login`, `connectors create`. */
  readonly name: string
  /** Positional arguments as commander reads them: `<connector> [file]`. */
  readonly args?: string
  /** Arguments as help shows them, where commander cannot say it. */
  readonly usage?: string
  /** Names the expected arguments, where options decide on their number; `args` takes any number then. */
  readonly words?: (options: CommandOptions) => readonly string[]
  /** One sentence for lists. */
  readonly about: string
  /** Further lines of help. */
  readonly details?: string
  readonly options?: readonly OptionSpec[]
  /** Two examples. A test runs them. */
  readonly examples: readonly [string, string]
  /** Loads the JSON Schema of what it prints, which `--fields` chooses from; left out: nothing, or what only others know. */
  readonly record?: (context: CommandContext) => Promise<object>
  /** Loads what the command needs, when it runs. */
  readonly load: () => Promise<Action>
}

/** A group of commands: what its first word is about. */
export interface GroupSpec {
  readonly name: string
  readonly about: string
}

/** Options of every command. */
export const globalOptions: readonly OptionSpec[] = [
  { flags: '--profile <name>', about: 'profile to use; else FERRULE_PROFILE, else the chosen profile' },
  { flags: '--url <address>', about: 'address of the service; else FERRULE_URL, else the profile' },
  { flags: '--organization <id>', about: 'organization; else FERRULE_ORGANIZATION_ID, else the profile' },
  { flags: '--workspace <name>', about: 'workspace; else FERRULE_WORKSPACE, else the profile, else default' },
  { flags: '--timeout <seconds>', about: 'timeout of a request; 60 by default' },
  {
    flags: '--format <format>',
    about: 'format of the output; a table on a terminal, JSON elsewhere; parquet for export only',
    choices: ['table', 'json', 'ndjson', 'csv', 'parquet'],
  },
  { flags: '--fields <paths>', about: 'keep only these fields: dotted paths, separated by commas' },
  {
    flags: '--formulas <mode>',
    about:
      'CSV text that a spreadsheet would run, which begins with =, +, - or @: mark puts a single quote before it, keep leaves it; mark by default',
    choices: ['mark', 'keep'],
  },
  { flags: '--jq <program>', about: 'run jq over the JSON of the output; over each record with ndjson, and with --all' },
  { flags: '--quiet', about: 'no remarks and no progress' },
  { flags: '--no-input', about: 'never ask; a missing answer is an error' },
]
