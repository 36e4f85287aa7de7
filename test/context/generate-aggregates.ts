/** Draws valid aggregates over a generated world. */
import type { World } from './generate.ts'
import { aimAtRecords, type DrawnQuery, drawQuery, type Spot } from './generate-queries.ts'
import * as draw from './generate-values.ts'
import { type AskedAggregate, type AskedGroup, valueType } from './oracle-aggregates.ts'
import { type Json, resolvePath } from './oracle-paths.ts'
import type { Random } from './random.ts'

/** Parameters of an aggregate. */
export interface DrawnAggregate extends AskedAggregate {
  readonly query: Pick<DrawnQuery['query'], 'filter' | 'text'>
  readonly limit: number
}

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland', 'America/St_Johns', 'Asia/Kathmandu']
const units = ['year', 'quarter', 'month', 'week', 'day', 'hour']
const ranges = [[0], [0, 5], [-1, 0.5, 10, 100], [0.1, 1e20], [-7, 42, 9007199254740992]]

/** A field, with its type. */
interface Field {
  readonly field: string
  readonly type: string
  readonly isTime: boolean
}

/** Draws a field with single values, or with values in arrays. */
function drawField(random: Random, world: World): Field {
  const spot: Spot | undefined = aimAtRecords(world).spot(random)
  if (spot === undefined) return drawField(random, world)
  const path = resolvePath({ members: world.fields, schema: undefined }, spot.path)
  const type = valueType(path)
  return type === 'object' ? drawField(random, world) : { field: spot.path, type, isTime: path.how === 'instant' }
}

function drawGroup(random: Random, world: World, index: number): AskedGroup {
  const { field, type, isTime } = drawField(random, world)
  const as = `g${index}`
  if (isTime || ((type === 'string' || type === 'any') && random.chance(0.1))) {
    const zone = random.chance(0.3) ? {} : { time_zone: random.pick(zones) }
    return { field, as, by: random.pick(units), ...zone }
  }
  return type !== 'boolean' && random.chance(0.2) ? { field, as, ranges: random.pick(ranges) } : { field, as }
}

function drawMeasure(random: Random, world: World): string | Json {
  if (random.chance(0.2)) return 'count'
  const { field, type, isTime } = drawField(random, world)
  if (type === 'boolean' || random.chance(0.2)) return { distinct: field }
  if (isTime) return { [random.pick(['min', 'max', 'distinct'])]: field }
  const is = random.pick(['sum', 'sum', 'avg', 'avg', 'min', 'max', 'median', 'percentile'])
  return is === 'percentile' ? { percentile: field, at: random.pick([0, 0.1, 0.25, 0.5, 0.9, 0.95, 1]) } : { [is]: field }
}

/** What a condition on a measure compares with. */
type Result = 'number' | 'time' | 'text'

function resultOf(measure: string | Json, world: World): Result {
  const [[is, field] = ['', '']] = typeof measure === 'string' ? [] : Object.entries(measure)
  if (is === '' || is === 'distinct') return 'number'
  const path = resolvePath({ members: world.fields, schema: undefined }, String(field))
  if (path.how === 'instant') return 'time'
  return (is === 'min' || is === 'max') && valueType(path) === 'string' && path.how !== 'decimal' ? 'text' : 'number'
}

const operands: Readonly<Record<Result, (random: Random) => unknown>> = {
  number: (random) => random.pick<unknown>([0, 1, 2, 3, '1.5', draw.number(random)]),
  time: draw.partialTime,
  text: draw.text,
}

/** Draws a condition on measures. */
function drawHaving(random: Random, measures: Readonly<Record<string, string | Json>>, world: World): Json {
  const leaf = (): Json => {
    const [name, measure] = random.pick(Object.entries(measures))
    const operand = operands[resultOf(measure, world)](random)
    return { [random.pick(['gt', 'gte', 'lt', 'lte', 'eq', 'neq'])]: { [name]: operand } }
  }
  return random.chance(0.7) ? leaf() : { [random.pick(['and', 'or'])]: [leaf(), { not: leaf() }] }
}

/** Draws a valid aggregate. */
export function drawAggregate(random: Random, world: World): DrawnAggregate {
  const { filter, text } = drawQuery(random, world).query
  const isAll = random.chance(0.4)
  const groups = Array.from({ length: random.pick([0, 1, 1, 1, 2, 2, 3]) }, (_each, index) => drawGroup(random, world, index))
  const measures = Object.fromEntries(
    Array.from({ length: 1 + random.below(4) }, (_each, index) => [`v${index}`, drawMeasure(random, world)]),
  )
  const names = [...groups.map(({ as }) => as), ...Object.keys(measures)]
  return {
    query: { ...(filter === undefined || isAll ? {} : { filter }), ...(text === undefined || isAll ? {} : { text }) },
    group_by: groups,
    measures,
    ...(random.chance(0.25) ? { having: drawHaving(random, measures, world) } : {}),
    ...(random.chance(0.5) ? { sort: [{ [random.pick(names)]: random.pick(['asc', 'desc'] as const) }] } : {}),
    limit: 1 + random.below(30),
  }
}
