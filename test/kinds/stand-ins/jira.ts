/** Jira Cloud, by its public reference: https://developer.atlassian.com/cloud/jira/platform/rest/v3. Written without knowledge of any definition. */
import { readJql } from './jira-jql.ts'
import { check, hoursBehind, iso, readBody, readFields, refuse, show, writes, writeText } from './jira-parts.ts'
import type { Answer, Call, Row } from './shared.ts'
import * as kit from './shared.ts'

const missing = (what: string) => refuse(404, `${what} does not exist or you do not have permission to see it.`)
const noRoute = () => new kit.Refusal({ status: 404, body: { message: 'null for uri', 'status-code': 404 } })

/** Lists of a page each, by the last word of their path; the whole list is an array at the root if `most` is empty. */
const lists = kit.readTable(`
  path            | table     | most | rows     | query
  project/search  | project   | 50   | values   | query typeKey
  project/component | component | 50 | values   | query
  project/version | version   | 50   | values   | query
  issue/comment   | comment   | 100  | comments | orderBy
  issue/worklog   | worklog   | 5000 | worklogs | startedAfter startedBefore
  users/search    | user      | 1000 |          |
  status          | status    |      |          |
  field           | field     |      |          |`)
const below = { project: ['component', 'version'], issue: ['comment', 'worklog'] } as const
const account = 'person@example.com:jira_standin'
/** Jira with issues, their comments and worklogs, and projects with components and versions. */
export class Jira extends kit.Vendor {
  readonly key = 'jira_standin'
  readonly #table = kit.tables()

  constructor({ issues = 220, users = 1_200, seed = 23, smaller = 1 }: { issues?: number; users?: number } & kit.Sizes = {}) {
    super(seed, smaller)
    for (let index = 0; index < users; index += 1) this.#user(String(index), `Person ${index}`, index % 9 < 8)
    for (let index = 0; index < 12; index += 1) this.#add('status', { name: index === 0 ? 'To Do' : `Step ${index}`, description: '' })
    for (let index = 0; index < this.fixed(130); index += 1)
      this.#table('field').add({ id: `customfield_${10_000 + index}`, name: `Field ${index}`, custom: true })
    for (let index = 0; index < this.fixed(60); index += 1) this.#addProject(index)
    const start = Date.now() - 90 * 86_400_000
    for (let index = 0; index < issues; index += 1) {
      const issue = this.#addIssue({ summary: `Issue "${index}"` }, start + Math.floor(index / 50) * 7_200_000) // fifty share a time
      for (let at = 0; at < (index === 0 ? this.fixed(230) : 1); at += 1) this.#comment(issue, `Comment ${at}`)
      if (index % 4 === 0) this.#add('worklog', { issueId: issue['id'], timeSpentSeconds: 3_600, started: iso(start), updated: iso(start) })
    }
  }

  holds = (what: string): readonly Row[] => this.#table(what).live()

  mutate(): void {
    const issue = this.#addIssue({ summary: 'New' })
    this.#comment(issue, 'First')
    const [changed, gone] = [this.pick(this.holds('issue')), this.pick(this.holds('issue').slice(1))]
    Object.assign(changed, { summary: `Renamed ${this.serial()}`, updated: iso(Date.now()) })
    this.#delete('issue', gone)
    Object.assign(this.pick(this.holds('project')), { name: `Renamed ${this.serial()}` })
    Object.assign(this.pick(this.holds('component')), { name: `Renamed ${this.serial()}` })
    this.#delete('component', this.pick(this.holds('component')))
    this.#user(`n${this.serial()}`, 'New', true)
    // Not without end: each project is a page more of its components.
    if (this.holds('project').length < this.fixed(60) + 10) this.#addProject(this.holds('project').length)
  }

  protected answer(call: Call): Answer {
    // https://developer.atlassian.com/cloud/jira/platform/basic-auth-for-rest-apis
    if (call.headers.authorization !== `Basic ${Buffer.from(account).toString('base64')}`)
      throw new kit.Refusal({
        status: 401,
        body: 'Client must be authenticated to access this resource.',
        headers: { 'content-type': 'text/html' },
      })
    const answer = this.#route(call)
    const limits = { 'x-ratelimit-limit': '350', 'x-ratelimit-remaining': '345' }
    return { ...answer, headers: { 'atl-traceid': 'stand-in', ...limits, ...answer.headers } }
  }

  #route(call: Call): Answer {
    const { method } = call
    const [, rest, api, version, ...parts] = call.path.split('/').map(decodeURIComponent)
    if (rest !== 'rest' || api !== 'api' || version !== '3') throw noRoute()
    const [first = '', id = '', part = '', own] = parts
    const path = parts.join('/')
    if (method === 'GET' && path === 'myself') return kit.ok({ ...this.holds('user')[0], timeZone: 'America/Panama' })
    if (method === 'GET' && path === 'search/jql') return this.#search(call)
    if (path === 'search') throw refuse(410, 'The requested API has been removed. Please migrate to the /rest/api/3/search/jql API.')
    if (method === 'GET' && lists.has(path)) return this.#page(call, path, this.holds(lists.get(path)?.['table'] ?? ''))
    if (method === 'GET' && path === 'user') return kit.ok(this.#find('user', call.query.get('accountId'), 'The user', 'accountId'))
    if (path === 'issue' && method === 'POST') return this.#createIssue(call)
    if (first === 'issue' && id !== '')
      return this.#issue(call, this.#find('issue', id, 'Issue', /^\d+$/.test(id) ? 'id' : 'key'), part, own)
    if (first === 'project' && id !== '') return this.#project(call, id, part)
    if (!['component', 'version'].includes(first) || part !== '') throw noRoute()
    if (id === '' && method === 'POST') return { status: 201, body: this.#write(call, first) }
    return this.#one(call, first, this.#find(first, id, `The ${first}`))
  }

  #project(call: Call, id: string, part: string): Answer {
    const project = this.holds('project').find((row) => row['id'] === id || row['key'] === id)
    if (project === undefined) throw refuse(404, `No project could be found with key '${id}'.`)
    if (call.method === 'GET' && part === '') return kit.ok(project)
    if (call.method !== 'GET' || !lists.has(`project/${part}`)) throw noRoute()
    const rows = this.holds(part).filter((row) => String(row['projectId']) === project['id'])
    return this.#page(call, `project/${part}`, rows)
  }

  /** https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues */
  #issue(call: Call, issue: Row, part: string, own: string | undefined): Answer {
    const { method } = call
    if (part === 'comment' || part === 'worklog') {
      const rows = this.holds(part).filter((row) => row['issueId'] === issue['id'])
      if (own !== undefined) return this.#one(call, part, this.#find(part, own, `The ${part}`))
      if (method === 'GET') return this.#page(call, `issue/${part}`, rows)
      if (method === 'POST')
        return { status: 201, body: this.#write(call, part, { issueId: issue['id'], updated: iso(Date.now()) }, issue) }
    }
    const states = this.holds('status').map((to) => ({ id: String(Number(to['id']) + 100), name: to['name'], to }))
    if (part === 'transitions' && method === 'GET') return kit.ok({ expand: 'transitions', transitions: states })
    if (part === 'transitions' && method === 'POST') {
      const to = states.find(({ id }) => id === kit.at(kit.readObject(call.body), 'transition.id'))
      if (to === undefined) throw refuse(400, 'Transition id is not valid for this issue.')
      Object.assign(issue, { status: to.to, updated: iso(Date.now()) })
      return { status: 204 }
    }
    if (part !== '') throw noRoute()
    check(call.query.keys(), method === 'DELETE' ? ['deleteSubtasks'] : ['fields', 'expand', 'properties', 'notifyUsers', 'updateHistory'])
    if (method === 'GET') return kit.ok(show(issue, call.query.get('fields') ?? '*all'))
    if (method === 'PUT') Object.assign(issue, readFields(call, this.holds('project')), { updated: iso(Date.now()) })
    else if (method === 'DELETE') this.#delete('issue', issue)
    else throw refuse(405, 'Method Not Allowed')
    return { status: 204 }
  }

  #one(call: Call, table: string, row: Row): Answer {
    if (call.method === 'GET') return kit.ok(row)
    if (call.method === 'PUT') return kit.ok(Object.assign(row, readBody(call, table)))
    if (call.method !== 'DELETE') throw refuse(405, 'Method Not Allowed')
    this.#delete(table, row)
    return { status: 204 }
  }

  /** Too large pages are cut without a word: https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/#pagination */
  #page(call: Call, path: string, rows: readonly Row[]): Answer {
    const { most = '', rows: name = '', query } = lists.get(path) ?? {}
    if (most === '') return kit.ok(rows)
    check(call.query.keys(), ['startAt', 'maxResults', ...kit.words(query)])
    const startAt = Number(call.query.get('startAt') ?? 0)
    const asked = Math.min(Number(most), Number(call.query.get('maxResults') ?? 50))
    const maxResults = name === '' ? asked : this.pageSize(asked) // an answer without a total ends with a short page
    if (!(startAt >= 0 && maxResults >= 1)) throw refuse(400, 'startAt and maxResults must be numbers')
    const found = select(rows, call.query)
    const data = structuredClone(found.slice(startAt, startAt + maxResults))
    this.between?.()
    if (name === '') return kit.ok(data)
    const range = { startAt, maxResults, total: found.length }
    return kit.ok({ ...range, ...(name === 'values' ? { isLast: startAt + data.length >= found.length } : {}), [name]: data })
  }

  /** https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/#api-rest-api-3-search-jql-get */
  #search({ query }: Call): Answer {
    check(query.keys(), ['jql', 'nextPageToken', 'maxResults', 'fields', 'expand', 'properties', 'fieldsByKeys', 'failFast'])
    const [jql, fields, token] = [query.get('jql') ?? '', query.get('fields') ?? 'id', query.get('nextPageToken')]
    const wanted = Number(query.get('maxResults') ?? 50)
    if (!(wanted >= 1 && wanted <= 5_000)) throw refuse(400, 'The max results parameter has to be between 1 and 5,000.')
    const read = readJql(jql, { hoursBehind, projects: this.holds('project') })
    if (typeof read === 'string') throw refuse(400, read)
    const sealed = token === null ? undefined : kit.unseal(token)
    if (token !== null && sealed?.['jql'] !== jql) throw refuse(400, 'The nextPageToken is invalid or does not belong to this query.')
    const size = /^(id|key)(,(id|key))*$/.test(fields) ? wanted : Math.min(wanted, 100) // with more fields the vendor answers less
    const asked = { by: [...read.by, 'id'], isAscending: read.isAscending, size: this.pageSize(size), cursor: sealed?.['cursor'] }
    const cut = this.cut(this.#table('issue').live(read.fits), asked, refuse(400, 'The nextPageToken is invalid.'))
    const next = cut.next === undefined ? {} : { nextPageToken: kit.seal({ jql, cursor: cut.next }) }
    return kit.ok({ issues: cut.data.map((row) => show(row, fields)), ...next, isLast: cut.next === undefined })
  }

  #createIssue(call: Call): Answer {
    const fields = readFields(call, this.holds('project'))
    if (fields['summary'] === undefined) throw refuse(400, { summary: 'You must specify a summary of the issue.' })
    if (fields['project'] === undefined) throw refuse(400, { project: 'Specify a valid project ID or key' })
    if (!kit.isRow(fields['issuetype'])) throw refuse(400, { issuetype: 'Specify an issue type' })
    const { id, key, self } = this.#addIssue(fields)
    return { status: 201, body: { id, key, self } }
  }

  #write(call: Call, table: string, more: Row = {}, issue?: Row): Row {
    const fields = readBody(call, table)
    kit.refuseLacking(fields, writes.get(table)?.['needs'], (name) => refuse(400, { [name]: `The ${name} is missing.` }))
    const project = this.holds('project').find(({ id, key }) => key === fields['project'] || id === String(fields['projectId'] ?? ''))
    if (issue === undefined && project === undefined) throw refuse(404, 'The project is not there')
    if (issue !== undefined) issue['updated'] = more['updated']
    return this.#add(table, { ...(issue === undefined ? { projectId: Number(project?.['id']) } : {}), ...fields, ...more })
  }

  #find = (table: string, value: unknown, what: string, field = 'id'): Row => this.#table(table).need(value, missing(what), field)
  #user = (id: string, displayName: string, active: boolean): Row =>
    this.#table('user').add({ accountId: `5b10:${id}`, accountType: 'atlassian', displayName, active })

  #add(table: string, fields: Row): Row {
    const id = String(10_000 + this.serial())
    return this.#table(table).add({ id, self: `https://site.atlassian.net/rest/api/3/${table}/${id}`, ...fields })
  }

  #addProject(index: number): void {
    const name = index === 1 ? 'Say "hi\' \\ now' : `Project ${index}`
    const project = this.#add('project', { key: `P${index}`, name, projectTypeKey: 'software', isPrivate: false })
    for (let at = 0; at < (index === 0 ? 120 : index % 3); at += 1)
      for (const table of below.project)
        this.#add(table, { name: `${table} ${at}`, projectId: Number(project['id']), project: project['key'] })
  }

  #addIssue(fields: Row, time = Date.now()): Row {
    const { id, key, name } = this.pick(this.holds('project').slice(0, 7))
    const basics = { project: { id, key, name }, issuetype: { id: '10001', name: 'Task' }, status: this.holds('status')[0] }
    const rest = { priority: { id: '3', name: 'Medium' }, assignee: null, description: writeText('Words'), labels: [] }
    const own = { ...basics, ...rest, customfield_10010: 'Own', created: iso(time), updated: iso(time), ...fields }
    return this.#add('issue', { key: `${own.project.key}-${this.#table('issue').all.length + 1}`, ...own })
  }

  #comment(issue: Row, text: string): void {
    this.#add('comment', { issueId: issue['id'], body: writeText(text), created: iso(Date.now()), updated: issue['updated'] })
  }

  /** Nothing says that a record is deleted; with an issue its comments and worklogs are. */
  #delete(table: string, row: Row): void {
    this.vanish(this.#table(table), row)
    for (const inner of table === 'issue' ? below.issue : [])
      for (const each of this.holds(inner)) if (each['issueId'] === row['id']) this.#delete(inner, each)
  }
}

/** Filters and sorts a list as its parameters say. */
function select(rows: readonly Row[], query: URLSearchParams): readonly Row[] {
  const [words, type, order] = ['query', 'typeKey', 'orderBy'].map((name) => query.get(name))
  const [after, before] = [Number(query.get('startedAfter') ?? 0), Number(query.get('startedBefore') ?? Number.MAX_SAFE_INTEGER)]
  const found = rows.filter(({ name, projectTypeKey, started }) => {
    const isWithin = started === undefined || (Date.parse(String(started)) >= after && Date.parse(String(started)) < before)
    return isWithin && String(name).includes(words ?? '') && (!type || type === projectTypeKey)
  })
  return order ? kit.sortBy(found, [order.replace('-', ''), 'id'], !order.startsWith('-')) : found
}
