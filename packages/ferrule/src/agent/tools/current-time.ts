/** `current_time`: the date and time now, which models do not know. */
import { failValidation } from '../../errors.ts'
import { suggest } from '../arguments.ts'
import { defineTool, type RunningCall, readString, reads } from '../context.ts'
import type { AgentAnswer } from '../types.ts'

const refuseZone = (zone: string): Error => {
  const known = Intl.supportedValuesOf('timeZone')
  return failValidation([
    { field: '/time_zone', message: `must be a name such as Europe/Berlin${suggest(zone, known)}`, error_code: 'value' },
  ])
}

/** Makes the printer of a zone. It costs more than the rest of a call. */
const createFormat = (zone: string) => new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'full', timeStyle: 'long' })

/** The printer of UTC, once it was used. */
let utcFormat: Intl.DateTimeFormat | undefined

function formatUtc(at: Date): string {
  utcFormat ??= createFormat('UTC')
  return utcFormat.format(at)
}

function formatIn(zone: string, at: Date): string {
  try {
    return createFormat(zone).format(at)
  } catch {
    throw refuseZone(zone)
  }
}

async function run(running: RunningCall): Promise<AgentAnswer> {
  const now = new Date(running.context.now())
  const zone = readString(running, 'time_zone')
  const utc = `${now.toISOString()} (${formatUtc(now)})`
  return { text: zone === undefined ? utc : `${utc}\n${zone}: ${formatIn(zone, now)}`, isError: false, result: now.toISOString() }
}

/** Returns the time. */
export const currentTime = defineTool({
  name: 'current_time',
  description: 'The date and time now.',
  rules: { time_zone: { type: 'string', about: 'For example Europe/Berlin; UTC is always there' } },
  annotations: reads('Current time', false),
  example: { time_zone: 'Europe/Berlin' },
  run,
})
