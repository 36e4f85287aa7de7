/** The types of `connect` in both modes, by slug and by kind. */
import { connect as connectKind } from '../../packages/ferrule/src/core.ts'
import { connect, type HostedConnector, type Kinds, type LocalConnector } from '../../packages/ferrule/src/index.ts'
import { gong } from '../../packages/ferrule/src/kinds/gong.ts'
import type { shopify } from '../../packages/ferrule/src/kinds/shopify.ts'
import type { snowflake } from '../../packages/ferrule/src/kinds/snowflake.ts'
import type { tiktokMarketing } from '../../packages/ferrule/src/kinds/tiktok-marketing.ts'
import { type Same, yes } from './same.ts'

const credentials = { access_key: 'a', access_key_secret: 'b' }
const service = { url: 'https://ferrule.example.com', token: 'a' }
type Gong = Kinds['gong']

const local = connect('gong', { credentials })
const hosted = connect('gong', service)
yes<Same<typeof local, LocalConnector<Gong>>>()
yes<Same<typeof hosted, HostedConnector<Gong>>>()
yes<Same<ReturnType<typeof connect<'gong'>>, LocalConnector<Gong> | HostedConnector<Gong>>>() // of the last form, which takes the options of either mode
connect('gong')
connect('shopify', { connector: 'my store', workspace: 'default', organizationId: 'a', clientId: 'a', clientSecret: 'b', fetch })

const localKind = connectKind(gong, { credentials, config: { private_calls: 'include' } })
const hostedKind = connectKind(gong, { session: true })
const hostedSlug = connectKind('gong', service)
yes<Same<typeof localKind, typeof local>>()
yes<Same<typeof hostedKind, typeof hosted>>()
yes<Same<typeof hostedSlug, typeof hosted>>()
yes<Same<(typeof shopify)['definition'], Kinds['shopify']>>()
yes<Same<(typeof snowflake)['definition'], Kinds['snowflake']>>()
yes<Same<(typeof tiktokMarketing)['definition'], Kinds['tiktok-marketing']>>()

// A program for one mode runs in the other
const program = async (connector: LocalConnector<Gong>) => (await connector.users.list()).data.length
yes<Same<ReturnType<typeof program>, Promise<number>>>()
await program(hosted)
await program(local)
yes<Same<ReturnType<typeof hosted.id>, Promise<string>>>()

// Options that only some methods take
const media = { filter: { callIds: ['1'] }, contentSelector: { exposedFields: { media: true } } } as const
await hosted.call_audio.download({ filter: { callIds: ['1'] }, contentSelector: media.contentSelector }, { resume: true })
await local.call_audio.download({ filter: { callIds: ['1'] }, contentSelector: media.contentSelector }, { resume: true, deadlineMs: 5_000 })
const warehouse = connect('snowflake', service)
await warehouse.record.create({ statement: 'INSERT INTO T VALUES (1)' }, { idempotencyKey: 'order 17' })
await warehouse.execute('record', 'create', { statement: 'INSERT INTO T VALUES (1)' }, { idempotencyKey: 'order 17' })
