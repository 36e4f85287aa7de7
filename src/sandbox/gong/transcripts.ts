import { at } from '../at.ts'
import { shuffled } from '../random.ts'
import type { Answer, ApiCall } from './answers.ts'
import { isAnswer, noCalls, ok } from './answers.ts'
import { lastRow } from './calls.ts'
import { callFilterOf, filterOf, selectCalls } from './filters.ts'
import { openPage } from './pages.ts'
import { speakersOf } from './parties.ts'
import { sentences, topics } from './words.ts'
import type { World } from './world.ts'

/** What one speaker said without a break. */
interface Monologue {
  readonly speakerId: string
  readonly topic: string | null
  /** Moments in milliseconds from the start of the call. */
  readonly sentences: readonly { readonly start: number; readonly end: number; readonly text: string }[]
}

/** The words of a call; empty for a silent one. Several monologues in a row can be of one speaker. */
export function transcriptOf(world: World, call: number): readonly Monologue[] {
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
  const given = filterOf(call)
  if (isAnswer(given)) return given
  const filter = callFilterOf({ ...given, primaryUserIds: undefined })
  if (isAnswer(filter)) return filter
  const rows = selectCalls(call, filter, 'started')
  if (rows.length === 0) return noCalls
  const page = openPage(call, { cursor: call.body['cursor'], filter, total: rows.length })
  if (isAnswer(page)) return page
  const found = rows.slice(page.from, page.to).map((row) => ({ callId: at(world.calendar.ids, row), transcript: transcriptOf(world, row) }))
  return ok({
    records: page.records(lastRow(world, at(rows, page.to - 1))),
    callTranscripts: shuffled(found, world.seed, 'transcripts', page.number),
  })
}
