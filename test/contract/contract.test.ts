import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import type { EntityDefinition } from '../../packages/ferrule/src/definition/entity.ts'
import { contractOf } from '../../scripts/contract.ts'
import { withNotShown } from './not-shown.ts'

type Json = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const object = (value: unknown): Json => (isObject(value) ? value : {})
const inner = (value: unknown, ...keys: string[]): Json => object(keys.reduce<unknown>((found, key) => object(found)[key], value))

/** The three specification documents as data. */
const specification: unknown = parse(readFileSync(new URL('specification.yaml', import.meta.url), 'utf8'))
const ours: unknown = JSON.parse(JSON.stringify(contractOf(Object.values(kinds).map(({ definition }) => definition))))

/** The reports below the level of an advertiser. */
const reports = ['campaigns_reports_daily', 'ad_groups_reports_daily', 'ads_reports_daily']

/** Differences that are meant, each with its reason. */
const allowed: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['campaigns', 'ad_groups', 'ads', 'creative_assets_images', 'creative_assets_videos', ...reports, 'advertisers_reports_daily'].map(
      (entity) => [`tiktok-marketing.${entity}.list: parameter filtering is not in the documents`, 'the filter of the vendor'],
    ),
  ),
  ...Object.fromEntries(
    ['audiences', 'creative_assets_images', 'creative_assets_videos', 'promoted_post_ads'].map((entity) => [
      `tiktok-marketing.${entity} record: advertiser_id is string?, the documents say undefined`,
      'rows of several advertisers could not be told apart',
    ]),
  ),
  ...Object.fromEntries(
    reports.map((entity) => [
      `tiktok-marketing.${entity} record: advertiser_id is integer?, the documents say undefined`,
      'rows of several advertisers could not be told apart',
    ]),
  ),
  'gong.calls.list: parameter workspaceId is not in the documents': 'a filter of the vendor',
  'gong.calls_extensive.list filter: parameter primaryUserIds is not in the documents': 'a filter of the vendor',
  'gong.call_transcripts.list filter: parameter workspaceId is not in the documents': 'a filter of the vendor',
  'gong.stats_activity_aggregate.list: parameter cursor is not in the documents':
    'the vendor pages this list; without a cursor page 2 is out of reach',
  'gong.stats_activity_day_by_day.list: parameter cursor is not in the documents':
    'the vendor pages this list; without a cursor page 2 is out of reach',
  'gong.stats_interaction.list: parameter cursor is not in the documents':
    'the vendor pages this list; without a cursor page 2 is out of reach',
}

const rules = ['type', 'enum', 'maximum', 'minimum', 'default'] as const

function parameterDifferences(at: string, want: Json, have: Json): string[] {
  const missing = Object.entries(want).flatMap(([name, wanted]) => {
    const found = have[name]
    if (!isObject(found)) return [`${at}: parameter ${name} is missing`]
    const expected = object(wanted)
    const wrong = rules
      .filter((rule) => expected[rule] !== undefined && JSON.stringify(expected[rule]) !== JSON.stringify(found[rule]))
      .map((rule) => `${at}: parameter ${name} has ${rule} ${JSON.stringify(found[rule])}`)
    const required =
      expected['required'] !== null && expected['required'] !== found['required']
        ? [`${at}: parameter ${name} has required ${found['required']}`]
        : []
    const nested = isObject(expected['properties'])
      ? parameterDifferences(`${at} ${name}`, expected['properties'], object(found['properties']))
      : []
    return [...wrong, ...required, ...nested]
  })
  const unknown = Object.keys(have).filter((name) => !(name in want))
  return [...missing, ...unknown.map((name) => `${at}: parameter ${name} is not in the documents`)]
}

const fieldDifferences = (at: string, want: Json, have: Json): string[] =>
  [...new Set([...Object.keys(want), ...Object.keys(have)])]
    .filter((name) => want[name] !== have[name])
    .map((name) => `${at}: ${name} is ${have[name]}, the documents say ${want[name]}`)

function entityDifferences(at: string, want: Json, have: Json): string[] {
  const actions = new Set([...Object.keys(inner(want, 'actions')), ...Object.keys(inner(have, 'actions'))])
  return [
    ...fieldDifferences(`${at} record`, object(want['record']), object(have['record'])),
    ...fieldDifferences(`${at} searchable`, object(want['searchable']), object(have['searchable'])),
    ...Object.entries(object(want['nested'])).flatMap(([path, fields]) =>
      fieldDifferences(`${at} ${path}`, object(fields), inner(have, 'nested', path)),
    ),
    ...[...actions].flatMap((action) => {
      const wanted = inner(want, 'actions', action)
      const found = inner(have, 'actions', action)
      if (Object.keys(wanted).length === 0 || Object.keys(found).length === 0) return [`${at}.${action}: is on one side only`]
      return [
        ...parameterDifferences(`${at}.${action}`, object(wanted['params']), object(found['params'])),
        ...Object.entries(inner(wanted, 'result', 'meta')).flatMap(([name, type]) =>
          inner(found, 'result', 'meta')[name] === type ? [] : [`${at}.${action}: meta ${name}`],
        ),
      ]
    }),
  ]
}

test.each(Object.keys(kinds))('%s: entities, actions, parameters, records and searchable fields equal the documents', (kind) => {
  const want = withNotShown(kind, inner(specification, 'connectors', kind, 'entities'))
  const have = inner(ours, 'connectors', kind, 'entities')
  expect(Object.keys(have).sort()).toEqual(Object.keys(want).sort())
  const differences = Object.keys(want).flatMap((entity) =>
    entityDifferences(`${kind}.${entity}`, inner(want, entity), inner(have, entity)),
  )
  expect(differences.filter((difference) => !(difference in allowed))).toEqual([])
  expect(Object.keys(allowed).filter((difference) => difference.startsWith(`${kind}.`) && !differences.includes(difference))).toEqual([])
})

const filledOf = (entity: Json) => ({
  params: Object.entries(inner(entity, 'actions')).flatMap(([action, part]) => (object(part)['paramsNotShown'] ? [action] : [])),
  record: Boolean(entity['recordNotShown'] ?? entity['recordPartlyShown']),
  searchable: Boolean(entity['searchableNotShown']),
})

test.each(Object.values(kinds))('$definition.kind: what the documents leave open is marked as such', ({ definition }) => {
  const entities = inner(specification, 'connectors', definition.kind, 'entities')
  for (const [name, { filled }] of Object.entries<EntityDefinition>(definition.entities)) {
    const marked = { params: filled?.params ?? [], record: filled?.record !== undefined, searchable: filled?.searchable !== undefined }
    expect({ [name]: marked }).toEqual({ [name]: filledOf(inner(entities, name)) })
  }
})

test('search operators are those of the documents', () => {
  expect(inner({ ours }, 'ours')['search_operators']).toEqual(object(specification)['search_operators'])
})
