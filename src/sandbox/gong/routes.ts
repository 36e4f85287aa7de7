import type { RoutePattern } from '../http.ts'
import { listAnswered } from './answered.ts'
import type { Answer, ApiCall } from './answers.ts'
import { getCall, listCalls } from './calls.ts'
import { listCoaching } from './coaching.ts'
import { listExtensive } from './extensive.ts'
import { listFolderContent, listFolders } from './library.ts'
import { listScorecards } from './scorecards.ts'
import { listAggregate, listDayByDay, listInteraction } from './stats.ts'
import { listTrackers } from './trackers.ts'
import { listTranscripts } from './transcripts.ts'
import { getUser, listUsers, listWorkspaces } from './users.ts'

/** One endpoint of the imitated API. */
export interface Route extends RoutePattern {
  /** What a bearer token must allow. */
  readonly scope: string
  readonly handle: (call: ApiCall) => Answer
}

/** The endpoints; literal paths stand before slots. */
export const routes: readonly Route[] = [
  { method: 'GET', path: '/v2/users', scope: 'api:users:read', handle: listUsers },
  { method: 'GET', path: '/v2/users/{id}', scope: 'api:users:read', handle: getUser },
  { method: 'GET', path: '/v2/calls', scope: 'api:calls:read:basic', handle: listCalls },
  { method: 'POST', path: '/v2/calls/extensive', scope: 'api:calls:read:extensive', handle: listExtensive },
  { method: 'POST', path: '/v2/calls/transcript', scope: 'api:calls:read:transcript', handle: listTranscripts },
  { method: 'GET', path: '/v2/calls/{id}', scope: 'api:calls:read:basic', handle: getCall },
  { method: 'GET', path: '/v2/workspaces', scope: 'api:workspaces:read', handle: listWorkspaces },
  { method: 'POST', path: '/v2/stats/activity/aggregate', scope: 'api:stats:user-actions', handle: listAggregate },
  { method: 'POST', path: '/v2/stats/activity/day-by-day', scope: 'api:stats:user-actions:detailed', handle: listDayByDay },
  { method: 'POST', path: '/v2/stats/interaction', scope: 'api:stats:interaction', handle: listInteraction },
  { method: 'POST', path: '/v2/stats/activity/scorecards', scope: 'api:stats:scorecards', handle: listAnswered },
  { method: 'GET', path: '/v2/settings/scorecards', scope: 'api:settings:scorecards:read', handle: listScorecards },
  { method: 'GET', path: '/v2/settings/trackers', scope: 'api:settings:trackers:read', handle: listTrackers },
  { method: 'GET', path: '/v2/library/folders', scope: 'api:library:read', handle: listFolders },
  { method: 'GET', path: '/v2/library/folder-content', scope: 'api:library:read', handle: listFolderContent },
  { method: 'GET', path: '/v2/coaching', scope: 'api:coaching:read', handle: listCoaching },
]
