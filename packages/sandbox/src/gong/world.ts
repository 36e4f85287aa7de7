import { at } from '../data.ts'
import { idOf, Random } from '../random.ts'
import { createUsers, createWorkspaces, holdsCalls, userCount } from './people.ts'
import { addDays, companyTime, midnight } from './time.ts'

/** A later change to a call; what is left out stays. */
export interface CallEdit {
  readonly isPrivate?: boolean
  readonly title?: string
  /** No list has the call, and it cannot be read. */
  readonly erased?: boolean
}

/** Earliest time that a sandbox can live in: its calls start a year before. */
const earliestNow = Date.UTC(2024, 0, 1)

/** First and last day of the calls, in the company's zone. */
const firstDate = '2023-01-01'
const lastDate = '2026-11-01'

/** When a call was; the first positions are the earliest ones. */
interface Slot {
  readonly scheduled: number
  /** Epoch milliseconds with microseconds as fraction. */
  readonly started: number
  /** Digits of the fraction of a second in `started`: 0, 3 or 6. */
  readonly digits: number
  /** Scheduled and started times of web conferences differ. */
  readonly conference: boolean
}

function createSlot(start: number, random: Random): Slot {
  const conference = random.chance(0.8)
  const digits = random.pick([0, 0, 3, 6])
  const quarter = start + random.int(28, 71) * 900_000
  const shift = random.int(-61_000, 572_000)
  const exact = conference ? quarter + shift : quarter + random.int(0, 899_999)
  const whole = digits === 0 ? Math.floor(exact / 1000) * 1000 : exact
  const started = digits === 6 ? whole + random.int(1, 999) / 1000 : whole
  return { scheduled: conference ? quarter : started, started, digits, conference }
}

/** No calls on the last days of a year: windows without a result. */
function slotsOn(date: string, random: Random): readonly Slot[] {
  const [start, monthDay] = [midnight(date), date.slice(5)]
  if (start === undefined || monthDay >= '12-24' || monthDay === '01-01') return []
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay()
  const calls = weekday === 0 || weekday === 6 ? random.int(1, 5) : random.int(14, 26)
  return Array.from({ length: calls }, () => createSlot(start, random)).sort((left, right) => left.scheduled - right.scheduled)
}

function createSlots(seed: number) {
  const slots: Slot[] = []
  for (let date = firstDate; date <= lastDate; date = addDays(date, 1)) slots.push(...slotsOn(date, new Random(seed, 'day', date)))
  return slots.map((slot, index) => ({ ...slot, id: idOf(seed, 'call', index) }))
}

/** What the rest of a call's data is made from. */
interface Traits {
  /** Position of the user who holds the call. */
  readonly host: number
  /** Positions of further users who attend. */
  readonly colleagues: readonly number[]
  /** How many guests there are. */
  readonly guests: number
  /** Position of the workspace. */
  readonly workspace: number
  readonly isPrivate: boolean
  /** `none` and `empty` have no file: the first leaves the media block out, the second sends it empty. */
  readonly media: 'video' | 'audio' | 'none' | 'empty'
  /** Seconds. */
  readonly duration: number
  /** Uploaded by hand; parties can be missing. */
  readonly imported: boolean
  /** Nobody spoke: the transcript is empty. */
  readonly silent: boolean
  /** Whisper was on: the call counts in the interaction statistics. */
  readonly whisper: boolean
  /** A title outside of the Latin script. */
  readonly unicode: boolean
}

const open = { isPrivate: false, workspace: 0, imported: false, silent: false }

/** Calls with a fixed purpose; all lie in January 2023. */
const overrides: Readonly<Record<string, readonly [position: number, traits: Partial<Traits>]>> = {
  large: [100, { ...open, media: 'video', duration: 3600 }],
  audioOnly: [101, { ...open, media: 'audio' }],
  privateWithMedia: [102, { ...open, isPrivate: true, media: 'video' }],
  mediaMissing: [103, { ...open, media: 'none' }],
  mediaEmpty: [104, { ...open, media: 'empty' }],
  unicode: [105, { ...open, media: 'video', unicode: true }],
  silent: [106, { ...open, media: 'video', silent: true }],
  withoutParties: [107, { ...open, media: 'audio', imported: true }],
  plain: [108, { ...open, media: 'video', guests: 2 }],
}

/** Returns the position of the call with a fixed purpose. */
export function special(purpose: string): number {
  const [position] = overrides[purpose] ?? []
  if (position === undefined) throw new RangeError(`No call is ${purpose}`)
  return position
}

/** A stretch of private calls that is longer than two pages: some page holds nothing else, whatever the filter. */
export const privateStretch = { from: 4000, to: 4300 }

function pickHost(random: Random): number {
  const host = random.int(0, userCount - 1)
  return holdsCalls(host) ? host : host - 1
}

function drawTraits(random: Random, conference: boolean): Traits {
  const host = pickHost(random)
  const colleagues = Array.from({ length: random.pick([0, 0, 1, 1, 2, 3]) }, () => pickHost(random))
  const mediaDraw = random.next()
  const file = conference && random.chance(0.9) ? 'video' : 'audio'
  return {
    host,
    colleagues: [...new Set(colleagues)].filter((index) => index !== host),
    guests: random.int(0, 3),
    workspace: random.pick([0, 0, 0, 0, 0, 0, 0, 1, 1, 2]),
    isPrivate: random.chance(0.016),
    media: mediaDraw < 0.02 ? 'none' : mediaDraw < 0.04 ? 'empty' : file,
    duration: random.int(40, 4200),
    imported: !conference && random.chance(0.2),
    silent: random.chance(0.03),
    whisper: random.chance(0.8),
    unicode: random.chance(0.02),
  }
}

function traitsOf(seed: number, { conference }: Slot, index: number): Traits {
  const drawn = drawTraits(new Random(seed, 'traits', index), conference)
  const inStretch = index >= privateStretch.from && index < privateStretch.to
  const override = Object.values(overrides).find(([position]) => position === index)
  return { ...drawn, ...(inStretch ? { isPrivate: true } : {}), ...override?.[1] }
}

/** The calls of a seed, the future ones included. */
interface DrawnCalls {
  readonly seed: number
  readonly slots: ReturnType<typeof createSlots>
  readonly traits: readonly Traits[]
}

let lastDrawn: DrawnCalls | undefined

/** Draws the calls of a seed. It takes 0.2 s of CPU, and all worlds of a process usually have the same seed, so the last calls are kept. */
function drawCalls(seed: number): DrawnCalls {
  if (lastDrawn?.seed !== seed) {
    const slots = createSlots(seed)
    lastDrawn = { seed, slots, traits: slots.map((slot, call) => traitsOf(seed, slot, call)) }
  }
  return lastDrawn
}

function createEdits(count: number) {
  const everyCall = Array.from({ length: count }, (_, call) => call)
  const edits = new Map<number, CallEdit>()
  let left: readonly number[] = everyCall
  return {
    /** Changes to calls since the start, by position. */
    edits,
    /** Returns the positions of all known calls that are not erased, by scheduled time. */
    allCalls: () => left,
    /** Changes a call, on top of earlier changes. */
    edit(call: number, change: CallEdit) {
      edits.set(call, { ...edits.get(call), ...change })
      left = everyCall.filter((other) => edits.get(other)?.erased !== true)
    },
    /** Takes all changes back. */
    restore() {
      edits.clear()
      left = everyCall
    },
  }
}

/** The imitated company, from which each answer is made when it is asked for. */
export type World = ReturnType<typeof createWorld>

/** Builds the company at a time, with at most so many calls. A call is known two hours after its scheduled start. @throws RangeError before 2024 */
export function createWorld(seed: number, now: number, most: number) {
  if (now < earliestNow) throw new RangeError('The clock of a sandbox must not be before 2024-01-01')
  const { slots, traits } = drawCalls(seed)
  const later = slots.findIndex(({ scheduled }) => scheduled > now - 7_200_000)
  const known = slots.slice(0, Math.min(later < 0 ? slots.length : later, most))
  const users = createUsers(seed)
  const changes = createEdits(known.length)
  return {
    seed,
    users,
    /** Position of a user by id. */
    userPositions: new Map(users.map((user, index) => [user.id, index])),
    workspaces: createWorkspaces(seed),
    /** The known calls by scheduled time, and those that are not known yet as well. */
    calls: known,
    slots,
    /** Position of a known call by id. */
    callPositions: new Map(known.map(({ id }, call) => [id, call])),
    privateCalls: traits.slice(0, known.length).filter(({ isPrivate }) => isPrivate).length,
    ...changes,
    traits(call: number): Traits {
      const isPrivate = changes.edits.get(call)?.isPrivate
      return isPrivate === undefined ? at(traits, call) : { ...at(traits, call), isPrivate }
    },
    /** Returns a stream of numbers for one part of the world. */
    random: (...parts: readonly (number | string)[]) => new Random(seed, ...parts),
  }
}

const others = new WeakMap<World, World>()

/** Returns the company of the other customer: the same people and calls, in workspaces with other ids. */
export function otherWorld(world: World): World {
  const other = others.get(world) ?? { ...world, workspaces: createWorkspaces(world.seed + 1) }
  others.set(world, other)
  return other
}

/** Returns the position of a call that can be seen; undefined for an unknown or erased one. */
export function findCall(world: World, id: string): number | undefined {
  const call = world.callPositions.get(id)
  return call === undefined || world.edits.get(call)?.erased ? undefined : call
}

/** Writes when a call started as the vendor does. */
export function startTime({ calls }: World, call: number): string {
  const { started, digits } = at(calls, call)
  return companyTime(started, digits)
}
