import { Random } from '../random.ts'
import type { Calendar } from './calendar.ts'
import { holdsCalls, userCount } from './people.ts'

/** What the rest of a call's data is made from. */
export interface Traits {
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

/** Positions of calls with a fixed purpose; all lie in January 2023. */
export const special = {
  large: 100,
  audioOnly: 101,
  privateWithMedia: 102,
  mediaMissing: 103,
  mediaEmpty: 104,
  unicode: 105,
  silent: 106,
  withoutParties: 107,
  plain: 108,
}

/** A stretch of private calls that is longer than two pages: some page holds nothing else, whatever the filter. */
export const privateStretch = { from: 4000, to: 4300 }

const open: Partial<Traits> = { isPrivate: false, workspace: 0, imported: false, silent: false }
const overrides = new Map<number, Partial<Traits>>([
  [special.large, { ...open, media: 'video', duration: 3600 }],
  [special.audioOnly, { ...open, media: 'audio' }],
  [special.privateWithMedia, { ...open, isPrivate: true, media: 'video' }],
  [special.mediaMissing, { ...open, media: 'none' }],
  [special.mediaEmpty, { ...open, media: 'empty' }],
  [special.unicode, { ...open, media: 'video', unicode: true }],
  [special.plain, { ...open, media: 'video', guests: 2 }],
  [special.silent, { ...open, media: 'video', silent: true }],
  [special.withoutParties, { ...open, media: 'audio', imported: true }],
])

function pickHost(random: Random): number {
  const host = random.int(0, userCount - 1)
  return holdsCalls(host) ? host : host - 1
}

function drawnTraits(random: Random, conference: boolean): Traits {
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

/**
 * The traits of one call; made again each time, always the same.
 *
 * @param seed - of the sandbox
 * @param calendar - all calls
 * @param index - position of the call
 */
export function traitsOf(seed: number, calendar: Calendar, index: number): Traits {
  const drawn = drawnTraits(new Random(seed, 'traits', index), calendar.conference[index] === 1)
  const inStretch = index >= privateStretch.from && index < privateStretch.to
  return { ...drawn, ...(inStretch ? { isPrivate: true } : {}), ...overrides.get(index) }
}
