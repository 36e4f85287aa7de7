import { at } from '../at.ts'
import type { Random } from '../random.ts'
import { idOf } from '../random.ts'
import { partiesOf, speakersOf } from './parties.ts'
import { companyTime } from './time.ts'
import { trackersOf } from './trackers.ts'
import { sentences, topics } from './words.ts'
import type { World } from './world.ts'

type Part = (world: World, call: number) => unknown
type Block = Readonly<Record<string, Part>>

function parts(random: Random, duration: number, names: readonly string[]): readonly { name: string; duration: number }[] {
  const chosen = names.filter(() => random.chance(0.5))
  return chosen.map((name) => ({ name, duration: random.int(1, Math.max(1, Math.floor(duration / (chosen.length + 1)))) }))
}

function moment(random: Random, duration: number): number {
  return random.decimal(0, duration, 2)
}

function trackerRows(world: World, call: number, detailed: boolean): readonly Record<string, unknown>[] {
  const { duration, workspace } = world.traits(call)
  const speakers = speakersOf(world, call)
  return trackersOf(world, workspace).map((tracker, index) => {
    const random = world.random('tracker count', call, index)
    const count = random.pick([0, 0, 0, 1, 2, 3])
    const type = index % 4 === 3 ? 'SMART' : 'KEYWORD'
    const row = { id: tracker.trackerId, name: tracker.trackerName, count, type }
    if (!detailed) return row
    const occurrences = Array.from({ length: count }, () => ({ startTime: moment(random, duration), speakerId: random.pick(speakers) }))
    const phrase = tracker.languageKeywords[0]?.keywords[0] ?? tracker.trackerName
    return { ...row, occurrences, phrases: count === 0 ? [] : [{ phrase, count, occurrences }] }
  })
}

function brief(world: World, call: number): string {
  const random = world.random('brief', call)
  return [random.pick(sentences), random.pick(sentences), random.pick(sentences)].join(' ')
}

function outline(world: World, call: number): readonly Record<string, unknown>[] {
  const random = world.random('outline', call)
  const { duration } = world.traits(call)
  const items = () =>
    Array.from({ length: random.int(1, 3) }, () => ({ text: random.pick(sentences), startTime: moment(random, duration) }))
  return parts(random, duration, topics).map(({ name, duration: length }) => ({
    section: name,
    startTime: moment(random, duration),
    duration: length,
    items: items(),
  }))
}

function highlights(world: World, call: number): readonly Record<string, unknown>[] {
  const random = world.random('highlights', call)
  const { duration } = world.traits(call)
  const item = () => ({ text: random.pick(sentences), startTimes: [moment(random, duration)] })
  return [{ title: 'Next steps', items: Array.from({ length: random.int(1, 3) }, item) }]
}

const content: Block = {
  structure: (world, call) => parts(world.random('structure', call), world.traits(call).duration, ['Pitch', 'Demo', 'Q&A', 'Closing']),
  topics: (world, call) => parts(world.random('topics', call), world.traits(call).duration, topics),
  brief,
  outline,
  highlights,
  callOutcome: (world, call) => {
    const random = world.random('outcome', call)
    const category = random.pick(['Answered', 'Not answered', 'Voicemail'])
    return { id: idOf(world.seed, 'outcome', category), category, name: category }
  },
  keyPoints: (world, call) => {
    const random = world.random('key points', call)
    return Array.from({ length: random.int(1, 5) }, () => ({ text: random.pick(sentences) }))
  },
}

const interaction: Block = {
  speakers: (world, call) => {
    const random = world.random('talk time', call)
    const limit = world.traits(call).duration / 6
    return partiesOf(world, call).flatMap((party) =>
      party.speakerId === null ? [] : [{ id: party.id, userId: party.userId ?? null, talkTime: random.decimal(1, limit, 3) }],
    )
  },
  video: (world, call) => {
    const random = world.random('video', call)
    if (world.traits(call).media !== 'video') return []
    return parts(random, world.traits(call).duration, ['Browser', 'Presentation', 'WebcamPrimaryUser', 'WebcamNonCompany', 'Webcam'])
  },
  personInteractionStats: (world, call) => interactionOf(world, call),
  questions: (world, call) => {
    const random = world.random('questions', call)
    return { companyCount: random.int(0, 20), nonCompanyCount: random.int(0, 20) }
  },
}

/** The host's figures of one call; ratios from 0 to 1, the monologues in seconds. */
export function interactionOf(world: World, call: number): readonly { readonly name: string; readonly value: number }[] {
  const random = world.random('interaction', call)
  return [
    { name: 'Talk Ratio', value: random.decimal(0.1, 0.9) },
    { name: 'Longest Monologue', value: random.int(10, 240) },
    { name: 'Longest Customer Story', value: random.int(5, 180) },
    { name: 'Interactivity', value: random.decimal(0, 10, 1) },
    { name: 'Patience', value: random.decimal(0.2, 2) },
  ]
}

function blockOf(block: Block, names: ReadonlySet<string>, place: { world: World; call: number }): Record<string, unknown> {
  const entries = Object.entries(block).filter(([name]) => names.has(name))
  return Object.fromEntries(entries.map(([name, part]) => [name, part(place.world, place.call)]))
}

/** The wanted parts of `content`; occurrences only together with the trackers. */
export function contentOf(world: World, call: number, names: ReadonlySet<string>): Record<string, unknown> {
  const trackers = names.has('trackers') ? { trackers: trackerRows(world, call, names.has('trackerOccurrences')) } : {}
  return { ...blockOf(content, names, { world, call }), ...trackers }
}

/** The wanted parts of `interaction`; `personInteractionStats` answers under the key `interactionStats`. */
export function interactionBlockOf(world: World, call: number, names: ReadonlySet<string>): Record<string, unknown> {
  const { personInteractionStats, ...rest } = blockOf(interaction, names, { world, call })
  return personInteractionStats === undefined ? rest : { interactionStats: personInteractionStats, ...rest }
}

/** Public comments; every second answers the one before it. */
export function commentsOf(world: World, call: number): readonly Record<string, unknown>[] {
  const random = world.random('comments', call)
  const { duration, host } = world.traits(call)
  const user = at(world.users, host)
  const idAt = (index: number) => idOf(world.seed, 'comment', call, index)
  return Array.from({ length: random.pick([0, 0, 0, 1, 2, 3]) }, (_, index) => {
    const start = moment(random, duration)
    return {
      id: idAt(index),
      audioStartTime: start,
      audioEndTime: start + 10,
      commenterUserId: random.pick(world.users).id,
      comment: random.chance(0.3) ? `Well done @[${user.firstName} ${user.lastName}](${user.id})` : random.pick(sentences),
      posted: companyTime(at(world.calendar.started, call) + random.int(duration * 1000, 86_400_000), 6),
      ...(index % 2 === 1 ? { inReplyTo: idAt(index - 1) } : {}),
      duringCall: random.chance(0.1),
    }
  })
}
