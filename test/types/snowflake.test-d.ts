/** What the compiler knows of a kind whose results come in parts, whose writes have an id, and whose statements are texts. Never run. */

import type { ActionsOf } from '../../packages/ferrule/src/engine/types.ts'
import {
  type ConfigurationOf,
  type CredentialsOf,
  connect,
  type Kinds,
  type ParamsOf,
  type RecordOf,
  type RowOptions,
  type TypedCell,
  type TypedRow,
} from '../../packages/ferrule/src/index.ts'
import { type Same, yes } from './same.ts'

type Snowflake = Kinds['snowflake']
type Entities = Snowflake['entities']
const config = { account: 'myorg-acct', database: 'SALES', warehouse: 'WH', role: 'REPORTER' }
const snowflake = connect('snowflake', { credentials: { programmatic_access_token: 'a' }, config })

// Both schemes, and a configuration that is needed
connect('snowflake', { credentials: { user: 'loader', private_key: 'b' }, config: { ...config, schema: 'RAW' } })
connect('snowflake', {
  credentials: { user: 'loader', private_key: 'b', private_key_passphrase: 'c' },
  config,
  origin: 'http://127.0.0.1:1',
})
yes<Same<ConfigurationOf<Snowflake>['account'], string>>()
yes<Same<ConfigurationOf<Snowflake>['schema'], string | undefined>>()
type KeyPair = Extract<CredentialsOf<Snowflake>, { private_key: string }>
yes<Same<KeyPair['user'], string>>()
yes<Same<KeyPair['private_key_passphrase'], string | undefined>>()

// Which actions there are, and what they take
yes<Same<ActionsOf<Entities['record']>, 'get' | 'list' | 'create' | 'update' | 'delete'>>()
yes<Same<ActionsOf<Entities['tables']>, 'list'>>()
yes<Same<ActionsOf<Entities['result_partitions']>, 'get'>>()
type Create = ParamsOf<Entities['record'], 'create'>
yes<Same<Create['statement'], string>>()
yes<Same<Create['requestId'], string | null | undefined>>()
yes<Same<Create['retry'], boolean | null | undefined>>()
yes<Same<Create['timeout'], number | null | undefined>>()
yes<Same<Create['parameters'], Record<string, unknown> | null | undefined>>()
yes<Same<Create['database'], string | null | undefined>>()
yes<Same<'requestId' extends keyof ParamsOf<Entities['record'], 'list'> ? true : false, false>>()
yes<Same<ParamsOf<Entities['databases'], 'list'>['statement'], 'SHOW DATABASES' | null | undefined>>()
yes<Same<ParamsOf<Entities['result_partitions'], 'get'>['partition'], number>>()
await snowflake.databases.list()
await snowflake.columns.list({ statement: 'SHOW COLUMNS', schema: 'RAW', parameters: { TIMEZONE: 'UTC', ROWS_PER_RESULTSET: 10 } })
await snowflake.record.get({ statement: 'SELECT 1' }, { deadlineMs: 5_000 })
await snowflake.record.create({ statement: 'INSERT INTO T VALUES (1)', requestId: 'a', retry: true, timeout: 60 })
await snowflake.record.delete({ statement: 'DELETE FROM T', role: 'LOADER' })

// One result, whatever the action; its cells are texts or null
const result = await snowflake.record.list({ statement: 'SELECT * FROM T' })
yes<Same<typeof result.data, RecordOf<Entities['record']>>>()
yes<Same<typeof result.data.data, (string | null)[][] | null>>()
yes<Same<typeof result.data.code, string | null>>()
yes<Same<typeof result.data.createdOn, number | null>>()
yes<Same<typeof result.data.stats, Record<string, unknown> | null>>()
const described = result.data.resultSetMetaData
if (described === null) throw new Error('a type test is never run')
yes<Same<typeof described.numRows, number>>()
const column = described.rowType[0]
if (column === undefined) throw new Error('a type test is never run')
yes<Same<typeof column.scale, number | null>>()
yes<Same<typeof column.nullable, boolean>>()
const written = await snowflake.record.update({ statement: 'UPDATE T SET A = 1' })
yes<Same<typeof written, typeof result>>()

// The meta names the operation of the next part
yes<Same<typeof result.meta.request_id, string | null>>()
yes<Same<typeof result.meta.statement_handle, string | null>>()
yes<Same<typeof result.meta.next_page_url, string | null>>()
const [first] = result.meta.partition_info ?? []
if (first === undefined) throw new Error('a type test is never run')
yes<Same<typeof first.rowCount, number>>()
yes<Same<typeof first.compressedSize, number | null>>()
yes<Same<NonNullable<typeof result.meta.next_operation>['action'], 'get'>>()
const { statement_handle: statementHandle, next_params } = result.meta
if (statementHandle !== null && next_params !== null) {
  const part = await snowflake.result_partitions.get({ statementHandle, partition: 1 })
  yes<Same<typeof part.data.data, (string | null)[][] | null>>()
  yes<Same<typeof part.meta, typeof result.meta>>()
}

// Walks
for await (const row of snowflake.record.rows({ statement: 'SELECT * FROM T' })) yes<Same<typeof row, readonly (string | null)[]>>()
for await (const [name] of snowflake.tables.rows({ database: 'SALES' }, { maxPages: 10 }))
  yes<Same<typeof name, string | null | undefined>>()
for await (const { data, meta } of snowflake.views.parts()) {
  yes<Same<typeof data.data, (string | null)[][]>>()
  yes<Same<typeof data.code, string | null>>()
  yes<Same<typeof meta.statement_handle, string | null>>()
}
const objects = snowflake.record.rows({ statement: 'SELECT * FROM T' }, { as: 'objects', maxPages: 10 })
for await (const row of objects) {
  yes<Same<typeof row, TypedRow>>()
  yes<Same<(typeof row)['ID'], TypedCell>>()
  const id = row['ID']
  if (typeof id === 'bigint') yes<Same<typeof id, bigint>>()
}
for await (const row of snowflake.tables.rows({}, { as: 'objects' })) yes<Same<typeof row, TypedRow>>()
for await (const row of snowflake.tables.rows({}, { as: 'arrays' })) yes<Same<typeof row, readonly (string | null)[]>>()
for await (const row of snowflake.tables.rows({}, { deadlineMs: 1 })) yes<Same<typeof row, readonly (string | null)[]>>()
const chosen: RowOptions = { as: 'objects' }
for await (const row of snowflake.tables.rows({}, chosen)) yes<Same<typeof row, TypedRow | readonly (string | null)[]>>()
const hosted = connect('snowflake', { url: 'https://ferrule.example.com', token: 'a' })
for await (const row of hosted.record.rows({ statement: 'SELECT 1' }, { as: 'objects' })) yes<Same<typeof row, TypedRow>>()
for await (const part of hosted.record.parts({ statement: 'SELECT 1' })) yes<Same<typeof part.data.data, (string | null)[][]>>()
for await (const part of snowflake.record.parts({ statement: 'SELECT * FROM T' }))
  yes<Same<(typeof part.data.data)[0], (string | null)[]>>()
const executed = await snowflake.execute('record', 'create', { statement: 'INSERT INTO T VALUES (1)' })
yes<Same<typeof executed, typeof result>>()
