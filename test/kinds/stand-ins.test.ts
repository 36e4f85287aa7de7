/** What the pages of the vendors say, and their stand-ins do. Each row was missing in a stand-in once: see docs/decisions/importers.md. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { GitHub } from './stand-ins/github.ts'
import { GoogleCalendar } from './stand-ins/google-calendar.ts'
import { HubSpot } from './stand-ins/hubspot.ts'
import { Jira } from './stand-ins/jira.ts'
import { Notion } from './stand-ins/notion.ts'
import { Salesforce } from './stand-ins/salesforce.ts'
import type { Row, Vendor } from './stand-ins/shared.ts'
import { Slack } from './stand-ins/slack.ts'
import { Stripe } from './stand-ins/stripe.ts'
import { Zendesk } from './stand-ins/zendesk.ts'

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const form = { 'content-type': 'application/x-www-form-urlencoded' }
/** Each vendor, small, with the headers of its credentials. */
const vendors = {
  github: { start: () => new GitHub({ records: 12, small: 2 }), headers: { authorization: 'Bearer ghp_standin' } },
  google: { start: () => new GoogleCalendar({ records: 4 }), headers: { authorization: 'Bearer ya29.standin' } },
  hubspot: { start: () => new HubSpot({ records: 4 }), headers: { authorization: 'Bearer pat-standin' } },
  jira: { start: () => new Jira({ issues: 4, users: 4 }), headers: { authorization: basic('person@example.com:jira_standin') } },
  notion: {
    start: () => new Notion({ records: 4 }),
    headers: { authorization: 'Bearer ntn_standin', 'notion-version': '2025-09-03' },
  },
  salesforce: { start: () => new Salesforce({ records: 4 }), headers: { authorization: 'Bearer 00D!standin' } },
  slack: { start: () => new Slack({ records: 50, files: 2 }), headers: { authorization: 'Bearer xoxb-standin' } },
  stripe: {
    start: () => new Stripe({ records: 12 }),
    headers: { authorization: 'Bearer sk_test_standin', 'stripe-version': '2026-02-25.clover' },
  },
  zendesk: { start: () => new Zendesk({ records: 4 }), headers: { authorization: basic('agent@example.com/token:zd_standin') } },
} as const

/** A request, made of records that the vendor holds, and what comes of it. */
interface Said {
  readonly of: keyof typeof vendors
  readonly says: string
  readonly page: string
  readonly send: (
    holds: (what: string) => readonly Row[],
  ) => readonly [call: string, body?: unknown, headers?: Readonly<Record<string, string>>]
  readonly status?: number
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  /** Names that nothing in the answer has. */
  readonly lacks?: readonly string[]
}

const soql = (q: string) => `GET /services/data/v62.0/query?q=${encodeURIComponent(q)}`

const said: readonly Said[] = [
  {
    ...{ of: 'github', says: 'a pull request has two branches', page: 'https://docs.github.com/en/rest/pulls/pulls#create-a-pull-request' },
    send: () => ['POST /repos/octo/small/pulls', { title: 'New', head: 'fix' }],
    ...{ status: 422, body: { errors: [{ field: 'base', code: 'missing_field' }] } },
  },
  {
    ...{ of: 'github', says: 'a label has no times', page: 'https://docs.github.com/en/rest/issues/labels#list-labels-for-a-repository' },
    send: () => ['GET /repos/octo/small/labels'],
    lacks: ['created_at', 'updated_at', 'html_url'],
  },
  {
    ...{ of: 'github', says: 'a commit has no times of its own', page: 'https://docs.github.com/en/rest/commits/commits#list-commits' },
    send: () => ['GET /repos/octo/small/commits'],
    lacks: ['created_at', 'updated_at'],
  },
  {
    ...{
      of: 'google',
      says: 'an order by start is for single events',
      page: 'https://developers.google.com/workspace/calendar/api/v3/reference/events/list',
    },
    send: () => ['GET /calendar/v3/calendars/primary/events?orderBy=startTime'],
    ...{ status: 400, body: { error: { errors: [{ reason: 'badRequest' }] } } },
  },
  {
    ...{
      of: 'google',
      says: 'an id has five letters',
      page: 'https://developers.google.com/workspace/calendar/api/v3/reference/events/insert',
    },
    send: () => ['POST /calendar/v3/calendars/primary/events', { id: 'a-b', start: { date: '2026-05-01' }, end: { date: '2026-05-02' } }],
    ...{ status: 400, body: { error: { errors: [{ reason: 'invalid' }] } } },
  },
  {
    ...{
      of: 'google',
      says: 'changes since a time have deletes too',
      page: 'https://developers.google.com/workspace/calendar/api/v3/reference/events/list',
    },
    send: (holds) => [
      `GET /calendar/v3/calendars/primary/events?updatedMin=${String(holds('all events').find(({ status }) => status === 'cancelled')?.['updated'])}`,
    ],
    body: { items: expect.arrayContaining([expect.objectContaining({ status: 'cancelled' })]) },
  },
  {
    ...{
      of: 'google',
      says: 'a calendar has no time of change',
      page: 'https://developers.google.com/workspace/calendar/api/v3/reference/calendarList',
    },
    send: () => ['GET /calendar/v3/users/me/calendarList/primary'],
    lacks: ['updated', 'made', 'number'],
  },
  {
    ...{ of: 'hubspot', says: 'a search has five groups at most', page: 'https://developers.hubspot.com/docs/api-reference/search/guide' },
    send: () => [
      'POST /crm/v3/objects/contacts/search',
      { filterGroups: Array.from({ length: 6 }, () => ({ filters: [{ propertyName: 'email', operator: 'HAS_PROPERTY' }] })) },
    ],
    ...{ status: 400, body: { category: 'VALIDATION_ERROR' } },
  },
  {
    ...{
      of: 'jira',
      says: 'a worklog says when it began',
      page: 'https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-worklogs',
    },
    send: (holds) => [`POST /rest/api/3/issue/${String(holds('issue')[0]?.['id'])}/worklog`, { timeSpentSeconds: 60 }],
    ...{ status: 400, body: { errors: { started: expect.any(String) } } },
  },
  {
    ...{ of: 'jira', says: 'a user has no other id', page: 'https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-users' },
    send: () => ['GET /rest/api/3/myself'],
    lacks: ['id'],
  },
  {
    ...{ of: 'notion', says: 'a page in the trash answers its block', page: 'https://developers.notion.com/reference/delete-a-block' },
    send: (holds) => [`DELETE /v1/blocks/${String(holds('pages')[0]?.['id'])}`],
    body: { object: 'block', type: 'child_page', in_trash: true },
  },
  {
    ...{ of: 'notion', says: 'a request adds 100 blocks at most', page: 'https://developers.notion.com/reference/patch-block-children' },
    send: (holds) => [
      `PATCH /v1/blocks/${String(holds('pages')[0]?.['id'])}/children`,
      { children: Array.from({ length: 101 }, () => ({})) },
    ],
    ...{ status: 400, body: { code: 'validation_error' } },
  },
  {
    ...{ of: 'notion', says: 'blocks belong to blocks too', page: 'https://developers.notion.com/reference/patch-block-children' },
    send: (holds) => [`PATCH /v1/blocks/${String(holds('blocks')[0]?.['id'])}/children`, { children: [{}] }],
    body: { results: [{ parent: { type: 'block_id' } }] },
  },
  {
    ...{ of: 'notion', says: 'a comment answers in a discussion', page: 'https://developers.notion.com/reference/create-a-comment' },
    send: (holds) => ['POST /v1/comments', { discussion_id: holds('comments')[0]?.['discussion_id'], rich_text: [] }],
    lacks: ['archived', 'in_trash'],
  },
  {
    of: 'salesforce',
    says: 'conditions with AND and OR need parentheses',
    page: 'https://developer.salesforce.com/docs/atlas.en-us.soql_sosl.meta/soql_sosl/sforce_api_calls_soql_select_logicaloperators.htm',
    send: () => [soql("SELECT Id FROM Account WHERE Name = 'a' OR Name = 'b' AND Type = 'c'")],
    ...{ status: 400, body: [{ errorCode: 'MALFORMED_QUERY' }] },
  },
  {
    of: 'salesforce',
    says: 'an address has 16,384 bytes at most',
    page: 'https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/errorcodes.htm',
    send: () => [soql(`SELECT Id FROM Account WHERE Name != '${'a'.repeat(16_384)}'`)],
    status: 414,
  },
  {
    of: 'salesforce',
    says: 'a string of a condition has 4,000 characters at most',
    page: 'https://developer.salesforce.com/docs/atlas.en-us.soql_sosl.meta/soql_sosl/sforce_api_calls_soql_select_conditionexpression.htm',
    send: () => [soql(`SELECT Id FROM Account WHERE Name = '${'a'.repeat(4_001)}'`)],
    ...{ status: 400, body: [{ errorCode: 'MALFORMED_QUERY' }] },
  },
  {
    of: 'salesforce',
    says: 'a long text is no condition',
    page: 'https://developer.salesforce.com/docs/atlas.en-us.soql_sosl.meta/soql_sosl/sforce_api_calls_soql_select_fieldexpression.htm',
    send: () => [soql("SELECT Id FROM Case WHERE Description = 'dark'")],
    ...{ status: 400, body: [{ errorCode: 'INVALID_FIELD' }] },
  },
  {
    of: 'salesforce',
    says: 'a number of a case is not written',
    page: 'https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_case.htm',
    send: () => ['POST /services/data/v62.0/sobjects/Case', { CaseNumber: '7' }, { 'content-type': 'application/json' }],
    ...{ status: 400, body: [{ errorCode: 'INVALID_FIELD_FOR_INSERT_UPDATE', fields: ['CaseNumber'] }] },
  },
  {
    ...{ of: 'slack', says: 'groups that are turned off are left out', page: 'https://docs.slack.dev/reference/methods/usergroups.list' },
    send: () => ['GET /api/usergroups.list'],
    body: { usergroups: expect.not.arrayContaining([expect.objectContaining({ name: 'Group 11' })]) },
  },
  {
    ...{ of: 'slack', says: 'ids have a letter and eight more', page: 'https://docs.slack.dev/reference/methods/conversations.history' },
    send: (holds) => [`GET /api/conversations.history?channel=${String(holds('channels')[0]?.['id'])}&limit=1`],
    body: { messages: [{ user: expect.stringMatching(/^U[A-Z0-9]{8,}$/) }] },
  },
  {
    ...{ of: 'stripe', says: 'a product with prices stays', page: 'https://docs.stripe.com/api/products/delete' },
    send: (holds) => [`DELETE /v1/products/${String(holds('prices')[0]?.['product'])}`],
    ...{ status: 400, body: { error: { type: 'invalid_request_error' } } },
  },
  {
    ...{ of: 'stripe', says: 'a subscription lists its items', page: 'https://docs.stripe.com/api/subscriptions/create' },
    send: (holds) => [
      'POST /v1/subscriptions',
      new URLSearchParams({ customer: String(holds('customers')[0]?.['id']), 'items[0][price]': String(holds('prices')[0]?.['id']) }),
      form,
    ],
    body: { items: { object: 'list', data: [{ object: 'subscription_item', price: { object: 'price' } }] } },
  },
  {
    ...{ of: 'stripe', says: 'a refund does not say whether money moves', page: 'https://docs.stripe.com/api/refunds/object' },
    send: () => ['GET /v1/refunds?limit=1'],
    lacks: ['livemode'],
  },
  {
    ...{
      of: 'zendesk',
      says: 'a user has no time of an export',
      page: 'https://developer.zendesk.com/api-reference/ticketing/users/users',
    },
    send: () => ['GET /api/v2/incremental/users/cursor?start_time=1&per_page=1'],
    lacks: ['generated_timestamp'],
  },
  {
    ...{
      of: 'zendesk',
      says: 'a search finds all types',
      page: 'https://developer.zendesk.com/api-reference/ticketing/ticket-management/search',
    },
    send: () => ['GET /api/v2/search?query=1'],
    body: { results: expect.arrayContaining([expect.objectContaining({ result_type: 'user' })]) },
  },
  {
    ...{
      of: 'zendesk',
      says: 'an answer says whether the key was known',
      page: 'https://developer.zendesk.com/api-reference/ticketing/introduction',
    },
    send: () => ['POST /api/v2/tickets', { ticket: { comment: { body: 'Dark' } } }, { 'idempotency-key': 'k' }],
    ...{ status: 201, headers: { 'x-idempotency-lookup': 'miss' } },
  },
]

/** Sends a request, with the methods of the vendor's credentials. */
async function ask(vendor: Vendor, { of, send }: Said): Promise<Response> {
  const [call, body, more = {}] = send((what) => vendor.holds(what))
  const [method = '', path = ''] = call.split(' ')
  const sent = body === undefined ? {} : { body: body instanceof URLSearchParams ? body.toString() : JSON.stringify(body) }
  const headers: Record<string, string> = { 'content-type': 'application/json', 'user-agent': 'test', ...vendors[of].headers, ...more }
  if (body === undefined) delete headers['content-type']
  return fetch(`${vendor.origin}${path}`, { method, headers, ...sent })
}

const folder = new URL('stand-ins/', import.meta.url)
test.each(readdirSync(folder))('%s is small and knows nothing of ours', (name) => {
  const text = readFileSync(new URL(name, folder), 'utf8')
  if (name !== 'shared.ts') expect(text.split('\n').length - 1).toBeLessThanOrEqual(250)
  expect([...text.matchAll(/ from '(?!node:|\.\/)(.+)'/g)].map(([, from]) => from)).toEqual([])
})

describe.each(said)('$of: $says ($page)', (each) => {
  test('its stand-in does so', async () => {
    await using vendor = await vendors[each.of].start().listen()
    vendor.mutate()
    const response = await ask(vendor, each)
    const text = await response.text()
    expect({ status: response.status, text, ...Object.fromEntries(response.headers) }).toMatchObject({
      status: each.status ?? 200,
      ...each.headers,
    })
    if (each.body !== undefined) expect(JSON.parse(text)).toMatchObject(each.body)
    expect((each.lacks ?? []).filter((name) => text.includes(`"${name}":`))).toEqual([])
  })
})
