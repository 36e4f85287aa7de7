import { at } from '../at.ts'
import { idOf } from '../random.ts'
import { customerOf } from './calls.ts'
import { type ContextWish, crmContext } from './crm.ts'
import { firstNames, guestTitles, lastNames } from './words.ts'
import type { World } from './world.ts'

/** Somebody of a call. What the vendor does not know is left out; only `speakerId` is always there. */
export interface Party {
  readonly id: string
  readonly emailAddress?: string
  readonly name?: string
  readonly title?: string
  readonly userId?: string
  /** Null for those who never spoke. */
  readonly speakerId: string | null
  readonly affiliation: 'Internal' | 'External' | 'Unknown'
  readonly phoneNumber?: string
  readonly methods: readonly string[]
}

function userParty(world: World, call: number, place: { user: number; number: number }): Party {
  const user = at(world.users, place.user)
  const attended = place.number === 0 || world.random('attended', call, place.number).chance(0.85)
  return {
    id: idOf(world.seed, 'party', call, place.number),
    emailAddress: user.emailAddress,
    name: `${user.firstName} ${user.lastName}`,
    ...(user.title === null ? {} : { title: user.title }),
    userId: user.id,
    speakerId: attended ? idOf(world.seed, 'speaker', call, place.number) : null,
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

/** Everybody of a call: the host first, then colleagues, then guests. */
export function partiesOf(world: World, call: number): readonly Party[] {
  const { host, colleagues, guests } = world.traits(call)
  const users = [host, ...colleagues].map((user, number) => userParty(world, call, { user, number }))
  const others = Array.from({ length: guests }, (_, guest) => guestParty(world, call, users.length + guest))
  return [...users, ...others]
}

/** The ids under which somebody spoke in a call. */
export function speakersOf(world: World, call: number): readonly string[] {
  return partiesOf(world, call).flatMap(({ speakerId }) => (speakerId === null ? [] : [speakerId]))
}

/** Parties as the extensive list sends them: with their CRM objects when the context is wanted. */
export function partyRecords(world: World, call: number, wish: ContextWish): readonly Record<string, unknown>[] {
  return partiesOf(world, call).map((party, number) => {
    if (wish.context === 'None') return { ...party }
    const objectType = party.userId === undefined ? (number % 2 === 0 ? 'Contact' : 'Lead') : 'User'
    return { ...party, context: crmContext(world, { call, name: party.name ?? 'Guest', objectTypes: [objectType] }, wish) }
  })
}
