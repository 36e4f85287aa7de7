/** Rooms of the library. */
import { type Room, within } from './room.ts'

const library = 'packages/ferrule/src/'
const engine = `${library}engine/`
const shared = within(library, ['errors.ts', 'error-consequences.ts', 'retry.ts', 'tracing.ts', 'values/', 'definition/'])
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
  { room: `${library}values/texts.ts` },
  { room: `${library}definition/`, files: within(library, ['errors.ts', 'values/texts.ts']), npm: ['typebox'] },
  {
    // JSON, rows, filters, walks and small things: for browsers too, so nothing of Node.
    room: `${library}values/`,
    files: within(library, ['errors.ts', 'retry.ts', 'definition/object.ts', 'definition/operators.ts']),
    types: [`${engine}types.ts`],
  },
  { room: `${library}node-version.ts` },
  { room: `${library}require-node.ts`, files: [`${library}node-version.ts`] },
  { room: `${library}tracing.ts`, files: [`${library}errors.ts`] },
  { room: `${library}wire/`, files: shared },
  { room: `${library}document/`, files: shared, types: [`${library}wire/definitions.ts`] },
  { room: `${library}local-connections.ts`, types: [`${library}document/`] },
  {
    room: `${library}client/`,
    files: within(library, [
      ...['errors.ts', 'error-consequences.ts', 'retry.ts', 'tracing.ts', 'values/'],
      ...['definition/object.ts', 'wire/endpoints.ts'],
    ]),
    types: within(library, ['definition/', 'wire/', 'engine/', 'connectors/']),
  },
  { room: `${library}connectors/index.ts`, files: within(library, ['connectors/', 'definition/']) },
  { room: `${library}connectors/<kind>/`, files: [`${library}definition/`] },
  // The groups of the engine, the lower first; call/, consent/, results/ and writes/ stand beside the flat files.
  { room: `${engine}json/`, files: shared, npm: ['csv-parse', 'typebox'], node: 'all but node:sqlite' },
  {
    room: `${engine}http/`,
    files: [...shared, `${engine}json/`],
    npm: ['undici', 'ipaddr.js'],
    node: 'all but node:sqlite',
  },
  {
    room: `${engine}limits/`,
    files: [...shared, ...within(engine, ['http/', 'credentials/source.ts'])],
    node: 'all but node:sqlite',
  },
  {
    room: `${engine}credentials/`,
    files: [...shared, ...within(engine, ['json/', 'http/', 'call/answer.ts', 'connection.ts'])],
    node: 'all but node:sqlite',
  },
  {
    room: engine,
    files: [...shared, ...within(library, ['document/', 'local-connections.ts'])],
    npm: ['typebox', 'uuid'],
    node: 'all but node:sqlite',
  },
  { room: `${library}kinds/`, files: within(library, ['connectors/', 'definition/', 'engine/']) },
  {
    // Kinds from files. YAML is loaded when a file is read.
    room: `${library}kind-file/`,
    files: within(library, ['errors.ts', 'values/', 'definition/', 'kinds/connectable.ts']),
    npm: ['yaml', 'uuid'],
    node: 'all but node:sqlite',
  },
  {
    // Kinds from documents: what an importer found, its file as text, and an importer for each sort of document. Only commands and the thread for uploads load it.
    room: `${library}import/`,
    files: within(library, ['errors.ts', 'values/', 'definition/', 'kind-file/']),
    npm: ['yaml', '@scalar/openapi-upgrader', 'graphql'],
  },
  {
    // Recordings of kinds: their file, their replay, and how they are made. Only commands and sandboxes load it.
    room: `${library}kind-recordings/`,
    files: within(library, ['error-table.ts', 'errors.ts', 'retry.ts', 'values/', 'definition/', 'kind-file/', 'engine/']),
    npm: ['jsonc-parser'],
    node: 'all but node:sqlite',
  },
  {
    // A vendor that is played from recordings, over HTTP: for sandboxes of programs, of the command and of the service.
    room: `${library}stand-in/`,
    files: within(library, ['errors.ts', 'values/', 'definition/', 'kind-recordings/', 'engine/json/', 'engine/limits/windows.ts']),
    node: 'all but node:sqlite',
  },
  {
    room: `${library}core.ts`,
    files: within(library, ['errors.ts', 'definition/object.ts', 'client/', 'values/']),
    types: within(library, ['definition/', 'engine/', 'connectors/', 'kinds/']),
  },
  {
    room: `${library}index.ts`,
    files: [...shared, ...within(library, ['client/', 'connectors/', 'core.ts', 'engine/'])],
  },
  {
    // It loads the kinds only where a program gives a connection of its own: the connection brings them.
    room: `${library}agent/`,
    files: within(library, [
      ...['errors.ts', 'tracing.ts', 'local-connections.ts', 'values/'],
      ...['definition/object.ts', 'document/read-schema.ts', 'client/'],
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
    files: within(library, ['errors.ts', 'tracing.ts', 'definition/object.ts', 'values/', 'agent/reach.ts']),
    types: [`${library}agent/`],
    npm: ['@modelcontextprotocol/server'],
    node: 'all but node:sqlite',
  },
  {
    room: `${library}cli/`,
    files: [
      ...shared,
      // The schemas of wire/ take a tenth of a second: they are loaded for --fields only.
      ...within(library, ['document/', 'wire/', 'client/', 'connectors/', 'engine/', 'index.ts', 'core.ts', 'agent/', 'mcp/']),
      ...within(library, ['kinds/connectable.ts', 'kind-file/', 'import/', 'kind-recordings/', 'stand-in/']),
    ],
    npm: [
      ...['@modelcontextprotocol/server', 'commander', '@clack/prompts', '@bomb.sh/tab', 'jq-wasm', 'fast-string-width'],
      ...['jsonc-parser', 'modern-tar', 'smol-toml'],
    ],
    node: 'all but node:sqlite',
  },
  // For pages of other applications: it loads nothing.
  { room: `${library}connect-link/`, types: [`${library}wire/`] },
  { room: `${library}cli.ts`, files: within(library, ['cli/', 'node-version.ts']), node: 'all but node:sqlite' },
  {
    room: `${library}internal.ts`,
    files: [...shared, ...within(library, ['connectors/', 'engine/', 'document/', 'client/', 'agent/', 'mcp/'])],
  },
]
