/** The reference page of the command, printed from the descriptions of the commands. */
import { exitMeanings } from './failure.ts'
import { type CommandSpec, globalOptions, type OptionSpec } from './spec.ts'
import { commands } from './specs/index.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

const formatOption = ({ flags, about, choices, isList }: OptionSpec): readonly string[] => [
  `\`${flags}\``,
  cell(`${about}${choices === undefined ? '' : ` (${choices.join(', ')})`}${isList ? '; can be repeated' : ''}`),
]

function formatCommand({ name, args, usage: shown = args, about, details, options = [], examples }: CommandSpec): string {
  const usage = ['ferrule', name, ...(shown === undefined ? [] : [shown]), ...(options.length === 0 ? [] : ['[options]'])].join(' ')
  return [
    `## ${name}`,
    `\`${usage}\``,
    `${about.charAt(0).toUpperCase()}${about.slice(1)}.`,
    ...(details === undefined ? [] : [cell(details)]),
    ...(options.length === 0 ? [] : [table(['Option', 'Meaning'], options.map(formatOption))]),
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
  ].join('\n\n')
}

/** Returns docs/command.md. */
export const commandPage = (): string =>
  `${[
    '<!-- Printed by `npm run gen`; do not edit. -->',
    '# The command `ferrule`',
    'It comes with the package `ferrule`: `npx ferrule --help`. In a checkout: `npm run --silent ferrule -- --help`.',
    'Data goes to standard output, everything else to standard error. On a terminal the data is a table, elsewhere JSON; `--format` decides otherwise. ' +
      'Errors are sentences on a terminal, and problem details (RFC 9457) of [errors](errors.md) elsewhere. ' +
      'A line that lacks a command or an argument prints the help on standard error, unless `--format` asks for data.',
    'An unknown name in `--fields` is refused with the names that there are, before anything is changed. Records of vendors leave members out: ' +
      'there a field that no record has is remarked on.',
    'A setting comes from its flag, else from the environment, else from the profile. `ferrule config` shows each with its source. ' +
      'Profiles stand in `credentials.json` in `FERRULE_CONFIG_DIR`, else in `$XDG_CONFIG_HOME/ferrule`, else in `~/.config/ferrule`.',
    '## Options of every command',
    table(['Option', 'Meaning'], globalOptions.map(formatOption)),
    '## Exit codes',
    table(['Code', 'Meaning'], Object.entries(exitMeanings)),
    ...commands.map(formatCommand),
  ].join('\n\n')}\n`
