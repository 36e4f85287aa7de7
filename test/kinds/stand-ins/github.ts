/** GitHub, by its public reference: https://docs.github.com/en/rest (version 2022-11-28). Written without knowledge of any definition. */
import { documentation_url, fits, invalid, orderOf, read, refuse, resources, show, unknown } from './github-parts.ts'
import type { Answer, Call, Row } from './shared.ts'
import * as kit from './shared.ts'

const spent = { 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '0', 'x-ratelimit-resource': 'core' }

/** Refusals on demand: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit */
export const githubRefusals = {
  rate: (reset: number): Answer => ({
    status: 403,
    body: { message: 'API rate limit exceeded for user ID 1.', documentation_url },
    headers: { ...spent, 'x-ratelimit-reset': String(reset) },
  }),
  secondary: { status: 403, body: { message: 'You have exceeded a secondary rate limit.' }, headers: { 'retry-after': '1' } },
  may: { status: 403, body: { message: 'Resource not accessible by personal access token', documentation_url, status: '403' } },
  down: { status: 502, body: '<html>Unicorn!</html>', headers: { 'content-type': 'text/html' } },
}

const repositoryFilters = ['visibility', 'affiliation', 'type', 'sort', 'direction', 'since', 'before'] // /repos/repos
const user = { login: 'octo', id: 9_007_199_254_740_993n, type: 'User' }
const iso = (milliseconds: number) => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`

/** GitHub with a large, a small and an empty repository. */
export class GitHub extends kit.Vendor {
  readonly key = 'ghp_standin'
  /** Left of the hour: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api */
  remaining = 5_000
  readonly #reset = Math.floor(Date.now() / 1_000) + 3_600
  readonly #repositories = new kit.Table()
  readonly #made = kit.tables()

  constructor({ records = 800, small = 200, seed = 11, smaller = 1 }: { records?: number; small?: number } & kit.Sizes = {}) {
    super(seed, smaller)
    const start = Date.now() - 90 * 86_400_000
    for (const [index, name] of ['large', 'small', 'empty'].entries()) {
      const names = { name, full_name: `octo/${name}`, owner: user, description: null, topics: [] }
      const flags = { private: false, archived: false, has_issues: name !== 'empty' }
      const repository = this.#repositories.add({ ...this.#base(start + index * 86_400_000), ...names, ...flags })
      const count = [records, small][index] ?? 0
      // Fifty records share a second.
      for (let at = 0; at < count; at += 1) this.#seed(repository, at, start + Math.floor(at / 50) * 3_600_000)
    }
  }

  #seed(repository: Row, index: number, time: number): void {
    const add = (path: string, fields: Row) => this.#add(repository, path, fields, time)
    const { number } = index % 3 === 0 ? this.#pull(repository, `Pull ${index}`, time) : this.#issue(repository, `Issue ${index}`, time)
    if (index % 2 === 0) add('issues/comments', { body: `Comment ${index}`, user, issue_url: this.#url(repository, `issues/${number}`) })
    if (index % 6 === 0) add('reviews', { number, body: '', user, state: 'APPROVED', submitted_at: iso(time) })
    const sha = this.serial().toString(16).padStart(40, 'a')
    if (index % 4 === 0)
      add('commits', { sha, commit: { message: `Change ${index}`, committer: { date: iso(time) } }, author: user, parents: [] })
    const release = { tag_name: `v${index}`, name: null, body: null, draft: false, prerelease: false }
    if (index % 9 === 0) add('releases', { ...release, published_at: iso(time) })
    const run = { name: 'CI', event: 'push', status: 'completed', conclusion: 'success', head_branch: 'main' }
    if (index % 5 === 0) add('actions/runs', { ...run, run_number: index })
    if (index < 40) add('labels', { name: `label ${index}`, color: 'ededed', description: null, default: false })
  }

  holds(path: string): readonly Row[] {
    if (path === 'repositories') return this.#repositories.live()
    return this.#all(path).map((row) => show(path, row))
  }

  mutate(): void {
    const [repository] = this.#repositories.all
    if (repository === undefined) return
    const now = Date.now()
    const some = (path: string) => this.pick(this.#table(repository, path).live())
    this.#issue(repository, `New ${this.serial()}`, now)
    this.#change(some('issues'), { title: `Renamed ${this.serial()}`, state: this.pick(['open', 'closed']) })
    this.#change(some('pulls'), { title: `Renamed ${this.serial()}` })
    this.#change(some('issues/comments'), { body: `Edited ${this.serial()}` })
    this.#change(some('actions/runs'), { conclusion: 'failure' })
    this.#add(repository, 'issues/comments', { body: 'New', user, issue_url: this.#url(repository, 'issues/1') }, now)
    for (const path of ['issues/comments', 'releases']) this.vanish(this.#table(repository, path), some(path)) // no list of deletes
  }

  protected answer(call: Call): Answer {
    const { path, headers } = call
    if (path === '/login/oauth/access_token') return exchange(call)
    // https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api#user-agent
    if (!headers['user-agent']) throw refuse(403, 'Request forbidden by administrative rules.')
    if (![`Bearer ${this.key}`, `token ${this.key}`].includes(`${headers.authorization}`)) throw refuse(401, 'Bad credentials')
    const version = headers['x-github-api-version'] ?? '2022-11-28' // /about-the-rest-api/api-versions
    if (version !== '2022-11-28' && version !== '2026-03-10') throw refuse(400, `Unsupported API version: ${String(version)}`)
    if (this.remaining <= 0) throw new kit.Refusal(githubRefusals.rate(this.#reset))
    this.remaining -= 1
    const answer = this.#route(call)
    const limits = { ...spent, 'x-ratelimit-remaining': `${this.remaining}`, 'x-ratelimit-reset': `${this.#reset}` }
    return { ...answer, headers: { ...limits, 'x-github-request-id': 'STAND:IN', ...answer.headers } }
  }

  #route(call: Call): Answer {
    const { method, path } = call
    if (path === '/user' && method === 'GET') return kit.ok({ ...user, name: null, email: null, ...this.#base(0), id: user.id })
    const all = () => this.#page(call, this.#repositories.live(), { path: 'repos', filters: repositoryFilters })
    if (path === '/user/repos' && method === 'GET') return all()
    if (path === '/search/issues' && method === 'GET') return this.#search(call)
    // Links of pages name a repository by its id: https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
    const [, owner, name, id, rest = ''] = /^\/(?:repos\/([^/]+)\/([^/]+)|repositories\/(\d+))(?:\/(.+))?$/.exec(path) ?? []
    const full = `${owner}/${name}`
    const repository = this.#repositories.all.find((one) => (id === undefined ? one['full_name'] === full : `${one['id']}` === id))
    if (repository === undefined) throw refuse(404, 'Not Found')
    if (rest === '' && method === 'GET') return kit.ok(repository)
    if (rest === '') return this.#update(call, repository, ['description', 'archived', 'private', 'name'])
    if (rest.startsWith('issues') && repository['has_issues'] !== true) throw refuse(410, 'Issues has been disabled in this repository.')
    if (rest.startsWith('commits') && this.#table(repository, 'commits').all.length === 0) throw refuse(409, 'Git Repository is empty.')
    const [, number, child] = /^(?:issues|pulls)\/(\d+)\/(comments|reviews)$/.exec(rest) ?? []
    if (number !== undefined) return this.#children(call, repository, number, child === 'reviews' ? 'reviews' : 'issues/comments')
    const above = [...resources.keys()].filter((one) => `${rest}/`.startsWith(`${one}/`))
    const resource = above.toSorted((a, b) => b.length - a.length)[0]
    if (resource === undefined || resource === 'reviews') throw refuse(404, 'Not Found')
    const table = this.#table(repository, resource)
    if (rest === resource && method === 'POST') return this.#create(call, repository, resource)
    if (rest === resource) return this.#page(call, table.live(), { path: resource, repository })
    const field = { issues: 'number', pulls: 'number', commits: 'sha', labels: 'name' }[resource] ?? 'id'
    const row = table.need(decodeURIComponent(rest.slice(resource.length + 1)), refuse(404, 'Not Found'), field)
    if (method === 'GET') return kit.ok(show(resource, row))
    const { deletes, update } = resources.get(resource) ?? {}
    if (method !== 'DELETE' || deletes !== 'yes') return this.#update(call, row, kit.words(update))
    this.vanish(table, row)
    return { status: 204 }
  }

  #children(call: Call, repository: Row, number: string, path: string): Answer {
    if (this.#table(repository, 'issues').find(number, 'number') === undefined) throw refuse(404, 'Not Found')
    const parent = path === 'reviews' ? { number: Number(number) } : { issue_url: this.#url(repository, `issues/${number}`) }
    if (call.method === 'POST') return this.#create(call, repository, path, parent)
    const isChild = (row: Row) => Object.entries(parent).every(([name, value]) => row[name] === value)
    const rows = this.#table(repository, path).live(isChild)
    return this.#page(call, rows, { path, filters: path === 'reviews' ? [] : ['since'], repository })
  }

  /** A size above 100 counts as 100: "Changing the number of items per page" of /using-the-rest-api/using-pagination-in-the-rest-api */
  #page({ query, path }: Call, rows: readonly Row[], list: List): Answer {
    const { filters = kit.words(resources.get(list.path)?.['filters']), repository } = list
    kit.refuseUnknown(query.keys(), [...filters, 'per_page', 'page', ...(list.path === 'issues' ? ['after'] : [])], unknown)
    const order = orderOf(query, list.path)
    const fitting = rows.filter((row) => fits(row, query, list.path))
    const sorted = kit.sortBy(fitting, order.by, order.isAscending)
    const size = this.pageSize(Math.min(100, Number(query.get('per_page') ?? 30)))
    const page = Number(query.get('page') ?? 1)
    const total = Math.min(sorted.length, list.cap ?? sorted.length)
    const cursor = query.get('after')
    // Large lists of issues have cursors: https://github.com/google/go-github/issues/3565
    const isLarge = list.path === 'issues' && (cursor !== null || page === 1)
    if (list.path === 'issues' && !isLarge && page > 10) throw refuse(422, 'Pagination with the page parameter is not supported.')
    const numbered = { data: structuredClone(sorted.slice((page - 1) * size, page * size)), next: undefined }
    const { data, next: after } = isLarge ? this.cut(sorted, { ...order, size, cursor }, invalid('after', 'invalid')) : numbered
    if (!isLarge) this.between?.()
    const address = path.replace(/^\/repos\/[^/]+\/[^/]+/, `/repositories/${repository?.['id']}`)
    const link = (to: number, rel: string) => {
      const url = new URL(`${address}?${query}`, this.origin)
      url.searchParams.set('page', String(to))
      if (after !== undefined) url.searchParams.set('after', after)
      return `<${url}>; rel="${rel}"`
    }
    const hasMore = isLarge ? after !== undefined : page * size < total
    const next = hasMore ? [link(page + 1, 'next'), link(Math.ceil(total / size), 'last')] : page > 1 ? [link(page - 1, 'prev')] : []
    const { at } = resources.get(list.path) ?? {}
    const shown = data.map((row) => show(list.path, row))
    const body = at ? { total_count: total, [at]: shown } : shown
    return { status: 200, body, ...(next.length === 0 ? {} : { headers: { link: next.join(', ') } }) }
  }

  /** At most 1,000 results: https://docs.github.com/en/rest/search/search#search-issues-and-pull-requests */
  #search(call: Call): Answer {
    const terms = (call.query.get('q') ?? '').split(' ').map((term) => /^(?:(is|repo):)?(.+)$/.exec(term) ?? [])
    if (!call.query.has('q')) throw invalid('q', 'missing')
    const says = (row: Row, [, name, value = '']: readonly (string | undefined)[]) => {
      const type = row['pull_request'] === undefined ? 'issue' : 'pr'
      if (name === 'repo') return String(row['url']).includes(`/repos/${value}/`)
      return name === 'is' ? [row['state'], type].includes(value) : String(row['title']).includes(value)
    }
    const rows = this.#all('issues').filter((row) => terms.every((term) => says(row, term)))
    const from = (Number(call.query.get('page') ?? 1) - 1) * this.pageSize(Number(call.query.get('per_page') ?? 30))
    if (from >= 1_000) throw refuse(422, 'Only the first 1000 search results are available')
    const answer = this.#page(call, rows, { path: 'search', filters: ['q', 'sort', 'order'], cap: 1_000 })
    return { ...answer, body: { total_count: rows.length, incomplete_results: false, items: answer.body } }
  }

  #create(call: Call, repository: Row, path: string, more: Row = {}): Answer {
    const fields = read(call, kit.words(resources.get(path)?.['create']))
    // A pull request has two branches: https://docs.github.com/en/rest/pulls/pulls#create-a-pull-request
    const needs = { issues: 'title', pulls: 'title head base', releases: 'tag_name', labels: 'name', reviews: '' }[path] ?? 'body'
    kit.refuseLacking(fields, needs, (name) => invalid(name, 'missing_field'))
    const make = { issues: this.#issue, pulls: this.#pull }[path]?.bind(this)
    const row =
      make?.(repository, String(fields['title']), Date.now()) ??
      this.#add(repository, path, { [path === 'releases' ? 'author' : 'user']: user, ...more }, Date.now())
    const labels = Array.isArray(fields['labels']) ? { labels: fields['labels'].map((name: unknown) => ({ name })) } : {}
    Object.assign(row, fields, labels, path === 'pulls' ? { head: {}, base: this.#head(repository) } : {})
    return { status: 201, body: show(path, row) }
  }

  #update(call: Call, row: Row, allowed: readonly string[]): Answer {
    if (call.method !== 'PATCH' || allowed.length === 0) throw refuse(404, 'Not Found')
    const { new_name, ...fields } = read(call, allowed)
    return kit.ok(this.#change(row, { ...fields, ...(new_name === undefined ? {} : { name: new_name }) }))
  }

  #change(row: Row, fields: Row): Row {
    return Object.assign(row, fields, row['updated_at'] === undefined ? {} : { updated_at: iso(Date.now()) })
  }

  #table = (repository: Row, path: string): kit.Table => this.#made(`${String(repository['name'])} ${path}`)
  #url = (repository: Row, rest: string) => `https://api.github.com/repos/${String(repository['full_name'])}/${rest}`
  #head = ({ id, name, full_name, owner }: Row): Row => ({ ref: 'main', repo: { id, name, full_name, owner } })
  #all = (path: string): Row[] => this.#repositories.live().flatMap((repository) => this.#table(repository, path).live())
  #add(repository: Row, path: string, fields: Row, time: number): Row {
    return this.#table(repository, path).add({ ...this.#base(time), ...fields })
  }

  #issue(repository: Row, title: string, time: number, more: Row = {}): Row {
    const number = this.#table(repository, 'issues').all.length + 1
    const open = { state: 'open', body: null, user, labels: [], assignees: [], comments: 0, closed_at: null }
    return this.#add(repository, 'issues', { number, title, url: this.#url(repository, `issues/${number}`), ...open, ...more }, time)
  }

  /** A pull request is an issue too, with the same number and another id: https://docs.github.com/en/rest/issues/issues */
  #pull(repository: Row, title: string, time: number): Row {
    const { number } = this.#issue(repository, title, time, { pull_request: { url: '' } })
    const open = { state: 'open', body: null, user, draft: false, merged_at: null, closed_at: null, head: {}, base: this.#head(repository) }
    return this.#add(repository, 'pulls', { number, title, labels: [], ...open }, time)
  }

  #base(time: number): Row {
    return { id: 9_007_199_254_741_000n + BigInt(this.serial()), created_at: iso(time), updated_at: iso(time), html_url: '' }
  }
}

interface List {
  readonly path: string
  readonly filters?: readonly string[]
  readonly repository?: Row
  readonly cap?: number
}

/** Errors arrive with status 200: https://docs.github.com/en/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors */
function exchange({ body }: Call): Answer {
  const { client_id, code } = { ...kit.readForm(body), ...kit.readObject(body) }
  if (client_id === undefined || code !== 'code') return kit.ok({ error: 'bad_verification_code', error_description: 'Expired.' })
  return kit.ok({ access_token: 'ghp_standin', token_type: 'bearer', scope: 'repo,read:org' })
}
