/** What the tests of the gate share. */
import fc from 'fast-check'
import { type Admission, admit } from '../../../packages/ferrule/src/connectors/snowflake/statement/gate.ts'
import { lex } from '../../../packages/ferrule/src/connectors/snowflake/statement/lexer.ts'
import { Tokens, tokenType } from '../../../packages/ferrule/src/connectors/snowflake/statement/tokens.ts'
import { type Generated, gap, statement } from './statement-arbitrary.ts'
import { accepted, kinds, others } from './statement-table.ts'

/** Returns the statement that is sent, or undefined when it is refused. */
export function sent(admission: Admission): string | undefined {
  return admission.admitted ? admission.statement : undefined
}

/** The refusal of a text; throws when it is admitted. */
export function refuse(text: string, kind: (typeof kinds)[number] = 'SELECT'): Extract<Admission, { admitted: false }> {
  const admission = admit(text, kind)
  if (admission.admitted) throw new Error(`admitted: ${text}`)
  return admission
}

/** The kinds that admit a text. */
export const admittedBy = (text: string): readonly string[] => kinds.filter((kind) => admit(text, kind).admitted)

/** A text without what its literals and quoted identifiers hold: read by one expression that shares nothing with the lexer. */
export const withoutLiterals = (text: string): string =>
  text.replace(/'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"]|"")*"|\$\$[\s\S]*?\$\$/g, (literal) => literal.charAt(0))

const { semicolon } = tokenType

/** What could hide or chain a statement. */
export const dangers = /;|->>|--|\/\/|\/\*/

const added = [
  'DROP TABLE t',
  'DELETE FROM t',
  'SELECT 1',
  'CALL p()',
  "EXECUTE IMMEDIATE 'DROP TABLE t'",
  'INSERT INTO t VALUES (1)',
  '(SELECT 1)',
  'WITH x AS (SELECT 1) SELECT * FROM x',
  '-- x\nTRUNCATE t',
  'x',
]
const separators = [';', '->>', ';;', '; ->>', '->> /* x */']
const leads = ['', ' ', '\n', ' /* x */', ' -- x\r\n']

/** Writes tokens with something between each two of them. */
export const written = (tokens: readonly string[], gaps: readonly string[]): string =>
  tokens.map((token, index) => (index === 0 ? token : `${gaps[index % gaps.length] ?? ' '}${token}`)).join('')

function lexed(text: string): Tokens {
  const tokens = lex(text)
  if (!(tokens instanceof Tokens)) throw new Error(`not read: ${text}`)
  return tokens
}

/** The tokens of a text, as the gate reads them. */
export function tokensOf(text: string): readonly string[] {
  const tokens = lexed(text)
  return Array.from({ length: tokens.length }, (_, index) => tokens.written(index))
}

/** A statement that is admitted, and the offsets where its tokens start and end. */
interface Source {
  readonly text: string
  readonly offsets: readonly number[]
}

/** A statement of the list. Spaces between all tokens would refuse its paths, so the offsets are those of the text as it is. */
function listed(text: string): Source {
  const tokens = lexed(text)
  const indexes = Array.from({ length: tokens.length }, (_, index) => index)
  return {
    text,
    offsets: indexes.filter((index) => tokens.type(index) !== semicolon).flatMap((index) => [tokens.start(index), tokens.end(index)]),
  }
}

/** A generated statement, whose offsets do not depend on the lexer. */
function generated(tokens: readonly string[], gaps: readonly string[]): Source {
  const starts = tokens.map((token, index) => written(tokens.slice(0, index + 1), gaps).length - token.length)
  return { text: written(tokens, gaps), offsets: starts.flatMap((start, index) => [start, start + (tokens[index]?.length ?? 0)]) }
}

const source = fc.oneof(
  fc.tuple(statement, fc.array(gap, { minLength: 1, maxLength: 5 })).map(([{ tokens }, gaps]) => generated(tokens, gaps)),
  fc.constantFrom(...accepted.map(({ text }) => listed(text))),
)

/** Puts a separator and another statement at one offset. A pipe directly behind a minus would be a comment instead. */
function put(text: string, offset: number, [lead, separator, more]: readonly [string, string, string]): string {
  const before = text.slice(0, offset)
  return `${before}${before.endsWith('-') ? ' ' : ''}${lead}${separator} ${more} ${text.slice(offset)}`
}

/** The only reasons for which a text that another statement was put into may be refused; the last one directly behind a stage. */
const right: readonly string[] = ['several_statements', 'pipe', 'ambiguous']

/**
 * Puts a separator and another statement before, behind and between the tokens of statements that are admitted.
 * @param least how many mutations to make
 * @returns how many were made, and those that were admitted or refused for something else
 */
export function mutate(least: number): { made: number; wrong: string[] } {
  const addition = fc.tuple(fc.constantFrom(...leads), fc.constantFrom(...separators), fc.constantFrom(...added))
  const wrong: string[] = []
  let made = 0
  const property = fc.property(source, fc.nat(), addition, ({ text, offsets }, nat, parts) => {
    const mutated = put(text, offsets[nat % offsets.length] ?? 0, parts)
    made += 1
    for (const kind of kinds) {
      const admission = admit(mutated, kind)
      if (admission.admitted || !right.includes(admission.reason)) wrong.push(`${kind} ${JSON.stringify(admission)}: ${mutated}`)
    }
    return wrong.length === 0
  })
  fc.assert(property, { numRuns: least })
  return { made, wrong }
}

/**
 * Every offset of every statement of the list, with every separator.
 * @returns how many were made, and those that were admitted or refused for something else
 */
export function mutateList(): { made: number; wrong: string[] } {
  const mutations = accepted.flatMap(({ text }) =>
    listed(text).offsets.flatMap((offset) => separators.map((separator) => put(text, offset, ['', separator, 'DROP TABLE t']))),
  )
  const isWrong = (text: string): boolean =>
    kinds.some((kind) => {
      const admission = admit(text, kind)
      return admission.admitted || !right.includes(admission.reason)
    })
  return { made: mutations.length, wrong: mutations.filter(isWrong) }
}

/** What ends a line for one reader and not for another. */
const lineBreaks = ['\v', '\f', '\0', '\x1c', '\u0085', '\u2028', '\u2029', '\rx']
const glued = ['INTO', 'e', 'AS', '_', '.b']

/** A way to hide a statement without a separator: the text, and the reasons for which it may be refused; undefined where it does not fit. */
type Form = (source: Generated, nat: number) => { text: string; reasons: readonly string[] } | undefined

const pick = <T>(list: readonly T[], nat: number): T => list[nat % list.length] ?? fail('an empty list')
const fail = (message: string): never => {
  throw new Error(message)
}

/** One token of a kind is written in another way. */
const rewritten = (isIt: (token: string) => boolean, write: (token: string, nat: number) => string): Form =>
  function rewrite({ tokens }, nat) {
    const indexes = tokens.flatMap((token, index) => (isIt(token) ? [index] : []))
    if (indexes.length === 0) return undefined
    const chosen = pick(indexes, nat)
    return { text: tokens.map((token, index) => (index === chosen ? write(token, nat) : token)).join(' '), reasons: ['ambiguous'] }
  }

/** The forms that only the vendor's syntax would stop. */
const forms: readonly Form[] = [
  ({ tokens }, nat) => ({ text: `${tokens.join(' ')} ${pick(others, nat)}`, reasons: ['second_statement'] }),
  ({ tokens }, nat) => ({ text: `${tokens.join(' ')} AND a IN (${pick(others, nat)})`, reasons: ['nested_statement'] }),
  ({ tokens, kind }, nat) =>
    kind === 'SELECT'
      ? { text: `SELECT * FROM (WITH c AS (${tokens.join(' ')}) ${pick(others, nat)})`, reasons: ['with_without_select'] }
      : undefined,
  ({ tokens, kind }, nat) =>
    kind === 'SELECT'
      ? { text: `INSERT INTO t WITH c AS (${tokens.join(' ')}) ${pick(others, nat)}`, reasons: ['with_without_select'] }
      : undefined,
  ({ tokens }, nat) => {
    const at = nat % tokens.length
    const comment = `${pick(['--', '//'], nat)} x${pick(lineBreaks, nat)}; DROP TABLE t\n`
    return { text: [...tokens.slice(0, at), comment, ...tokens.slice(at)].join(' '), reasons: ['ambiguous'] }
  },
  rewritten(
    (token) => /^[\d.]*\d$/.test(token),
    (token, nat) => `${token}${pick(glued, nat)}`,
  ),
  rewritten(
    (token) => token.startsWith("'"),
    (token, nat) => `${pick(['X', 'n', 'R', 'u&'], nat)}'\\\\${token.slice(1)}`,
  ),
]

/**
 * Hides statements without a separator: behind complete statements, in parentheses, behind WITH, numbers, comments and prefixes.
 * @param least how many mutations to make
 * @returns how many were made, and those that were admitted or refused for something else
 */
export function mutateForms(least: number): { made: number; wrong: string[] } {
  const wrong: string[] = []
  let made = 0
  const property = fc.property(statement, fc.nat(), fc.constantFrom(...forms), (source, nat, form) => {
    const mutated = form(source, nat)
    if (mutated === undefined) return true
    made += 1
    for (const kind of kinds) {
      const admission = admit(mutated.text, kind)
      if (admission.admitted || !mutated.reasons.includes(admission.reason))
        wrong.push(`${kind} ${JSON.stringify(admission)}: ${mutated.text}`)
    }
    return true
  })
  fc.assert(property, { numRuns: least })
  return { made, wrong }
}
