import type { Failure } from './failures.ts'
import { failure } from './failures.ts'
import type { Token } from './lexer.ts'
import { placeOf } from './lexer.ts'
import { unmarked, writtenName } from './names.ts'

/** What a failed statement was run with. */
export interface FailedRun {
  /** What was sent. */
  readonly source: string
  readonly tokens: readonly Token[]
  readonly verb: string
  readonly database: string | undefined
  readonly schema: string | undefined
}

/** Where a name or symbol stands in the statement; its beginning when it cannot be found. */
function place({ source, tokens }: FailedRun, text: string): string {
  const wanted = text.split('.').at(-1)
  const token = tokens.find((each) => each.text === wanted) ?? tokens.find((each) => each.text.toUpperCase() === wanted?.toUpperCase())
  return placeOf(source, token?.start ?? tokens[0]?.start ?? 0)
}

function written(name: string): string {
  return name
    .split('.')
    .map((part) => writtenName(part.replaceAll('"', '')))
    .join('.')
}

function syntax(run: FailedRun, near: string): Failure {
  const unexpected = near === 'end of input' ? '<EOF>' : near
  const where = near === 'end of input' ? placeOf(run.source, run.tokens.at(-1)?.end ?? 0) : place(run, near)
  return failure('syntax', `SQL compilation error:\nsyntax error ${where} unexpected '${unexpected}'.`)
}

function identifier(run: FailedRun, name: string): Failure {
  const where = place(run, name)
  return failure('identifier', `SQL compilation error: error ${where}\ninvalid identifier '${written(name)}'`)
}

/** A table that is not there; without a current database or schema the vendor says that first. */
function missing(run: FailedRun, name: string): Failure {
  const { verb, database, schema } = run
  const full = [...(name.includes('.') ? [] : [database, schema]), ...name.split('.')].filter((part) => part !== undefined)
  if (!name.includes('.') && database === undefined) return lacking('noDatabase', verb)
  if (!name.includes('.') && schema === undefined) return lacking('noSchema', verb)
  const kind = verb === 'DROP' ? 'Table' : 'Object'
  return failure('noTable', `SQL compilation error:\n${kind} '${full.map(written).join('.')}' does not exist or not authorized.`)
}

/** The refusal of a name that has neither database nor schema. */
export function lacking(name: 'noDatabase' | 'noSchema', verb: string): Failure {
  return failure(name, `Cannot perform ${verb}. ${failure(name).message}`)
}

const notThere = (name: string) => failure('noObject', `SQL compilation error:\n'${written(name)}' does not exist or not authorized.`)

/** Messages of the engine, and what the vendor says instead; the first that fits counts. */
const meanings: readonly { readonly form: RegExp; readonly says: (run: FailedRun, found: readonly string[]) => Failure }[] = [
  { form: /^Parser Error: syntax error at (?:or near "(.+)"|(end of input))/m, says: (run, [near = '', end]) => syntax(run, end ?? near) },
  { form: /^Parser Error: (.*)/, says: (run) => syntax(run, run.tokens[0]?.text ?? '') },
  { form: /(?:does not have a column (?:named|with name)|Referenced column) "([^"]+)"/, says: (run, [name = '']) => identifier(run, name) },
  { form: /Referenced table "([^"]+)" not found/, says: (run, [name = '']) => identifier(run, name) },
  {
    form: /^Catalog Error: (?:Table|View) with name "?([^"]+?)"? does not exist(?:!| because)/,
    says: (run, [name = '']) => missing(run, name),
  },
  {
    form: /^(?:Binder|Catalog) Error: (?:Catalog|Schema) (?:with name )?"?([^"]+?)"? does not exist/,
    says: (_run, [name = '']) => notThere(name),
  },
  {
    form: /^Catalog Error: (?:Scalar|Aggregate|Table|Macro|Scalar Macro|Table Macro)? ?Function with name "?([^"\s]+)"? does not exist/,
    says: (_run, [name = '']) => failure('unknownFunction', `SQL compilation error:\nUnknown function ${name.toUpperCase()}.`),
  },
  {
    form: /^Catalog Error: (?:Table|View|Schema) with name "?([^"]+?)"? already exists/,
    says: (_run, [name = '']) => failure('exists', `SQL compilation error:\nObject '${written(name)}' already exists.`),
  },
  { form: /^Catalog Error: (.*)/, says: (run, [text = '']) => missing(run, /"?([\w$. ]+)"?/.exec(text)?.[1] ?? text) },
  {
    form: /has (\d+) columns but (\d+) values were supplied/,
    says: (_run, [columns, values]) =>
      failure('columnCount', `SQL compilation error:\nInsert value list does not match column list expecting ${columns} but got ${values}`),
  },
  {
    form: /NOT NULL constraint failed: \S*?([^.\s]+)$/m,
    says: (_run, [name = '']) => failure('notNull', `NULL result in a non-nullable column '${written(name)}'`),
  },
  {
    form: /Could not convert string '([\s\S]*?)' to (?:U?INT|DOUBLE|FLOAT|DECIMAL)/,
    says: (_run, [value]) => failure('conversion', `Numeric value '${value}' is not recognized`),
  },
  { form: /^Conversion Error: (.*)/, says: (_run, [text]) => failure('conversion', `Value is not recognized: ${text}`) },
  { form: /[Dd]ivision by zero/, says: () => failure('divisionByZero') },
  {
    form: /^(?:Not implemented|Permission) Error: (.*)/i,
    says: (_run, [text]) => failure('unsupported', `Unsupported feature: ${text}`),
  },
  { form: /^Binder Error: (.*)/, says: (_run, [text]) => failure('syntax', `SQL compilation error:\n${text}`) },
  { form: /(.*)/, says: (_run, [text]) => failure('internal', `SQL execution internal error:\n${text}`) },
]

/**
 * What the vendor says of a failure of the engine.
 *
 * @param error - what the engine threw
 * @param run - what was run
 */
export function failureOf(error: unknown, run: FailedRun): Failure {
  const message = unmarked(error instanceof Error ? error.message : String(error))
  for (const { form, says } of meanings) {
    const found = form.exec(message)
    if (found) return says(run, found.slice(1))
  }
  return failure('internal')
}
