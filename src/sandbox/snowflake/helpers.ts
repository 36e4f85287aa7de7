import { translated } from './dialect.ts'
import type { EngineHouse } from './engine.ts'
import { isFailure } from './failures.ts'
import { lex } from './lexer.ts'
import { statementsOf } from './script.ts'
import { snowflakeCredentials } from './tokens.ts'

/**
 * Runs one statement beside the API: no credentials, no log, no holds. Its cells are texts as the engine writes them.
 *
 * @param house - where the engine is
 * @param statement - in the vendor's SQL; names without database and schema are those of SANDBOX.PUBLIC
 * @throws Error when it cannot be run
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
