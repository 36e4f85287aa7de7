import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { inSpan } from '../../packages/ferrule/src/tracing.ts'
import { openPostgres } from '../../packages/server/src/db/postgres.ts'
import { describeStatement } from '../../packages/server/src/db/statement-span.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { startCollector } from './collector.ts'

test('statements on PostgreSQL have spans below another one, and failed ones have our code', async () => {
  const server = await createTestDatabase('spans')
  const collector = await startCollector()
  const { db, close } = openPostgres({ url: new Secret(server.url) })
  const run = (text: string) => sql.raw(text).execute(db)
  await run('select 1')
  expect(collector.take()).toEqual([])
  await inSpan(
    () => ({ name: 'work', kind: 'internal', attributes: {} }),
    async () => {
      await run('select typname from pg_type limit 3')
      await expect(run("select 'secret' from lost_table")).rejects.toThrow()
    },
  )
  await close()
  collector.stop()
  await server.drop()
  const [found, failed, work] = collector.take()
  expect(found).toMatchObject({ name: 'SELECT pg_type', parent: work?.id, attributes: { 'db.response.returned_rows': 3 } })
  expect(failed).toMatchObject({ name: 'SELECT lost_table', parent: work?.id, attributes: { 'error.type': 'internal_error' } })
  expect(failed?.isError).toBe(true)
  expect(JSON.stringify(failed)).not.toContain('secret')
})

test.each([
  ['SELECT connectors', 'select "id" from "connectors" where "id" = $1'],
  ['SELECT cs_gong_users', 'with hits as materialized (select pk from "cs_gong_users" where connector_id = $1) select * from hits'],
  ['SELECT cs_terms', 'select t.term from unnest($2::text[]) word join lateral (select term from cs_terms) t on true'],
  ['SELECT', "select set_config('a', 'secret', true)"],
  ['INSERT cs_connectors', 'insert into cs_connectors (id) values ($1::uuid) on conflict do nothing'],
  ['UPDATE sync_runs', 'update "sync_runs" set "lease_until" = $1'],
  ['DELETE cs_seen', 'delete from cs_seen where connector_id = $1'],
  ['COPY cs_gong_users', 'copy "cs_gong_users" (connector_id, pk) from stdin'],
  ['BEGIN', 'begin immediate'],
])('the span %s', (name, text) => {
  const { attributes, ...span } = describeStatement('postgresql', text)
  expect(span).toEqual({ name, kind: 'client', needsParent: true })
  expect(attributes['db.query.summary']).toBe(name)
  expect(JSON.stringify(attributes)).not.toContain('secret')
})
