import { at } from '../data.ts'
import { isObject } from '../http.ts'
import { idOf, type Random, shuffled } from '../random.ts'
import { type Answer, badRequest, type JsonRecord, ok, usualRefusal } from './answers.ts'
import { type ContextWish, callRecord, crmContext, customerOf, partiesOf, partyRecords, speakersOf } from './calls.ts'
import { callFilterOf, filterOf, openCalls, selectCalls } from './lists.ts'
import { sentences, topics } from './people.ts'
import { trackersOf } from './settings.ts'
import type { ApiCall, GongState } from './state.ts'
import { companyTime } from './time.ts'
import type { World } from './world.ts'

/** What a request wants of each call beside `metaData`. */
interface Selector extends ContextWish {
  readonly parties: boolean
  readonly media: boolean
  /** Names of the wanted parts; undefined when the block was not asked for. */
  readonly content: ReadonlySet<string> | undefined
  readonly interaction: ReadonlySet<string> | undefined
  readonly comments: boolean
}

const contexts = ['None', 'Basic', 'Extended'] as const
const timings = ['Now', 'TimeOfCall'] as const

function wanted(block: unknown): ReadonlySet<string> | undefined {
  if (!isObject(block)) return undefined
  const names = Object.keys(block).filter((name) => block[name] === true)
  return names.length > 0 ? new Set(names) : undefined
}

function contextWish(selector: JsonRecord): ContextWish {
  const context = contexts.find((name) => name === (selector['context'] ?? 'None'))
  if (context === undefined) throw badRequest(`context must be one of ${contexts.join(', ')}`)
  const given = selector['contextTiming']
  if (given === undefined || given === null) return { context, timings: ['Now'] }
  if (context !== 'Extended') throw badRequest('contextTiming is allowed only with context Extended')
  const found = Array.isArray(given) ? timings.filter((name) => given.includes(name)) : []
  const right = Array.isArray(given) && given.length > 0 && new Set(given).size === found.length
  if (!right) throw badRequest(`contextTiming must hold ${timings.join(' or ')}`)
  return { context, timings: found }
}

/** Reads a contentSelector; without one a call is its `metaData` only. */
function selectorOf(value: unknown): Selector {
  if (value !== undefined && value !== null && !isObject(value)) throw badRequest('contentSelector must be an object')
  const selector = isObject(value) ? value : {}
  const wish = contextWish(selector)
  const fields = isObject(selector['exposedFields']) ? selector['exposedFields'] : {}
  return {
    ...wish,
    parties: fields['parties'] === true,
    media: fields['media'] === true,
    content: wanted(fields['content']),
    interaction: wanted(fields['interaction']),
    comments: wanted(fields['collaboration'])?.has('publicComments') ?? false,
  }
}

type FieldWriter = (world: World, call: number) => unknown
type Block = Readonly<Record<string, FieldWriter>>

function parts(random: Random, duration: number, names: readonly string[]): readonly { name: string; duration: number }[] {
  const chosen = names.filter(() => random.chance(0.5))
  return chosen.map((name) => ({ name, duration: random.int(1, Math.max(1, Math.floor(duration / (chosen.length + 1)))) }))
}

const moment = (random: Random, duration: number): number => random.decimal(0, duration, 2)

function trackerRows(world: World, call: number, detailed: boolean): readonly JsonRecord[] {
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

function outline(world: World, call: number): readonly JsonRecord[] {
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

function highlights(world: World, call: number): readonly JsonRecord[] {
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

/** Returns the host's figures of one call; ratios from 0 to 1, the monologues in seconds. */
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

function blockOf(block: Block, names: ReadonlySet<string>, call: { world: World; call: number }): JsonRecord {
  const entries = Object.entries(block).filter(([name]) => names.has(name))
  return Object.fromEntries(entries.map(([name, part]) => [name, part(call.world, call.call)]))
}

/** Returns the wanted parts of `content`; occurrences only together with the trackers. */
function contentOf(world: World, call: number, names: ReadonlySet<string>): JsonRecord {
  const trackers = names.has('trackers') ? { trackers: trackerRows(world, call, names.has('trackerOccurrences')) } : {}
  return { ...blockOf(content, names, { world, call }), ...trackers }
}

/** Returns the wanted parts of `interaction`; `personInteractionStats` answers under the key `interactionStats`. */
function interactionBlockOf(world: World, call: number, names: ReadonlySet<string>): JsonRecord {
  const { personInteractionStats, ...rest } = blockOf(interaction, names, { world, call })
  return personInteractionStats === undefined ? rest : { interactionStats: personInteractionStats, ...rest }
}

/** Returns public comments; every second answers the one before it. */
function commentsOf(world: World, call: number): readonly JsonRecord[] {
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
      posted: companyTime(at(world.calls, call).started + random.int(duration * 1000, 86_400_000), 6),
      ...(index % 2 === 1 ? { inReplyTo: idAt(index - 1) } : {}),
      duringCall: random.chance(0.1),
    }
  })
}

function extensiveRecord(state: GongState, call: number, selector: Selector): JsonRecord {
  const { world } = state
  const subject = { call, name: customerOf(world, call), objectTypes: ['Account', 'Opportunity'] }
  const hasParties = selector.parties && !world.traits(call).imported
  return {
    metaData: callRecord(world, call),
    ...(selector.context === 'None' ? {} : { context: crmContext(world, subject, selector) }),
    ...(hasParties ? { parties: partyRecords(world, call, selector) } : {}),
    ...(selector.content ? { content: contentOf(world, call, selector.content) } : {}),
    ...(selector.interaction ? { interaction: interactionBlockOf(world, call, selector.interaction) } : {}),
    ...(selector.comments ? { collaboration: { publicComments: commentsOf(world, call) } } : {}),
    ...(selector.media ? (state.world.traits(call).media === 'none' ? {} : { media: state.media.urls(call) }) : {}),
  }
}

const hide = (record: JsonRecord): JsonRecord => ({ ...record, metaData: { ...Object(record['metaData']), isPrivate: true } })

/** POST /v2/calls/extensive: by scheduled time; dates are compared with the actual start. */
export function listExtensive(call: ApiCall): Answer {
  const { state } = call
  const filter = callFilterOf(filterOf(call))
  const selector = selectorOf(call.body['contentSelector'])
  const needs = selector.media ? ['api:calls:read:media-url'] : []
  const known = state.clock() - state.switches.current().extensiveDelay * 1000
  const rows = selectCalls(call, filter, 'started').filter((row) => at(state.world.calls, row).started <= known)
  if (rows.length === 0) return { ...usualRefusal(404), needs }
  const page = openCalls(call, filter, rows)
  const hidden = call.take('private-page')
  const calls = page.shown.map((row) => extensiveRecord(state, row, selector))
  return { ...ok({ records: page.records(hidden), calls: hidden ? calls.map(hide) : calls }), needs }
}

/** What one speaker said without a break. */
interface Monologue {
  readonly speakerId: string
  readonly topic: string | null
  /** Times in milliseconds from the start of the call. */
  readonly sentences: readonly { readonly start: number; readonly end: number; readonly text: string }[]
}

/** Returns the words of a call; empty for a silent one. Several monologues in a row can be of one speaker. */
function transcriptOf(world: World, call: number): readonly Monologue[] {
  const { silent, duration } = world.traits(call)
  if (silent) return []
  const random = world.random('transcript', call)
  const speakers = speakersOf(world, call)
  const count = random.int(4, 24)
  const share = Math.floor((duration * 1000) / (count * 3))
  let clock = random.int(0, 500)
  const sentence = () => {
    const start = clock + random.int(50, 400)
    const end = start + Math.min(share, random.int(900, 9000))
    clock = end
    return { start, end, text: random.pick(sentences) }
  }
  return Array.from({ length: count }, () => ({
    speakerId: random.pick(speakers),
    topic: random.chance(0.4) ? random.pick(topics) : null,
    sentences: Array.from({ length: random.int(1, 3) }, sentence),
  }))
}

/** POST /v2/calls/transcript: no order inside a page; private calls too. */
export function listTranscripts(call: ApiCall): Answer {
  const { world } = call.state
  const filter = callFilterOf({ ...filterOf(call), primaryUserIds: undefined })
  const rows = selectCalls(call, filter, 'started')
  if (rows.length === 0) throw usualRefusal(404)
  const { number, shown, records } = openCalls(call, filter, rows)
  const found = shown.map((row) => ({ callId: at(world.calls, row).id, transcript: transcriptOf(world, row) }))
  return ok({ records: records(), callTranscripts: shuffled(found, world.seed, 'transcripts', number) })
}
