import { absent, bool, each, entity, int, list, moment, obj, open, orNull, str, time } from '../../definition/index.ts'
import { cursor } from './shared.ts'

/** GET /v2/workspaces. The vendor calls the id `id` only. */
export const workspaces = entity({
  about: 'Workspaces of the company',
  key: ['id'],
  record: {
    ...each(str('Workspace id'), 'id', 'workspaceId'),
    name: str('Name'),
    description: absent(str('Description; null without one')),
  },
  from: { workspaceId: { copy: 'id' } },
  list: { call: 'GET /v2/workspaces', at: 'workspaces', params: {} },
})

/** GET /v2/coaching. The vendor nests reports below their manager; each becomes a record. */
export const coaching = entity({
  about: 'Coaching metrics of a manager and the direct reports',
  key: ['param.manager-id', 'userId'],
  record: {
    userId: str('User id'),
    userEmailAddress: absent(str('E-mail address; null if the vendor sends none')),
    userName: str('First and last name'),
    isManager: bool('True for the manager, false for a report'),
    coachingMetrics: obj(
      each(int('Count of calls'), 'callsListened', 'callsAttended', 'callsWithFeedback', 'callsWithComments', 'scorecardsFilled'),
      'Counts',
    ),
  },
  from: { userId: { as: 'string' } },
  list: {
    call: 'GET /v2/coaching',
    at: 'coachingData',
    rows: 'rule:coaching',
    params: {
      'workspace-id': str('Workspace id'),
      'manager-id': str('User id of the manager'),
      from: moment('Start of the window'),
      to: moment('End of the window'),
    },
  },
})

const record = {
  id: str('User id'),
  emailAddress: str('E-mail address'),
  created: time('When the user was created'),
  active: bool('Whether the user is active'),
  emailAliases: list(str('E-mail address'), 'Further e-mail addresses'),
  trustedEmailAddress: orNull(str('Trusted e-mail address')),
  firstName: str('First name'),
  lastName: str('Last name'),
  ...each(orNull(str('As the vendor sends it')), 'title', 'phoneNumber', 'extension'),
  personalMeetingUrls: list(str('URL'), 'Personal meeting addresses'),
  settings: open('Recording and import settings'),
  managerId: orNull(str('User id of the manager')),
  meetingConsentPageUrl: orNull(str('Address of the consent page')),
  spokenLanguages: list(open('{ language, primary }'), 'Languages that the user speaks'),
}

/** GET /v2/users, GET /v2/users/{id} */
export const users = entity({
  about: 'Users of the company',
  key: ['id'],
  refers: { managerId: 'users' },
  record,
  list: { call: 'GET /v2/users', at: 'users', page: 'cursor', params: { cursor } },
  get: { call: 'GET /v2/users/{id}', at: 'user', params: { id: str('User id') } },
  title: 'emailAddress',
  context_store_search: record,
  sync: {},
})
