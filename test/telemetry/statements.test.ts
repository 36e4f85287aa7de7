import { expect, test } from 'vitest'
import { describeStatement } from '../../packages/server/src/statement-span.ts'

test.each([
  ['SELECT connectors', 'select "id" from "connectors" where "id" = $1'],
  ['SELECT cs_gong_users', 'with hits as materialized (select pk from "cs_gong_users" where connector_id = $1) select * from hits'],
  ['SELECT cs_terms', 'select t.term from unnest($2::text[]) word join lateral (select term from cs_terms) t on true'],
  ['SELECT', "select set_config('a', 'secret', true)"],
  ['INSERT cs_connectors', 'insert into cs_connectors (id) values ($1::uuid) on conflict do nothing'],
  ['UPDATE sync_runs', 'update "sync_runs" set "lease_until" = $1'],
  ['DELETE cs_seen', 'delete from cs_seen where connector_id = $1'],
  ['BEGIN', 'begin immediate'],
])('the span %s', (name, text) => {
  const { attributes, ...span } = describeStatement('postgresql', text)
  expect(span).toEqual({ name, kind: 'client', needsParent: true })
  expect(attributes['db.query.summary']).toBe(name)
  expect(JSON.stringify(attributes)).not.toContain('secret')
})
