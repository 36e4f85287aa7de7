/** What to do next after an error, in commands: the table of errors names requests for programs. */
import { type ErrorCode, errorTable, type FerruleError, withHint } from '../errors.ts'
import { escapePattern } from '../values/texts.ts'
import { type CommandOptions, readFlag, readText } from './context.ts'
import type { CommandSpec } from './spec.ts'

/** The command that failed. */
export interface Failed {
  readonly spec: CommandSpec
  readonly args: readonly string[]
  readonly options: CommandOptions
}

interface StepFacts {
  /** The connector as a word of a shell; NAME when the command names none. */
  readonly connector: string
  /** True: the vendor is called in this process. */
  readonly isLocal: boolean
  /** True: the command can search an unfinished copy, and was not told to. */
  readonly canTakePart: boolean
  /** The file that keeps a cursor, as a word of a shell. */
  readonly cursorFile: string | undefined
}

const logIn = 'Log in again: ferrule login. A token of FERRULE_TOKEN has to be replaced.'

/** Steps by code. Other hints hold for people as they are. */
const steps: Partial<Record<ErrorCode, (facts: StepFacts) => string>> = {
  invalid_client: () => 'Check both, and log in again: ferrule login',
  missing_token: () => logIn,
  invalid_token: () => logIn,
  token_expired: () => logIn,
  organization_required: () => 'Give --organization with an id of: ferrule organizations list',
  organization_forbidden: () => 'Give --organization with an id of: ferrule organizations list',
  organization_not_found: () => 'List them: ferrule organizations list',
  application_not_found: () => 'List them: ferrule applications list',
  mcp_token_not_found: () => 'List them: ferrule tokens list',
  connect_link_not_found: () => 'List them: ferrule links list',
  workspace_not_found: () => 'List them: ferrule workspaces list',
  kind_not_found: () => 'List them: ferrule kind list',
  connector_not_found: () => 'List them: ferrule connectors list',
  sync_not_found: ({ connector }) => `See which runs there are: ferrule sync status ${connector} --format json`,
  upstream_auth_failed: ({ connector, isLocal }) =>
    isLocal ? 'Correct the variables of the credentials.' : `Replace them: ferrule connectors update ${connector} --credentials`,
  context_store_not_ready: ({ connector, canTakePart }) =>
    `Wait for the first sync, which this shows: ferrule sync status ${connector}.` +
    (canTakePart ? ' Or search what was read so far: add --allow-partial.' : ''),
  changes_expired: ({ cursorFile }) =>
    `${cursorFile === undefined ? 'Run it again without --after' : `Delete ${cursorFile}, and run it again`}: all records come first. ` +
    'Delete what you have and did not meet between snapshot_begin and snapshot_end.',
  context_store_stale: ({ connector }) => `Raise --max-age, or wait for the sync, which this shows: ferrule sync status ${connector}.`,
}

const quoteWord = (text: string): string => (/^[\w.@/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

function readFacts(failed: Failed | undefined): StepFacts {
  if (failed === undefined) return { connector: 'NAME', isLocal: false, canTakePart: false, cursorFile: undefined }
  const { spec, args, options } = failed
  const isLocal = readText(options, 'local') !== undefined
  const [given] = args
  const namesConnector = !isLocal && given !== undefined && (spec.usage ?? spec.args ?? '').startsWith('<connector>')
  const takesPart = spec.options?.some(({ flags }) => flags === '--allow-partial') === true
  const cursorFile = readText(options, 'cursorFile')
  return {
    cursorFile: cursorFile === undefined ? undefined : quoteWord(cursorFile),
    connector: namesConnector ? quoteWord(given) : 'NAME',
    isLocal,
    canTakePart: takesPart && !readFlag(options, 'allowPartial'),
  }
}

const slot = /\\\{\w+\\\}/g

/** Matches the hint that the table has for a code, with its slots filled or not. Hints of other words say more than the table. */
const matchTable = (code: ErrorCode): RegExp => new RegExp(`^${escapePattern(errorTable[code].hint).replaceAll(slot, '\\S+')}`)

/** Turns the hint of the table into commands. What stands behind it stays. */
export function nameCommands(error: FerruleError, failed?: Failed): FerruleError {
  const step = steps[error.code]?.(readFacts(failed))
  const { retryAfterMs: wait } = error
  const named = step === undefined ? error.hint : error.hint.replace(matchTable(error.code), () => step)
  // Headers and members are for programs.
  const hint = named
    .replace('for the time of Retry-After', wait === undefined ? 'a little' : `${Math.max(1, Math.ceil(wait / 1_000))} s`)
    .replace('with check: false', 'with --no-check')
  return hint === error.hint ? error : withHint(error, hint)
}
