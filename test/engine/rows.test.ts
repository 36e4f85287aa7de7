import { describe, expect, test } from 'vitest'
import { kinds } from '../../src/connectors/index.ts'
import { operationOf } from '../../src/engine/operation.ts'
import { localFilterOf, shapeRow } from '../../src/engine/rows.ts'

const listOf = (entity: string) => operationOf(kinds.gong, entity, 'list')

describe('records', () => {
  test('documented fields that the vendor leaves out are null, its additions are kept', () => {
    const record = shapeRow(listOf('library_folders'), { id: '1', name: 'Onboarding', color: 'blue' }, {})
    expect(record).toEqual({ id: '1', name: 'Onboarding', color: 'blue', parentFolderId: null, createdBy: null, updated: null })
  })

  test('a renamed key is moved, a copied one stays', () => {
    expect(shapeRow(listOf('library_folder_content'), { id: '7', note: 'n' }, {})).toMatchObject({ callId: '7', note: 'n' })
    expect(shapeRow(listOf('library_folder_content'), { id: '7' }, {})).not.toHaveProperty('id')
    expect(shapeRow(listOf('workspaces'), { id: '7', name: 'n', description: '' }, {})).toMatchObject({ id: '7', workspaceId: '7' })
  })

  test('ids are texts, however the vendor writes them', () => {
    const row = {
      answeredScorecardId: 6107734829915563302n,
      callId: '7',
      reviewerUserId: null,
      scorecardId: 12,
      visibilityType: 'OPT_IN_USERS',
      answers: [{ questionId: 9223372036854775807n, questionRevisionId: '5' }, { questionId: null }],
    }
    expect(shapeRow(listOf('stats_activity_scorecards'), row, {})).toMatchObject({
      answeredScorecardId: '6107734829915563302',
      callId: '7',
      reviewerUserId: null,
      scorecardId: '12',
      visibility: 'opt_in_users',
      answers: [{ questionId: '9223372036854775807', questionRevisionId: '5' }, { questionId: null }],
    })
  })

  test.each([
    [
      'settings_scorecards',
      {
        scorecardId: 6107734829915563302n,
        workspaceId: 6107734829915563303n,
        updaterUserId: -1,
        questions: [{ questionId: 6107734829915563304n, questionRevisionId: 5n, updaterUserId: -1, minRange: 1, maxRange: 5 }],
      },
      {
        scorecardId: '6107734829915563302',
        workspaceId: '6107734829915563303',
        updaterUserId: '-1',
        questions: [{ questionId: '6107734829915563304', questionRevisionId: '5', updaterUserId: '-1', minRange: '1', maxRange: '5' }],
      },
    ],
    ['settings_trackers', { saidAtInterval: 30, saidInTopics: [] }, { saidAtInterval: '30' }],
    ['coaching', { userId: 6107734829915563302n }, { userId: '6107734829915563302' }],
  ])('%s: numbers become the texts that the documents name', (entity, row, record) => {
    expect(shapeRow(listOf(entity), row, {})).toMatchObject(record)
  })

  test('a row that is no object stays what it is', () => {
    expect(shapeRow(listOf('users'), null, {})).toBeNull()
    expect(shapeRow(listOf('users'), 'x', {})).toBe('x')
  })
})

describe('filters that the vendor lacks', () => {
  const filter = { fromDateTime: '2025-03-01T00:00:00Z', toDateTime: '2025-03-02T00:00:00Z' }
  const keeps = (more: Readonly<Record<string, unknown>>, record: Readonly<Record<string, unknown>>): boolean | undefined =>
    localFilterOf(listOf('stats_activity_scorecards'), { filter: { ...filter, ...more } })?.({
      reviewTime: '2025-03-01T12:00:00Z',
      ...record,
    })

  test.each([
    ['2025-03-01T00:00:00Z', true],
    ['2025-02-28T23:59:59.999Z', false],
    ['2025-03-01T23:59:59.999999Z', true],
    ['2025-03-02T00:00:00Z', false],
    ['2025-03-01T16:30:00-08:00', false],
    ['2025-02-28T17:00:00-08:00', true],
    [null, false],
  ])('a review at %s: %s', (reviewTime, kept) => {
    expect(keeps({}, { reviewTime })).toBe(kept)
  })

  test('a leap second is a moment too', () => {
    expect(
      localFilterOf(listOf('stats_activity_scorecards'), {
        filter: { fromDateTime: '2016-12-31T23:59:60Z', toDateTime: '2017-01-02T00:00:00Z' },
      })?.({ reviewTime: '2017-01-01T00:00:00Z' }),
    ).toBe(true)
  })

  test.each([
    [{ callIds: ['7'] }, { callId: '7' }, true],
    [{ callIds: ['7'] }, { callId: '8' }, false],
    [{ callIds: [] }, { callId: '8' }, true],
    [{ reviewerUserIds: ['7'] }, { reviewerUserId: null }, false],
    [{ reviewerUserIds: ['6107734829915563302'] }, { reviewerUserId: '6107734829915563302' }, true],
    [{ reviewerUserIds: ['6107734829915563302'] }, { reviewerUserId: '6107734829915563303' }, false],
  ])('%j of %j: %s', (more, record, kept) => {
    expect(keeps(more, record)).toBe(kept)
  })

  test('a call without such filters tests nothing', () => {
    expect(localFilterOf(listOf('settings_scorecards'), {})).toBeUndefined()
    expect(localFilterOf(listOf('calls'), { fromDateTime: filter.fromDateTime })).toBeUndefined()
  })
})
