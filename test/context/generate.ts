/** Schemas of all types, and records that mostly fit them. */

import type { EntityDefinition } from '../../packages/ferrule/src/definition/entity.ts'
import type { Field, Fields } from '../../packages/ferrule/src/definition/fields.ts'
import {
  bool,
  date,
  decimal,
  id,
  int,
  known,
  list,
  mixed,
  num,
  obj,
  objectOrAny,
  oneOf,
  open,
  orNull,
  stamp,
  str,
  time,
} from '../../packages/ferrule/src/definition/fields.ts'
import { identities } from './generate-keys.ts'
import * as draw from './generate-values.ts'
import type { Kept } from './oracle.ts'
import { isObject } from './oracle-paths.ts'
import { kept } from './oracle-values.ts'
import type { Random } from './random.ts'

/** A value as a vendor sends it, and as documented. */
interface Drawn {
  readonly raw: unknown
  readonly typed: unknown
}

/** One kind of field. */
interface FieldKind {
  schema(): Field
  value(random: Random): Drawn
}

const same = (value: unknown): Drawn => ({ raw: value, typed: value })
const plain = (schema: () => Field, value: (random: Random) => unknown): FieldKind => ({ schema, value: (random) => same(value(random)) })
/** Sometimes draws a value of another type than documented. */
const loose = (schema: () => Field, value: (random: Random) => unknown, others: readonly Drawn[]): FieldKind => ({
  schema,
  value: (random) => (random.chance(0.1) ? random.pick(others) : same(value(random))),
})

const inner = () =>
  obj(
    {
      name: str('Name'),
      created: time('Time'),
      way: known('Choice', 'Inbound', 'Outbound'),
      amount: decimal('Amount'),
      isRequired: bool('Flag'),
      count: int('Count'),
      tags: list(str('Tag'), 'Tags'),
      'a.b': str('A name with a dot'),
      free: open('Free'),
    },
    'Object',
  )

const innerValue = (random: Random): Record<string, unknown> => {
  const all: Record<string, unknown> = {
    name: draw.text(random),
    created: draw.time(random),
    way: draw.enumerated(random),
    amount: draw.decimal(random),
    isRequired: random.chance(0.5),
    count: draw.integer(random),
    tags: random.many(3, () => draw.text(random)),
    'a.b': draw.text(random),
    free: draw.object(random, 2),
    a: { b: draw.text(random) },
  }
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) =>
      random.chance(0.25) ? [] : [[name, random.chance(0.1) ? draw.anything(random, 1) : value]],
    ),
  )
}

const notText = [
  { raw: 5, typed: '5' },
  { raw: 1e21, typed: '1000000000000000000000' },
  { raw: true, typed: 'true' },
  { raw: 7644143197428744199n, typed: '7644143197428744199' },
]
const notInteger = [
  { raw: '42', typed: 42 },
  { raw: '7644143197428744199', typed: 7644143197428744199n },
  { raw: '5.0', typed: 5 },
  { raw: 1.5, typed: null },
  { raw: 'abc', typed: null },
  { raw: '9223372036854775809', typed: 9223372036854775809n },
  { raw: '1e20', typed: 100000000000000000000n },
  { raw: true, typed: null },
]
const notNumber = [
  { raw: '1.50', typed: 1.5 },
  { raw: '-', typed: null },
]
const notTruth = [
  { raw: 'true', typed: true },
  { raw: 'yes', typed: null },
  { raw: 1, typed: null },
]

const kinds: readonly FieldKind[] = [
  loose(() => str('Text'), draw.text, notText),
  loose(() => orNull(str('Text')), draw.text, notText),
  plain(
    () => oneOf('Choice', 'inbound', 'outbound', 'Conference'),
    (random) => random.pick(['inbound', 'outbound', 'Conference']),
  ),
  plain(() => known('Choice', 'Inbound', 'Outbound', 'Conference', 'Unknown'), draw.enumerated),
  plain(
    () => list(known('Choice', 'Inbound', 'Outbound'), 'Choices'),
    (random) => random.many(3, () => draw.enumerated(random)),
  ),
  plain(() => time('Time'), draw.time),
  plain(() => time('Time'), draw.regularTime),
  plain(() => decimal('Decimal'), draw.regularDecimal),
  plain(() => orNull(date('Day')), draw.time),
  plain(() => orNull(stamp('Time')), draw.time),
  plain(() => orNull(decimal('Decimal')), draw.decimal),
  loose(() => orNull(id('Id')), draw.integer, notInteger),
  loose(() => int('Count'), draw.integer, notInteger),
  loose(() => num('Number'), draw.number, notNumber),
  loose(
    () => bool('Flag'),
    (random) => random.chance(0.5),
    notTruth,
  ),
  plain(
    () => list(str('Text'), 'Texts'),
    (random) => random.many(3, () => draw.text(random)),
  ),
  plain(
    () => list(time('Time'), 'Times'),
    (random) => random.many(3, () => draw.time(random)),
  ),
  plain(
    () => list(int('Number'), 'Numbers'),
    (random) => random.many(3, () => draw.integer(random)),
  ),
  plain(
    () => list(open('Object'), 'Objects'),
    (random) => random.many(3, () => draw.object(random)),
  ),
  plain(
    () => list(inner(), 'Objects'),
    (random) => random.many(3, () => innerValue(random)),
  ),
  plain(
    () => open('Object'),
    (random) => (random.chance(0.1) ? draw.anything(random) : draw.object(random)),
  ),
  plain(inner, innerValue),
  plain(
    () => objectOrAny('Anything'),
    (random) => draw.anything(random),
  ),
  plain(
    () => mixed('Several', 'string', 'integer', 'null'),
    (random) => (random.chance(0.5) ? draw.text(random) : draw.integer(random)),
  ),
]

const names = [
  ...['title', 'description', 'campaign_name', 'emailAddress', 'firstName', 'note', 'value', 'status', 'sku', 'url'],
  ...['created_at', 'startTime', 'stat_time_day', 'spend', 'budget', 'isPrivate', 'orderCount', 'parties', 'content'],
  ...['settings', 'questions', 'pk', 'h', 'connector_id', 'ctid', 'a.b', 'Order', 'x$at', 'na"me', 'имя'],
  'a_field_with_a_name_that_is_longer_than_what_the_database_takes_as_a_name',
]

/** A schema with its records. */
export interface World {
  readonly definition: EntityDefinition
  readonly fields: Fields
  /** Records as the vendor sends them, with the parameters of their call. */
  readonly sent: readonly { readonly record: Record<string, unknown>; readonly params: Record<string, unknown> }[]
  /** The same records as documented, with their keys. */
  readonly kept: readonly Kept[]
}

/** Renames the members of a value as the copy names them. */
function withKeptNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withKeptNames)
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, part]) => [kept(name), withKeptNames(part)])) : value
}

function drawFields(random: Random): Readonly<Record<string, FieldKind>> {
  const chosen: Record<string, FieldKind> = {}
  const count = 4 + random.below(7)
  while (Object.keys(chosen).length < count) chosen[random.pick(names)] = random.pick(kinds)
  return chosen
}

/**
 * Draws a schema and its records.
 * @param most maximum number of records; duplicate keys are dropped
 */
export function drawWorld(random: Random, most: number): World {
  const identity = random.pick(identities)
  const drawn = drawFields(random)
  const fields = { ...identity.fields, ...Object.fromEntries(Object.entries(drawn).map(([name, kind]) => [name, kind.schema()])) }
  const found = new Map<string, { sent: World['sent'][number]; kept: Kept }>()
  for (let index = 0; index < most; index++) {
    const { sent, params = {}, typed, key } = identity.draw(random)
    const values = Object.entries(drawn).map(([name, kind]) => [name, random.chance(0.15) ? same(null) : kind.value(random)] as const)
    const raw = Object.fromEntries(values.flatMap(([name, value]) => (value.raw === null && random.chance(0.5) ? [] : [[name, value.raw]])))
    const record = { ...typed, ...Object.fromEntries(values.map(([name, value]) => [name, withKeptNames(value.typed)])) }
    found.set(JSON.stringify(key.map(String)), { sent: { record: { ...raw, ...sent }, params }, kept: { key, record } })
  }
  const records = [...found.values()]
  return {
    definition: { about: 'Generated', key: identity.key, record: { ...fields, meta: open('Meta') }, context_store_search: fields },
    fields,
    sent: records.map(({ sent }) => sent),
    kept: records.map(({ kept: each }) => each),
  }
}
