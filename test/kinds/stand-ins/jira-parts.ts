/** What requests to Jira hold, and what its records show: https://developer.atlassian.com/cloud/jira/platform/rest/v3 */
import type { Call, Row } from './shared.ts'
import * as kit from './shared.ts'

/** https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/#status-codes */
export const refuse = (status: number, says: string | Row): kit.Refusal =>
  new kit.Refusal({
    status,
    body: typeof says === 'string' ? { errorMessages: [says], errors: {} } : { errorMessages: [], errors: says },
  })

/** Refusals on demand: https://developer.atlassian.com/cloud/jira/platform/rate-limiting */
export const jiraRefusals = {
  rate: {
    status: 429,
    body: { errorMessages: ['Rate limit exceeded.'], errors: {} },
    headers: { 'retry-after': '2', 'ratelimit-reason': 'jira-burst-based', 'x-ratelimit-remaining': '0' },
  },
  forbidden: { status: 403, body: { errorMessages: ['You do not have the permission to see the specified issue.'], errors: {} } },
  down: { status: 503, body: '<html>Service Unavailable</html>', headers: { 'content-type': 'text/html', 'retry-after': '1' } },
}

/** What bodies hold, such as https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-project-components */
export const writes = kit.readTable(`
  table     | fields                                                             | needs
  component | project name description leadAccountId assigneeType               | project name
  version   | projectId project name description released archived releaseDate startDate | projectId name
  comment   | body visibility properties                                         | body
  worklog   | timeSpent timeSpentSeconds started comment visibility properties   | timeSpentSeconds started`)
const editable = ['summary', 'description', 'project', 'issuetype', 'assignee', 'reporter', 'priority', 'labels', 'parent', 'duedate']
const settable = [...editable, 'components', 'fixVersions', 'customfield_10010']
/** Hours that the user is behind UTC. */
export const hoursBehind = 5
/** Writes a time with the offset of the user. */
export const iso = (time: number) => new Date(time - hoursBehind * 3_600_000).toISOString().replace('Z', `-0${hoursBehind}00`)
const isDocument = (value: unknown) => value === null || (kit.isRow(value) && value['type'] === 'doc')
/** Writes a text as a document, which descriptions and comments are. */
export const writeText = (text: string): Row => ({
  ...{ type: 'doc', version: 1 },
  content: [{ type: 'paragraph', content: [{ type: 'text', text }] }],
})

/** Jira ignores unknown parameters; the stand-in refuses them, because each is a mistake of a definition. */
export function check(names: Iterable<string>, allowed: readonly string[]): void {
  const [unknown] = kit.unknownNames(names, allowed)
  if (unknown !== undefined) throw refuse(400, `${unknown} is not a parameter`)
}

/** Reads the fields of an issue: https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues/#api-rest-api-3-issue-post */
export function readFields(call: Call, projects: readonly Row[]): Row {
  const body = kit.readObject(call.body)
  const fields = body?.['fields']
  if (body === undefined || !kit.isRow(fields))
    throw refuse(400, 'Invalid request payload. Refer to the REST API documentation and try again.')
  check(Object.keys(body), ['fields', 'update', 'properties', 'transition', 'historyMetadata'])
  const [unknown] = kit.unknownNames(Object.keys(fields), settable)
  if (unknown !== undefined)
    throw refuse(400, { [unknown]: `Field '${unknown}' cannot be set. It is not on the appropriate screen, or unknown.` })
  if (!isDocument(fields['description'] ?? null)) throw refuse(400, { description: 'Operation value must be an Atlassian Document' })
  const { project, ...rest } = fields
  if (project === undefined) return rest
  const found = projects.find(({ id, key }) => id === kit.at(project, 'id') || key === kit.at(project, 'key'))
  if (found === undefined) throw refuse(400, { project: 'valid project is required' })
  return { ...rest, project: found }
}

/** Reads the body of any other record. Its texts are documents, and its times have an offset without a colon. */
export function readBody(call: Call, table: string): Row {
  const fields = kit.readObject(call.body) ?? {}
  const [unknown] = kit.unknownNames(Object.keys(fields), kit.words(writes.get(table)?.['fields']))
  if (unknown !== undefined) throw refuse(400, `Unrecognized field "${unknown}"`)
  if (!isDocument(fields[table === 'comment' ? 'body' : 'comment'] ?? null)) throw refuse(400, { comment: 'Comment body is not valid!' })
  if (!/[+-]\d{4}$/.test(String(fields['started'] ?? '+0000'))) throw refuse(400, { started: 'Invalid date format' })
  return fields
}

/** Fields of an issue stand below `fields`, and only those that were asked for. */
export function show({ id, key, self, ...all }: Row, asked: string): Row {
  const names = asked.split(',')
  const has = (name: string) => names.includes(name) || names.includes('*all') || (names.includes('*navigable') && name !== 'comment')
  const fields = Object.fromEntries(Object.entries(all).filter(([name]) => has(name) && !names.includes(`-${name}`)))
  const isBare = names.every((name) => name === 'id')
  return { id, ...(isBare ? {} : { key, self, fields: structuredClone(fields) }) }
}
