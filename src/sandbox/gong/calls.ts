import { at } from '../at.ts'
import { shuffled } from '../random.ts'
import type { Answer, ApiCall } from './answers.ts'
import { isAnswer, noCalls, ok, refused } from './answers.ts'
import type { CallFilter } from './filters.ts'
import { callFilterOf, selectCalls } from './filters.ts'
import { openPage } from './pages.ts'
import { companyTime } from './time.ts'
import { customers, purposes } from './words.ts'
import type { World } from './world.ts'
import { findCall } from './world.ts'

/** A call with the vendor's twenty fields; in the extensive list it is `metaData`. */
export interface CallRecord {
  readonly id: string
  readonly url: string
  readonly title: string
  readonly scheduled: string
  readonly started: string
  readonly duration: number
  readonly primaryUserId: string
  readonly direction: string
  readonly system: string
  readonly scope: string
  readonly media: string
  readonly language: string
  readonly workspaceId: string
  readonly sdrDisposition: string | null
  readonly clientUniqueId: string | null
  readonly customData: string | null
  readonly purpose: string | null
  readonly meetingUrl: string | null
  readonly isPrivate: boolean
  readonly calendarEventId: string | null
}

/** Position of the call's customer in the list of names. */
export function customerOf(world: World, call: number): string {
  return world.random('customer', call).pick(customers)
}

function titleOf(world: World, call: number, unicode: boolean): string {
  const purpose = world.random('purpose', call).pick(purposes)
  const customer = customerOf(world, call)
  return unicode ? `東京オフィス ☕ — ${customer} (Einführung, שלום)` : `${customer} | ${purpose}`
}

/** The address of a call in the web application. */
export function callUrl(id: string): string {
  return `https://us-40017.app.gong.io/call?id=${id}`
}

/**
 * One call as the vendor sends it.
 *
 * @param world - where it happened
 * @param call - its position
 */
export function callRecord(world: World, call: number): CallRecord {
  const { calendar } = world
  const traits = world.traits(call)
  const conference = calendar.conference[call] === 1
  const id = at(calendar.ids, call)
  const random = world.random('call', call)
  const maybe = (probability: number, value: string) => (random.chance(probability) ? value : null)
  const scheduledDigits = conference ? 0 : at(calendar.digits, call)
  const system = random.pick(conference ? ['Zoom', 'Zoom', 'Google Meet', 'Microsoft Teams'] : ['Dialpad', 'Outreach'])
  return {
    id,
    url: callUrl(id),
    title: world.edits.get(call)?.title ?? titleOf(world, call, traits.unicode),
    scheduled: companyTime(at(calendar.scheduled, call), scheduledDigits),
    started: companyTime(at(calendar.started, call), at(calendar.digits, call)),
    duration: traits.duration,
    primaryUserId: at(world.users, traits.host).id,
    direction: conference ? 'Conference' : random.pick(['Inbound', 'Outbound', 'Outbound', 'Unknown']),
    system: traits.imported ? 'Uploaded Call' : system,
    scope: traits.guests > 0 ? 'External' : random.pick(['Internal', 'Internal', 'Unknown']),
    media: traits.media === 'video' ? 'Video' : 'Audio',
    language: random.pick(['eng', 'eng', 'eng', 'eng', 'deu', 'jpn', 'und', 'zxx']),
    workspaceId: at(world.workspaces, traits.workspace).id,
    sdrDisposition: conference ? null : maybe(0.5, 'Connected'),
    clientUniqueId: traits.imported ? `import-${call}` : null,
    customData: maybe(0.05, '{"source":"import"}'),
    purpose: maybe(0.3, random.pick(purposes)),
    meetingUrl: conference ? `https://meet.example/j/${random.int(100_000, 999_999)}` : null,
    isPrivate: traits.isPrivate,
    calendarEventId: conference ? maybe(0.9, `${random.base36(12)}@calendar.example`) : null,
  }
}

/** Id and scheduled time of the last call of a page, for its cursor. */
export function lastRow(world: World, call: number): { readonly id: string; readonly time: string } {
  return { id: at(world.calendar.ids, call), time: companyTime(at(world.calendar.scheduled, call)) }
}

/** GET /v2/calls: dates are compared with the scheduled time; inside a page there is no order. */
export function listCalls(call: ApiCall): Answer {
  const { world } = call.state
  const query = Object.fromEntries(['fromDateTime', 'toDateTime', 'workspaceId'].map((name) => [name, call.query.get(name)]))
  const filter: CallFilter | Answer = callFilterOf(query)
  if (isAnswer(filter)) return filter
  const rows = selectCalls(call, filter, 'scheduled')
  if (rows.length === 0) return noCalls
  const page = openPage(call, { cursor: call.query.get('cursor'), filter, total: rows.length })
  if (isAnswer(page)) return page
  const hidden = call.take('private-page')
  const found = rows.slice(page.from, page.to).map((row) => callRecord(world, row))
  const calls = hidden ? found.map((record) => ({ ...record, isPrivate: true })) : found
  return ok({
    records: page.records(lastRow(world, at(rows, page.to - 1)), hidden),
    calls: shuffled(calls, world.seed, 'page', page.number, page.from),
  })
}

/** GET /v2/calls/{id}: private calls too. */
export function getCall(call: ApiCall): Answer {
  const { world } = call.state
  const id = call.slots['id'] ?? ''
  const position = findCall(world, id)
  return position === undefined ? refused(404, `Call ID ${id} was not found`) : ok({ call: callRecord(world, position) })
}
