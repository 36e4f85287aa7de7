/** Counts and groups in the API's document: one request and one answer for every searchable entity. */
import { list, obj, opt } from 'ferrule/definition'
import { aggregateLimits, countMeasure, measureFunctions, timeUnits } from 'ferrule/internal'
import { aggregateMeta, executeFields, freshness, part } from 'ferrule/wire'
import { anyFieldText, condition, include } from './execute.ts'
import { ref, truncatedFields } from './shared.ts'
import type { JsonObject } from './types.ts'

const { mostGroups, mostKeys, mostMeasures, mostBounds, longestName } = aggregateLimits
const name: JsonObject = { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$', maxLength: longestName }
const field: JsonObject = {
  type: 'string',
  description: 'A searchable field, or a path into one (`a.b`). The elements of an array are values of their own',
}

const group: JsonObject = {
  description: 'A field, whose values are the groups; or a field with more. A record without a value is in the group null',
  anyOf: [
    field,
    {
      type: 'object',
      required: ['field'],
      properties: {
        field,
        by: {
          anyOf: [{ type: 'string', enum: Object.keys(timeUnits) }, { type: 'null' }],
          description: `For times, which need it. Groups are written as ${Object.values(timeUnits).join(', ')}`,
        },
        time_zone: {
          type: ['string', 'null'],
          description: 'Name of a time zone, for example Europe/Berlin; left out: UTC. Date-times shift to it, dates keep their day',
        },
        ranges: {
          type: ['array', 'null'],
          items: { type: ['number', 'string'] },
          minItems: 1,
          maxItems: mostBounds,
          description: 'Ascending numbers. Each begins a range, which the next one ends: {"from": 0, "to": 60} has 0 and lacks 60',
        },
        as: { ...name, type: ['string', 'null'], description: 'Name in the rows; left out: the field as written' },
      },
      additionalProperties: false,
    },
  ],
}

const measure: JsonObject = {
  description: 'What is computed of each group. Numbers are exact; those of decimal strings are decimal strings',
  anyOf: [
    { type: 'string', const: countMeasure, description: 'Number of records' },
    ...Object.entries(measureFunctions).map(([is, about]) => ({
      type: 'object',
      required: is === 'percentile' ? [is, 'at'] : [is],
      properties: {
        [is]: { ...field, description: about },
        ...(is === 'percentile' ? { at: { type: 'number', minimum: 0, maximum: 1 } } : {}),
      },
      additionalProperties: false,
    })),
  ],
}

const params: JsonObject = {
  type: ['object', 'null'],
  properties: {
    query: {
      type: ['object', 'null'],
      description: 'Which records count, as in a search; left out: all',
      properties: { filter: { anyOf: [condition, { type: 'null' }] }, text: anyFieldText },
      additionalProperties: false,
    },
    group_by: {
      type: ['array', 'null'],
      maxItems: mostKeys,
      items: group,
      description: 'Left out: one row over all records. A record counts once for each distinct element of a grouped array',
    },
    measures: {
      type: ['object', 'null'],
      maxProperties: mostMeasures,
      additionalProperties: measure,
      description: 'By their names in the rows; left out: {"count": "count"}',
    },
    include,
    having: { anyOf: [condition, { type: 'null' }], description: 'Which groups, as a filter whose fields are the measures' },
    sort: {
      type: ['array', 'null'],
      maxItems: 16,
      items: { type: 'object', minProperties: 1, maxProperties: 1, additionalProperties: ref('SortDirection') },
      description: 'Names of groups and measures; null comes last. Groups decide between equal ones, ascending',
    },
    limit: { type: ['integer', 'null'], minimum: 1, maximum: mostGroups, default: 1000, description: 'Groups of a page' },
    cursor: {
      type: ['string', 'null'],
      description: `Opaque: \`meta.cursor\` of the page before, with everything but limit the same. Pages end with ${mostGroups} groups: what leads beyond is refused`,
    },
  },
  additionalProperties: false,
}

const { entity, action: _action, params: _params, ...rest } = executeFields

/** The schemas of aggregates. */
export const aggregateSchemas: JsonObject = {
  AggregateRequest: {
    type: 'object',
    title: 'Request of context_store_aggregate',
    description: 'Count and group the records of the synced copy of an entity that can be searched.',
    required: ['entity', 'action'],
    properties: {
      ...obj({ entity }, '').properties,
      action: { type: 'string', const: 'context_store_aggregate' },
      params,
      ...obj(rest, '').properties,
    },
    additionalProperties: false,
  },
  AggregateAnswer: {
    ...part(
      {
        data: list({ type: 'object' }, 'Groups: the values of their keys and their measures, by name'),
        meta: aggregateMeta,
        truncated_fields: opt(truncatedFields),
        context_store: freshness,
      },
      'Groups of the records of an entity in the copy',
    ),
    title: 'Answer of context_store_aggregate',
  },
}
