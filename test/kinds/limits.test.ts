/** Vendors that limit each call apart: no operation of the kind may be faster than its own limit. */
import { expect, test } from 'vitest'
import { listLiveActions } from '../../packages/ferrule/src/definition/entity.ts'
import { loadSubject } from './connectors.ts'
import { subjects } from './subjects.ts'

/** Calls in a minute by method. The tiers: https://docs.slack.dev/apis/web-api/rate-limits; which method is in which: the page of each. */
const slack: Readonly<Record<string, number>> = {
  ...{ 'auth.test': 100, 'team.info': 50, 'users.list': 20, 'users.info': 100, 'usergroups.list': 20 },
  ...{ 'conversations.list': 20, 'conversations.info': 50, 'conversations.create': 20, 'conversations.rename': 20 },
  ...{ 'conversations.history': 50, 'conversations.replies': 50, 'chat.postMessage': 60, 'chat.update': 50, 'chat.delete': 50 },
  ...{ 'files.list': 50, 'files.info': 100, 'files.delete': 50 },
}

/** Most calls in a minute of a call, such as `GET /users.list`. */
const limits: readonly (readonly [slug: string, most: (call: string) => number | undefined])[] = [
  ['slack', (call) => slack[call.split('/')[1] ?? '']],
  // "API endpoints have a default limit of 25 requests per second", a search has 20: https://docs.stripe.com/rate-limits
  ['stripe', (call) => (call.endsWith('/search') ? 20 : 25) * 60],
]

test.each(limits)('%s allows each call its own rate', async (slug, most) => {
  const subject = subjects.find((each) => each.slug === slug)
  if (subject === undefined) throw new Error(`${slug} is not there`)
  const { definition } = await loadSubject(subject)
  const { rates = [], budgets = {} } = definition.limits
  const faster = Object.values(definition.entities).flatMap((entity) =>
    listLiveActions(entity).flatMap((action) => {
      const { call = '', budget } = entity[action] ?? {}
      const own = budget === undefined ? rates : (budgets[budget] ?? [])
      const perMinute = Math.min(...own.map(({ calls, seconds }) => (calls / seconds) * 60))
      const limit = most(call)
      return limit !== undefined && perMinute <= limit ? [] : [`${call}: ${perMinute} a minute, and ${limit} are allowed`]
    }),
  )
  expect(faster).toEqual([])
})
