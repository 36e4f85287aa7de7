import { at } from '../data.ts'
import { reviewsOf } from './answered.ts'
import { managerOf } from './people.ts'
import { folderId, scorecardsOf, specialFolders } from './settings.ts'
import { utcTime } from './time.ts'
import { otherWorld, privateStretch, special, type World } from './world.ts'

/** What a test or a reader needs to know about the imitated company. */
export type GongWorldFacts = Readonly<ReturnType<typeof factsOf>>

/** The private stretch without the times that it shares with its neighbours. */
function privateWindow({ slots }: World): { readonly from: string; readonly to: string } {
  const moments = slots.map(({ scheduled }) => scheduled)
  const [before, last] = [moments[privateStretch.from - 1] ?? 0, moments[privateStretch.to - 1] ?? 0]
  const from = moments.slice(privateStretch.from, privateStretch.to).find((moment) => moment > before) ?? last
  return { from: new Date(from).toISOString(), to: new Date(last).toISOString() }
}

function callFacts({ calls }: World) {
  const call = (purpose: string) => at(calls, special(purpose)).id
  return {
    /** Public video call with both files. */
    callId: call('plain'),
    /** Public video call whose files have the size `mediaBytes`. */
    largeCallId: call('large'),
    audioOnlyCallId: call('audioOnly'),
    /** Private, with both files. */
    privateCallId: call('privateWithMedia'),
    /** No file; the media block is left out. */
    callWithoutMediaId: call('mediaMissing'),
    /** No file; the media block is empty. */
    callWithEmptyMediaId: call('mediaEmpty'),
    unicodeCallId: call('unicode'),
    /** Public, its transcript is empty. */
    silentCallId: call('silent'),
    /** Public, imported, without parties. */
    callWithoutPartiesId: call('withoutParties'),
  }
}

/** Collects the facts of a world at a time. */
export function factsOf(world: World, now: number) {
  const { calls, users, workspaces } = world
  const moment = (position: number) => utcTime(at(calls, position).scheduled)
  const leader = users.findIndex((_, index) => users.some((__, other) => index > 0 && managerOf(other) === index))
  const reviews = reviewsOf(world, now)
  const manual = reviews.find(({ scorecard }) => scorecard.reviewMethod === 'MANUAL')
  return {
    counts: {
      users: users.length,
      calls: calls.length,
      privateCalls: world.privateCalls,
      workspaces: workspaces.length,
      answeredScorecards: reviews.length,
    },
    ...callFacts(world),
    unknownCallId: '1234567890123456789',
    userId: at(users, 30).id,
    /** A user without any activity. */
    idleUserId: at(users, 39).id,
    /** Leads several users. */
    managerId: at(users, leader).id,
    /** A user who leads nobody. */
    nobodysManagerId: at(users, users.length - 1).id,
    /** The first holds most of the calls. */
    workspaceIds: workspaces.map(({ id }) => id),
    /** Of the other customer. */
    otherWorkspaceIds: otherWorld(world).workspaces.map(({ id }) => id),
    /** Holds ten calls, one of them private: `largeCallId` and `privateCallId` are among them. */
    folderId: folderId(world, specialFolders.withPrivateCall),
    /** Holds more than 100 calls. */
    largeFolderId: folderId(world, specialFolders.large),
    emptyFolderId: folderId(world, specialFolders.empty),
    scorecardIds: scorecardsOf(world).map(({ scorecardId }) => scorecardId),
    /** Reviewed by hand at least once. */
    reviewedUserId: at(users, world.traits(manual?.call ?? 0).host).id,
    /** A window (from included, to excluded) in which every call is private: more than two pages. */
    privateWindow: privateWindow(world),
    /** A window without any call. */
    emptyWindow: { from: '2023-12-25T00:00:00Z', to: '2024-01-01T00:00:00Z' },
    /** Scheduled times of the first and the last call. */
    firstScheduled: moment(0),
    lastScheduled: moment(calls.length - 1),
  }
}
