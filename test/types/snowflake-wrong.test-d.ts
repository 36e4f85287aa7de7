/** Wrong uses of a kind whose results come in parts and whose statements are texts: each is a compile error. Never run. */
import { connect } from '../../packages/ferrule/src/index.ts'

const credentials = { programmatic_access_token: 'a' }
const config = { account: 'myorg-acct', database: 'SALES', warehouse: 'WH', role: 'REPORTER' }
const snowflake = connect('snowflake', { credentials, config })
const { account: _account, ...homeless } = config

// @ts-expect-error the configuration is needed: it names the account
connect('snowflake', { credentials })
// @ts-expect-error the account is missing
connect('snowflake', { credentials, config: homeless })
// @ts-expect-error a configuration field that there is not
connect('snowflake', { credentials, config: { ...config, host: 'a.snowflakecomputing.com' } })
// @ts-expect-error the user of the key is missing
connect('snowflake', { credentials: { private_key: 'a' }, config })
// @ts-expect-error fields of two schemes
connect('snowflake', { credentials: { ...credentials, private_key: 'a', user: 'b' }, config })
// @ts-expect-error credentials that the vendor has no more
connect('snowflake', { credentials: { username: 'a', password: 'b' }, config })

// @ts-expect-error a statement is needed
await snowflake.record.list()
// @ts-expect-error a statement is a text
await snowflake.record.list({ statement: ['SELECT 1'] })
// @ts-expect-error there are no bindings
await snowflake.record.list({ statement: 'SELECT ?', bindings: { 1: { type: 'FIXED', value: '1' } } })
// @ts-expect-error reads have no id
await snowflake.record.get({ statement: 'SELECT 1', requestId: 'a' })
// @ts-expect-error the time limit is a number
await snowflake.record.create({ statement: 'INSERT INTO T VALUES (1)', timeout: '60' })
// @ts-expect-error retry is a boolean
await snowflake.record.create({ statement: 'INSERT INTO T VALUES (1)', retry: 'true' })
// @ts-expect-error session parameters are an object
await snowflake.record.update({ statement: 'UPDATE T SET A = 1', parameters: 'TIMEZONE=UTC' })
// @ts-expect-error another statement than the fixed one
await snowflake.databases.list({ statement: 'SHOW SCHEMAS' })
// @ts-expect-error rows are written through record
await snowflake.tables.create({ statement: 'INSERT INTO T VALUES (1)' })
// @ts-expect-error the number of the part is missing
await snowflake.result_partitions.get({ statementHandle: 'a' })
// @ts-expect-error the number of a part is a number
await snowflake.result_partitions.get({ statementHandle: 'a', partition: '1' })
// @ts-expect-error parts are got, not listed
await snowflake.result_partitions.list({ statementHandle: 'a' })
// @ts-expect-error the vendor's name of the action
await snowflake.record.insert({ statement: 'INSERT INTO T VALUES (1)' })
// @ts-expect-error search is offered for other kinds
await snowflake.tables.context_store_search({ query: {} })

// @ts-expect-error a result is one record, its rows are walked otherwise
for await (const row of snowflake.tables.records()) console.log(row)
// @ts-expect-error a result has parts, not pages
for await (const page of snowflake.tables.pages()) console.log(page)
// @ts-expect-error nor by the general door
for await (const row of snowflake.records('tables')) console.log(row)
// @ts-expect-error a write has no parts to walk
for await (const part of snowflake.result_partitions.parts()) console.log(part)
// @ts-expect-error cells are texts: digits would be lost
for await (const [id] of snowflake.record.rows({ statement: 'SELECT ID FROM T' })) console.log(Math.max(id))
// @ts-expect-error a cell can be null, or not there
for await (const [name] of snowflake.tables.rows()) console.log(name.length)
// @ts-expect-error rows are arrays: columns have no names
for await (const row of snowflake.tables.rows()) console.log(row.NAME)
// @ts-expect-error there is no such form of rows
for await (const row of snowflake.tables.rows({}, { as: 'object' })) console.log(row)
// @ts-expect-error objects are no arrays
for await (const [name] of snowflake.tables.rows({}, { as: 'objects' })) console.log(name)
// @ts-expect-error a typed cell may be anything, a bigint for example
for await (const row of snowflake.tables.rows({}, { as: 'objects' })) console.log(Math.max(row['rows']))
// @ts-expect-error parts have the vendor's rows
for await (const part of snowflake.tables.parts({}, { as: 'objects' })) console.log(part)
// @ts-expect-error a part may have no row
for await (const part of snowflake.tables.parts()) console.log(part.data.data[0].length)
// @ts-expect-error a result that is still running has no rows
console.log((await snowflake.record.list({ statement: 'SELECT 1' })).data.data.length)
// @ts-expect-error the data is one record and no array
console.log((await snowflake.tables.list()).data.length)
// @ts-expect-error the last part has no next one
console.log((await snowflake.tables.list()).meta.next_operation.entity)
// @ts-expect-error parts may be unknown
console.log((await snowflake.tables.list()).meta.partition_info.length)
