/** Rooms of the library. */
import { type Room, within } from './room.ts'

const library = 'packages/ferrule/src/'
const engine = `${library}engine/`
const shared = within(library, [
  ...['final-newline.ts', 'errors.ts', 'error-consequences.ts', 'retry.ts', 'options.ts', 'resume.ts', 'walk.ts', 'tracing.ts'],
  ...['csv.ts', 'file-name.ts'],
  ...['rows/', 'definition/'],
])
/** Adapters of agent frameworks, and what each imports of its framework: no adapter imports another's. */
const peers: Readonly<Record<string, readonly string[]>> = {
  'ai-sdk': [],
  anthropic: ['@anthropic-ai/sdk'],
  langchain: ['@langchain/core'],
  'openai-agents': ['@openai/agents'],
}

/** The rooms of the library in their order: a room imports what stands above it. */
export const libraryRooms: readonly Room[] = [
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
  { room: `${library}node-version.ts` },
  { room: `${library}require-node.ts`, files: [`${library}node-version.ts`] },
  { room: `${library}final-newline.ts` },
  { room: `${library}csv.ts` },
  { room: `${library}file-name.ts` },
  { room: `${library}tracing.ts`, files: [`${library}errors.ts`] },
  { room: `${library}fields.ts`, files: [`${library}definition/object.ts`] },
  { room: `${library}wire/`, files: shared, npm: ['typebox'] },
  { room: `${library}document/`, files: [...shared, ...within(library, ['filter/', 'json/'])], types: [`${library}wire/definitions.ts`] },
  { room: `${library}local-connections.ts`, types: [`${library}document/`] },
  {
    room: `${library}client/`,
    files: within(library, [
      'final-newline.ts',
      'errors.ts',
      'error-consequences.ts',
      'retry.ts',
      'options.ts',
      'resume.ts',
      'walk.ts',
      'tracing.ts',
      'csv.ts',
      'file-name.ts',
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
    files: within(library, ['errors.ts', 'definition/object.ts', 'client/', 'filter/']),
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
      'tracing.ts',
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
    // Its import of the API waits for `startTracing`.
    room: `${library}opentelemetry/`,
    files: within(library, ['tracing.ts', 'adapters/peer.ts']),
    npm: ['@opentelemetry/api'],
  },
  {
    // Types of the SDK only: whoever connects a client loads it.
    room: `${library}mcp/`,
    files: within(library, ['errors.ts', 'tracing.ts', 'definition/object.ts', 'json/', 'agent/reach.ts']),
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
        // Its schemas take a tenth of a second: they are loaded for --fields only.
        'wire/',
        'connectors/',
        'engine/',
        'index.ts',
      ]),
      ...within(library, ['core.ts', 'walk.ts', 'agent/', 'mcp/']),
    ],
    npm: [
      ...['@modelcontextprotocol/server', 'commander', '@clack/prompts', '@bomb.sh/tab', 'jq-wasm', 'fast-string-width'],
      ...['jsonc-parser', 'smol-toml'],
    ],
    node: 'all but node:sqlite',
  },
  // For pages of other applications: it loads nothing.
  { room: `${library}connect-link/`, types: [`${library}wire/`] },
  { room: `${library}cli.ts`, files: within(library, ['command/', 'node-version.ts']), node: 'all but node:sqlite' },
  {
    room: `${library}internal.ts`,
    files: [
      ...shared,
      ...within(library, ['connectors/', 'engine/', 'json/', 'document/', 'near-names.ts', 'filter/', 'client/', 'agent/', 'mcp/']),
    ],
  },
]
