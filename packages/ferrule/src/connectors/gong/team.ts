import { absent, bool, each, entity, int, moment, obj, str } from '../../definition/index.ts'

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
