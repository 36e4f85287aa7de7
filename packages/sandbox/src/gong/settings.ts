import { at } from '../data.ts'
import { idOf, shuffled } from '../random.ts'
import { type Answer, badRequest, type JsonRecord, ok, Refusal } from './answers.ts'
import { callRecord } from './calls.ts'
import { openPage } from './lists.ts'
import { keywords } from './people.ts'
import type { ApiCall } from './state.ts'
import { companyTime, day } from './time.ts'
import { special, type World } from './world.ts'

/** A scorecard with the vendor's fields; `updaterUserId` is `-1` for a built-in one. */
export type Scorecard = ReturnType<typeof scorecardsOf>[number]

const names = [
  'Discovery',
  'Demo quality',
  'Onboarding call',
  'Objection handling',
  'Kaltakquise – Prüfung',
  'Renewal',
  'Compliance',
  'Old checklist',
]
const questionTexts = ['Was the agenda agreed?', 'Were next steps set?', 'How well were questions answered?', 'Overall']
const options = [
  { id: 1, text: 'Yes' },
  { id: 2, text: 'Partly' },
  { id: 3, text: 'No' },
]

function createQuestion(world: World, scorecard: number, index: number) {
  const random = world.random('question', scorecard, index)
  const isOverall = index === questionTexts.length - 1
  const questionType = isOverall ? 'RANGE' : random.pick(['RANGE', 'RANGE', 'OPEN', 'SINGLE_SELECT'] as const)
  const range = questionType === 'RANGE'
  const created = Date.UTC(2022, 5, 1, 18) + random.int(0, 200) * day
  return {
    questionId: idOf(world.seed, 'question', scorecard, index),
    questionRevisionId: idOf(world.seed, 'question revision', scorecard, index),
    questionText: at(questionTexts, index),
    isOverall,
    updaterUserId: scorecard < 2 ? '-1' : random.pick(world.users).id,
    questionType,
    answerGuide: random.chance(0.3) ? 'Listen to the first five minutes' : null,
    minRange: range ? '1' : null,
    maxRange: range ? '5' : null,
    answerOptions: questionType === 'SINGLE_SELECT' ? options : [],
    created: companyTime(created, 6),
    updated: companyTime(created + random.int(0, 300) * day, 6),
  }
}

/** Returns all scorecards: of every workspace, enabled or not, manual and automatic ones. */
export const scorecardsOf = (world: World) =>
  names.map((scorecardName, index) => {
    const random = world.random('scorecard', index)
    const created = Date.UTC(2022, 4, 2, 17) + random.int(0, 200) * day
    return {
      scorecardId: idOf(world.seed, 'scorecard', index),
      scorecardName,
      workspaceId: at(world.workspaces, index % 3).id,
      enabled: index !== names.length - 1,
      updaterUserId: index < 2 ? '-1' : random.pick(world.users).id,
      created: companyTime(created, 6),
      updated: companyTime(created + random.int(0, 400) * day, 3),
      reviewMethod: index % 4 === 2 ? 'AUTOMATIC' : 'MANUAL',
      questions: questionTexts.map((_, question) => createQuestion(world, index, question)),
    }
  })

/** GET /v2/settings/scorecards: takes no parameter, so a workspace in the query changes nothing. */
export const listScorecards = (call: ApiCall): Answer => ok({ scorecards: scorecardsOf(call.state.world) })

function createTracker(world: World, workspace: number, index: number) {
  const random = world.random('tracker', workspace, index)
  const builtIn = index < 3
  const saidAt = random.pick(['Anytime', 'Anytime', 'First', 'Last'])
  const anytime = saidAt === 'Anytime'
  const created = Date.UTC(2022, 0, 3, 18) + random.int(0, 900) * day
  const word = at(keywords, index)
  const german = { language: 'deu', keywords: ['Rabatt', 'Nachlass für Jahresverträge'], includeRelatedForms: false }
  return {
    trackerId: idOf(world.seed, 'tracker', workspace, index),
    trackerName: `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`,
    workspaceId: at(world.workspaces, workspace).id,
    languageKeywords: [
      { language: 'eng', keywords: [word, `${word}s`], includeRelatedForms: random.chance(0.5) },
      ...(index % 5 === 2 ? [german] : []),
    ],
    affiliation: random.pick(['Anyone', 'Company', 'NonCompany']),
    partOfQuestion: random.chance(0.2),
    saidAt,
    saidAtInterval: anytime ? null : random.int(1, 15),
    saidAtUnit: anytime ? null : 'Minutes',
    saidInTopics: random.chance(0.2) ? ['Pricing'] : [],
    filterQuery: '{}',
    created: companyTime(created, 3),
    creatorUserId: builtIn ? null : random.pick(world.users).id,
    updated: companyTime(created + random.int(0, 90) * day, 3),
    updaterUserId: builtIn ? null : random.pick(world.users).id,
  }
}

const made = new WeakMap<World, ReturnType<typeof createTrackers>>()

const createTrackers = (world: World) =>
  [12, 6, 3].map((count, workspace) => Array.from({ length: count }, (_, index) => createTracker(world, workspace, index)))

/** Returns the trackers of one workspace, by its position; the first has the most. */
export function trackersOf(world: World, workspace: number) {
  // Every call lists them, so they are made once per world.
  const all = made.get(world) ?? createTrackers(world)
  made.set(world, all)
  return at(all, workspace)
}

/** GET /v2/settings/trackers: of one workspace, or of all. */
export function listTrackers(call: ApiCall): Answer {
  const { world } = call.state
  const id = call.query.get('workspaceId')
  const wanted = world.workspaces.flatMap((workspace, index) => (id === null || workspace.id === id ? [index] : []))
  if (wanted.length === 0) throw new Refusal(404, 'Workspace not found')
  return ok({ keywordTrackers: wanted.flatMap((workspace) => trackersOf(world, workspace)) })
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

/** Returns the id of a folder by its position. */
export const folderId = (world: World, index: number): string => idOf(world.seed, 'folder', index)

function folderAt(world: World, index: number) {
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
  const early = Array.from({ length: Math.max(Math.min(2800, world.calls.length - 200), 0) }, (_, call) => call + 200)
  const own = early.filter((call) => world.traits(call).workspace === workspace)
  const chosen = shuffled(own, world.seed, 'folder calls', index).slice(0, count)
  const all = index === specialFolders.withPrivateCall ? [special('large'), special('privateWithMedia'), ...chosen] : chosen
  return all.filter((call) => !world.edits.get(call)?.erased)
}

/** Returns a call in a folder: other fields than a call elsewhere, and none that says whether it is private. */
function libraryCall(world: World, folder: number, call: number): JsonRecord {
  const random = world.random('library', folder, call)
  const { id, title, url } = callRecord(world, call)
  const { duration } = world.traits(call)
  const start = random.int(0, Math.max(0, duration - 30))
  const added = at(world.calls, call).started + random.int(2, 40) * day
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
  if (wanted.length === 0) throw new Refusal(404, 'No folders found')
  return ok({ folders: wanted.map((index) => folderAt(world, index)) })
}

/** GET /v2/library/folder-content: all calls at once, without `records`; empty for an empty folder. */
export function listFolderContent(call: ApiCall): Answer {
  const { world } = call.state
  const wanted = call.query.get('folderId')
  if (wanted === null) throw badRequest('folderId is required')
  const index = plan.findIndex((_, position) => folderId(world, position) === wanted)
  if (index < 0) throw new Refusal(404, 'Folder not found')
  const { id, name, createdBy, updated } = folderAt(world, index)
  return ok({ id, name, createdBy, updated, calls: callsIn(world, index).map((position) => libraryCall(world, index, position)) })
}

/** GET /v2/users: ascending by id. */
export function listUsers(call: ApiCall): Answer {
  const filter = { includeAvatars: call.query.get('includeAvatars') }
  const { records, shown } = openPage(call, { filter, rows: call.state.world.users, cursorRow: ({ id }) => ({ id }) })
  return ok({ records: records(), users: shown })
}

/** GET /v2/users/{id} */
export function getUser(call: ApiCall): Answer {
  const { users, userPositions } = call.state.world
  const position = userPositions.get(call.slots['id'] ?? '')
  if (position === undefined) throw new Refusal(404, 'User not found')
  return ok({ user: at(users, position) })
}

/** GET /v2/workspaces */
export const listWorkspaces = (call: ApiCall): Answer => ok({ workspaces: call.state.world.workspaces })
