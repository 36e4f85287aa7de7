import { at } from '../data.ts'
import { idOf, shuffled } from '../random.ts'
import { type Answer, badRequest, type JsonRecord, ok, Refusal, usualRefusal } from './answers.ts'
import { callFilterOf, openCalls, selectCalls } from './lists.ts'
import { customers, firstNames, guestTitles, lastNames, purposes } from './people.ts'
import type { ApiCall } from './state.ts'
import { companyTime } from './time.ts'
import { findCall, startTime, type World } from './world.ts'

/** Position of the call's customer in the list of names. */
export const customerOf = (world: World, call: number): string => world.random('customer', call).pick(customers)

function titleOf(world: World, call: number, unicode: boolean): string {
  const purpose = world.random('purpose', call).pick(purposes)
  const customer = customerOf(world, call)
  return unicode ? `東京オフィス ☕ — ${customer} (Einführung, שלום)` : `${customer} | ${purpose}`
}

/** Returns one call as the vendor sends it. */
export function callRecord(world: World, call: number): JsonRecord {
  const traits = world.traits(call)
  const { id, conference, scheduled, digits } = at(world.calls, call)
  const random = world.random('call', call)
  const maybe = (probability: number, value: string) => (random.chance(probability) ? value : null)
  const system = random.pick(conference ? ['Zoom', 'Zoom', 'Google Meet', 'Microsoft Teams'] : ['Dialpad', 'Outreach'])
  return {
    id,
    url: `https://us-40017.app.gong.io/call?id=${id}`,
    title: world.edits.get(call)?.title ?? titleOf(world, call, traits.unicode),
    scheduled: companyTime(scheduled, conference ? 0 : digits),
    started: startTime(world, call),
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

/** GET /v2/calls: dates are compared with the scheduled time; inside a page there is no order. */
export function listCalls(call: ApiCall): Answer {
  const { world, switches } = call.state
  const missing = ['fromDateTime', 'toDateTime'].find((name) => !call.query.get(name))
  if (switches.current().datesNeeded && missing !== undefined) throw badRequest(`${missing} is required`)
  const filter = callFilterOf(Object.fromEntries(['fromDateTime', 'toDateTime', 'workspaceId'].map((name) => [name, call.query.get(name)])))
  const rows = selectCalls(call, filter, 'scheduled')
  if (rows.length === 0) throw usualRefusal(404)
  const { number, from, shown, records } = openCalls(call, filter, rows)
  const hidden = call.take('private-page')
  const calls = shown.map((row) => ({ ...callRecord(world, row), ...(hidden ? { isPrivate: true } : {}) }))
  return ok({ records: records(hidden), calls: shuffled(calls, world.seed, 'page', number, from) })
}

/** GET /v2/calls/{id}: private calls too. */
export function getCall(call: ApiCall): Answer {
  const id = call.slots['id'] ?? ''
  const position = findCall(call.state.world, id)
  if (position === undefined) throw new Refusal(404, `Call ID ${id} was not found`)
  return ok({ call: callRecord(call.state.world, position) })
}

/** Which CRM data a request wants. */
export interface ContextWish {
  /** `Basic`: links only; `Extended`: with the values of the fields. */
  readonly context: 'None' | 'Basic' | 'Extended'
  readonly timings: readonly ('Now' | 'TimeOfCall')[]
}

interface CrmSubject {
  readonly call: number
  readonly name: string
  readonly objectTypes: readonly string[]
}

function fieldsOf(world: World, subject: CrmSubject, context: { objectType: string; timing: string }): readonly Record<string, unknown>[] {
  const random = world.random('crm', subject.call, subject.name, context.objectType, context.timing)
  if (context.objectType !== 'Opportunity') return [{ name: 'Name', value: subject.name }]
  return [
    { name: 'Name', value: `${subject.name} – new business` },
    { name: 'Amount', value: random.int(10, 900) * 100 },
    { name: 'StageName', value: random.pick(['Qualification', 'Proposal', 'Negotiation', 'Closed Won']) },
    { name: 'Probability', value: random.decimal(0, 1) },
    { name: 'NextStep', value: random.chance(0.5) ? 'Send the offer' : null },
  ]
}

/** Returns CRM objects of a call or a party. */
export function crmContext(world: World, subject: CrmSubject, wish: ContextWish): readonly Record<string, unknown>[] {
  const random = world.random('crm system', subject.call, subject.name)
  const system = random.pick(['Salesforce', 'Salesforce', 'HubSpot', 'MicrosoftDynamic', 'Generic'])
  const objectIds = subject.objectTypes.map((objectType) => ({ objectType, objectId: `00${random.base36(13).toUpperCase()}` }))
  if (wish.context === 'Basic') return [{ system, objects: objectIds.map((object) => ({ ...object, fields: [] })) }]
  const objects = wish.timings.flatMap((timing) =>
    objectIds.map((object) => ({ ...object, fields: fieldsOf(world, subject, { objectType: object.objectType, timing }), timing })),
  )
  return [{ system, objects }]
}

/** Somebody of a call. What the vendor does not know is left out; `speakerId` is null for those who never spoke. */
type Party = JsonRecord & { readonly id: string; readonly speakerId: string | null; readonly userId?: string; readonly name: string }

function userParty(world: World, call: number, party: { user: number; number: number }): Party {
  const user = at(world.users, party.user)
  const attended = party.number === 0 || world.random('attended', call, party.number).chance(0.85)
  return {
    id: idOf(world.seed, 'party', call, party.number),
    emailAddress: user.emailAddress,
    name: `${user.firstName} ${user.lastName}`,
    ...(user.title === null ? {} : { title: user.title }),
    userId: user.id,
    speakerId: attended ? idOf(world.seed, 'speaker', call, party.number) : null,
    affiliation: 'Internal',
    phoneNumber: user.phoneNumber ?? '',
    methods: attended ? ['Invitee', 'Attendee'] : ['Invitee'],
  }
}

function guestParty(world: World, call: number, number: number): Party {
  const random = world.random('guest', call, number)
  const known = random.chance(0.8)
  const attended = random.chance(0.9)
  const first = random.pick(firstNames)
  const domain = customerOf(world, call)
    .toLowerCase()
    .replace(/[^a-z]/g, '')
  const inside = random.chance(0.05)
  return {
    id: idOf(world.seed, 'party', call, number),
    ...(known ? { emailAddress: `guest${random.int(1, 9999)}@${inside ? 'larkfield' : domain}.example` } : {}),
    name: known ? `${first} ${random.pick(lastNames)}` : 'Guest',
    ...(known && random.chance(0.7) ? { title: random.pick(guestTitles) } : {}),
    speakerId: attended ? idOf(world.seed, 'speaker', call, number) : null,
    affiliation: inside ? 'Internal' : known ? 'External' : 'Unknown',
    ...(known ? { phoneNumber: '' } : {}),
    methods: attended ? (random.chance(0.8) ? ['Invitee', 'Attendee'] : ['Attendee']) : ['Invitee'],
  }
}

/** Returns everybody of a call: the host first, then colleagues, then guests. */
export function partiesOf(world: World, call: number): readonly Party[] {
  const { host, colleagues, guests } = world.traits(call)
  const users = [host, ...colleagues].map((user, number) => userParty(world, call, { user, number }))
  const others = Array.from({ length: guests }, (_, guest) => guestParty(world, call, users.length + guest))
  return [...users, ...others]
}

/** Returns the ids under which somebody spoke in a call. */
export const speakersOf = (world: World, call: number): readonly string[] =>
  partiesOf(world, call).flatMap(({ speakerId }) => (speakerId === null ? [] : [speakerId]))

/** Returns parties as the extensive list sends them: with their CRM objects when the context is wanted. */
export const partyRecords = (world: World, call: number, wish: ContextWish): readonly Record<string, unknown>[] =>
  partiesOf(world, call).map((party, number) => {
    if (wish.context === 'None') return { ...party }
    const objectType = party.userId === undefined ? (number % 2 === 0 ? 'Contact' : 'Lead') : 'User'
    return { ...party, context: crmContext(world, { call, name: party.name, objectTypes: [objectType] }, wish) }
  })
