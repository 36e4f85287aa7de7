/** Zendesk Support, by its public reference: https://developer.zendesk.com/api-reference. Written without knowledge of any definition. */
import type { Answer, Call, Row } from './shared.ts'
import * as kit from './shared.ts'

/** https://developer.zendesk.com/api-reference/introduction/requests/#response-format */
export const refuse = (status: number, error: string, description?: string, more: Row = {}): kit.Refusal =>
  new kit.Refusal({ status, body: { error, ...(description === undefined ? {} : { description }), ...more } })
export const missing = () => refuse(404, 'RecordNotFound', 'Not found')
/** Zendesk ignores unknown parameters; the stand-in refuses them. */
const unknown = (name: string) => refuse(400, 'InvalidParameter', `${name} is not a parameter`)

/** Refusals on demand: https://developer.zendesk.com/api-reference/introduction/rate-limits and /introduction/requests */
export const zendeskRefusals = {
  rate: {
    status: 429,
    body: { error: 'APIRateLimitExceeded', description: 'Number of allowed API requests per minute exceeded' },
    headers: { 'retry-after': '2' },
  },
  forbidden: { status: 403, body: { error: { title: 'Forbidden', message: 'You do not have access to this page.' } } },
  down: { status: 503, body: 'Service Unavailable', headers: { 'content-type': 'text/plain', 'retry-after': '1' } },
  taken: { status: 409, body: { error: 'DatabaseConflict', description: 'Database collision' } },
}

/** Each list has its page, such as https://developer.zendesk.com/api-reference/ticketing/tickets/tickets/#list-tickets */
const resources = kit.readTable(`
  path                 | one                 | filters                     | writes                                                                        | needs
  tickets              | ticket              | external_id sort include    | subject comment status priority type assignee_id group_id tags custom_fields requester_id requester external_id | comment
  users                | user                | role external_id            | name email role phone organization_id tags external_id notes                  | name
  organizations        | organization        |                             | name domain_names details notes tags external_id                              | name
  groups               | group               | exclude_deleted             | name description                                                              | name
  ticket_fields        | ticket_field        | locale creator              | type title description active required                                        | type title
  macros               | macro               | active access category      | title actions active description                                              | title actions
  satisfaction_ratings | satisfaction_rating | score start_time end_time   |                                                                               |`)
const seconds = () => Math.floor(Date.now() / 1_000)
const iso = (time: number) => `${new Date(time * 1_000).toISOString().slice(0, 19)}Z`
const account = 'agent@example.com/token:zd_standin'
const exported = ['tickets', 'users']

/** Zendesk with tickets, their comments, users, organizations and smaller lists. */
export class Zendesk extends kit.Vendor {
  readonly key = 'zd_standin'
  readonly #table = kit.tables()

  constructor({ records = 1_000, seed = 17, smaller = 1 }: { records?: number } & kit.Sizes = {}) {
    super(seed, smaller)
    const start = seconds() - 30 * 86_400
    for (let index = 0; index < records; index += 1) {
      const time = start + Math.floor(index / 60) * 7_200 // sixty records share a second
      const add = (path: string, fields: Row) => this.#add(path, fields, time)
      const user = add('users', { name: `Person ${index}`, email: `p${index}@example.com`, role: index % 20 === 0 ? 'agent' : 'end-user' })
      const ticket = add('tickets', { subject: `Ticket ${index}`, description: '', requester_id: user['id'], priority: null, tags: [] })
      for (let at = 0; at < (index % 100 === 0 ? this.fixed(130) : 1); at += 1)
        add('comments', { ticket_id: ticket['id'], body: `Comment ${at}` })
      if (index % 3 === 0) add('organizations', { name: `Organization ${index}`, domain_names: [], tags: [] })
      if (index % 7 === 0) add('satisfaction_ratings', { score: index % 2 === 0 ? 'good' : 'bad', ticket_id: ticket['id'] })
      if (index % 8 === 0) add('macros', { title: `Macro ${index}`, actions: [], active: index % 16 === 0 })
      if (index < 30) add('groups', { name: `Group ${index}`, description: '' })
      if (index < 20) add('ticket_fields', { title: `Field ${index}`, type: 'text', active: true, required: false })
    }
  }

  /** `all tickets` and `all users` have the deleted ones too. */
  holds(what: string): readonly Row[] {
    return what.startsWith('all ') ? this.#table(what.slice(4)).all : this.#table(what).live()
  }

  mutate(): void {
    this.#add('tickets', { subject: 'New', description: '', requester_id: null, priority: 'high', tags: [] })
    this.#change('tickets', this.pick(this.#table('tickets').live()), { subject: `Renamed ${this.serial()}`, status: 'pending' })
    for (const path of ['users', 'organizations'])
      this.#change(path, this.pick(this.#table(path).live()), { name: `Renamed ${this.serial()}` })
    for (const path of ['tickets', 'users', 'organizations']) this.#delete(path, this.pick(this.#table(path).live()))
  }

  protected answer(call: Call): Answer {
    // https://developer.zendesk.com/api-reference/introduction/security-and-auth
    const basic = `Basic ${Buffer.from(account).toString('base64')}`
    if (![basic, `Bearer ${this.key}`].includes(`${call.headers.authorization}`)) throw refuse(401, "Couldn't authenticate you")
    const limits = { 'ratelimit-limit': '700', 'ratelimit-remaining': '600', 'ratelimit-reset': '30', 'x-rate-limit': '700' }
    const answer = this.route(call)
    return { ...answer, headers: { ...limits, 'x-zendesk-request-id': 'stand-in', ...answer.headers } }
  }

  protected route(call: Call): Answer {
    const [, api, version, path = '', id, part, ...rest] = call.path.replace(/\.json$/, '').split('/')
    if (api !== 'api' || version !== 'v2' || rest.length > 0) throw refuse(404, 'InvalidEndpoint', 'Not found')
    if (path === 'incremental' && exported.includes(`${id}`) && part === 'cursor' && call.method === 'GET')
      return this.#export(call, `${id}`)
    if (path === 'search' && id === undefined && call.method === 'GET') return this.#search(call)
    const { one = '', filters, writes, needs } = resources.get(path) ?? {}
    if (one === '') throw refuse(404, 'InvalidEndpoint', 'Not found')
    if (path === 'users' && id === 'me') return kit.ok({ user: this.#table('users').live()[0] })
    if (id === undefined && call.method === 'GET') return this.#page(call, path, this.#table(path).live(), kit.words(filters))
    if (id === undefined && call.method === 'POST') {
      const other = refuse(400, 'IdempotentRequestError', 'The key was used with other parameters')
      // Tickets alone know the key: https://developer.zendesk.com/api-reference/ticketing/introduction/#idempotency
      const key = path === 'tickets' ? call.headers['idempotency-key'] : undefined
      let lookup = 'hit'
      const create = () => {
        lookup = 'miss'
        return this.#create(call, path, kit.words(writes), needs)
      }
      const answer = this.once(key, call, create, other)
      return key === undefined ? answer : { ...answer, headers: { ...answer.headers, 'x-idempotency-lookup': lookup } }
    }
    const table = this.#table(path)
    const row = table.find(id)
    if (row === undefined || (table.isDeleted(row) && path !== 'users')) throw missing()
    if (path === 'tickets' && part === 'comments') {
      const rows = this.#table('comments').live(({ ticket_id }) => ticket_id === row['id'])
      return this.#page(call, 'comments', rows, ['sort', 'include', 'include_inline_images'])
    }
    if (part !== undefined) throw refuse(404, 'InvalidEndpoint', 'Not found')
    if (call.method === 'GET') return kit.ok({ [one]: show(row) })
    if (call.method === 'PUT') return kit.ok({ [one]: show(this.#change(path, row, read(call, one, kit.words(writes)))) })
    if (call.method !== 'DELETE') throw refuse(405, 'MethodNotAllowed')
    this.#delete(path, row)
    return path === 'users' ? kit.ok({ user: show(row) }) : { status: 204 }
  }

  /** The last page has a cursor too: https://developer.zendesk.com/api-reference/introduction/pagination/#cursor-pagination */
  #page(call: Call, path: string, rows: readonly Row[], filters: readonly string[]): Answer {
    const { query } = call
    kit.refuseUnknown(query.keys(), ['page[size]', 'page[after]', 'page', 'per_page', 'role[]', ...filters], unknown)
    if (!query.has('page[size]')) return this.#numbered(call, path, rows) // "If you omit the page[size] parameter, offset pagination is used"
    const size = Number(query.get('page[size]'))
    if (!(size >= 1 && size <= 100)) throw refuse(400, 'InvalidPaginationParameter', 'page[size] must be from 1 to 100')
    const fits = (row: Row) =>
      [...query].every(([name, value]) => {
        if (name === 'start_time') return Date.parse(String(row['created_at'])) >= Number(value) * 1_000
        if (name === 'end_time') return Date.parse(String(row['created_at'])) < Number(value) * 1_000
        return name.startsWith('page') || name === 'sort' || String(row[name.replace('[]', '')]) === value
      })
    const sort = query.get('sort') ?? 'id' // https://developer.zendesk.com/api-reference/ticketing/tickets/tickets/#sorting
    const order = { by: [sort.replace('-', ''), 'id'], isAscending: !sort.startsWith('-') }
    const asked = { ...order, size: this.pageSize(size), cursor: query.get('page[after]') }
    const cut = this.cut(rows.filter(fits), asked, refuse(400, 'InvalidPaginationParameter', 'page[after] is not valid'))
    const url = new URL(`${call.path}?${query}`, this.origin)
    url.searchParams.set('page[after]', `${cut.last}`)
    const meta = { has_more: cut.next !== undefined, after_cursor: cut.last ?? null, before_cursor: null }
    return kit.ok({ [path]: cut.data.map(show), meta, links: { next: meta.has_more ? url.href : null, prev: null } })
  }

  #numbered({ query, path }: Call, name: string, rows: readonly Row[]): Answer {
    const [page, size] = [Number(query.get('page') ?? 1), this.pageSize(Math.min(100, Number(query.get('per_page') ?? 100)))]
    return kit.ok(this.#numbers(name, rows, { page, size, url: new URL(path, this.origin) }))
  }

  #numbers(name: string, rows: readonly Row[], { page, size, url }: { page: number; size: number; url: URL }): Row {
    url.searchParams.set('page', String(page + 1))
    const data = structuredClone(rows.slice((page - 1) * size, page * size)).map(show)
    return { [name]: data, next_page: page * size < rows.length ? url.href : null, previous_page: null, count: rows.length }
  }

  /**
   * Everything that changed at or after a time, deleted records too. The cursor of the last page is kept for the next run.
   * Zendesk leaves out the last minute; the stand-in does not, because tests would wait for it.
   * https://developer.zendesk.com/api-reference/ticketing/ticket-management/incremental_exports
   */
  #export({ query, path }: Call, what: string): Answer {
    kit.refuseUnknown(query.keys(), ['start_time', 'cursor', 'per_page', 'exclude_deleted', 'include'], unknown)
    const start = query.get('start_time')
    const cursor = query.get('cursor') ?? undefined
    if (cursor === undefined && !/^\d+$/.test(`${start}`)) throw refuse(400, 'InvalidValue', 'Invalid start_time parameter')
    if (cursor === undefined && Number(start) > seconds() - 60)
      throw refuse(422, 'InvalidValue', 'Too recent start_time. Use a start_time older than 60 seconds')
    const size = Number(query.get('per_page') ?? 1_000)
    if (!(size >= 1 && size <= 1_000)) throw refuse(400, 'InvalidValue', 'per_page must be from 1 to 1000')
    const all = this.#table(what).all.filter((row) => cursor !== undefined || Number(row['generated_timestamp']) >= Number(start))
    const left = all.filter((row) => query.get('exclude_deleted') !== 'true' || !this.#table(what).isDeleted(row))
    const asked = { by: ['generated_timestamp', 'id'], size: this.pageSize(size), cursor }
    const cut = this.cut(left, asked, refuse(400, 'InvalidValue', 'Invalid cursor parameter'))
    const kept = cut.last ?? cursor
    const after_url = kept === undefined ? null : `${this.origin}${path}?cursor=${kept}&per_page=${size}`
    const rows = what === 'tickets' ? cut.data : cut.data.map(show) // users have no time of an export: /ticketing/users/users/#json-format
    return kit.ok({ [what]: rows, after_url, after_cursor: kept ?? null, before_url: null, end_of_stream: cut.next === undefined })
  }

  /** Numbered pages, 1,000 results at most: https://developer.zendesk.com/api-reference/ticketing/ticket-management/search */
  #search({ query, path }: Call): Answer {
    const [unknown] = kit.unknownNames(query.keys(), ['query', 'sort_by', 'sort_order', 'page', 'per_page'])
    if (unknown !== undefined || !query.has('query')) throw refuse(422, 'invalid', `Invalid search: ${unknown ?? 'query'}`)
    const [page, size] = [Number(query.get('page') ?? 1), this.pageSize(Number(query.get('per_page') ?? 100))]
    if (page * size > 1_000) throw refuse(422, 'invalid', 'Invalid search: Requested response size was greater than Search Response Limits')
    const terms = `${query.get('query')}`.split(' ').map((term) => term.split(':'))
    // Without a type all of them are found: https://developer.zendesk.com/api-reference/ticketing/ticket-management/search/#query-basics
    const types = [terms.find(([name]) => name === 'type')?.[1] ?? ['ticket', 'user', 'organization', 'group']].flat()
    const rest = terms.filter(([name]) => name !== 'type')
    const says = (row: Row, [name = '', value]: string[]) =>
      value === undefined ? String(row['subject'] ?? row['name']).includes(name) : String(row[name]) === value
    const fits = (row: Row) => rest.every((term) => says(row, term))
    const fitting = (type: string) => this.#table(`${type}s`).live(fits)
    const found = types.flatMap((type) => fitting(type).map((row): Row => ({ ...row, result_type: type })))
    const url = new URL(`${path}?${query}`, this.origin)
    return kit.ok({ ...this.#numbers('results', found, { page, size, url }), facets: null })
  }

  #create(call: Call, path: string, allowed: readonly string[], needs: string | undefined): Answer {
    const { one = '' } = resources.get(path) ?? {}
    const { comment, requester: _requester, ...fields } = read(call, one, allowed)
    const blank = (name: string) => ({ [name]: [{ description: `${name}: cannot be blank`, error: 'BlankValue' }] })
    const lacking = (name: string) => refuse(422, 'RecordInvalid', 'Record validation errors', { details: blank(name) })
    kit.refuseLacking({ ...fields, comment }, needs, lacking)
    const row = this.#add(path, path === 'tickets' ? { description: '', priority: null, tags: [], ...fields } : fields)
    this.#comment(row, comment)
    return { status: 201, body: { [one]: show(row) }, headers: { location: `${call.path}/${row['id']}` } }
  }

  #add(path: string, fields: Row, time = seconds()): Row {
    const serial = this.serial()
    // Ids of tickets count from 1; all others have many digits.
    const id = path === 'tickets' ? this.#table(path).all.length + 1 : 9_007_199_254_741_000n + BigInt(serial)
    const own = { tickets: { status: 'open' }, users: { active: true } }[path]
    const stamp = exported.includes(path) ? { generated_timestamp: time } : {}
    return this.#table(path).add({ id, created_at: iso(time), updated_at: iso(time), ...own, ...fields, ...stamp })
  }

  #comment(ticket: Row, comment: unknown): void {
    if (comment !== undefined) this.#add('comments', { ticket_id: ticket['id'], ...(kit.isRow(comment) ? comment : {}) })
  }

  #change(path: string, row: Row, fields: Row): Row {
    if (this.#table(path).isDeleted(row)) throw missing()
    const { comment, ...rest } = fields
    this.#comment(row, comment)
    const stamp = exported.includes(path) ? { generated_timestamp: seconds() } : {}
    return Object.assign(row, rest, { updated_at: iso(seconds()) }, stamp)
  }

  /** Exports say that a ticket is deleted and that a user is not active; nothing says it of the others. */
  #delete(path: string, row: Row): void {
    this.#change(path, row, { tickets: { status: 'deleted' }, users: { active: false } }[path] ?? {})
    this.#table(path).delete(row)
    if (!exported.includes(path)) this.vanished.push(row)
  }
}

/** Only exports say when anything of a ticket changed, and comments do not say when they did: /tickets/ticket_comments/#json-format */
function show({ generated_timestamp: _stamp, ...row }: Row): Row {
  const { ticket_id: _ticket, updated_at: _updated, ...comment } = row
  return 'public' in row || ('body' in row && 'ticket_id' in row) ? comment : row
}

/** Bodies are wrapped in the name of the record: https://developer.zendesk.com/api-reference/ticketing/tickets/tickets/#create-ticket */
function read({ body }: Call, one: string, allowed: readonly string[]): Row {
  const fields = kit.readObject(body)?.[one]
  if (!kit.isRow(fields)) throw refuse(400, 'RequiredParameterMissing', `Parameter ${one} is required`)
  kit.refuseUnknown(Object.keys(fields), allowed, (name) => refuse(422, 'RecordInvalid', `${name} is not an attribute`))
  return fields
}
