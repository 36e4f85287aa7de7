import { at } from '../at.ts'
import { idOf, shuffled } from '../random.ts'
import type { Answer, ApiCall } from './answers.ts'
import { ok, refused } from './answers.ts'
import { callRecord } from './calls.ts'
import { companyTime, day } from './time.ts'
import { special } from './traits.ts'
import type { World } from './world.ts'

/** A public folder with the vendor's fields. */
export interface Folder {
  readonly id: string
  readonly name: string
  /** Null for a folder at the top. */
  readonly parentFolderId: string | null
  readonly createdBy: string | null
  readonly updated: string
}

/** Name, position of the workspace, position of the parent, number of calls. */
const plan: readonly (readonly [string, number, number | undefined, number])[] = [
  ['Great discovery calls', 0, undefined, 8],
  ['Every demo of the year', 0, undefined, 130],
  ['Nothing here yet', 0, undefined, 0],
  ['By industry', 0, undefined, 3],
  ['Énergie & Umwelt', 0, 3, 12],
  ['Health', 0, 3, 5],
  ['Onboarding examples', 1, undefined, 6],
  ['Renewals', 1, 6, 0],
  ['Premiers appels', 2, undefined, 4],
]

/** Positions of folders with a fixed purpose. */
export const specialFolders = { withPrivateCall: 0, large: 1, empty: 2 }

/** Id of a folder by its position. */
export function folderId(world: World, index: number): string {
  return idOf(world.seed, 'folder', index)
}

function folderAt(world: World, index: number): Folder {
  const [name, , parent] = at(plan, index)
  const random = world.random('folder', index)
  return {
    id: folderId(world, index),
    name,
    parentFolderId: parent === undefined ? null : folderId(world, parent),
    createdBy: random.chance(0.8) ? random.pick(world.users).id : null,
    updated: companyTime(Date.UTC(2023, 10, 20, 18) + random.int(0, 30) * day, 3),
  }
}

function callsIn(world: World, index: number): readonly number[] {
  const [, workspace, , count] = at(plan, index)
  const early = Array.from({ length: 2800 }, (_, call) => call + 200).filter((call) => world.workspaceOf[call] === workspace)
  const chosen = shuffled(early, world.seed, 'folder calls', index).slice(0, count)
  const all = index === specialFolders.withPrivateCall ? [special.large, special.privateWithMedia, ...chosen] : chosen
  return all.filter((call) => !world.edits.get(call)?.erased)
}

/** A call in a folder: other fields than a call elsewhere, and none that tells whether it is private. */
function libraryCall(world: World, folder: number, call: number): Record<string, unknown> {
  const random = world.random('library', folder, call)
  const { id, title, url } = callRecord(world, call)
  const { duration } = world.traits(call)
  const start = random.int(0, Math.max(0, duration - 30))
  const added = at(world.calendar.started, call) + random.int(2, 40) * day
  return {
    id,
    title,
    note: random.chance(0.5) ? 'Worth hearing twice' : null,
    addedBy: random.pick(world.users).id,
    created: companyTime(added, 3),
    url,
    snippet: random.chance(0.4) ? { fromSec: start, toSec: Math.min(duration, start + 30) } : null,
  }
}

/** GET /v2/library/folders: of one workspace, or of all. */
export function listFolders(call: ApiCall): Answer {
  const { world } = call.state
  const id = call.query.get('workspaceId')
  const wanted = plan.flatMap(([, workspace], index) => (id === null || world.workspaces[workspace]?.id === id ? [index] : []))
  return wanted.length === 0 ? refused(404, 'No folders found') : ok({ folders: wanted.map((index) => folderAt(world, index)) })
}

/** GET /v2/library/folder-content: all calls at once, without `records`; empty for an empty folder. */
export function listFolderContent(call: ApiCall): Answer {
  const { world } = call.state
  const wanted = call.query.get('folderId')
  if (wanted === null) return refused(400, 'Bad request: folderId is required')
  const index = plan.findIndex((_, position) => folderId(world, position) === wanted)
  if (index < 0) return refused(404, 'Folder not found')
  const { id, name, createdBy, updated } = folderAt(world, index)
  return ok({ id, name, createdBy, updated, calls: callsIn(world, index).map((position) => libraryCall(world, index, position)) })
}
