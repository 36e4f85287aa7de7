import { at } from '../at.ts'
import { reviewsOf } from './answered.ts'
import { folderId, specialFolders } from './library.ts'
import { managerOf } from './people.ts'
import { scorecardsOf } from './scorecards.ts'
import { utcTime } from './time.ts'
import { privateStretch, special } from './traits.ts'
import type { World } from './world.ts'

/** What a test or a reader needs to know about the imitated company. */
export interface GongWorldFacts {
  readonly counts: {
    readonly users: number
    readonly calls: number
    readonly privateCalls: number
    readonly workspaces: number
    /** Manual and automatic ones together. */
    readonly answeredScorecards: number
  }
  /** Public video call with both files. */
  readonly callId: string
  /** Public video call whose files have the size `mediaBytes`. */
  readonly largeCallId: string
  readonly audioOnlyCallId: string
  /** Private, with both files. */
  readonly privateCallId: string
  /** No file; the media block is left out. */
  readonly callWithoutMediaId: string
  /** No file; the media block is empty. */
  readonly callWithEmptyMediaId: string
  readonly unicodeCallId: string
  /** Public, its transcript is empty. */
  readonly silentCallId: string
  /** Public, imported, without parties. */
  readonly callWithoutPartiesId: string
  readonly unknownCallId: string
  readonly userId: string
  /** A user without any activity. */
  readonly idleUserId: string
  /** Leads several users. */
  readonly managerId: string
  /** A user who leads nobody. */
  readonly nobodysManagerId: string
  /** The first holds most of the calls. */
  readonly workspaceIds: readonly string[]
  /** Holds ten calls, one of them private: `largeCallId` and `privateCallId` are among them. */
  readonly folderId: string
  /** Holds more than 100 calls. */
  readonly largeFolderId: string
  readonly emptyFolderId: string
  readonly scorecardIds: readonly string[]
  /** Reviewed by hand at least once. */
  readonly reviewedUserId: string
  /** A window (from included, to excluded) in which every call is private: more than two pages. */
  readonly privateWindow: { readonly from: string; readonly to: string }
  /** A window without any call. */
  readonly emptyWindow: { readonly from: string; readonly to: string }
  /** Scheduled times of the first and the last call. */
  readonly firstScheduled: string
  readonly lastScheduled: string
}

/**
 * Collects the facts of a world.
 *
 * @param world - of this sandbox
 * @param now - epoch milliseconds
 */
export function factsOf(world: World, now: number): GongWorldFacts {
  const { calendar, users, workspaces } = world
  const call = (position: number) => at(calendar.ids, position)
  const moment = (position: number) => utcTime(at(calendar.scheduled, position))
  const leader = users.findIndex((_, index) => users.some((__, other) => index > 0 && managerOf(other) === index))
  const reviews = reviewsOf(world, now)
  const manual = reviews.find(({ scorecard }) => scorecard.reviewMethod === 'MANUAL')
  return {
    counts: {
      users: users.length,
      calls: calendar.count,
      privateCalls: world.privateCalls,
      workspaces: workspaces.length,
      answeredScorecards: reviews.length,
    },
    callId: call(special.plain),
    largeCallId: call(special.large),
    audioOnlyCallId: call(special.audioOnly),
    privateCallId: call(special.privateWithMedia),
    callWithoutMediaId: call(special.mediaMissing),
    callWithEmptyMediaId: call(special.mediaEmpty),
    unicodeCallId: call(special.unicode),
    silentCallId: call(special.silent),
    callWithoutPartiesId: call(special.withoutParties),
    unknownCallId: '1234567890123456789',
    userId: at(users, 30).id,
    idleUserId: at(users, 39).id,
    managerId: at(users, leader).id,
    nobodysManagerId: at(users, users.length - 1).id,
    ...placesOf(world),
    reviewedUserId: at(users, at(world.hostOf, manual?.call ?? 0)).id,
    privateWindow: privateWindow(world),
    emptyWindow: { from: '2023-12-25T00:00:00Z', to: '2024-01-01T00:00:00Z' },
    firstScheduled: moment(0),
    lastScheduled: moment(calendar.count - 1),
  }
}

function placesOf(world: World) {
  return {
    workspaceIds: world.workspaces.map((workspace) => workspace.id),
    folderId: folderId(world, specialFolders.withPrivateCall),
    largeFolderId: folderId(world, specialFolders.large),
    emptyFolderId: folderId(world, specialFolders.empty),
    scorecardIds: scorecardsOf(world).map((scorecard) => scorecard.scorecardId),
  }
}

/** The private stretch without the moments that it shares with its neighbours. */
function privateWindow({ calendar }: World): { from: string; to: string } {
  const before = at(calendar.scheduled, privateStretch.from - 1)
  const last = at(calendar.scheduled, privateStretch.to - 1)
  const inside = calendar.scheduled.subarray(privateStretch.from, privateStretch.to)
  const from = inside.find((moment) => moment > before) ?? last
  return { from: new Date(from).toISOString(), to: new Date(last).toISOString() }
}
