import { describe, expect, test } from 'vitest'
import { createCatalogue, describeServedKind } from '../../packages/server/src/connectors/kinds.ts'
import { notes, stall } from './world.ts'

const catalogue = createCatalogue([notes, stall])

describe('the catalogue', () => {
  test('lists the kinds, and finds them by a part of their name', () => {
    expect(catalogue.list().map(({ connector_type }) => connector_type)).toEqual(['notes', 'market-stall'])
    expect(catalogue.list('STALL')).toEqual([
      {
        sourceDefinitionId: stall.definition.id,
        name: 'Market Stall',
        connector_type: 'market-stall',
        description: 'A stall.',
        iconUrl: null,
        custom: true,
        supportLevel: 'community',
      },
    ])
    expect(catalogue.list('nothing')).toEqual([])
  })

  test('shows a kind in full: schemes, configuration, entities, actions and their parameters', async () => {
    const record = await describeServedKind(catalogue.getKind('Market_Stall'))
    const configuration = {
      type: 'object',
      properties: { stall: { type: 'string', description: 'Name of the stall.', pattern: '^[a-z]+$' } },
      required: ['stall'],
      additionalProperties: false,
    }
    expect(record).toMatchObject({
      id: stall.definition.id,
      definition: {
        name: 'Market Stall',
        spec: { documentationUrl: 'https://notes.example/docs', connectionSpecification: configuration },
      },
      example_questions: { direct: [], search: [] },
      configuration,
      check: { entity: 'users', action: 'list' },
      takes_requests: true,
    })
    expect(record.credentials).toEqual([
      {
        scheme: 'token',
        title: 'Token',
        application_fields: [],
        revokes_consent: false,
        schema: {
          type: 'object',
          properties: { token: { type: 'string', description: 'Token.', writeOnly: true, minLength: 1 } },
          required: ['token'],
          additionalProperties: false,
        },
      },
    ])
    const [users] = record.entities
    expect(users?.actions.map(({ action, description }) => [action, description])).toEqual([
      ['list', 'People.'],
      ['get', 'One person.'],
    ])
    expect(users?.actions[1]?.params).toMatchObject({ properties: { id: { type: 'string' } }, required: ['id'] })
    expect(users).toMatchObject({ entity: 'users', key: ['id'], record: { type: 'object' }, searchable: { properties: { name: {} } } })
  })

  test('is plain JSON, without marks that only the service reads', async () => {
    for (const kind of catalogue.kinds) {
      const record = await describeServedKind(kind)
      const text = JSON.stringify(record)
      expect(JSON.parse(text)).toEqual(record)
      expect(text).not.toMatch(/"(x-|~)/)
    }
  })

  test('names the known kinds when one is unknown', () => {
    expect(() => catalogue.getKind('shop')).toThrow('There is no connector type shop. Known: notes, market-stall.')
    expect(() => catalogue.getKind('')).toThrow('There is no connector type')
  })
})
