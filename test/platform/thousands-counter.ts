/** Counts the statements of a database, and keeps their texts for their plans. */

import { CompiledQuery, type Kysely, type KyselyPlugin } from 'kysely'
import type { Tables } from '../../packages/server/src/db/schema/schema.ts'

/** Statements whose texts are kept; the later ones have the same texts. */
const compared = 20_000

/** Counts statements, and keeps the texts of the first ones. */
export class Counter implements KyselyPlugin {
  statements = 0
  readonly texts = new Map<string, CompiledQuery>()
  readonly #plain: Kysely<Tables>

  constructor(plain: Kysely<Tables>) {
    this.#plain = plain
  }

  transformQuery: KyselyPlugin['transformQuery'] = ({ node, queryId }) => {
    this.statements += 1
    if (this.statements > compared) return node
    const query = this.#plain.getExecutor().compileQuery(node, queryId)
    if (!this.texts.has(query.sql)) this.texts.set(query.sql, query)
    return node
  }

  transformResult: KyselyPlugin['transformResult'] = async ({ result }) => result

  /** Returns the size of an SQLite database. */
  async bytes(): Promise<number> {
    const read = async (name: string) => {
      const { rows } = await this.#plain.executeQuery<Record<string, number>>(CompiledQuery.raw(`pragma ${name}`))
      return rows[0]?.[name] ?? 0
    }
    return (await read('page_count')) * (await read('page_size'))
  }

  /** Returns the plans of all statements in SQLite's words. */
  async plans(): Promise<readonly string[]> {
    const plans: string[] = []
    for (const { sql, parameters } of this.texts.values()) {
      const { rows } = await this.#plain.executeQuery<{ readonly detail: string }>(
        CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
      )
      plans.push(...rows.map(({ detail }) => detail))
    }
    return plans
  }
}
