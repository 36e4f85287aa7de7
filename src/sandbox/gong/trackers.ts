import { at } from '../at.ts'
import { idOf } from '../random.ts'
import type { Answer, ApiCall } from './answers.ts'
import { ok, refused } from './answers.ts'
import { companyTime, day } from './time.ts'
import { keywords } from './words.ts'
import type { World } from './world.ts'

/** A tracker of keywords with the vendor's fields. */
export interface Tracker {
  readonly trackerId: string
  readonly trackerName: string
  readonly workspaceId: string
  readonly languageKeywords: readonly {
    readonly language: string
    readonly keywords: readonly string[]
    readonly includeRelatedForms: boolean
  }[]
  readonly affiliation: string
  readonly partOfQuestion: boolean
  readonly saidAt: string
  readonly saidAtInterval: number | null
  readonly saidAtUnit: string | null
  readonly saidInTopics: readonly string[]
  readonly filterQuery: string
  readonly created: string
  readonly creatorUserId: string | null
  readonly updated: string
  /** Null for a built-in tracker. */
  readonly updaterUserId: string | null
}

function createTracker(world: World, workspace: number, index: number): Tracker {
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

const made = new WeakMap<World, readonly (readonly Tracker[])[]>()

function createTrackers(world: World): readonly (readonly Tracker[])[] {
  return [12, 6, 3].map((count, workspace) => Array.from({ length: count }, (_, index) => createTracker(world, workspace, index)))
}

/** The trackers of one workspace, by its position; the first has the most. */
export function trackersOf(world: World, workspace: number): readonly Tracker[] {
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
  if (wanted.length === 0) return refused(404, 'Workspace not found')
  return ok({ keywordTrackers: wanted.flatMap((workspace) => trackersOf(world, workspace)) })
}
