import { type Import, readImports, type Sources } from './imports.ts'

/** What a part of `src` may import; its own folder is always allowed. */
export interface Room {
  /** A file, a folder (ends with `/`), or `connectors/<kind>/` for each kind's own folder. The first that fits counts. */
  readonly room: string
  /** Files and folders. */
  readonly files?: readonly string[]
  /** Files and folders of which only types may be imported. */
  readonly types?: readonly string[]
  /** npm packages; `@scope/*` for all of a scope, `*` for all. */
  readonly npm?: readonly string[]
  /** Node's modules: all but the database's, or all. */
  readonly node?: 'all' | 'all but node:sqlite'
}

const shared = ['errors.ts', 'definition/']
const service = [...shared, 'connectors/', 'engine/', 'context/', 'platform/']

/** The rooms of `src` and their import rules. */
export const rooms: readonly Room[] = [
  { room: 'error-table.ts' },
  { room: 'errors.ts', files: ['error-table.ts'] },
  { room: 'definition/', files: ['errors.ts'], npm: ['typebox'] },
  { room: 'connectors/index.ts', files: ['connectors/', 'definition/'] },
  { room: 'connectors/<kind>/', files: ['definition/'] },
  { room: 'engine/', files: shared, npm: ['typebox', 'undici', 'ipaddr.js', 'jose', 'uuid'], node: 'all but node:sqlite' },
  { room: 'context/', files: [...shared, 'engine/'], npm: ['kysely', 'pg', '@electric-sql/pglite'], node: 'all' },
  { room: 'platform/db/', files: service, npm: ['kysely', 'pg', 'jose', 'pino'], node: 'all' },
  { room: 'platform/', files: service, npm: ['jose', 'pino', 'typebox', 'ipaddr.js'], node: 'all but node:sqlite' },
  { room: 'surfaces/', files: service, npm: ['fastify', '@fastify/*', 'prom-client', 'commander', 'pino'], node: 'all but node:sqlite' },
  { room: 'client/', files: shared, types: ['engine/'] },
  { room: 'index.ts', files: [...shared, 'connectors/', 'engine/', 'client/'] },
  { room: 'main.ts', files: [...service, 'surfaces/', 'sandbox/', 'server.ts'], npm: ['*'], node: 'all' },
  { room: 'server.ts', files: [...service, 'surfaces/', 'sandbox/'], npm: ['*'], node: 'all' },
  { room: 'sandbox/', npm: ['@duckdb/node-api'], node: 'all' },
]

/** Rules that are narrower than a room. */
const narrow: readonly { says: string; broken(each: Import): boolean }[] = [
  { says: 'only engine/http.ts and engine/http-*.ts may import undici', broken: (each) => each.to === 'undici' && !isHttp(each.from) },
  {
    says: 'surfaces/ may not import platform/db/',
    broken: (each) => each.from.startsWith('surfaces/') && each.to.startsWith('platform/db/'),
  },
]

function isHttp(file: string): boolean {
  return /^engine\/http(-[\w-]+)?(\.test)?\.ts$/.test(file)
}

/** Tests that lie beside the sources may import whatever they need. */
function isTest(file: string): boolean {
  return file.endsWith('.test.ts')
}

/** One sentence for each import that the rooms do not allow. */
export function importViolations(sources: Sources): string[] {
  return [...sources].flatMap(([file, text]) => (isTest(file) ? [] : violationsOf(file, text)))
}

function violationsOf(file: string, text: string): string[] {
  const room = rooms.find((each) => ownFolder(each, file) !== undefined)
  if (!room) return [`src/${file} is in no room; put it into one, or add a room to test/support/rooms.ts`]
  return readImports(file, text).flatMap((each) => {
    const rule = narrow.find(({ broken }) => broken(each))
    if (rule) return [`src/${file} imports ${each.to}; ${rule.says}`]
    return isAllowed(room, each) ? [] : [`src/${file} imports ${each.to}${each.typeOnly ? ' (types)' : ''}; ${summary(room)}`]
  })
}

/** The part of `src` that counts as the file's own, or undefined when the file is not of this room. */
function ownFolder({ room }: Room, file: string): string | undefined {
  if (room !== 'connectors/<kind>/') return covers(room, file) ? room : undefined
  return /^connectors\/[^/]+\//.exec(file)?.[0]
}

function covers(pattern: string, path: string): boolean {
  return pattern.endsWith('/') ? path.startsWith(pattern) : path === pattern
}

function isAllowed(room: Room, each: Import): boolean {
  if (each.kind === 'npm') return (room.npm ?? []).some((name) => name === '*' || name === each.to || inScope(name, each.to))
  if (each.kind === 'node') return room.node === 'all' || (room.node === 'all but node:sqlite' && each.to !== 'node:sqlite')
  const own = ownFolder(room, each.from) ?? ''
  const files = [own, ...(room.files ?? []), ...(each.typeOnly ? (room.types ?? []) : [])]
  return files.some((pattern) => covers(pattern, each.to))
}

function inScope(pattern: string, name: string): boolean {
  return pattern.endsWith('/*') && name.startsWith(pattern.slice(0, -1))
}

function summary({ room, files = [], types = [], npm = [], node }: Room): string {
  const names = [...files, ...types.map((name) => `types of ${name}`), ...npm, ...(node ? [`Node's modules (${node})`] : [])]
  return `${room} may import ${['its own files', ...names].join(', ')}`
}
