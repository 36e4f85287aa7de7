/** What the tests know of Jira. */
import { choose } from '../support/draws.ts'
import { Jira } from './stand-ins/jira.ts'
import { jiraRefusals } from './stand-ins/jira-parts.ts'
import { at, type Row } from './stand-ins/shared.ts'
import type { Subject } from './subjects.ts'

const start = () => new Jira(choose({ issues: 60, smaller: 5 }, {}))
const small = start()
const [[project = {}, quoted = {}], [issue = {}]] = [small.holds('project'), small.holds('issue')]
const isOfIssue = (row: Row) => row['issueId'] === issue['id']
const isOfProject = (row: Row) => String(row['projectId']) === project['id']
const hasProject =
  ({ key }: Row) =>
  (row: Row) =>
    at(row, 'project.key') === key
const byId = ({ id }: Row) => ({ id })
const below = ({ id, issueId }: Row) => ({ issue: issueId, id })
const document = { type: 'doc', version: 1, content: [] }

/** Jira Cloud. */
export const jira: Subject = {
  slug: 'jira',
  start,
  startLarge: () => new Jira(choose({ issues: 250, smaller: 5 }, { issues: 1_250 })),
  credentials: { email: 'person@example.com', api_token: 'jira_standin' },
  config: { site: 'stand-in' },
  lists: [
    { entity: 'issues', holds: 'issue' },
    { entity: 'issues', params: { project: project['key'] }, holds: 'issue', only: hasProject(project) },
    // Its name has quotes and a backslash.
    { entity: 'issues', params: { project: quoted['name'] }, holds: 'issue', only: hasProject(quoted) },
    {
      ...{ entity: 'found_issues', params: { jql: `summary ~ 'e "1' ORDER BY key DESC` }, holds: 'issue' },
      only: ({ summary }) => String(summary).includes('e "1'),
    },
    { entity: 'projects', holds: 'project' },
    { entity: 'users', holds: 'user', key: 'accountId' },
    { entity: 'statuses', holds: 'status' },
    { entity: 'fields', holds: 'field' },
    { entity: 'transitions', params: { issue: issue['key'] }, holds: 'status', key: 'name' },
    { entity: 'comments', params: { issue: issue['key'] }, holds: 'comment', only: isOfIssue },
    { entity: 'comments', params: { issue: issue['key'], orderBy: '-created' }, holds: 'comment', only: isOfIssue },
    { entity: 'worklogs', params: { issue: issue['key'], startedBefore: 1 }, holds: 'none' },
    { entity: 'worklogs', params: { issue: issue['key'] }, holds: 'worklog', only: isOfIssue },
    { entity: 'components', params: { project: project['key'] }, holds: 'component', only: isOfProject },
    { entity: 'versions', params: { project: project['key'] }, holds: 'version', only: isOfProject },
  ],
  gets: [
    {
      ...{ entity: 'issues', holds: 'issue', params: ({ key }) => ({ id: key }) },
      shows: ({ customfield_10010, ...row }) => ({ ...row, custom: { customfield_10010 } }),
    },
    { entity: 'myself', holds: 'user', params: () => ({}), shows: (row) => ({ ...row, timeZone: 'America/Panama' }) },
    { entity: 'projects', holds: 'project', params: byId },
    { entity: 'users', holds: 'user', params: ({ accountId }) => ({ accountId }) },
    { entity: 'comments', holds: 'comment', params: below, shows: (row) => ({ ...row, issue: row['issueId'] }) },
    { entity: 'worklogs', holds: 'worklog', params: below },
    { entity: 'components', holds: 'component', params: byId },
    { entity: 'versions', holds: 'version', params: byId },
  ],
  writes: [
    {
      ...{ entity: 'issues', action: 'create', holds: 'issue', more: 1 },
      params: () => ({ project: project['key'], issuetype: 'Task', summary: 'New', description: document, assignee: '5b10:1' }),
    },
    {
      ...{ entity: 'issues', action: 'update', of: 'issue', holds: 'issue', sets: { summary: 'Other', priority: { name: 'High' } } },
      params: ({ id }) => ({ id, summary: 'Other', priority: 'High' }),
    },
    { entity: 'issues', action: 'delete', of: 'issue', params: byId, holds: 'issue', more: -1 },
    {
      ...{ entity: 'transitions', action: 'create', of: 'issue', holds: 'issue', sets: { status: small.holds('status')[3] } },
      params: ({ id }) => ({ issue: id, id: String(Number(small.holds('status')[3]?.['id']) + 100) }),
    },
    {
      ...{ entity: 'comments', action: 'create', of: 'issue', holds: 'comment', more: 1 },
      params: ({ id }) => ({ issue: id, body: document }),
    },
    {
      ...{ entity: 'comments', action: 'update', of: 'comment', holds: 'comment', sets: { body: document } },
      params: (row) => ({ ...below(row), body: document }),
    },
    { entity: 'comments', action: 'delete', of: 'comment', params: below, holds: 'comment', more: -1 },
    {
      ...{ entity: 'worklogs', action: 'create', of: 'issue', holds: 'worklog', more: 1 },
      params: ({ id }) => ({ issue: id, timeSpentSeconds: 60, started: '2025-03-01T10:00:00.000+0000' }),
    },
    { entity: 'components', action: 'create', params: () => ({ project: project['key'], name: 'New' }), holds: 'component', more: 1 },
    { entity: 'components', action: 'delete', of: 'component', params: byId, holds: 'component', more: -1 },
    {
      ...{ entity: 'versions', action: 'create', holds: 'version', more: 1 },
      params: () => ({ projectId: Number(project['id']), name: 'New', releaseDate: '2025-03-01' }),
    },
  ],
  copies: [
    { entity: 'issues', holds: 'issue', compared: ['key', 'summary', 'updated'], incremental: true },
    { entity: 'comments', needs: ['issues'], holds: 'comment', compared: ['updated'], incremental: true, isSmall: true },
    { entity: 'worklogs', needs: ['issues'], holds: 'worklog', compared: ['timeSpentSeconds'], incremental: true, isSmall: true },
    { entity: 'projects', holds: 'project', compared: ['name'], isSmall: true },
    { entity: 'components', needs: ['projects'], holds: 'component', compared: ['name'], isSmall: true },
    { entity: 'users', holds: 'user', key: ({ accountId }) => String(accountId), compared: ['displayName', 'active'], isSmall: true },
    { entity: 'fields', holds: 'field', compared: ['name'], isSmall: true },
  ],
  refusals: [
    { answer: jiraRefusals.rate, code: 'upstream_rate_limited' },
    { answer: jiraRefusals.forbidden, code: 'upstream_permission_denied' },
    { answer: jiraRefusals.down, code: 'upstream_error' },
  ],
  missing: { entity: 'issues', params: { id: 'P0-99999' }, code: 'record_not_found' },
}
