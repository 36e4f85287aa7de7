import { expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { listLiveActions } from '../../packages/ferrule/src/definition/entity.ts'
import { isObject } from '../../packages/ferrule/src/definition/object.ts'
import { buildObjectSchema, toPlainSchema } from '../../packages/ferrule/src/definition/plain-schema.ts'
import { admitParams, findOperation } from '../../packages/ferrule/src/engine/call/operation.ts'
import { hasExample, hasRequired, makeExample } from '../../packages/web/src/console/pages/explorer/snippets.ts'
import { findRefusal } from '../support/refusal.ts'

type AnyKind = (typeof kinds)[keyof typeof kinds]

/** Lists the operations without required parameters: their examples, those without one, and what the engine refuses. */
function listExamples(kind: AnyKind) {
  const [examples, none, refused] = [new Map<string, unknown>(), [] as string[], [] as string[]]
  for (const [name, entity] of Object.entries(kind.definition.entities))
    for (const action of listLiveActions(entity)) {
      const schema = toPlainSchema(buildObjectSchema(entity[action]?.params ?? {}))
      if (!isObject(schema) || hasRequired(schema)) continue
      const params = makeExample(schema, {})
      if (hasExample(schema)) examples.set(`${name} ${action}`, params)
      else none.push(name)
      const refusal = findRefusal(() => admitParams(findOperation(kind, name, action), params))
      if (refusal !== undefined) refused.push(String(refusal))
    }
  return { examples: Object.fromEntries(examples), none, refused }
}

const day = '2025-03-01T00:00:00Z'
const few = { limit: 10 }
const some = { page_size: 10 }
const filtered = { filtering: '{"primary_status":"STATUS_ALL"}', ...some }
interface Row {
  readonly kind: AnyKind
  readonly examples: object
  /** Entities whose optional parameters are ids and positions only. */
  readonly none: readonly string[]
  readonly refusal?: string
}
const expected: readonly Row[] = [
  {
    kind: kinds.gong,
    examples: {
      'calls list': { fromDateTime: day },
      'calls_extensive list': { filter: { fromDateTime: day } },
      'call_transcripts list': { filter: { fromDateTime: day } },
    },
    none: ['users', 'workspaces', 'settings_scorecards', 'settings_trackers'],
  },
  {
    kind: kinds.shopify,
    examples: {
      'customers list': { created_at_min: day, ...few },
      'orders list': { created_at_min: day, status: 'open', ...few },
      'products list': { created_at_min: day, status: 'active', ...few },
      'abandoned_checkouts list': { created_at_min: day, status: 'open', ...few },
      'locations list': few,
      'price_rules list': { created_at_min: day, ...few },
      'custom_collections list': { updated_at_min: day, ...few },
      'smart_collections list': { updated_at_min: day, ...few },
      'collects list': few,
      'draft_orders list': { updated_at_min: day, status: 'open', ...few },
      'tender_transactions list': { processed_at_min: day, order: 'processed_at ASC', ...few },
      'metafield_shops list': few,
    },
    none: ['shop', 'countries'],
  },
  {
    kind: kinds.snowflake,
    examples: Object.fromEntries(
      ['databases', 'schemas', 'tables', 'views', 'warehouses', 'columns'].map((name) => [
        `${name} list`,
        { statement: `SHOW ${name.toUpperCase()}` },
      ]),
    ),
    none: [],
  },
  {
    kind: kinds['tiktok-marketing'],
    examples: {
      'advertisers list': some,
      'campaigns list': filtered,
      'ad_groups list': filtered,
      'ads list': filtered,
      'audiences list': some,
      'creative_assets_images list': filtered,
      'creative_assets_videos list': filtered,
      'promoted_post_ads list': some,
      'catalogs list': some,
    },
    none: [],
    refusal: 'bc_id is required by the vendor',
  },
]

test.each(expected)(
  'the explorer has an example for operations whose optional parameters say something',
  ({ kind, examples, none, refusal }) => {
    const found = listExamples(kind)
    expect(found.examples).toEqual(examples)
    expect(found.none).toEqual(none)
    expect(found.refused).toEqual(refusal === undefined ? [] : [expect.stringContaining(refusal)])
  },
)
