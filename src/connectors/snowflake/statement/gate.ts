/**
 * The statement gate: decides before any call to the warehouse whether a text is exactly one statement of the kind that an action takes.
 *
 * Works on tokens, not on a grammar: parsers and the warehouse disagree just where a second statement could hide. What is sent is made
 * from the tokens that were checked, so that a comment which the warehouse reads differently cannot hide anything.
 * docs/decisions/0013-statement-gate.md has the rules.
 */
import { findInBody } from './body.ts'
import { findInHead, readVerb } from './head.ts'
import { lex } from './lexer.ts'
import {
  actionsOf,
  type Finding,
  longestStatement,
  type Reason,
  type RecordAction,
  refuse,
  type StatementKind,
  sentenceOf,
} from './reasons.ts'
import { Tokens, tokenType } from './tokens.ts'

/** What the gate answers. */
export type Admission =
  | {
      readonly admitted: true
      /** The text to send: the tokens that were checked, comments removed, each gap one space, literals as they were written. */
      readonly statement: string
    }
  | {
      readonly admitted: false
      readonly reason: Reason
      /** What was found: at most 40 characters, and never what a literal or a quoted identifier holds. */
      readonly found: string
      /** Line of it, from 1; LF, CR and CR LF end a line. */
      readonly line: number
      /** Column of it, from 1, in UTF-16 code units as editors count them. */
      readonly column: number
      /** What was found, where, and what to write instead. */
      readonly message: string
      /** Actions of `record` that take the statement as it is; empty when none does. */
      readonly takes: readonly RecordAction[]
    }

interface Statement {
  readonly kind: StatementKind
  readonly tokens: Tokens
  /** Index of the verb. */
  readonly index: number
}

/**
 * Admits or refuses a statement. Never throws; time and memory grow linearly with the text, which may have 1,048,576 UTF-16 code units.
 * @param text the statement as the caller wrote it
 * @param kind what the action takes
 * @returns the text to send, or why nothing is sent
 */
export function admit(text: string, kind: StatementKind): Admission {
  const read = readStatement(text)
  if ('reason' in read) return refusal(text, kind, { ...read, takes: [] })
  if (read.kind === kind) return { admitted: true, statement: read.tokens.joined() }
  return refusal(text, kind, { ...refuse(read.tokens, read.index, 'other_kind'), takes: actionsOf[read.kind] })
}

/** Reads a text as exactly one statement, of whatever kind. The order decides which of several findings is told. */
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

function refusal(text: string, wanted: StatementKind, finding: Finding & { takes: readonly RecordAction[] }): Admission {
  const { reason, at, found, takes } = finding
  const { line, column } = placeOf(text, at)
  const message = sentenceOf(reason, { found, place: `line ${line}, column ${column}`, wanted, takes })
  return { admitted: false, reason, found, line, column, message, takes }
}

/** Line and column of an offset, both from 1. */
function placeOf(text: string, at: number): { line: number; column: number } {
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
