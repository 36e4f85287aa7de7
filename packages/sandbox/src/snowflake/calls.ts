import { setEach } from '../data.ts'
import { closing, cut, is, isName, isWord, lex, literal, type Token } from './lexer.ts'

/** How the engine keeps the vendor's TIMESTAMP_TZ: the instant and the offset in minutes. */
export const zonedType = 'STRUCT(instant$ TIMESTAMP_NS, offset$ SMALLINT)'

/** The vendor's names of types, and the engine's. Precision and length are kept for decimals only. */
const names: Readonly<Record<string, string>> = {
  ...setEach('DECIMAL', 'NUMBER DECIMAL NUMERIC'),
  ...setEach('HUGEINT', 'INT INTEGER BIGINT SMALLINT TINYINT BYTEINT'),
  ...setEach('DOUBLE', 'FLOAT FLOAT4 FLOAT8 DOUBLE REAL'),
  ...setEach('VARCHAR', 'STRING TEXT VARCHAR CHAR CHARACTER GEOGRAPHY GEOMETRY'),
  ...setEach('BLOB', 'BINARY VARBINARY'),
  ...setEach('TIMESTAMP', 'DATETIME TIMESTAMP TIMESTAMP_NTZ'),
  BOOLEAN: 'BOOLEAN',
  DATE: 'DATE',
  TIME: 'TIME',
  TIMESTAMP_LTZ: 'TIMESTAMPTZ',
  TIMESTAMP_TZ: zonedType,
  VARIANT: 'JSON',
  OBJECT: 'MAP(VARCHAR, JSON)',
  ARRAY: 'JSON[]',
}

interface FoundType {
  readonly name: string
  /** The engine's type. */
  readonly sql: string
  /** Position after it. */
  readonly next: number
}

/** Returns the type that is written at a position. */
export function typeAt(tokens: readonly Token[], index: number): FoundType | undefined {
  const word = tokens[index]
  const known = word?.kind === 'word' ? names[word.text] : undefined
  if (word === undefined || known === undefined) return undefined
  const open = isWord(tokens[index + 1], 'PRECISION', 'VARYING') ? index + 2 : index + 1
  const bare = known === 'DECIMAL' ? 'HUGEINT' : known
  if (!is(tokens[open], '(')) return { name: word.text, sql: bare, next: open }
  const close = closing(tokens, open)
  const size = tokens.slice(open, close + 1).map((token) => token.text)
  return { name: word.text, sql: known === 'DECIMAL' ? `DECIMAL${size.join('')}` : known, next: close + 1 }
}

/** Replaces the types of columns in CREATE TABLE and ALTER TABLE: a type follows a name. */
export function withColumnTypes(tokens: readonly Token[]): readonly Token[] {
  const made: Token[] = []
  for (let index = 0; index < tokens.length; ) {
    const token = tokens[index]
    if (!token) break
    const type = isName(tokens[index - 1]) && !isWord(tokens[index - 1], 'AS', 'DEFAULT') ? typeAt(tokens, index) : undefined
    made.push(type ? { ...token, kind: 'sql', text: type.sql } : token)
    index = type ? type.next : index + 1
  }
  return made
}

/** What functions without a table tell: who asks, where, when. */
export interface Surroundings {
  readonly now: number
  readonly account: string
  readonly user: string
  readonly role: string
  readonly database: string | undefined
  readonly schema: string | undefined
  readonly warehouse: string | undefined
}

/** Returns a text of the engine's dialect as a token. */
export const sql = (text: string, near?: Token): Token => ({ kind: 'sql', text, start: near?.start ?? 0, end: near?.end ?? 0 })

type Arguments = readonly (readonly Token[])[]

interface FunctionCall {
  readonly name: Token
  readonly args: Arguments
  readonly around: Surroundings
}

const operator = (text: string): Token => ({ kind: 'operator', text, start: 0, end: 0 })

const [comma, left, right] = [operator(','), operator('('), operator(')')]

/** Returns a call of a function of the engine. */
export const callOf = (name: Token, args: Arguments): readonly Token[] => [
  name,
  left,
  ...args.flatMap((arg, index) => (index === 0 ? arg : [comma, ...arg])),
  right,
]

const called = (name: string, args: Arguments): readonly Token[] => callOf(sql(name), args)

const nameOrNull = (name: string | undefined): string => (name === undefined ? 'CAST(NULL AS VARCHAR)' : literal(name))

const momentTypes: Readonly<Record<string, string>> = {
  ...setEach('TIMESTAMPTZ', 'CURRENT_TIMESTAMP GETDATE LOCALTIMESTAMP'),
  ...setEach('TIME', 'CURRENT_TIME LOCALTIME'),
  SYSDATE: 'TIMESTAMP',
  CURRENT_DATE: 'DATE',
}

function moment(name: string, { now }: Surroundings): string | undefined {
  const type = momentTypes[name]
  return type && `CAST(CAST(${literal(new Date(now).toISOString())} AS TIMESTAMPTZ) AS ${type})`
}

const known: Readonly<Record<string, (around: Surroundings) => string>> = {
  CURRENT_DATABASE: ({ database }) => nameOrNull(database),
  CURRENT_SCHEMA: ({ schema }) => nameOrNull(schema),
  CURRENT_WAREHOUSE: ({ warehouse }) => nameOrNull(warehouse),
  CURRENT_ROLE: ({ role }) => literal(role),
  CURRENT_USER: ({ user }) => literal(user),
  CURRENT_ACCOUNT: ({ account }) => literal(account),
  CURRENT_REGION: () => literal('AWS_US_WEST_2'),
  CURRENT_VERSION: () => literal('9.99.0'),
  UUID_STRING: () => 'CAST(uuid() AS VARCHAR)',
}

/** The first argument is the name of a part of a date. */
function withPart({ name, args: [part = [], ...rest] }: FunctionCall): readonly Token[] {
  const [word] = part
  const named = word && isName(word) && part.length === 1 ? [sql(literal(word.text.toLowerCase()), word)] : part
  return callOf(name, [named, ...rest])
}

function cast({ name, args: [arg = []] }: FunctionCall): readonly Token[] {
  const as = arg.findLastIndex((token) => isWord(token, 'AS'))
  const type = as < 0 ? undefined : typeAt(arg, as + 1)
  if (!type) return callOf(name, [arg])
  const value = arg.slice(0, as)
  if (type.name === 'VARIANT') return called('to_json', [value])
  if (type.name === 'TIMESTAMP_TZ') return called('TO_TIMESTAMP_TZ', [value])
  return callOf(name, [[...value, sql(`AS ${type.sql}`)]])
}

const generatorRows = 10_000_000

/** `TABLE(GENERATOR(ROWCOUNT => n))`; its rows are counted by SEQ4() and the like. */
function table({ name, args: [arg = []] }: FunctionCall): readonly Token[] {
  const count = arg.findIndex((token) => isWord(token, 'ROWCOUNT'))
  if (!isWord(arg[0], 'GENERATOR') || count < 0) return callOf(name, [arg])
  const rows = Math.min(Number(arg[count + 2]?.text ?? 0), generatorRows)
  return [sql(`(SELECT range AS "SEQ$" FROM range(${Number.isInteger(rows) ? rows : 0}))`, name)]
}

function identifier({ name, args: [arg = []] }: FunctionCall): readonly Token[] {
  const [text] = arg
  const tokens = text?.kind === 'string' ? lex(text.text) : undefined
  return Array.isArray(tokens) ? tokens : callOf(name, [arg])
}

const rewrites: Readonly<Record<string, (call: FunctionCall) => readonly Token[]>> = {
  ...setEach(cast, 'CAST TRY_CAST'),
  ...setEach(withPart, 'DATEADD TIMESTAMPADD DATEDIFF DATE_TRUNC DATE_PART'),
  ...setEach(() => [sql('"SEQ$"')], 'SEQ1 SEQ2 SEQ4 SEQ8'),
  TABLE: table,
  IDENTIFIER: identifier,
  TO_VARIANT: ({ args }) => called('to_json', args),
  OBJECT_CONSTRUCT: ({ args }) => called('CAST', [[...called('json_object', args), sql('AS MAP(VARCHAR, JSON)')]]),
  ARRAY_CONSTRUCT: ({ args }) => called('CAST', [[...called('json_array', args), sql('AS JSON[]')]]),
}

function replacement(name: Token, args: Arguments | undefined, around: Surroundings): readonly Token[] | undefined {
  const now = moment(name.text, around)
  if (now !== undefined) return [sql(now, name)]
  if (!args) return undefined
  const told = known[name.text]
  if (told) return [sql(told(around), name)]
  const rewrite = rewrites[name.text]
  return rewrite?.({ name, args, around })
}

/** Replaces the calls of functions that the engine does not know, inner ones first. */
export function withCalls(tokens: readonly Token[], around: Surroundings): readonly Token[] {
  const made: Token[] = []
  for (let index = 0; index < tokens.length; index += 1) {
    const name = tokens[index]
    if (!name) break
    const opens = name.kind === 'word' && is(tokens[index + 1], '(')
    const close = opens ? closing(tokens, index + 1) : index
    const inner = opens ? withCalls(tokens.slice(index + 2, close), around) : []
    const after = is(made.at(-1), '.')
    const replaced = name.kind === 'word' && !after ? replacement(name, opens ? cut(inner, ',') : undefined, around) : undefined
    if (replaced) made.push(...replaced)
    else made.push(...(opens ? callOf(name, [inner]) : [name]))
    index = close
  }
  return made
}
