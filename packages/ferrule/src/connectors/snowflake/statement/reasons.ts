/** The reasons to refuse a statement, in one table with their sentences. */
import type { Tokens } from './tokens.ts'

/** Kinds of statements that a `record` action takes. */
export type StatementKind = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE'

/** Actions of the entity `record`. */
export type RecordAction = 'get' | 'list' | 'create' | 'update' | 'delete'

/** The actions for each kind of statement. */
export const actionsByKind: Readonly<Record<StatementKind, readonly RecordAction[]>> = {
  SELECT: ['get', 'list'],
  INSERT: ['create'],
  UPDATE: ['update'],
  DELETE: ['delete'],
}

/** Maximum length of a statement in UTF-16 code units. The vendor's own limit is about 1 MB. */
export const longestStatement = 1_048_576

/**
 * System functions that only read, by the vendor's page of each. All others may change state and are refused. SYSTEM$VERIFY_EXTERNAL_VOLUME
 * is missing because it writes and deletes a file.
 */
export const systemFunctions: ReadonlySet<string> = new Set([
  'SYSTEM$BEHAVIOR_CHANGE_BUNDLE_STATUS',
  'SYSTEM$CLUSTERING_DEPTH',
  'SYSTEM$CLUSTERING_INFORMATION',
  'SYSTEM$CURRENT_USER_TASK_NAME',
  'SYSTEM$ESTIMATE_QUERY_ACCELERATION',
  'SYSTEM$ESTIMATE_SEARCH_OPTIMIZATION_COSTS',
  'SYSTEM$GET_SERVICE_LOGS',
  'SYSTEM$GET_SERVICE_STATUS',
  'SYSTEM$GET_TAG',
  'SYSTEM$GET_TAG_ALLOWED_VALUES',
  'SYSTEM$LAST_CHANGE_COMMIT_TIME',
  'SYSTEM$PIPE_STATUS',
  'SYSTEM$STREAM_HAS_DATA',
  'SYSTEM$TYPEOF',
])

/** The input for the sentence of a refusal. */
export interface Circumstances {
  /** What was found, as the refusal shows it. */
  readonly found: string
  /** Where it was found: "line 1, column 8". */
  readonly position: string
  /** The kind that the action takes. */
  readonly wanted: StatementKind
  /** Actions that take the statement unchanged; empty if none does. */
  readonly takes: readonly RecordAction[]
}

const oneStatement = 'A call takes exactly one statement'

const sentences = {
  too_long: ({ found, position }) => `The statement is longer than ${longestStatement} UTF-16 code units: ${found} at ${position}.`,
  unterminated: ({ found, position }) => `At ${position} begins ${found} that does not end.`,
  foreign_character: ({ found, position }) =>
    `At ${position} stands ${found}. Outside of strings, quoted identifiers and comments a statement has only ASCII letters, digits, operators, spaces, tabs and line breaks.`,
  ambiguous: ({ found, position }) =>
    `At ${position} stands ${found} with characters in it or directly at it that could as well end it, or begin a word, a string, a comment or a pipe. Leave them out, separate them by a space, or quote the name (a stage: '@name/path').`,
  no_statement: ({ found, position }) => `At ${position} stands ${found}, and there is no statement before it.`,
  pipe: ({ found, position }) => `At ${position} stands ${found}, which chains another statement. ${oneStatement}.`,
  several_statements: ({ found, position }) => `At ${position} stands ${found} with something behind it. ${oneStatement}.`,
  second_statement: ({ found, position }) => `At ${position} ${found} begins another statement. ${oneStatement}. Quote it if it is a name.`,
  not_a_row_statement: ({ found, position }) =>
    `The statement begins with ${found} at ${position}. Record actions take SELECT (also WITH … SELECT), INSERT, UPDATE and DELETE only.`,
  with_without_select: ({ found, position }) =>
    `At ${position} stands ${found}, where WITH wants a list of queries and then SELECT. For a write, WITH follows the target: INSERT INTO t WITH … SELECT ….`,
  procedure: ({ found, position }) => `At ${position} ${found} defines a procedure, which could run any statement. ${oneStatement}.`,
  insert_overwrite: ({ found, position }) =>
    `At ${position} stands ${found}: INSERT OVERWRITE empties the table first, and create only adds rows.`,
  insert_without_into: ({ found, position }) => `At ${position} stands ${found}, where INSERT wants INTO, ALL or FIRST.`,
  select_into: ({ found, position }) => `At ${position} stands ${found}: a SELECT only reads. Quote it if it is a name.`,
  nested_statement: ({ found, position }) =>
    `At ${position} ${found} begins a statement inside parentheses, where only a query may stand. Quote it if it is a name.`,
  system_function: ({ found, position }) =>
    `At ${position} ${found} calls a system function, and many of them change state. Allowed are ${[...systemFunctions].join(', ')}.`,
  computed_function: ({ found, position }) =>
    `At ${position} ${found} calls a function by a computed name, which could be any. Write the name.`,
  unbalanced: ({ found, position }) => `At ${position} stands ${found} without its partner.`,
  placeholder: ({ found, position }) =>
    `At ${position} stands ${found}, a placeholder, and nothing is bound to it. Write the value into the statement.`,
  other_kind: ({ found, position, wanted, takes }) =>
    `At ${position} begins ${found}, where ${wanted} is wanted. The action ${takes.join(' or ')} takes this statement.`,
} as const satisfies Readonly<Record<string, (about: Circumstances) => string>>

/** Name of a reason to refuse a statement. */
export type Reason = keyof typeof sentences

/** Something in a string for which it is refused. */
export interface Finding {
  readonly reason: Reason
  /** Its offset, in UTF-16 code units. */
  readonly at: number
  /** The finding: at most 40 characters, and never the content of a literal. */
  readonly found: string
}

/** Refuses a statement because of one token. */
export const refuse = (tokens: Tokens, index: number, reason: Reason): Finding => ({
  reason,
  at: tokens.start(index),
  found: tokens.shown(index),
})

/** Formats the sentence of a refusal: what was found, where, and what to write instead. */
export function formatSentence(reason: Reason, about: Circumstances): string {
  // A finding without a space is quoted from the statement; one with a space describes it.
  const found = about.found.includes(' ') ? about.found : `'${about.found}'`
  return sentences[reason]({ ...about, found })
}
