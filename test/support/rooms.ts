/** Rules of imports: what each part of each package may import. */
import { type Import, readImports, type Sources } from './imports.ts'
import type { Room } from './room.ts'
import { libraryRooms } from './rooms-library.ts'
import { server, serverRooms } from './rooms-server.ts'
import { webRooms } from './rooms-web.ts'

/** The rooms of all packages, and their import rules. */
export const rooms: readonly Room[] = [
  ...libraryRooms,
  ...serverRooms,
  { room: 'packages/sandbox/src/', npm: ['@duckdb/node-api'], node: 'all' },
  ...webRooms,
]

/** Rules that are narrower than a room. */
const narrow: readonly { says: string; broken(each: Import): boolean }[] = [
  {
    says: 'http/ may not import a database or its SQL',
    broken: (each) => each.from.startsWith(`${server}http/`) && /^(db|\w+\/sql)\//.test(each.to.slice(server.length)),
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
  const [folder = '', each] = room.split(/<\w+>\/$/)
  if (each === undefined) return covers(room, file) ? room : undefined
  const name = file.startsWith(folder) ? /^[^/]+\//.exec(file.slice(folder.length))?.[0] : undefined
  return name === undefined ? undefined : `${folder}${name}`
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
