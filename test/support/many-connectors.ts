/** Fills the platform's database with many connectors in a few statements. */

import { sql } from 'kysely'
import type { Database } from '../../packages/server/src/db/database.ts'

/** Numbers of a filling. */
export interface Many {
  readonly organizationId: string
  /** Connectors in the organization, ten in each of its workspaces; as many again, ten in each of other organizations. */
  readonly connectors: number
}

/** Ids of the first workspace and of the first connector in it. */
export const [workspaceId, connectorId] = ['0195f3a3-0000-7000-8000-000000000001', '0195f3a5-0000-7000-8000-000000000001'] as const

const numbers = (dialect: Database['dialect'], count: number) =>
  dialect === 'postgres'
    ? `generate_series(1, ${count}) as n(i)`
    : `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n) as n`

/** Returns SQL of an id that is made of a prefix and a number, so that ids sort by the number. */
const idOf = (dialect: Database['dialect'], prefix: string, number: string) =>
  dialect === 'postgres'
    ? `('${prefix}-7000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`
    : `('${prefix}-7000-8000-' || printf('%012x', ${number}))`

/**
 * Copies the only connector of an organization, with its workspace, a schedule, five copies and five ended runs for each. Every tenth has a
 * waiting run.
 */
export async function fillMany({ db, dialect }: Database, { organizationId, connectors }: Many): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  const id = (prefix: string, number: string) => idOf(dialect, prefix, number)
  const rows = numbers(dialect, connectors)
  const tens = numbers(dialect, connectors / 10)
  const cast = (text: string) => (dialect === 'postgres' ? `${text}::uuid` : text)
  const own = cast(`'${organizationId}'`)
  await run(`insert into organizations (id, name, created_at) select ${id('0195f3a2-0000', 'i')}, 'Organization ' || i, 1 from ${tens}`)
  for (const [workspaces, organization] of [
    ['0195f3a3-0000', own],
    ['0195f3a4-0000', id('0195f3a2-0000', 'i')],
  ] as const)
    await run(`insert into workspaces (id, organization_id, name, name_folded, status, data_key_id, created_at, updated_at)
      select ${id(workspaces, 'i')}, ${organization}, 'Workspace ' || i, 'workspace ' || i, 'active', first.data_key_id, 1, 1
      from ${tens} cross join (select * from workspaces where organization_id = ${own} limit 1) as first`)
  const kinds = "case i % 200 when 0 then 'shopify' else kind end"
  for (const [prefix, workspaces, organization] of [
    ['0195f3a5-0000', '0195f3a3-0000', own],
    ['0195f3a6-0000', '0195f3a4-0000', id('0195f3a2-0000', '(i + 9) / 10')],
  ] as const) {
    await run(`insert into connectors (id, organization_id, workspace_id, name, kind, status, configuration, entities, sandbox, scheme,
        credential_fields, sealed, data_key_id, version, created_at, updated_at, notices, unchecked)
      select ${id(prefix, 'i')}, ${organization}, ${id(workspaces, '(i + 9) / 10')}, 'Connector ' || i, ${kinds}, status, configuration,
        entities, sandbox, scheme, credential_fields, sealed, data_key_id, version, 1, 1, notices, unchecked
      from ${rows} cross join (select * from connectors where organization_id = ${own} order by id limit 1) as first`)
    await run(`insert into sync_schedules (organization_id, connector_id, entity, next_run_at)
      select ${organization}, ${id(prefix, 'i')}, '', 1000000 + i from ${rows}`)
    for (const entity of [1, 2, 3, 4, 5])
      await run(`insert into sync_entities (organization_id, connector_id, entity, records)
        select ${organization}, ${id(prefix, 'i')}, 'entity_${entity}', 10 from ${rows}`)
    for (const number of [0, 1, 2, 3, 4, 5])
      await run(`insert into sync_runs (id, organization_id, workspace_id, connector_id, mode, state, cause, attempts, failures, queue_order,
          progress, results, version, created_at, finished_at)
        select ${id(`${prefix.slice(0, 7)}${Number(prefix[7]) + 2}-000${number}`, 'i')}, ${organization}, ${id(workspaces, '(i + 9) / 10')},
          ${id(prefix, 'i')}, 'full', '${number === 5 ? 'queued' : 'succeeded'}', 'created', 0, 0, 1000 + i,
          '{"entities":[]}', '[]', 1, 1, ${number === 5 ? 'null' : '1'} from ${rows} where ${number} < 5 or i % 10 = 0`)
  }
  await run('analyze')
}
