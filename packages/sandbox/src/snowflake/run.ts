import { type Run, type RunEnvironment, standing } from './context.ts'
import { translated } from './dialect.ts'
import type { EngineHouse, EngineSession } from './engine.ts'
import { early, type Failure, failure, isFailure } from './failures.ts'
import { isWord, lex, type Part, placeOf, statementsOf, type Token } from './lexer.ts'
import { runChain } from './parts.ts'
import type { Session, Submission } from './sessions.ts'
import { abortFailure, type Statement } from './statements.ts'
import type { StatementResult } from './tables.ts'
import { textRows } from './tables.ts'
import { snowflakeCredentials } from './tokens.ts'

/** Statements that a submission is; a refusal when the submission has no statement, or another number than it announced. */
function statementsIn(source: string, tokens: readonly Token[], { parameters }: Submission): readonly Part[] | Failure {
  const statements = statementsOf(source, tokens)
  if (statements.length === 0) return failure('empty')
  const wanted = Number(parameters['MULTI_STATEMENT_COUNT'] ?? 1)
  if (wanted === 0 || wanted === statements.length) return statements
  const counted = `Actual statement count ${statements.length} did not match the desired statement count ${wanted}.`
  return failure('count', counted)
}

/** Interrupts the engine when the signal aborts. It repeats that, because the first interrupt can come before the query runs. */
function interruptOn(signal: AbortSignal, engine: EngineSession): () => void {
  let timer: NodeJS.Timeout | undefined
  const interrupt = () => {
    engine.interrupt()
    timer = setInterval(() => engine.interrupt(), 20)
  }
  if (signal.aborted) interrupt()
  else signal.addEventListener('abort', interrupt, { once: true })
  return () => {
    signal.removeEventListener('abort', interrupt)
    clearInterval(timer)
  }
}

/** Runs several statements: each has a handle of its own; what ran before a failure stays. */
async function runSeveral(run: Run, statements: readonly Part[]): Promise<StatementResult | Failure> {
  const handles: string[] = []
  for (const part of statements) {
    const result = await runChain(run, part)
    if (isFailure(result)) {
      const where = placeOf(run.source, part.tokens[0]?.start ?? 0)
      const said = `Execution of multiple statements failed on statement "${part.text}" (at ${where.replace(' at', ',')}).`
      return result.code === '000604' || result.code === '000630' ? result : failure('partly', `${said}\n${result.message}`)
    }
    const { requestId, user, hash } = run.statement
    handles.push(run.store.begin({ requestId, user, hash: `${hash} ${handles.length}` }, async () => result).handle)
  }
  const told = await textRows(['multiple statement execution'], [['Multiple statements executed successfully.']])
  return { ...told, statementHandles: handles }
}

async function runStatements(run: Run, statements: readonly Part[]): Promise<StatementResult | Failure> {
  await run.engine.use(run.session)
  const [only] = statements
  const result = run.several || !only ? await runSeveral(run, statements) : await runChain(run, only)
  return (isFailure(result) ? undefined : await standing(run, 'committed')) ?? result
}

/** Refuses what begins with anything but a word, a bracket or a semicolon. */
function strange(source: string, { verb, tokens: [first] }: Part): Failure | undefined {
  if (verb !== '' || isWord(first)) return undefined
  const found = `unexpected '${first?.text}'`
  return failure('syntax', `SQL compilation error:\nsyntax error ${placeOf(source, first?.start ?? 0)} ${found}.`)
}

/** Runs a submission to its end. */
export async function runSubmission(
  submission: Submission,
  env: RunEnvironment & { readonly session: Session; readonly statement: Statement },
): Promise<StatementResult | Failure> {
  const source = submission.statement
  const { signal } = env.statement
  const tokens = lex(source)
  if (isFailure(tokens)) return early(tokens)
  const statements = statementsIn(source, tokens, submission)
  if (isFailure(statements)) return early(statements)
  const wrong = statements.map((part) => strange(source, part)).find(isFailure)
  if (wrong) return early(wrong)
  const stopped = await standing({ ...env, submission }, 'before')
  if (stopped) return stopped
  const leave = await env.slots.enter(signal)
  if (!leave) return abortFailure(signal, submission.timeout)
  const engine = await (await env.house.open()).session()
  const quiet = interruptOn(signal, engine)
  try {
    const several = statements.length > 1
    return await runStatements({ ...env, source, submission, engine, several, transaction: false }, statements)
  } catch (error) {
    if (signal.aborted) return abortFailure(signal, submission.timeout) // the interrupt met the preparation of the session
    throw error
  } finally {
    quiet()
    engine.close()
    leave()
  }
}

/**
 * Runs one statement beside the API: no credentials, no log, no holds. Its cells are texts as the engine writes them. Names without
 * database and schema are those of SANDBOX.PUBLIC. @throws Error when it cannot be run
 */
export async function queryDirectly(house: EngineHouse, statement: string): Promise<readonly (readonly (string | null)[])[]> {
  const tokens = lex(statement)
  if (isFailure(tokens)) throw new Error(tokens.message)
  const [part] = statementsOf(statement, tokens)
  if (!part) throw new Error('There is no statement')
  const { account, database, schema, warehouse, role, user } = snowflakeCredentials
  const engine = await (await house.open()).session()
  try {
    await engine.use({ database, schema })
    if (part.verb !== 'SELECT') await house.touch('anything')
    const around = { account, database, schema, warehouse, role, user, now: Date.now() }
    return await engine.rows(translated(part, { ...around, source: statement }))
  } finally {
    engine.close()
  }
}
