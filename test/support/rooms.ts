import { type Import, readImports, type Sources } from './imports.ts'

/** What a part of a package may import; its own folder is always allowed. */
export interface Room {
  /** A file, a folder (ends with `/`), or `…/connectors/<kind>/` for each kind's own folder. The first that fits counts. */
  readonly room: string
  /** Files and folders of the same package. */
  readonly files?: readonly string[]
  /** Files and folders of the same package whose types may be imported, and nothing that runs. */
  readonly types?: readonly string[]
  /** Entries of our packages, and npm packages; `@scope/*` for all of a scope. */
  readonly npm?: readonly string[]
  /** Node's modules: all but the database's, or all. */
  readonly node?: 'all' | 'all but node:sqlite'
}

const within = (folder: string, names: readonly string[]): readonly string[] => names.map((name) => `${folder}${name}`)
const library = 'packages/ferrule/src/'
const engine = `${library}engine/`
const server = 'packages/server/src/'
const shared = within(library, [
  ...['errors.ts', 'error-consequences.ts', 'retry.ts', 'options.ts', 'resume.ts', 'walk.ts'],
  ...['rows/', 'definition/'],
])
/** The documented entries of the library, and the one that the server has to itself. */
const entries = ['ferrule', 'ferrule/definition', 'ferrule/engine', 'ferrule/wire', 'ferrule/agents', 'ferrule/internal']

/** Adapters of agent frameworks, and what each imports of its framework: no adapter imports another's. */
const peers: Readonly<Record<string, readonly string[]>> = {
  'ai-sdk': [],
  anthropic: ['@anthropic-ai/sdk'],
  langchain: ['@langchain/core'],
  'openai-agents': ['@openai/agents'],
}

/** Files and folders of the platform in their order: each imports what stands above it. */
const platformOrder = [
  ...['bounded-map.ts', 'version.ts', 'settings/', 'model/', 'db/', 'vault/', 'parts.ts'],
  // Tenancy and connectors queue runs inside their own transactions.
  ...['syncs/status/', 'syncs/queue/', 'tenancy/', 'oauth/', 'connectors/', 'copies/', 'execution/', 'syncs/'],
]

const platformRooms = platformOrder.map((name, index): Room => {
  const isDatabase = name === 'db/'
  return {
    room: `${server}platform/${name}`,
    files: [...within(server, ['folder-lock.ts', 'context/']), ...within(`${server}platform/`, platformOrder.slice(0, index))],
    npm: [...entries, ...(isDatabase ? ['kysely', 'pg'] : ['typebox', 'ipaddr.js']), 'jose', 'pino'],
    node: isDatabase ? 'all' : 'all but node:sqlite',
  }
})

/** The rooms of the packages in their order, and their import rules: a room imports what stands above it. */
export const rooms: readonly Room[] = [
  { room: `${library}error-table.ts` },
  { room: `${library}errors.ts`, files: [`${library}error-table.ts`] },
  { room: `${library}error-consequences.ts`, files: [`${library}error-table.ts`] },
  { room: `${library}retry.ts`, files: within(library, ['errors.ts', 'error-consequences.ts']) },
  { room: `${library}definition/`, files: [`${library}errors.ts`], npm: ['typebox'] },
  { room: `${library}json/`, files: [`${library}definition/object.ts`] },
  { room: `${library}options.ts`, files: within(library, ['errors.ts', 'definition/object.ts']) },
  { room: `${library}resume.ts`, files: within(library, ['errors.ts', 'retry.ts']), types: [`${engine}types.ts`] },
  { room: `${library}walk.ts`, files: within(library, ['errors.ts', 'definition/object.ts', 'json/']) },
  { room: `${library}rows/`, files: within(library, ['errors.ts', 'definition/object.ts', 'json/']) },
  { room: `${library}filter/`, files: within(library, ['errors.ts', 'definition/object.ts', 'definition/search.ts', 'json/']) },
  { room: `${library}near-names.ts` },
  { room: `${library}fields.ts`, files: [`${library}definition/object.ts`] },
  { room: `${library}wire/`, files: shared, npm: ['typebox'] },
  { room: `${library}document/`, files: shared, types: [`${library}wire/definitions.ts`] },
  { room: `${library}local-connections.ts`, types: [`${library}document/`] },
  {
    room: `${library}client/`,
    files: within(library, [
      'errors.ts',
      'error-consequences.ts',
      'retry.ts',
      'options.ts',
      'resume.ts',
      'walk.ts',
      'rows/',
      'definition/object.ts',
      'json/',
      'filter/',
      'wire/endpoints.ts',
    ]),
    types: within(library, ['definition/', 'wire/', 'engine/', 'connectors/']),
  },
  { room: `${library}connectors/index.ts`, files: within(library, ['connectors/', 'definition/']) },
  { room: `${library}connectors/<kind>/`, files: [`${library}definition/`] },
  // The groups of the engine, the lower first; writes/ stands above the flat files.
  { room: `${engine}json/`, files: [...shared, `${library}json/`], npm: ['typebox'], node: 'all but node:sqlite' },
  {
    room: `${engine}http/`,
    files: [...shared, `${library}json/`, `${engine}json/`],
    npm: ['undici', 'ipaddr.js'],
    node: 'all but node:sqlite',
  },
  {
    room: `${engine}limits/`,
    files: [...shared, `${library}json/`, ...within(engine, ['http/', 'credentials/source.ts', 'clocks.ts'])],
    node: 'all but node:sqlite',
  },
  {
    room: `${engine}credentials/`,
    files: [...shared, `${library}json/`, ...within(engine, ['json/', 'http/', 'answer.ts', 'clocks.ts', 'connection.ts', 'verdict.ts'])],
    npm: ['jose'],
    node: 'all but node:sqlite',
  },
  {
    room: engine,
    files: [...shared, ...within(library, ['json/', 'document/', 'local-connections.ts'])],
    npm: ['typebox', 'uuid'],
    node: 'all but node:sqlite',
  },
  { room: `${library}kinds/`, files: within(library, ['connectors/', 'definition/', 'engine/']) },
  {
    room: `${library}core.ts`,
    files: within(library, ['errors.ts', 'definition/object.ts', 'client/']),
    types: within(library, ['definition/', 'engine/', 'connectors/', 'kinds/', 'walk.ts']),
  },
  {
    room: `${library}index.ts`,
    files: [...shared, ...within(library, ['client/', 'connectors/', 'core.ts', 'engine/', 'filter/', 'json/', 'walk.ts'])],
  },
  {
    // It loads the kinds only where a program gives a connection of its own: the connection brings them.
    room: `${library}agent/`,
    files: within(library, [
      'errors.ts',
      'near-names.ts',
      'fields.ts',
      'local-connections.ts',
      'options.ts',
      'definition/object.ts',
      'document/schema.ts',
      'json/',
      'filter/',
      'rows/',
      'client/',
    ]),
    types: within(library, ['document/', 'wire/', 'engine/types.ts', 'engine/local.ts']),
  },
  { room: `${library}adapters/schema.ts`, files: [`${library}definition/object.ts`], types: [`${library}agent/index.ts`] },
  ...Object.entries(peers).map(([name, npm]) => ({
    room: `${library}adapters/${name}.ts`,
    files: within(library, ['agent/index.ts', 'adapters/peer.ts', 'adapters/schema.ts', 'definition/object.ts']),
    npm,
  })),
  { room: `${library}adapters/peer.ts`, files: [`${library}errors.ts`] },
  {
    // Types of the SDK only: whoever connects a client loads it.
    room: `${library}mcp/`,
    files: within(library, ['errors.ts', 'definition/object.ts', 'json/', 'agent/reach.ts']),
    types: [`${library}agent/`],
    npm: ['@modelcontextprotocol/server'],
    node: 'all but node:sqlite',
  },
  {
    room: `${library}command/`,
    files: [
      ...shared,
      ...within(library, [
        'document/',
        'fields.ts',
        'client/',
        'json/',
        'filter/',
        'rows/',
        'wire/endpoints.ts',
        'connectors/',
        'engine/',
        'index.ts',
      ]),
      ...within(library, ['core.ts', 'walk.ts', 'agent/', 'mcp/']),
    ],
    types: within(library, ['wire/']),
    npm: [
      ...['@modelcontextprotocol/server', 'commander', '@clack/prompts', '@bomb.sh/tab', 'jq-wasm', 'fast-string-width'],
      ...['jsonc-parser', 'smol-toml'],
    ],
    node: 'all but node:sqlite',
  },
  { room: `${library}cli.ts`, files: [`${library}command/`], node: 'all but node:sqlite' },
  {
    room: `${library}internal.ts`,
    files: [
      ...shared,
      ...within(library, ['connectors/', 'engine/', 'json/', 'document/', 'near-names.ts', 'client/problem.ts', 'agent/', 'mcp/']),
    ],
  },
  { room: `${server}folder-lock.ts`, npm: entries, node: 'all' },
  { room: `${server}context/query/`, npm: entries, node: 'all but node:sqlite' },
  {
    room: `${server}context/database/`,
    files: within(server, ['folder-lock.ts', 'context/query/']),
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
    room: `${server}context/store/`,
    files: within(server, ['context/query/', 'context/database/', 'context/entity-ref.ts', 'context/indexes/']),
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
    files: within(server, ['context/', 'platform/', 'surfaces/']),
    npm: [...entries, 'fastify', 'prom-client', 'pino'],
    node: 'all but node:sqlite',
  },
  { room: `${server}index.ts`, files: [`${server}service/`] },
  { room: `${server}main.ts`, files: [`${server}service/`] },
  { room: `${server}cli.ts`, files: within(server, ['platform/', 'surfaces/', 'service/']), npm: ['commander'] },
  { room: 'packages/sandbox/src/', npm: ['@duckdb/node-api'], node: 'all' },
]

/** Rules that are narrower than a room. */
const narrow: readonly { says: string; broken(each: Import): boolean }[] = [
  {
    says: 'surfaces/ may not import platform/db/',
    broken: (each) => each.from.startsWith(`${server}surfaces/`) && each.to.startsWith(`${server}platform/db/`),
  },
]

/** Tests that lie beside the sources may import whatever they need. */
function isTest(file: string): boolean {
  return file.endsWith('.test.ts')
}

/** One sentence for each import that the rooms do not allow. Paths start at the project's folder. */
export function importViolations(sources: Sources): string[] {
  return [...sources].flatMap(([file, text]) => (isTest(file) ? [] : violationsOf(file, text)))
}

function violationsOf(file: string, text: string): string[] {
  const room = rooms.find((each) => ownFolder(each, file) !== undefined)
  if (!room) return [`${file} is in no room; put it into one, or add a room to test/support/rooms.ts`]
  return readImports(file, text).flatMap((each) => {
    const rule = narrow.find(({ broken }) => broken(each))
    if (rule) return [`${file} imports ${each.to}; ${rule.says}`]
    return isAllowed(room, each) ? [] : [`${file} imports ${each.to}${each.typeOnly ? ' (types)' : ''}; ${summary(room)}`]
  })
}

/** The folder that counts as the file's own, or undefined when the file is not of this room. */
function ownFolder({ room }: Room, file: string): string | undefined {
  if (!room.endsWith('/<kind>/')) return covers(room, file) ? room : undefined
  return /^packages\/ferrule\/src\/connectors\/[^/]+\//.exec(file)?.[0]
}

function covers(pattern: string, path: string): boolean {
  return pattern.endsWith('/') ? path.startsWith(pattern) : path === pattern
}

function isAllowed(room: Room, each: Import): boolean {
  if (each.kind === 'npm') return (room.npm ?? []).some((name) => name === each.to || inScope(name, each.to))
  if (each.kind === 'node') return room.node === 'all' || (room.node === 'all but node:sqlite' && each.to !== 'node:sqlite')
  const own = ownFolder(room, each.from) ?? ''
  const files = [own, ...(room.files ?? []), ...(each.typeOnly ? (room.types ?? []) : [])]
  return files.some((pattern) => covers(pattern, each.to))
}

function inScope(pattern: string, name: string): boolean {
  return pattern.endsWith('/*') && name.startsWith(pattern.slice(0, -1))
}

function summary({ room, files = [], types = [], npm = [], node }: Room): string {
  const names = [...files, ...types.map((each) => `${each} (types)`), ...npm, ...(node ? [`Node's modules (${node})`] : [])]
  return `${room} may import ${['its own files', ...names].join(', ')}`
}
