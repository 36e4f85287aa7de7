/** Looks at what sessions of the server keep between transactions. */
import { runSql } from './postgres.ts'

/** Settings that a client must not leave behind. */
const settings = ['statement_timeout', 'default_transaction_read_only', 'enable_seqscan', 'jit', 'plan_cache_mode', 'work_mem']

/**
 * Lists what idle sessions of a pooler keep for the next client: changed settings, prepared statements, open transactions and locks.
 * @param pooled URL by way of the pooler
 * @param direct URL of the same database
 */
export async function listLeftovers(pooled: string, direct: string): Promise<readonly string[]> {
  const look = async (url: string, text: string) => (await runSql(url, text)).map(({ what }) => String(what))
  const changed = `select name || ' ' || setting as what from pg_settings where source = 'session' and name in (${settings.map((name) => `'${name}'`).join()})
    union all select 'prepared ' || name from pg_prepared_statements`
  const held = `select 'lock' as what from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
    union all select 'open ' || query from pg_stat_activity where datname = current_database() and state like 'idle in%'`
  const pools: string[] = []
  for (let looks = 0; looks < 8; looks += 1) pools.push(...(await look(pooled, changed)))
  return [...pools, ...(await look(direct, held))]
}
