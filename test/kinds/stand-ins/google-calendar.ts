/** Google Calendar v3, by its public reference: https://developers.google.com/workspace/calendar/api. Written without knowledge of any definition. */
import type { KeyObject } from 'node:crypto'
import type { Answer, Call, Row } from './shared.ts'
import * as kit from './shared.ts'

const fault = (code: number, reason: string, message: string) => ({
  error: { code, message, errors: [{ domain: 'global', reason, message }] },
})
/** https://developers.google.com/workspace/calendar/api/guides/errors */
const refuse = (code: number, reason: string, message: string): kit.Refusal =>
  new kit.Refusal({ status: code, body: fault(code, reason, message) })

/** Refusals on demand: https://developers.google.com/workspace/calendar/api/guides/errors */
export const googleCalendarRefusals = {
  rate: { status: 403, body: fault(403, 'rateLimitExceeded', 'Rate Limit Exceeded') },
  user: { status: 429, body: fault(429, 'userRateLimitExceeded', 'User Rate Limit Exceeded') },
  forbidden: { status: 403, body: fault(403, 'forbiddenForNonOrganizer', 'Shared properties can only be changed by the organizer.') },
  down: { status: 503, body: fault(503, 'backendError', 'Backend Error') },
}

/** Parameters of the pages of /v3/reference/calendarList/list, events/list, events/instances, acl/list and settings/list */
const lists = kit.readTable(`
  name         | most | filters                                                                                        | not with a token
  calendarList | 250  | minAccessRole showDeleted showHidden                                                           | minAccessRole
  events       | 2500 | timeMin timeMax updatedMin q orderBy singleEvents showDeleted iCalUID timeZone eventTypes      | timeMin timeMax updatedMin q orderBy iCalUID
  instances    | 2500 | timeMin timeMax showDeleted originalStart timeZone maxAttendees                                |
  acl          | 250  | showDeleted                                                                                    |
  settings     | 250  |                                                                                                |`)
const eventFields = kit.words('id summary description location start end attendees recurrence reminders visibility colorId')
const tell = ['sendUpdates', 'maxAttendees', 'conferenceDataVersion']
const roles = kit.words('none freeBusyReader reader writer owner')
const iso = (time: number) => new Date(time).toISOString()

/** Google Calendar with a primary calendar, an empty one, and events. */
export class GoogleCalendar extends kit.Vendor {
  /** Public key of the service account. */
  serviceKey: KeyObject | undefined
  readonly key = 'ya29.standin'
  readonly #table = kit.tables()
  /** Tokens of changes that were made before this number have ended. */
  ended = 0

  constructor({ records = 1_200, seed = 29, smaller = 1 }: { records?: number } & kit.Sizes = {}) {
    super(seed, smaller)
    const start = Date.now() - 15 * 86_400_000
    for (const id of ['me@example.com', 'team@example.com']) {
      this.#add('calendarList', { id, summary: id, timeZone: 'UTC', accessRole: 'owner', primary: id === 'me@example.com' }, start)
    }
    for (let index = 0; index < 40; index += 1) this.#add('settings', { id: `setting${index}`, value: 'true' }, start)
    for (let index = 0; index < this.fixed(300); index += 1)
      this.#add('acl me@example.com', { id: `user:p${index}@example.com`, role: 'reader', scope: { type: 'user' } }, start)
    for (let index = 0; index < records; index += 1) {
      this.#event('me@example.com', { summary: `Event ${index}` }, start + Math.floor(index / 60) * 3_600_000) // sixty events share a time
    }
    this.#event('me@example.com', { id: 'weekly01', summary: 'Weekly', recurrence: ['RRULE:FREQ=WEEKLY'] }, start)
    for (let index = 0; index < this.fixed(2_600); index += 1) {
      const time = start + index * 7 * 86_400_000
      const id = `weekly01_${iso(time).replace(/[-:]|\.000/g, '')}`
      this.#event('weekly01', { id, summary: 'Weekly', recurringEventId: 'weekly01', originalStartTime: { dateTime: iso(time) } }, time)
    }
  }

  holds(what: string): readonly Row[] {
    if (what === 'all events') return this.#table('me@example.com').all
    const tables: Readonly<Record<string, string>> = { events: 'me@example.com', acl: 'acl me@example.com', instances: 'weekly01' }
    return this.#table(tables[what] ?? what).live()
  }

  mutate(): void {
    const table = this.#table('me@example.com')
    this.#event('me@example.com', { summary: `New ${this.serial()}` }, Date.now())
    this.#touch(Object.assign(this.pick(table.live()), { summary: `Renamed ${this.serial()}` }))
    this.#remove(table, this.pick(table.live()))
    this.#remove(this.#table('weekly01'), this.pick(this.#table('weekly01').live()))
  }

  protected answer(call: Call): Answer {
    if (call.path === '/token') return exchange(call, this.serviceKey)
    if (call.headers.authorization !== `Bearer ${this.key}`) throw refuse(401, 'authError', 'Invalid Credentials')
    const [base, version, ...path] = call.path.slice(1).split('/').map(decodeURIComponent)
    if (base !== 'calendar' || version !== 'v3') throw refuse(404, 'notFound', 'Not Found')
    if (path[0] === 'users' && path[1] === 'me') return this.#own(call, path[2], path[3])
    const id = path[1] === 'primary' ? 'me@example.com' : path[1]
    const calendar = this.#table('calendarList').find(id)
    if (path[0] !== 'calendars' || calendar === undefined || id === undefined) throw refuse(404, 'notFound', 'Not Found')
    if (path.length === 2 && call.method === 'GET') return kit.ok(show('calendarList', calendar))
    if (path[2] === 'acl' && path.length < 5) return this.#rules(call, id, path[3])
    if (path[2] === 'events' && path[4] === 'instances' && path.length === 5) return this.#instances(call, id, path[3] ?? '')
    if (path[2] !== 'events' || path.length > 4) throw refuse(404, 'notFound', 'Not Found')
    return path[3] === undefined ? this.#events(call, id) : this.#one(call, this.#table(id), path[3])
  }

  #own(call: Call, what: string | undefined, id: string | undefined): Answer {
    const name = ['calendarList', 'settings'].find((one) => one === what)
    if (name === undefined || call.method !== 'GET') throw refuse(404, 'notFound', 'Not Found')
    if (id === undefined) return this.#page(call, name, this.#table(name))
    return kit.ok(show(name, find(this.#table(name), id === 'primary' ? 'me@example.com' : id)))
  }

  /** "Returns instances of the specified recurring event": /v3/reference/events/instances */
  #instances(call: Call, calendar: string, id: string): Answer {
    if (call.method !== 'GET' || find(this.#table(calendar), id)['recurrence'] === undefined) throw refuse(404, 'notFound', 'Not Found')
    return this.#page(call, 'instances', this.#table(id))
  }

  /** A rule's id follows from its scope, so a second one of a scope replaces the first; a deleted one has the role none: /v3/reference/acl */
  #rules(call: Call, calendar: string, id: string | undefined): Answer {
    const table = this.#table(`acl ${calendar}`)
    if (call.method === 'GET') return id === undefined ? this.#page(call, 'acl', table) : kit.ok(show('acl', find(table, id)))
    if (id !== undefined && call.method === 'DELETE') return this.#remove(table, find(table, id), { role: 'none' })
    check(call.query.keys(), ['sendNotifications'])
    const { role, scope } = read(call, ['role', 'scope'])
    if (!roles.includes(String(role))) throw refuse(400, 'invalid', 'Invalid role value.')
    if (id !== undefined && call.method === 'PATCH') return kit.ok(show('acl', this.#touch(Object.assign(find(table, id), { role }))))
    if (id !== undefined || call.method !== 'POST' || kit.at(scope, 'type') === undefined) throw refuse(400, 'required', 'Required')
    const own = `${kit.at(scope, 'type')}${kit.at(scope, 'type') === 'default' ? '' : `:${kit.at(scope, 'value')}`}`
    const row = table.find(own) ?? this.#add(`acl ${calendar}`, { id: own, scope }, Date.now())
    return kit.ok(show('acl', this.#touch(Object.assign(row, { role }))))
  }

  /** The caller can give the id: https://developers.google.com/workspace/calendar/api/v3/reference/events/insert */
  #events(call: Call, calendar: string): Answer {
    const table = this.#table(calendar)
    if (call.method === 'GET') return this.#page(call, 'events', table)
    if (call.method !== 'POST') throw refuse(404, 'notFound', 'Not Found')
    check(call.query.keys(), tell)
    const fields = read(call)
    if (!/^[a-v0-9]{5,1024}$/.test(String(fields['id'] ?? 'event'))) throw refuse(400, 'invalid', 'Invalid resource id value.')
    if (fields['start'] === undefined || fields['end'] === undefined) throw refuse(400, 'required', 'Missing end time.')
    if (table.find(fields['id']) !== undefined) throw refuse(409, 'duplicate', 'The requested identifier already exists.')
    return kit.ok(show('events', this.#event(calendar, fields, Date.now())))
  }

  #one(call: Call, table: kit.Table, id: string): Answer {
    const row = find(table, id)
    if (call.method === 'GET') return kit.ok(show('events', row))
    check(call.query.keys(), tell)
    if (table.isDeleted(row)) throw refuse(410, 'deleted', 'Resource has been deleted')
    if (call.method === 'PATCH' || call.method === 'PUT') return kit.ok(show('events', this.#touch(Object.assign(row, read(call)))))
    if (call.method !== 'DELETE') throw refuse(404, 'notFound', 'Not Found')
    return this.#remove(table, row)
  }

  /**
   * A next page or, on the last one, a token of changes. With a token come cancelled events too:
   * https://developers.google.com/workspace/calendar/api/guides/sync and /guides/pagination
   */
  #page({ query }: Call, name: string, table: kit.Table): Answer {
    const { most, filters, 'not with a token': without } = lists.get(name) ?? {}
    check(query.keys(), ['maxResults', 'pageToken', 'syncToken', ...kit.words(filters)])
    const size = Number(query.get('maxResults') ?? (name === 'events' ? 250 : 100))
    if (!(Number.isInteger(size) && size >= 1 && size <= Number(most)))
      throw refuse(400, 'invalidParameter', `Invalid value for: ${size} is out of range`)
    const token = query.get('syncToken')
    const mixed = token === null ? undefined : kit.words(without).find((one) => query.has(one))
    if (mixed !== undefined) throw refuse(400, 'invalid', `Sync token cannot be used with ${mixed}.`)
    const since = token === null ? 0 : Number(kit.unseal(token)?.['since'] ?? Number.NaN)
    if (Number.isNaN(since)) throw refuse(400, 'invalid', 'Invalid sync token value.')
    if (token !== null && since < this.ended)
      throw refuse(410, 'fullSyncRequired', 'Sync token is no longer valid, a full sync is required.')
    // "entries deleted since this time will always be included regardless of showDeleted": /v3/reference/events/list
    const seesDeleted = token !== null || query.has('updatedMin') || query.get('showDeleted') === 'true'
    if (query.get('orderBy') === 'startTime' && query.get('singleEvents') !== 'true')
      // "only available when singleEvents is True"
      throw refuse(400, 'badRequest', 'The requested ordering is not available for the particular query.')
    const rows = table.all.filter((row) => Number(row['number']) > since && (seesDeleted || !table.isDeleted(row)) && fits(row, query))
    const by = query.get('orderBy') === 'updated' ? ['updated', 'number'] : ['made']
    const cursor = query.get('pageToken')
    // The token is as old as the first page: what changes during the walk comes with the next one.
    const mark = Number(kit.unseal(cursor ?? '')?.['mark'] ?? this.#mark)
    const cut = this.cut(rows, { by, size: this.pageSize(size), cursor }, refuse(400, 'invalid', 'Invalid page token value.'))
    const next =
      cut.next === undefined ? { nextSyncToken: kit.seal({ since: mark }) } : { nextPageToken: kit.seal({ ...kit.unseal(cut.next), mark }) }
    return kit.ok({ kind: `calendar#${name}`, etag: '"stand-in"', ...next, items: cut.data.map((row) => show(name, row)) })
  }

  #mark = 0

  #touch(row: Row, time = Date.now()): Row {
    this.#mark = this.serial()
    return Object.assign(row, { number: this.#mark, updated: iso(time) })
  }

  #add(name: string, fields: Row, time: number): Row {
    return this.#touch(this.#table(name).add({ kind: `calendar#${name}`, etag: '"1"', made: this.serial(), ...fields }), time)
  }

  #event(calendar: string, fields: Row, time: number): Row {
    const [start, end] = [{ dateTime: iso(time) }, { dateTime: iso(time + 3_600_000) }]
    const id = `event${this.serial().toString(32).padStart(8, '0')}`
    return this.#add(calendar, { id, status: 'confirmed', created: iso(time), start, end, organizer: { email: calendar }, ...fields }, time)
  }

  #remove(table: kit.Table, row: Row, says: Row = { status: 'cancelled' }): Answer {
    table.delete(this.#touch(Object.assign(row, says)))
    return { status: 204 }
  }
}

function find(table: kit.Table, id: string): Row {
  const row = table.find(id)
  if (row === undefined) throw refuse(404, 'notFound', 'Not Found')
  return row
}

/** The stand-in's own names stay behind; only events say when they changed: /v3/reference/calendarList, settings, acl */
function show(name: string, { number: _number, made: _made, updated, ...row }: Row): Row {
  return name === 'events' || name === 'instances' ? { ...row, updated } : row
}

/** Bounds are exclusive: the lower one is of the end, the upper one of the start. */
function fits(row: Row, query: URLSearchParams): boolean {
  const time = (name: string, otherwise: string) => Date.parse(query.get(name) ?? otherwise)
  const [start, end] = ['start', 'end'].map((name) => Date.parse(String(kit.at(row, `${name}.dateTime`) ?? '2000-01-01')))
  const isWithin = Number(end) > time('timeMin', '1970-01-01') && Number(start) < time('timeMax', '2999-01-01')
  const isNew = Date.parse(String(row['updated'])) >= time('updatedMin', '1970-01-01')
  return isWithin && isNew && String(row['summary'] ?? '').includes(query.get('q') ?? '')
}

function check(names: Iterable<string>, allowed: readonly string[]): void {
  // https://cloud.google.com/apis/design/errors: an unknown name is an invalid argument
  kit.refuseUnknown(names, allowed, (name) => refuse(400, 'badRequest', `Unknown name "${name}": Cannot bind query parameter.`))
}

function read({ body }: Call, known: readonly string[] = eventFields): Row {
  const fields = kit.readObject(body)
  if (fields === undefined) throw refuse(400, 'parseError', 'Parse Error')
  check(Object.keys(fields), known)
  return fields
}

/** https://developers.google.com/identity/protocols/oauth2/service-account#httprest: an hour at most, for this address */
function isSigned(assertion: string, key: KeyObject | undefined): boolean {
  const { iss, scope, aud, iat, exp, ...rest } = (key && kit.readAssertion(assertion, key)) ?? {}
  const isKnown =
    iss === 'robot@acme.example' &&
    scope === 'https://www.googleapis.com/auth/calendar' &&
    kit.unknownNames(Object.keys(rest), ['sub']).length === 0
  return isKnown && aud === 'https://oauth2.googleapis.com/token' && Number(exp) - Number(iat) <= 3_600
}

/** https://developers.google.com/identity/protocols/oauth2/web-server#offline */
function exchange({ body }: Call, key: KeyObject | undefined): Answer {
  const { grant_type, refresh_token, client_id, assertion } = kit.readForm(body)
  const isOwn = grant_type === 'urn:ietf:params:oauth:grant-type:jwt-bearer' && isSigned(String(assertion), key)
  if (isOwn) return kit.ok({ access_token: 'ya29.standin', expires_in: 3599, token_type: 'Bearer' })
  if (grant_type !== 'refresh_token' || refresh_token !== 'refresh' || client_id === undefined)
    return { status: 400, body: { error: 'invalid_grant', error_description: 'Bad Request' } }
  return kit.ok({ access_token: 'ya29.standin', expires_in: 3599, token_type: 'Bearer', scope: 'https://www.googleapis.com/auth/calendar' })
}
