/** Rooms of the service (docs/decisions/packages.md). */
import { entries, type Room, within } from './room.ts'

/** Sources of the service. */
export const server = 'packages/server/src/'

/** A room in the order: it imports what stands above it, or `only` some of that. */
interface Ordered extends Pick<Room, 'node' | 'npm'> {
  readonly room: string
  readonly only?: readonly string[]
}

/** What a database of the copy needs of the room of databases: not the platform's tables. */
const connections = ['values/', 'db/connections/', 'db/folder-lock.ts', 'db/statement-span.ts']

/** Rooms of the service in their order, the lowest first. A subject stands in several places where a part of it serves others. */
const order: readonly Ordered[] = [
  { room: 'values/' },
  { room: 'db/', npm: ['kysely', 'pg'], node: 'all' },
  // The SQL of all subjects: a subject reads the rows of another one by it, never by the other's services.
  { room: 'tenancy/sql/', npm: ['kysely'] },
  { room: 'connectors/sql/', npm: ['kysely'] },
  { room: 'calls/sql/', npm: ['kysely'] },
  { room: 'copies/sql/', npm: ['kysely'] },
  { room: 'events/sql/', npm: ['kysely'] },
  // The copy of records: it knows nothing of organizations and of the platform's database.
  { room: 'copies/search/', only: ['values/'] },
  { room: 'copies/store/database/', only: [...connections, 'copies/search/'], npm: ['pg', '@electric-sql/pglite'], node: 'all' },
  { room: 'copies/entity-ref.ts', only: ['values/'] },
  { room: 'copies/store/indexes/', only: ['values/', 'copies/search/', 'copies/store/database/', 'copies/entity-ref.ts'] },
  { room: 'copies/store/replicas/', only: ['values/', 'db/connections/', 'copies/store/database/'], npm: ['pg'] },
  { room: 'copies/store/', only: [...connections, 'copies/search/', 'copies/entity-ref.ts'] },
  { room: 'copies/sync/walk/', only: ['values/', 'copies/search/', 'copies/store/', 'copies/entity-ref.ts'] },
  { room: 'copies/search-cursors.ts', only: ['values/', 'copies/search/'] },
  { room: 'copies/searcher.ts', only: ['values/', 'copies/search/', 'copies/store/', 'copies/entity-ref.ts', 'copies/search-cursors.ts'] },
  // What every service of the platform is built from.
  { room: 'main/settings/', npm: ['ipaddr.js'] },
  { room: 'tenancy/vault/' },
  { room: 'main/parts.ts' },
  { room: 'copies/sync-types.ts' },
  // Tenancy and connectors queue runs inside their own transactions.
  { room: 'copies/status/' },
  { room: 'copies/queue/' },
  { room: 'tenancy/', npm: ['jose'] },
  // Who is checked before it is stored, is admitted first.
  { room: 'calls/admission.ts', only: [] },
  { room: 'calls/budgets/' },
  { room: 'calls/usage/' },
  { room: 'main/platform-types.ts' },
  { room: 'connectors/' },
  { room: 'calls/executed.ts' },
  { room: 'copies/parquet/', only: ['values/', 'copies/search/'], npm: ['hyparquet-writer'] },
  { room: 'copies/' },
  { room: 'calls/' },
  // What vendors send is worked on by calls of the connectors, into the copy.
  { room: 'events/' },
  { room: 'http/', npm: ['fastify', '@fastify/*', 'pino', 'ipaddr.js', '@modelcontextprotocol/server', 'oidc-provider'] },
  { room: 'main/kinds/', npm: ['ferrule/kind', 'ferrule/import', 'ferrule/stand-in'] },
  { room: 'main/', npm: ['fastify', 'prom-client', 'pino', 'commander', 'kysely'] },
]

/** Types of the assembly: they name every subject, and nothing in them runs. */
const assembly = ['main/parts.ts', 'main/platform-types.ts']

/** The rooms of the service: each imports what stands above it. */
export const serverRooms: readonly Room[] = [
  ...order.map(({ room, only, npm = [], node = 'all but node:sqlite' }, index): Room => {
    const above = order.slice(0, index).map((each) => each.room)
    return {
      room: `${server}${room}`,
      files: within(server, only ?? above),
      types: assembly.includes(room) ? [server] : [],
      npm: [...entries, ...npm],
      node,
    }
  }),
  { room: `${server}index.ts`, files: [`${server}main/`] },
  { room: `${server}main.ts`, files: [`${server}main/`] },
  { room: `${server}cli.ts`, files: [`${server}main/`], npm: ['ferrule/node-version'] },
]
