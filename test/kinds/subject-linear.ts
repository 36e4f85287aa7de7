/** What the tests know of Linear. */
import { choose } from '../support/draws.ts'
import { Linear, linearRefusals } from './stand-ins/linear.ts'
import type { Row } from './stand-ins/shared.ts'
import type { Subject } from './subjects.ts'

const byId = ({ id }: Row) => ({ id })
const linearLists = [
  ['projects', 'projects'],
  ['teams', 'teams'],
  ['users', 'users'],
  ['comments', 'comments'],
  ['cycles', 'cycles'],
  ['labels', 'issueLabels'],
  ['workflow_states', 'workflowStates'],
] as const
const start = () => new Linear(choose({ records: 120, smaller: 10 }, {}))
const [firstTeam, firstIssue] = ['teams', 'issues'].map((what) => start().holds(what)[0]?.['id'])
const hasIn = (name: string, id: unknown) => (row: Row) => (row[name] as Row | null)?.['id'] === id
/** Linear, with its stand-in. */
export const linear: Subject = {
  slug: 'linear',
  start,
  startLarge: () => new Linear(choose({ records: 300, smaller: 10 }, { records: 3_200 })),
  credentials: { api_key: 'lin_api_standin' },
  lists: [
    { entity: 'issues', holds: 'issues' },
    { entity: 'issues', params: { includeArchived: true }, holds: 'all issues' },
    { entity: 'issues', params: { orderBy: 'updatedAt', team: firstTeam }, holds: 'issues', only: hasIn('team', firstTeam) },
    {
      ...{ entity: 'issues', holds: 'issues', params: { changed_since: new Date(Date.now() - 86_400_000) } },
      only: (row) => Date.parse(String(row['updatedAt'])) >= Date.now() - 86_400_000,
    },
    ...linearLists.map(([entity, holds]) => ({ entity, holds })),
    { entity: 'users', params: { includeDisabled: true }, holds: 'all users' },
    { entity: 'comments', params: { issue: firstIssue }, holds: 'comments', only: (row) => row['issueId'] === firstIssue },
  ],
  gets: [['issues', 'issues'] as const, ...linearLists].map(([entity, holds]) => ({ entity, holds, params: byId })),
  writes: [
    {
      ...{ entity: 'issues', action: 'create', holds: 'issues', more: 1 },
      params: () => ({ teamId: firstTeam, title: 'New "quoted" } { issue', priority: 2, labelIds: ['a'] }),
    },
    {
      ...{ entity: 'issues', action: 'update', of: 'issues', holds: 'issues', sets: { title: 'Other', priority: 1 } },
      params: ({ id }) => ({ id, title: 'Other', priority: 1 }),
    },
    { entity: 'issues', action: 'delete', of: 'issues', params: byId, holds: 'issues', more: -1 },
    { entity: 'projects', action: 'create', params: () => ({ name: 'New', teamIds: [firstTeam] }), holds: 'projects', more: 1 },
    {
      ...{ entity: 'projects', action: 'update', of: 'projects', holds: 'projects', sets: { targetDate: '2027-01-31' } },
      params: ({ id }) => ({ id, targetDate: '2027-01-31' }),
    },
    { entity: 'projects', action: 'delete', of: 'projects', params: byId, holds: 'projects', more: -1 },
    {
      ...{ entity: 'comments', action: 'create', of: 'issues', holds: 'comments', more: 1 },
      params: ({ id }) => ({ issueId: id, body: 'New' }),
    },
    {
      ...{ entity: 'comments', action: 'update', of: 'comments', holds: 'comments', sets: { body: 'Other' } },
      params: ({ id }) => ({ id, body: 'Other' }),
    },
    { entity: 'comments', action: 'delete', of: 'comments', params: byId, holds: 'comments', more: -1 },
    { entity: 'labels', action: 'create', params: () => ({ name: 'New', teamId: firstTeam }), holds: 'issueLabels', more: 1 },
    {
      ...{ entity: 'labels', action: 'update', of: 'issueLabels', holds: 'issueLabels', sets: { name: 'Other' } },
      params: ({ id }) => ({ id, name: 'Other' }),
    },
    { entity: 'labels', action: 'delete', of: 'issueLabels', params: byId, holds: 'issueLabels', more: -1 },
  ],
  copies: [
    { entity: 'issues', holds: 'issues', compared: ['title', 'updatedAt'], incremental: true },
    { entity: 'comments', holds: 'comments', compared: ['body'], incremental: true },
    { entity: 'projects', holds: 'projects', compared: ['name'] },
    { entity: 'users', holds: 'all users', compared: ['name', 'active'] },
    { entity: 'cycles', holds: 'cycles', compared: ['number'] },
    { entity: 'labels', holds: 'issueLabels', compared: ['name'] },
    { entity: 'workflow_states', holds: 'workflowStates', compared: ['name'] },
  ],
  refusals: [
    { answer: linearRefusals.rate, code: 'upstream_rate_limited' },
    { answer: linearRefusals.forbidden, code: 'upstream_permission_denied' },
    { answer: linearRefusals.input, code: 'upstream_invalid_request' },
    { answer: linearRefusals.internal, code: 'upstream_error' },
    { answer: linearRefusals.down, code: 'upstream_error' },
  ],
  missing: { entity: 'issues', params: { id: '00000000-0000-4000-8000-999999999999' }, code: 'record_not_found' },
}
