/** Wrong uses of `connect` in both modes. */
import { connect as connectKind } from '../../packages/ferrule/src/core.ts'
import { connect } from '../../packages/ferrule/src/index.ts'
import { gong } from '../../packages/ferrule/src/kinds/gong.ts'

const credentials = { access_key: 'a', access_key_secret: 'b' }
const service = { url: 'https://ferrule.example.com', token: 'a' }
const hosted = connect('gong', service)
const local = connect('gong', { credentials })
const warehouse = connect('snowflake', service)
const config = { account: 'myorg-acct', database: 'SALES', warehouse: 'WH', role: 'REPORTER' }
const insert = { statement: 'INSERT INTO T VALUES (1)' }

// @ts-expect-error the address is a text
connect('gong', { url: new URL('https://ferrule.example.com') })
// @ts-expect-error the service keeps the configuration
connect('gong', { ...service, config: { private_calls: 'include' } })
// @ts-expect-error the service keeps the credentials
connectKind(gong, { credentials, url: 'https://ferrule.example.com' })
// @ts-expect-error a slug has no way to the vendor
connectKind('gong', { credentials })
// @ts-expect-error a kind that there is not
connectKind('salesforce', service)
// @ts-expect-error a definition is no kind that can be connected
connectKind(gong.definition, service)
// @ts-expect-error the id of a local connector
await local.id()
// @ts-expect-error a key for a read
await hosted.users.list({}, { idempotencyKey: 'a' })
// @ts-expect-error a read that continues by range
await hosted.users.list({}, { resume: true })
// @ts-expect-error a write that continues by range
await warehouse.record.create(insert, { resume: true })
// @ts-expect-error the age of a copy for a list
await hosted.users.list({}, { maxAge: 60 })
// @ts-expect-error a key for a local write
await connect('snowflake', { credentials: { programmatic_access_token: 'a' }, config }).record.create(insert, { idempotencyKey: 'a' })
// @ts-expect-error a key that is a number
await warehouse.record.create(insert, { idempotencyKey: 17 })
