import type { Token } from './lexer.ts'
import { closing, depthChange, is, isName, isWord } from './lexer.ts'
import { writtenName } from './names.ts'
import type { Part } from './script.ts'

/** One statement of those that an INSERT into several tables is for the engine. */
export interface InsertStep {
  readonly part: Part
  /** The table as it was written; undefined for the step that collects the rows. */
  readonly into: string | undefined
}

/** One branch: a target, and when its rows go there. */
interface Branch {
  readonly target: readonly Token[]
  readonly columns: readonly Token[]
  readonly values: readonly Token[] | undefined
  readonly when: readonly Token[] | 'else' | undefined
}

const rowsTable = 'INSERTED$ROWS'
const word = (text: string): Token => ({ kind: 'word', text, start: 0, end: 0 })
const symbol = (text: string): Token => ({ kind: 'operator', text, start: 0, end: 0 })
const rows: Token = { kind: 'quoted', text: rowsTable, start: 0, end: 0 }

/** What stands in the brackets at a position, brackets included; nothing when there are none. */
function bracketed(tokens: readonly Token[], index: number): readonly Token[] {
  return is(tokens[index], '(') ? tokens.slice(index, closing(tokens, index) + 1) : []
}

function targetAt(tokens: readonly Token[], index: number): readonly Token[] {
  let end = index
  while (isName(tokens[end]) && is(tokens[end + 1], '.')) end += 2
  return tokens.slice(index, end + 1)
}

function branchAt(tokens: readonly Token[], index: number, when: Branch['when']): { readonly branch: Branch; readonly next: number } {
  const target = targetAt(tokens, index + 1)
  const columns = bracketed(tokens, index + 1 + target.length)
  const at = index + 1 + target.length + columns.length
  const values = isWord(tokens[at], 'VALUES') ? bracketed(tokens, at + 1) : undefined
  return { branch: { target, columns, values, when }, next: at + (values ? values.length + 1 : 0) }
}

function conditionAt(tokens: readonly Token[], index: number): readonly Token[] {
  let depth = 0
  const end = tokens.findIndex((token, at) => {
    if (at <= index) return false
    depth += depthChange(token)
    return depth === 0 && isWord(token, 'THEN')
  })
  return tokens.slice(index + 1, end < 0 ? tokens.length : end)
}

function branchesOf(tokens: readonly Token[]): { readonly branches: readonly Branch[]; readonly query: readonly Token[] } {
  const branches: Branch[] = []
  let when: Branch['when']
  let index = 2
  while (isWord(tokens[index], 'WHEN', 'ELSE', 'INTO')) {
    if (isWord(tokens[index], 'WHEN')) {
      when = conditionAt(tokens, index)
      index += when.length + 2
    } else if (isWord(tokens[index], 'ELSE')) {
      when = 'else'
      index += 1
    } else {
      const { branch, next } = branchAt(tokens, index, when)
      branches.push(branch)
      index = next
    }
  }
  return { branches, query: tokens.slice(index) }
}

function either(conditions: readonly (readonly Token[])[]): readonly Token[] {
  const all = conditions.flatMap((each, index) => [...(index === 0 ? [] : [word('OR')]), symbol('('), ...each, symbol(')')])
  return [word('NOT'), word('COALESCE'), symbol('('), ...all, symbol(','), word('FALSE'), symbol(')')]
}

/** The rows that a branch takes. */
function conditionOf(branch: Branch, branches: readonly Branch[], first: boolean): readonly Token[] {
  const others = [...new Set(branches.map(({ when }) => when))].filter((when) => when !== undefined && when !== 'else')
  if (branch.when === undefined) return []
  if (branch.when === 'else') return [word('WHERE'), ...either(others)]
  const own = [word('WHERE'), symbol('('), ...branch.when, symbol(')')]
  const before = first ? others.slice(0, others.indexOf(branch.when)) : []
  return before.length === 0 ? own : [...own, word('AND'), ...either(before)]
}

/**
 * The statements that an `INSERT ALL` or `INSERT FIRST` is for the engine: one that collects the rows, one for each target.
 *
 * @param part - any statement
 * @returns undefined for every other statement
 */
export function insertsOf(part: Part): readonly InsertStep[] | undefined {
  const { tokens } = part
  if (!isWord(tokens[0], 'INSERT') || !isWord(tokens[1], 'ALL', 'FIRST')) return undefined
  const { branches, query } = branchesOf(tokens)
  const collect = ['CREATE', 'OR', 'REPLACE', 'TEMP', 'TABLE'].map(word)
  const inserts = branches.map((branch): InsertStep => {
    const values = branch.values ? branch.values.slice(1, -1) : [symbol('*')]
    const condition = conditionOf(branch, branches, isWord(tokens[1], 'FIRST'))
    const into = [word('INSERT'), word('INTO'), ...branch.target, ...branch.columns, word('SELECT'), ...values]
    const name = branch.target.filter(isName).map(({ text }) => writtenName(text))
    return { part: { ...part, tokens: [...into, word('FROM'), rows, ...condition] }, into: name.join('.') }
  })
  return [{ part: { ...part, verb: 'SELECT', tokens: [...collect, rows, word('AS'), ...query] }, into: undefined }, ...inserts]
}
