/** Rooms of the service. */
import { entries, type Room, within } from './room.ts'

/** Sources of the service. */
export const server = 'packages/server/src/'

/** Files and folders of the platform in their order: each imports what stands above it. */
const platformOrder = [
  ...['bounded-map.ts', 'secret-text.ts', 'version.ts', 'settings/', 'model/', 'db/', 'vault/', 'parts.ts'],
  // Tenancy and connectors queue runs inside their own transactions.
  ...['budgets/', 'usage/', 'installation/', 'syncs/status/', 'syncs/queue/', 'tenancy/', 'sessions/', 'oauth/', 'connectors/', 'connect/'],
  ...['copies/', 'execution/', 'syncs/'],
]

const platformRooms = platformOrder.map((name, index): Room => {
  const isDatabase = name === 'db/'
  return {
    room: `${server}platform/${name}`,
    files: [
      ...within(server, ['folder-lock.ts', 'grouped-looks.ts', 'statement-span.ts', 'postgres/', 'context/']),
      ...within(`${server}platform/`, platformOrder.slice(0, index)),
    ],
    npm: [...entries, ...(isDatabase ? ['kysely', 'pg'] : ['typebox', 'ipaddr.js']), 'jose', 'pino'],
    node: isDatabase ? 'all' : 'all but node:sqlite',
  }
})

/** The rooms of the service in their order: a room imports what stands above it. */
export const serverRooms: readonly Room[] = [
  { room: `${server}folder-lock.ts`, npm: entries, node: 'all' },
  { room: `${server}statement-span.ts`, npm: entries },
  { room: `${server}grouped-looks.ts` },
  { room: `${server}postgres/`, npm: [...entries, 'pg'], node: 'all but node:sqlite' },
  { room: `${server}context/query/`, npm: entries, node: 'all but node:sqlite' },
  {
    room: `${server}context/database/`,
    files: within(server, ['folder-lock.ts', 'statement-span.ts', 'postgres/', 'context/query/']),
    npm: [...entries, 'pg', '@electric-sql/pglite'],
    node: 'all',
  },
  { room: `${server}context/entity-ref.ts` },
  {
    room: `${server}context/indexes/`,
    files: within(server, ['context/query/', 'context/database/', 'context/entity-ref.ts']),
    npm: entries,
    node: 'all but node:sqlite',
  },
  {
    room: `${server}context/replicas/`,
    files: within(server, ['grouped-looks.ts', 'context/database/']),
    npm: [...entries, 'pg'],
    node: 'all but node:sqlite',
  },
  {
    room: `${server}context/store/`,
    files: within(server, [
      'postgres/',
      'context/query/',
      'context/database/',
      'context/entity-ref.ts',
      'context/indexes/',
      'context/replicas/',
    ]),
    npm: entries,
    node: 'all but node:sqlite',
  },
  {
    room: `${server}context/sync/`,
    files: within(server, ['context/query/', 'context/entity-ref.ts', 'context/store/']),
    npm: entries,
    node: 'all but node:sqlite',
  },
  { room: `${server}context/search.ts`, files: [`${server}context/`], npm: entries, node: 'all but node:sqlite' },
  ...platformRooms,
  {
    room: `${server}platform/`,
    files: [`${server}context/`],
    npm: [...entries, 'jose', 'pino', 'typebox', 'ipaddr.js'],
    node: 'all but node:sqlite',
  },
  {
    room: `${server}surfaces/`,
    files: within(server, ['context/', 'platform/']),
    npm: [...entries, 'fastify', '@fastify/*', 'commander', 'pino', '@modelcontextprotocol/server', 'oidc-provider'],
    node: 'all but node:sqlite',
  },
  {
    room: `${server}service/`,
    files: within(server, ['postgres/', 'context/', 'platform/', 'surfaces/']),
    npm: [...entries, 'fastify', 'prom-client', 'pino'],
    node: 'all but node:sqlite',
  },
  { room: `${server}index.ts`, files: [`${server}service/`] },
  { room: `${server}main.ts`, files: [`${server}service/`] },
  { room: `${server}operator.ts`, files: within(server, ['platform/', 'surfaces/', 'service/']), npm: ['commander'] },
  { room: `${server}cli.ts`, files: [`${server}operator.ts`], npm: ['ferrule/node-version'] },
]
