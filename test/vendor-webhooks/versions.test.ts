import { expect, test } from 'vitest'
import type { WebhookEvent } from '../../packages/ferrule/src/engine/webhooks/read-webhook.ts'
import { chooseNewest, isAsNew } from '../../packages/server/src/events/vendors/versions.ts'

test.each<[unknown, string, boolean]>([
  ['2026-01-01T00:00:02Z', '2026-01-01T00:00:01Z', true],
  ['2026-01-01T00:00:01Z', '2026-01-01T00:00:02Z', false],
  ['2026-01-01T02:00:02+02:00', '2026-01-01T00:00:01Z', true],
  ['2026-01-01T01:00:02+02:00', '2026-01-01T00:00:01Z', false],
  // Within one second a record changes again.
  ['2026-01-01T00:00:01Z', '2026-01-01T00:00:01Z', false],
  ['2026-01-01T00:00:01.000Z', '2026-01-01T00:00:01Z', false],
  ['2026-01-01T00:00:01.123Z', '2026-01-01T00:00:01.123Z', true],
  ['2026-01-01T00:00:01.122Z', '2026-01-01T00:00:01.123Z', false],
  ['2026-01-01T00:00:01.123+0000', '2026-01-01T01:00:01.123+0100', true],
  // What cannot be compared is read.
  ['yesterday', '2026-01-01T00:00:01Z', false],
  ['2026-01-01T00:00:01Z', 'never', false],
  [undefined, '2026-01-01T00:00:01Z', false],
  [null, '2026-01-01T00:00:01Z', false],
  [1_767_225_601, '2026-01-01T00:00:01Z', false],
])('a record of %s is as new as an event of %s: %s', (known, told, expected) => {
  expect(isAsNew(known, told)).toBe(expected)
})

test('of events that one read serves, one without a time asks for most, then the newest', () => {
  const build = (value?: string): { readonly event: WebhookEvent } => ({
    event: { topic: 'changed', ...(value === undefined ? {} : { version: { field: 'updated_at', value } }) },
  })
  const [old, late, none] = [build('2026-01-01T00:00:01Z'), build('2026-01-01T00:00:02Z'), build()]
  expect(chooseNewest([old, late])).toBe(late)
  expect(chooseNewest([late, old])).toBe(late)
  expect(chooseNewest([late, none, old])).toBe(none)
  expect(chooseNewest([])).toBeUndefined()
})
