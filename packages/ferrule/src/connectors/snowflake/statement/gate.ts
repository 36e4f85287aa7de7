/**
 * The statement gate: decides before any call to the warehouse whether a string is exactly one statement of the action's kind.
 *
 * Works on tokens, not on a grammar: parsers and the warehouse disagree exactly where a second statement could hide. The request is built
 * from the checked tokens, so a comment that the warehouse reads differently cannot hide anything. docs/decisions/statements.md
 * has the rules.
 */
import { findInBody } from './body.ts'
import { findInHead, readVerb } from './head.ts'
import { lex } from './lexer.ts'
import {
  actionsByKind,
  type Finding,
  formatSentence,
  longestStatement,
  type Reason,
  type RecordAction,
  refuse,
  type StatementKind,
} from './reasons.ts'
import { Tokens, tokenType } from './tokens.ts'

/** The gate's decision. */
export type Admission =
  | {
      readonly admitted: true
      /** The string to send: the checked tokens, without comments, with single spaces, and literals unchanged. */
      readonly statement: string
    }
  | {
      readonly admitted: false
      readonly reason: Reason
      /** What was found: at most 40 characters, and never the content of a literal or a quoted identifier. */
      readonly found: string
      /** Its line, from 1. LF, CR and CR LF end a line. */
      readonly line: number
      /** Its column, from 1, in UTF-16 code units as editors count them. */
      readonly column: number
      /** What was found, where, and what to write instead. */
      readonly message: string
      /** Actions of `record` that take the statement unchanged; empty if none does. */
      readonly takes: readonly RecordAction[]
    }

interface Statement {
  readonly kind: StatementKind
  readonly tokens: Tokens
  /** Index of the verb. */
  readonly index: number
}

/**
 * Admits or refuses a statement. Never throws. Time and memory grow linearly with the string, of at most 1,048,576 UTF-16 code units.
 * @param text the statement as the caller wrote it
 * @param kind the statements that the action takes
 * @returns the string to send, or why nothing is sent
 */
export function admit(text: string, kind: StatementKind): Admission {
  const read = readStatement(text)
  if ('reason' in read) return buildRefusal(text, kind, { ...read, takes: [] })
  if (read.kind === kind) return { admitted: true, statement: read.tokens.joined() }
  return buildRefusal(text, kind, { ...refuse(read.tokens, read.index, 'other_kind'), takes: actionsByKind[read.kind] })
}

/** Reads a string as exactly one statement of any kind. The order of the checks decides which finding is reported. */
function readStatement(text: string): Statement | Finding {
  if (text.length > longestStatement) return { reason: 'too_long', at: longestStatement, found: `code unit ${longestStatement + 1}` }
  const tokens = lex(text)
  if (!(tokens instanceof Tokens)) return tokens
  const nothing = refuse(tokens, 0, 'no_statement')
  tokens.dropTrailing(tokenType.semicolon)
  if (tokens.length === 0) return nothing
  const pipe = tokens.indexOf(tokenType.pipe)
  if (pipe >= 0) return refuse(tokens, pipe, 'pipe')
  const verb = readVerb(tokens)
  if ('reason' in verb) return verb
  const semicolon = tokens.indexOf(tokenType.semicolon)
  if (semicolon >= 0) return refuse(tokens, semicolon, 'several_statements')
  return findInHead(tokens, verb) ?? findInBody(tokens, verb) ?? { ...verb, tokens }
}

function buildRefusal(text: string, wanted: StatementKind, finding: Finding & { takes: readonly RecordAction[] }): Admission {
  const { reason, at, found, takes } = finding
  const { line, column } = locateOffset(text, at)
  const message = formatSentence(reason, { found, position: `line ${line}, column ${column}`, wanted, takes })
  return { admitted: false, reason, found, line, column, message, takes }
}

/** Computes line and column of an offset, both from 1. */
function locateOffset(text: string, at: number): { line: number; column: number } {
  let line = 1
  let lineStart = 0
  for (let index = 0; index < at; index += 1) {
    const code = text.charCodeAt(index)
    const isBreak = code === 0x0a || (code === 0x0d && text.charCodeAt(index + 1) !== 0x0a)
    if (!isBreak) continue
    line += 1
    lineStart = index + 1
  }
  return { line, column: at - lineStart + 1 }
}
