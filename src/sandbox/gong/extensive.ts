import { at } from '../at.ts'
import type { Answer, ApiCall } from './answers.ts'
import { isAnswer, noCalls, ok } from './answers.ts'
import { callRecord, customerOf, lastRow } from './calls.ts'
import { commentsOf, contentOf, interactionBlockOf } from './content.ts'
import { crmContext } from './crm.ts'
import { callFilterOf, filterOf, selectCalls } from './filters.ts'
import { openPage } from './pages.ts'
import { partyRecords } from './parties.ts'
import type { Selector } from './selector.ts'
import { selectorOf } from './selector.ts'
import type { GongState } from './state.ts'

function mediaBlock(state: GongState, call: number): Record<string, unknown> {
  return state.world.traits(call).media === 'none' ? {} : { media: state.media.urls(call) }
}

/** One call with the blocks that were asked for. */
function extensiveRecord(state: GongState, call: number, selector: Selector): Record<string, unknown> {
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
    ...(selector.media ? mediaBlock(state, call) : {}),
  }
}

function hide(record: Record<string, unknown>): Record<string, unknown> {
  return { ...record, metaData: { ...Object(record['metaData']), isPrivate: true } }
}

/** POST /v2/calls/extensive: by scheduled time; dates are compared with the actual start. */
export function listExtensive(call: ApiCall): Answer {
  const { state } = call
  const given = filterOf(call)
  if (isAnswer(given)) return given
  const filter = callFilterOf(given)
  if (isAnswer(filter)) return filter
  const selector = selectorOf(call.body['contentSelector'])
  if (isAnswer(selector)) return selector
  const needs = selector.media ? ['api:calls:read:media-url'] : []
  const rows = selectCalls(call, filter, 'started')
  if (rows.length === 0) return { ...noCalls, needs }
  const page = openPage(call, { cursor: call.body['cursor'], filter, total: rows.length })
  if (isAnswer(page)) return page
  const hidden = call.take('private-page')
  const found = rows.slice(page.from, page.to).map((row) => extensiveRecord(state, row, selector))
  const records = page.records(lastRow(state.world, at(rows, page.to - 1)), hidden)
  return { ...ok({ records, calls: hidden ? found.map(hide) : found }), needs }
}
