/** Slack, by its public reference: https://docs.slack.dev/reference/methods. Written without knowledge of any definition. */
import type { Answer, Call, Row } from './shared.ts'
import * as kit from './shared.ts'

/** Errors have status 200: https://docs.slack.dev/apis/web-api/#responses */
const refuse = (error: string, more: Row = {}): kit.Refusal => new kit.Refusal(kit.ok({ ok: false, error, ...more }))

/** Refusals on demand: https://docs.slack.dev/apis/web-api/rate-limits and the errors of the pages of methods */
export const slackRefusals = {
  rate: { status: 429, body: { ok: false, error: 'ratelimited' }, headers: { 'retry-after': '1' } },
  scope: kit.ok({ ok: false, error: 'missing_scope', needed: 'users:read', provided: 'chat:write' }),
  revoked: kit.ok({ ok: false, error: 'token_revoked' }),
  down: kit.ok({ ok: false, error: 'internal_error' }),
}

/** Methods with their arguments; those behind `!` are needed. Each has its page, such as https://docs.slack.dev/reference/methods/users.list */
const methods = kit.readTable(`
  method                | verb | arguments                                                                | needs
  auth.test             | any  |                                                                          |
  team.info             | GET  | team domain                                                              |
  users.list            | GET  | cursor limit include_locale team_id                                      |
  users.info            | GET  | user include_locale                                                      | user
  conversations.list    | GET  | cursor limit exclude_archived types team_id                              |
  conversations.info    | GET  | channel include_locale include_num_members                               | channel
  conversations.history | GET  | channel cursor limit oldest latest inclusive include_all_metadata        | channel
  conversations.replies | GET  | channel ts cursor limit oldest latest inclusive include_all_metadata     | channel ts
  conversations.create  | POST | name is_private team_id                                                  | name
  conversations.rename  | POST | channel name                                                             | channel name
  conversations.archive | POST | channel                                                                  | channel
  usergroups.list       | GET  | include_count include_disabled include_users team_id                     |
  files.list            | GET  | channel count page ts_from ts_to types user team_id                      |
  files.info            | GET  | file cursor limit page count                                             | file
  files.delete          | POST | file                                                                     | file
  chat.postMessage      | POST | channel text thread_ts blocks reply_broadcast unfurl_links metadata      | channel
  chat.update           | POST | channel ts text blocks metadata                                          | channel ts
  chat.delete           | POST | channel ts                                                               | channel ts`)
/** Ids have a letter and eight more: https://docs.slack.dev/reference/objects */
const bot = 'U0STANDIN'
const team = { id: 'T0STANDIN', name: 'Stand-in', domain: 'stand-in', email_domain: 'example.com' }
const seconds = () => Math.floor(Date.now() / 1_000)

/** Slack with members, channels, messages with threads, and files. */
export class Slack extends kit.Vendor {
  readonly key = 'xoxb-standin'
  readonly #users = new kit.Table()
  readonly #channels = new kit.Table()
  readonly #files = new kit.Table()
  readonly #groups = new kit.Table()
  /** Messages by their channel. */
  readonly #table = kit.tables()

  constructor({ records = 1_000, files = 250, seed = 13, smaller = 1 }: { records?: number; files?: number } & kit.Sizes = {}) {
    super(seed, smaller)
    const start = seconds() - 40 * 86_400
    for (let index = 0; index < records; index += 1) {
      const time = start + Math.floor(index / 40) * 3_600 // forty records share a second
      this.#user(`Person ${index}`, time, index % 50 === 3)
      if (index % 25 === 0) this.#channel(`channel-${index}`, time, { is_archived: index % 100 === 50, is_private: index % 125 === 100 })
      const file = { id: this.#id('F'), created: time, timestamp: time, name: `file ${index}`, title: 'File', user: bot, size: index }
      if (index % Math.round(records / files) === 0) this.#files.add(file)
      const group = { id: this.#id('S'), name: `Group ${index}`, handle: `group${index}`, date_update: time }
      if (index < 12) this.#groups.add({ ...group, date_delete: index === 11 ? time : 0 })
    }
    for (const [index, { id }] of this.#channels.all.entries()) {
      const count = index === 0 ? records : 7
      for (let at = 0; at < count; at += 1) this.#message(id, start + Math.floor(at / 30) * 60, { text: `Message ${at}` })
    }
    const [first] = this.#channels.all
    for (const parent of this.#table(first?.['id']).all.filter((_, index) => index % 100 === 0)) {
      for (let at = 0; at < 25; at += 1) this.#reply(first?.['id'], parent, start + at)
    }
  }

  /** `messages` and `replies` are those of all channels, with their channel. */
  holds(what: string): readonly Row[] {
    const [users, channels, files, usergroups] = [this.#users, this.#channels, this.#files, this.#groups]
    const table = Object.entries({ users, channels, files, usergroups }).find(([name]) => name === what)?.[1]
    if (table !== undefined) return table.live().filter(({ date_delete: deleted = 0 }) => deleted === 0)
    const isReply = (row: Row) => row['thread_ts'] !== undefined && row['thread_ts'] !== row['ts']
    const live = (channel: unknown) => this.#table(channel).live()
    const rows = this.#channels.all.flatMap(({ id: channel }) => live(channel).map((row): Row => ({ ...row, channel })))
    return rows.filter((row) => (what === 'replies' ? row['thread_ts'] !== undefined : !isReply(row)))
  }

  mutate(): void {
    const channel = this.#channels.all[0]?.['id']
    const messages = this.#table(channel)
    this.#user('New', seconds(), false)
    Object.assign(this.pick(this.#users.all), { deleted: true, updated: seconds() })
    Object.assign(this.pick(this.#users.all), { real_name: `Renamed ${this.serial()}`, updated: seconds() })
    Object.assign(this.pick(this.#channels.all.slice(1)), { is_archived: true })
    this.#message(channel, seconds(), { text: 'New' })
    const [edited, deleted] = [this.pick(messages.live()), this.pick(messages.live().filter((row) => row['thread_ts'] === undefined))]
    Object.assign(edited, { text: `Edited ${this.serial()}`, edited: { user: bot, ts: `${seconds()}.000000` } })
    messages.delete(deleted)
    this.vanished.push({ ...deleted, channel }) // no list names deleted messages
  }

  protected answer(call: Call): Answer {
    const name = call.path.replace(/^\/api\//, '')
    if (name === 'oauth.v2.access') return exchange(call)
    const token = call.headers.authorization
    if (token === undefined) throw refuse('not_authed') // https://docs.slack.dev/authentication/tokens
    if (token !== `Bearer ${this.key}`) throw refuse('invalid_auth')
    const method = methods.get(name)
    if (method === undefined) throw refuse('unknown_method', { req_method: name })
    if (method['verb'] === 'POST' && call.method !== 'POST') throw refuse('invalid_post_type')
    // Reads take a form or a query, writes JSON too: https://docs.slack.dev/apis/web-api/#post_bodies
    const isJson = call.headers['content-type']?.startsWith('application/json') === true
    if (isJson && method['verb'] === 'GET' && call.body !== '') throw refuse('invalid_arguments')
    const given = { ...Object.fromEntries(call.query), ...(isJson ? kit.readObject(call.body) : kit.readForm(call.body)) }
    // Slack ignores unknown arguments; the stand-in refuses them, because each is a mistake of a definition.
    const messages = kit.unknownNames(Object.keys(given), kit.words(method['arguments'])).map((one) => `[ERROR] unknown argument: ${one}`)
    for (const one of kit.words(method['needs'])) if (given[one] === undefined) messages.push(`[ERROR] missing required field: ${one}`)
    if (messages.length > 0) throw refuse('invalid_arguments', { response_metadata: { messages } })
    return kit.ok({ ok: true, ...this.#run(name, given) })
  }

  #run(name: string, given: Row): Row {
    if (name === 'auth.test') return { url: 'https://stand-in.slack.com/', team: team.name, user: 'bot', team_id: team.id, user_id: bot }
    if (name === 'team.info') return { team }
    if (name === 'users.list') return this.#page(given, 'members', this.#users.all)
    if (name === 'users.info') return { user: this.#users.need(given['user'], refuse('user_not_found')) }
    if (name === 'usergroups.list')
      // one page, without those that are turned off: https://docs.slack.dev/reference/methods/usergroups.list
      return { usergroups: String(given['include_disabled']) === 'true' ? this.#groups.live() : this.holds('usergroups') }
    if (name.startsWith('files.')) return this.#file(name, given)
    if (name === 'conversations.list') {
      const types = String(given['types'] ?? 'public_channel').split(',') // only public ones by default
      const isWanted = (row: Row) => types.includes(row['is_private'] === true ? 'private_channel' : 'public_channel')
      const isOpen = (row: Row) => String(given['exclude_archived']) !== 'true' || row['is_archived'] !== true
      const rows = this.#channels.live((row) => isWanted(row) && isOpen(row))
      return this.#page(given, 'channels', rows)
    }
    if (name === 'conversations.create') {
      if (this.#channels.find(given['name'], 'name') !== undefined) throw refuse('name_taken')
      return { channel: this.#channel(String(given['name']), seconds(), { is_private: String(given['is_private']) === 'true' }) }
    }
    const channel = this.#channels.need(given['channel'], refuse('channel_not_found'))
    if (name === 'conversations.info') return { channel }
    if (name === 'conversations.rename') return { channel: Object.assign(channel, { name: given['name'] }) }
    if (name !== 'conversations.archive')
      return name.startsWith('chat.') ? this.#chat(name, given, channel) : this.#history(name, given, channel)
    if (channel['is_archived'] === true) throw refuse('already_archived')
    channel['is_archived'] = true
    return {}
  }

  /** The newest first; `oldest` is left out unless `inclusive`: https://docs.slack.dev/reference/methods/conversations.history */
  #history(name: string, given: Row, { id }: Row): Row {
    const isInclusive = ['true', '1'].includes(String(given['inclusive']))
    const [oldest = '', latest = ''] = [String(given['oldest'] ?? '0'), String(given['latest'] ?? '9999999999')].map(pad)
    const isWithin = ({ ts }: Row) => (String(ts) > oldest && String(ts) < latest) || (isInclusive && [oldest, latest].includes(String(ts)))
    const thread = given['ts']
    const all = this.#table(id).live()
    if (name === 'conversations.replies' && !all.some(({ ts }) => ts === thread)) throw refuse('thread_not_found')
    // A thread starts with its parent, the oldest first: https://docs.slack.dev/reference/methods/conversations.replies
    const isOfThread = (row: Row) => row['ts'] === thread || row['thread_ts'] === thread
    const isTop = (row: Row) => row['thread_ts'] === undefined || row['thread_ts'] === row['ts']
    const rows = all.filter((row) => (thread === undefined ? isTop(row) : isOfThread(row)) && isWithin(row))
    const page = this.#page(given, 'messages', rows, { key: 'ts', isAscending: thread !== undefined })
    const has_more = kit.at(page, 'response_metadata.next_cursor') !== ''
    return { ...page, has_more, ...(thread === undefined ? { pin_count: 0 } : {}) }
  }

  #chat(name: string, given: Row, { id, is_archived }: Row): Row {
    const table = this.#table(id)
    if (name === 'chat.postMessage') {
      if (given['text'] === undefined && given['blocks'] === undefined) throw refuse('no_text')
      if (is_archived === true) throw refuse('is_archived')
      const parent = given['thread_ts'] === undefined ? undefined : table.find(given['thread_ts'], 'ts')
      const message = parent === undefined ? this.#message(id, seconds(), { text: given['text'] }) : this.#reply(id, parent, seconds())
      return { channel: id, ts: message['ts'], message: Object.assign(message, { text: given['text'] }) }
    }
    const message = table.need(given['ts'], refuse('message_not_found'), 'ts')
    if (name === 'chat.delete') table.delete(message)
    else Object.assign(message, { text: given['text'], edited: { user: bot, ts: `${seconds()}.000000` } })
    const { text, type, user } = message // https://docs.slack.dev/reference/methods/chat.update
    return { channel: id, ts: message['ts'], ...(name === 'chat.delete' ? {} : { text, message: { text, type, user } }) }
  }

  /** Pages are numbered: https://docs.slack.dev/reference/methods/files.list */
  #file(name: string, given: Row): Row {
    if (name !== 'files.list') {
      const file = this.#files.need(given['file'], refuse('file_not_found'))
      if (name === 'files.delete') this.#files.delete(file)
      return name === 'files.delete' ? {} : { file }
    }
    const [count, page] = [Number(given['count'] ?? 100), Number(given['page'] ?? 1)]
    const isWithin = ({ created }: Row) =>
      Number(created) >= Number(given['ts_from'] ?? 0) && Number(created) <= Number(given['ts_to'] ?? 1e12)
    const rows = kit.sortBy(this.#files.live().filter(isWithin), ['created'], false)
    const files = structuredClone(rows.slice((page - 1) * count, page * count))
    this.between?.()
    return { files, paging: { count, total: rows.length, page, pages: Math.ceil(rows.length / count) } }
  }

  /**
   * The cursor of the last page is empty, a page can be shorter than asked, and 1,000 is too large:
   * https://docs.slack.dev/apis/web-api/pagination
   */
  #page({ limit = 100, cursor }: Row, name: string, rows: readonly Row[], { key, isAscending } = { key: 'id', isAscending: true }): Row {
    const size = Number(limit)
    if (!Number.isInteger(size) || size < 1 || size > 999) throw refuse('invalid_limit')
    const less = Math.max(1, this.pageSize(size) - (this.calls.length % 3))
    const asked = { by: [key], isAscending, size: less, cursor: cursor === '' ? undefined : cursor }
    const page = this.cut(rows, asked, refuse('invalid_cursor'))
    return { [name]: page.data, response_metadata: { next_cursor: page.next ?? '' } }
  }

  #id = (prefix: string): string => `${prefix}${String(this.serial()).padStart(8, '0')}`
  #user(real_name: string, updated: number, deleted: boolean): Row {
    const id = this.#id('U')
    const profile = { real_name, email: `${id.toLowerCase()}@example.com` }
    return this.#users.add({ id, name: id.toLowerCase(), real_name, deleted, is_bot: false, updated, profile })
  }

  #channel(name: string, created: number, more: Row): Row {
    const row = { id: this.#id('C'), name, created, is_channel: true, is_archived: false, is_private: false, ...more }
    return this.#channels.add(row)
  }

  /** The timestamp is the id within the channel: https://docs.slack.dev/messaging/retrieving-messages#individual_messages */
  #message(channel: unknown, time: number, more: Row): Row {
    const ts = `${time}.${String(this.serial() % 1_000_000).padStart(6, '0')}`
    return this.#table(channel).add({ type: 'message', user: bot, ts, ...more })
  }

  #reply(channel: unknown, parent: Row, time: number): Row {
    const reply = this.#message(channel, time, { text: 'Reply', thread_ts: parent['ts'] })
    Object.assign(parent, { thread_ts: parent['ts'], reply_count: Number(parent['reply_count'] ?? 0) + 1, latest_reply: reply['ts'] })
    return reply
  }
}

const pad = (time: string): string => (time.includes('.') ? time : `${time}.000000`).padStart(17, '0')

/** https://docs.slack.dev/reference/methods/oauth.v2.access */
function exchange({ body }: Call): Answer {
  const { client_id, code } = kit.readForm(body)
  if (client_id === undefined || code !== 'code') throw refuse('invalid_code')
  return kit.ok({ ok: true, access_token: 'xoxb-standin', token_type: 'bot', scope: 'users:read,chat:write', bot_user_id: bot, team })
}
