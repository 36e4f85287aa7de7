/** What the tests know of each kind that ships: its stand-in, and which list of the stand-in an entity reads. */
import { choose } from '../support/draws.ts'
import { GitHub, githubRefusals } from './stand-ins/github.ts'
import { HubSpot } from './stand-ins/hubspot.ts'
import { hubspotRefusals } from './stand-ins/hubspot-parts.ts'
import { Notion, notionRefusals } from './stand-ins/notion.ts'
import type { Answer, Row, Vendor } from './stand-ins/shared.ts'
import { Slack, slackRefusals } from './stand-ins/slack.ts'
import { Stripe, stripeRefusals } from './stand-ins/stripe.ts'
import { zendeskRefusals } from './stand-ins/zendesk.ts'
import { ZendeskObjects } from './stand-ins/zendesk-objects.ts'
import { googleCalendar } from './subject-google-calendar.ts'
import { jira } from './subject-jira.ts'
import { linear } from './subject-linear.ts'
import { salesforce } from './subject-salesforce.ts'

/** A list of a kind. */
export interface ListSubject {
  readonly entity: string
  readonly params?: Readonly<Record<string, unknown>>
  /** Name of the records in the stand-in, and which of them the list has. */
  readonly holds: string
  readonly only?: (row: Row) => boolean
  /** Field that identifies a record; `id` if omitted. */
  readonly key?: string
  /** The vendor's pages are numbered, so changes during a walk shift records. */
  readonly shifts?: true
}

/** A write, and where its effect shows. */
export interface WriteSubject {
  readonly entity: string
  readonly action: 'create' | 'update' | 'delete'
  /** Parameters; the function gets a record of `of`. */
  readonly params: (row: Row) => Readonly<Record<string, unknown>>
  readonly of?: string
  /** The records that show it, and how many more there are afterwards. */
  readonly holds: string
  readonly more?: number
  /** A field that is different afterwards. */
  readonly sets?: Row
  /** The vendor knows a repeated write, so a lost answer is asked for again. */
  readonly once?: true
}

/** A call of `get`: the entity, the records, and the parameters that name one. */
export interface GetSubject {
  readonly entity: string
  readonly holds: string
  readonly params: (row: Row) => Readonly<Record<string, unknown>>
  /** What the answer has of a record, if not the record as it is. */
  readonly shows?: (row: Row) => Row
}

/** An entity that is copied. */
export interface CopySubject {
  readonly entity: string
  /** Entities whose records the sync of this one needs. */
  readonly needs?: readonly string[]
  readonly holds: string
  readonly only?: (row: Row) => boolean
  /** Returns what identifies a record of the vendor or of the copy; its `id` if omitted. */
  readonly key?: (row: Row) => string
  /** What the copy has of a record of the vendor, if not the record as it is. */
  readonly shows?: (row: Row) => Row
  /** Fields whose values must be those of the vendor; one with a dot is a field that the account made. */
  readonly compared: readonly string[]
  /** The vendor says what changed. */
  readonly incremental?: true
  /** It is called for each of many records, or read whole in each run, so the small stand-in does. */
  readonly isSmall?: true
}

/** A kind with its stand-in. */
export interface Subject {
  readonly slug: string
  readonly start: () => Vendor
  /** With lists of more than ten pages: shorter ones are read whole in each run. `start` if omitted. Few records and smaller pages in `npm test`. */
  readonly startLarge?: () => Vendor
  readonly credentials: Readonly<Record<string, string>>
  readonly config?: Readonly<Record<string, unknown>>
  readonly lists: readonly ListSubject[]
  readonly gets: readonly GetSubject[]
  readonly writes: readonly WriteSubject[]
  readonly copies: readonly CopySubject[]
  /** Answers of the vendor to a list, and the code that they become. */
  readonly refusals: readonly { readonly answer: Answer; readonly code: string }[]
  /** A record that does not exist. */
  readonly missing: { readonly entity: string; readonly params: Readonly<Record<string, unknown>>; readonly code: string }
}

const byId = ({ id }: Row) => ({ id })
const stripeLists = ['customers', 'products', 'prices', 'invoices', 'charges', 'refunds', 'payouts']

const stripe: Subject = {
  slug: 'stripe',
  start: () => new Stripe(choose({ records: 200, smaller: 7 }, {})),
  credentials: { api_key: 'sk_test_standin' },
  lists: [
    ...stripeLists.map((entity) => ({ entity, holds: entity })),
    { entity: 'events', holds: 'events' },
    { entity: 'subscriptions', params: { status: 'all' }, holds: 'subscriptions' },
    { entity: 'subscriptions', params: { status: 'canceled' }, holds: 'subscriptions', only: (row) => row['status'] === 'canceled' },
    {
      entity: 'found_customers',
      params: { query: "email:'p7@example.com'" },
      holds: 'customers',
      only: (row) => row['email'] === 'p7@example.com',
    },
    { entity: 'customers', params: { email: 'p3@example.com' }, holds: 'customers', only: (row) => row['email'] === 'p3@example.com' },
    {
      entity: 'events',
      params: { types: ['price.created', 'product.created'] },
      holds: 'events',
      only: (row) => /^pr\w+\.created$/.test(`${row['type']}`),
    },
  ],
  gets: [...stripeLists, 'subscriptions', 'events'].map((entity) => ({ entity, holds: entity, params: byId })),
  writes: [
    {
      entity: 'customers',
      action: 'create',
      params: () => ({ name: 'New', metadata: { a: 'b' } }),
      holds: 'customers',
      more: 1,
      once: true,
    },
    {
      entity: 'customers',
      action: 'update',
      of: 'customers',
      params: ({ id }) => ({ id, name: 'Other' }),
      holds: 'customers',
      sets: { name: 'Other' },
      once: true,
    },
    { entity: 'customers', action: 'delete', of: 'customers', params: byId, holds: 'customers', more: -1 },
    {
      entity: 'refunds',
      action: 'create',
      of: 'charges',
      params: ({ id }) => ({ charge: id, amount: 1 }),
      holds: 'refunds',
      more: 1,
      once: true,
    },
    {
      ...{ entity: 'subscriptions', action: 'create', of: 'subscriptions', holds: 'subscriptions', more: 1, once: true },
      params: ({ customer, items }) => ({ customer, items: [{ price: /price_\w+/.exec(JSON.stringify(items))?.[0], quantity: 2 }] }),
    },
  ],
  copies: [
    { entity: 'customers', holds: 'customers', compared: ['name', 'email'], incremental: true },
    { entity: 'invoices', holds: 'invoices', compared: ['status', 'number'], incremental: true },
    { entity: 'subscriptions', holds: 'subscriptions', compared: ['status'], incremental: true },
    { entity: 'charges', holds: 'charges', compared: ['amount_refunded'], incremental: true },
    { entity: 'products', holds: 'products', compared: ['name'], incremental: true },
    { entity: 'refunds', holds: 'refunds', compared: ['amount'], incremental: true },
    { entity: 'invoice_lines', needs: ['invoices'], holds: 'lines', compared: ['amount'], incremental: true },
  ],
  refusals: [
    { answer: stripeRefusals.rate, code: 'upstream_rate_limited' },
    { answer: stripeRefusals.lock, code: 'upstream_rate_limited' },
    { answer: stripeRefusals.permission, code: 'upstream_permission_denied' },
    { answer: stripeRefusals.down, code: 'upstream_error' },
  ],
  missing: { entity: 'charges', params: { id: 'ch_none' }, code: 'record_not_found' },
}

const large = { owner: 'octo', repo: 'large' }
const numbered = ({ number }: Row) => ({ ...large, number })
const named = ({ id }: Row) => ({ ...large, id })
/** A repository alone holds what the tests read of it. */
const github: Subject = {
  slug: 'github',
  start: () => new GitHub(choose({ records: 130, small: 0, smaller: 10 }, { small: 0 })),
  startLarge: () => new GitHub(choose({ records: 330, small: 20, smaller: 10 }, { records: 3_300, small: 40 })),
  credentials: { token: 'ghp_standin' },
  lists: [
    { entity: 'repositories', holds: 'repositories' },
    { entity: 'issues', params: { ...large, state: 'all' }, holds: 'issues' },
    { entity: 'issues', params: { ...large, state: 'all', sort: 'updated', direction: 'asc' }, holds: 'issues' },
    { entity: 'issues', params: { ...large, state: 'closed' }, holds: 'issues', only: (row) => row['state'] === 'closed' },
    { entity: 'issues', params: { owner: 'octo', repo: 'empty' }, holds: 'none' },
    { entity: 'commits', params: { owner: 'octo', repo: 'empty' }, holds: 'none', key: 'sha' },
    { entity: 'pull_requests', params: { ...large, state: 'all' }, holds: 'pulls' },
    { entity: 'issue_comments', params: large, holds: 'issues/comments' },
    { entity: 'commits', params: large, holds: 'commits', key: 'sha' },
    { entity: 'releases', params: large, holds: 'releases' },
    { entity: 'labels', params: large, holds: 'labels' },
    { entity: 'workflow_runs', params: large, holds: 'actions/runs' },
    { entity: 'found_issues', params: { q: 'is:pr' }, holds: 'issues', only: (row) => row['pull_request'] !== undefined },
  ],
  gets: [
    { entity: 'repositories', holds: 'repositories', params: ({ name }) => ({ owner: 'octo', repo: name }) },
    { entity: 'issues', holds: 'issues', params: numbered },
    { entity: 'pull_requests', holds: 'pulls', params: numbered },
    { entity: 'issue_comments', holds: 'issues/comments', params: named },
    { entity: 'releases', holds: 'releases', params: named },
    { entity: 'workflow_runs', holds: 'actions/runs', params: named },
    { entity: 'labels', holds: 'labels', params: ({ name }) => ({ ...large, name }) },
    { entity: 'commits', holds: 'commits', params: ({ sha }) => ({ ...large, ref: sha }) },
  ],
  writes: [
    { entity: 'issues', action: 'create', params: () => ({ ...large, title: 'New', labels: ['bug'] }), holds: 'issues', more: 1 },
    {
      ...{ entity: 'issues', action: 'update', of: 'issues', holds: 'issues', sets: { state: 'closed' } },
      params: (row) => ({ ...numbered(row), state: 'closed' }),
    },
    {
      entity: 'issue_comments',
      action: 'create',
      of: 'issues',
      params: (row) => ({ ...numbered(row), body: 'New' }),
      holds: 'issues/comments',
      more: 1,
    },
    { entity: 'issue_comments', action: 'delete', of: 'issues/comments', params: named, holds: 'issues/comments', more: -1 },
    {
      entity: 'pull_requests',
      action: 'create',
      params: () => ({ ...large, title: 'New', head: 'fix', base: 'main' }),
      holds: 'pulls',
      more: 1,
    },
    { entity: 'releases', action: 'create', params: () => ({ ...large, tag_name: 'v9' }), holds: 'releases', more: 1 },
    { entity: 'labels', action: 'delete', of: 'labels', params: ({ name }) => ({ ...large, name }), holds: 'labels', more: -1 },
  ],
  copies: [
    { entity: 'repositories', holds: 'repositories', compared: ['name'] },
    { entity: 'issues', needs: ['repositories'], holds: 'issues', compared: ['title', 'state'], incremental: true },
    { entity: 'pull_requests', needs: ['repositories'], holds: 'pulls', compared: ['title'], incremental: true },
    { entity: 'issue_comments', needs: ['repositories'], holds: 'issues/comments', compared: ['body'], incremental: true },
    { entity: 'releases', needs: ['repositories'], holds: 'releases', compared: ['tag_name'] },
    {
      ...{ entity: 'reviews', needs: ['repositories', 'pull_requests'], holds: 'reviews', compared: ['state'] },
      ...{ incremental: true, isSmall: true },
    },
    { entity: 'labels', needs: ['repositories'], holds: 'labels', compared: ['name'] },
  ],
  refusals: [
    { answer: githubRefusals.rate(Math.floor(Date.now() / 1_000) + 3_000), code: 'upstream_rate_limited' },
    { answer: githubRefusals.secondary, code: 'upstream_rate_limited' },
    { answer: githubRefusals.may, code: 'upstream_permission_denied' },
    { answer: githubRefusals.down, code: 'upstream_error' },
  ],
  missing: { entity: 'issues', params: { ...large, number: 99_999 }, code: 'record_not_found' },
}

const channel = 'C00000002'
/** Rows of the first channel, as the list of one channel has them. */
const ofChannel = (row: Row) => row['channel'] === channel
const slack: Subject = {
  slug: 'slack',
  start: () => new Slack(choose({ records: 220, files: 220, smaller: 8 }, {})),
  credentials: { token: 'xoxb-standin' },
  lists: [
    { entity: 'users', holds: 'users' },
    { entity: 'channels', params: { types: ['public_channel', 'private_channel'] }, holds: 'channels' },
    { entity: 'channels', holds: 'channels', only: (row) => row['is_private'] === false },
    { entity: 'channels', params: { exclude_archived: true }, holds: 'channels', only: (row) => !row['is_private'] && !row['is_archived'] },
    { entity: 'messages', params: { channel }, holds: 'messages', key: 'ts', only: ofChannel },
    { entity: 'messages', params: { channel: 'C00000078' }, holds: 'messages', key: 'ts', only: (row) => row['channel'] === 'C00000078' },
    { entity: 'usergroups', holds: 'usergroups' },
    { entity: 'files', holds: 'files', shifts: true },
  ],
  gets: [
    { entity: 'users', holds: 'users', params: ({ id }) => ({ user: id }) },
    { entity: 'channels', holds: 'channels', params: ({ id }) => ({ channel: id }) },
    { entity: 'files', holds: 'files', params: ({ id }) => ({ file: id }) },
  ],
  writes: [
    { entity: 'messages', action: 'create', params: () => ({ channel, text: 'New' }), holds: 'messages', more: 1 },
    {
      ...{ entity: 'messages', action: 'update', of: 'messages', holds: 'messages', sets: { text: 'Other' } },
      params: ({ ts }) => ({ channel, ts, text: 'Other' }),
    },
    { entity: 'messages', action: 'delete', of: 'messages', params: ({ ts }) => ({ channel, ts }), holds: 'messages', more: -1 },
    { entity: 'channels', action: 'create', params: () => ({ name: 'new' }), holds: 'channels', more: 1 },
    { entity: 'files', action: 'delete', of: 'files', params: ({ id }) => ({ file: id }), holds: 'files', more: -1 },
  ],
  copies: [
    { entity: 'users', holds: 'users', compared: ['real_name', 'deleted'] },
    { entity: 'channels', holds: 'channels', compared: ['is_archived'] },
    { entity: 'files', holds: 'files', compared: ['name'] },
    { entity: 'usergroups', holds: 'usergroups', compared: ['name'] },
  ],
  refusals: [
    { answer: slackRefusals.rate, code: 'upstream_rate_limited' },
    { answer: slackRefusals.scope, code: 'upstream_permission_denied' },
    { answer: slackRefusals.revoked, code: 'upstream_auth_failed' },
    { answer: slackRefusals.down, code: 'upstream_error' },
  ],
  missing: { entity: 'users', params: { user: 'U9' }, code: 'record_not_found' },
}

const zendeskLists = ['organizations', 'groups', 'ticket_fields', 'macros', 'satisfaction_ratings']
const zendesk: Subject = {
  slug: 'zendesk',
  start: () => new ZendeskObjects(choose({ records: 100, smaller: 10 }, {})),
  startLarge: () => new ZendeskObjects(choose({ records: 300, smaller: 40 }, { records: 11_500 })),
  credentials: { email: 'agent@example.com', api_token: 'zd_standin' },
  config: { subdomain: 'stand-in' },
  lists: [
    { entity: 'listed_tickets', holds: 'tickets' },
    { entity: 'listed_tickets', params: { sort: '-updated_at' }, holds: 'tickets' },
    { entity: 'tickets', holds: 'all tickets' },
    { entity: 'users', holds: 'all users' },
    { entity: 'ticket_comments', params: { ticket_id: 1 }, holds: 'comments', only: (row) => row['ticket_id'] === 1 },
    { entity: 'found', params: { query: 'type:user role:agent' }, holds: 'users', only: (row) => row['role'] === 'agent', shifts: true },
    ...zendeskLists.map((entity) => ({ entity, holds: entity })),
    { entity: 'custom_objects', holds: 'custom objects', key: 'key' },
    { entity: 'custom_records', params: { object: 'ship' }, holds: 'ship' },
    { entity: 'macros', params: { active: true }, holds: 'macros', only: (row) => row['active'] === true },
  ],
  gets: [
    ...[...zendeskLists, 'tickets', 'users'].map((entity) => ({ entity, holds: entity, params: byId })),
    { entity: 'custom_objects', holds: 'custom objects', params: ({ key }) => ({ key }) },
    { entity: 'custom_records', holds: 'dock', params: ({ id }) => ({ object: 'dock', id }) },
  ],
  writes: [
    {
      ...{ entity: 'tickets', action: 'create', holds: 'tickets', more: 1, once: true },
      params: () => ({ subject: 'New', comment: { body: 'Help' } }),
    },
    {
      ...{ entity: 'tickets', action: 'update', of: 'tickets', holds: 'tickets', sets: { status: 'solved' } },
      params: ({ id }) => ({ id, status: 'solved', comment: { body: 'Done' } }),
    },
    { entity: 'tickets', action: 'delete', of: 'tickets', params: byId, holds: 'tickets', more: -1 },
    { entity: 'users', action: 'create', params: () => ({ name: 'New' }), holds: 'users', more: 1 },
    { entity: 'users', action: 'delete', of: 'users', params: byId, holds: 'users', more: -1 },
    { entity: 'organizations', action: 'create', params: () => ({ name: 'New' }), holds: 'organizations', more: 1 },
    {
      ...{ entity: 'custom_records', action: 'create', holds: 'ship', more: 1 },
      params: () => ({ object: 'ship', name: 'Rose', custom_object_fields: { crew: '9' } }),
    },
    {
      ...{ entity: 'custom_records', action: 'update', of: 'ship', holds: 'ship', sets: { custom_object_fields: { draught: '2' } } },
      params: ({ id }) => ({ object: 'ship', id, custom_object_fields: { draught: '2' } }),
    },
    {
      ...{ entity: 'custom_records', action: 'delete', of: 'dock', holds: 'dock', more: -1 },
      params: ({ id }) => ({ object: 'dock', id }),
    },
  ],
  copies: [
    { entity: 'tickets', holds: 'tickets', compared: ['subject', 'status'], incremental: true },
    { entity: 'users', holds: 'users', compared: ['name'], incremental: true },
    { entity: 'organizations', holds: 'organizations', compared: ['name'], isSmall: true },
    { entity: 'macros', holds: 'macros', compared: ['title'], isSmall: true },
    {
      ...{ entity: 'custom_records', needs: ['custom_objects'], holds: 'records of objects', incremental: true },
      compared: ['name', 'updated_at', 'custom_object_fields.crew', 'custom_object_fields.town'],
    },
  ],
  refusals: [
    { answer: zendeskRefusals.rate, code: 'upstream_rate_limited' },
    { answer: zendeskRefusals.forbidden, code: 'upstream_permission_denied' },
    { answer: zendeskRefusals.down, code: 'upstream_error' },
    { answer: zendeskRefusals.taken, code: 'upstream_conflict' },
  ],
  missing: { entity: 'tickets', params: { id: 99_999 }, code: 'record_not_found' },
}

const startNotion = () => new Notion(choose({ records: 120, smaller: 10 }, {}))
const [firstPage, firstSource] = ['documents', 'data_sources'].map((what) => startNotion().holds(what)[0]?.['id'])
const isOf = (id: unknown) => (row: Row) => Object.values(row['parent'] ?? {}).includes(id)
const notion: Subject = {
  slug: 'notion',
  start: startNotion,
  startLarge: () => new Notion(choose({ records: 180, smaller: 10 }, { records: 1_800 })),
  credentials: { token: 'ntn_standin' },
  lists: [
    { entity: 'users', holds: 'users' },
    // A page that changed meanwhile moves to the front: https://developers.notion.com/reference/post-search
    { entity: 'documents', holds: 'documents', shifts: true },
    { entity: 'data_sources', holds: 'data_sources' },
    { entity: 'rows', params: { data_source: firstSource }, holds: 'rows', only: isOf(firstSource) },
    {
      ...{
        entity: 'rows',
        holds: 'rows',
        params: { data_source: firstSource, changed_since: new Date(Date.now() - 86_400_000).toISOString() },
      },
      only: (row) => isOf(firstSource)(row) && Date.parse(String(row['last_edited_time'])) >= Date.now() - 86_400_000,
    },
    { entity: 'blocks', params: { block: firstPage }, holds: 'blocks', only: isOf(firstPage) },
    { entity: 'comments', params: { block_id: firstPage }, holds: 'comments', only: isOf(firstPage) },
  ],
  gets: ['users', 'documents', 'data_sources', 'blocks'].map((entity) => ({ entity, holds: entity, params: byId })),
  writes: [
    {
      ...{ entity: 'documents', action: 'create', of: 'data_sources', holds: 'documents', more: 1 },
      params: ({ id }) => ({ parent: { data_source_id: id }, properties: { Name: { title: [{ text: { content: 'New' } }] } } }),
    },
    {
      ...{ entity: 'documents', action: 'update', of: 'documents', holds: 'documents', sets: { properties: { Done: { checkbox: true } } } },
      params: ({ id }) => ({ id, properties: { Done: { checkbox: true } } }),
    },
    { entity: 'documents', action: 'delete', of: 'documents', params: byId, holds: 'documents', more: -1 },
    {
      ...{ entity: 'blocks', action: 'create', of: 'documents', holds: 'blocks', more: 2 },
      params: ({ id }) => ({ block: id, children: [{ paragraph: { rich_text: [] } }, { paragraph: { rich_text: [] } }] }),
    },
    { entity: 'blocks', action: 'delete', of: 'blocks', params: byId, holds: 'blocks', more: -1 },
    {
      ...{ entity: 'comments', action: 'create', of: 'documents', holds: 'comments', more: 1 },
      params: ({ id }) => ({ parent: { page_id: id }, rich_text: [{ text: { content: 'New' } }] }),
    },
  ],
  copies: [
    { entity: 'documents', holds: 'documents', compared: ['last_edited_time'], incremental: true },
    { entity: 'rows', needs: ['data_sources'], holds: 'rows', compared: ['last_edited_time'], incremental: true },
    { entity: 'users', holds: 'users', compared: ['name'] },
  ],
  refusals: [
    { answer: notionRefusals.rate, code: 'upstream_rate_limited' },
    { answer: notionRefusals.restricted, code: 'upstream_permission_denied' },
    { answer: notionRefusals.conflict, code: 'upstream_conflict' },
    { answer: notionRefusals.down, code: 'upstream_error' },
  ],
  missing: { entity: 'documents', params: { id: '00000000-0000-4000-8000-999999999999' }, code: 'record_not_found' },
}

const hubspotLists = ['contacts', 'companies', 'deals', 'tickets', 'products', 'line_items']
const manyIds = choose(100, 1_000)
/** Values of properties are fields of the record too. */
const withProperties = (row: Row): Row => ({ ...row, ...(row['properties'] ?? {}) })
const hubspot: Subject = {
  slug: 'hubspot',
  start: () => new HubSpot(choose({ records: 150, smaller: 10 }, {})),
  credentials: { token: 'pat-standin' },
  lists: [
    ...[...hubspotLists, 'owners'].map((entity) => ({ entity, holds: entity })),
    { entity: 'contacts', params: { archived: true }, holds: 'archived contacts' },
    { entity: 'found_contacts', params: { query: 'First 77' }, holds: 'contacts', only: (row) => JSON.stringify(row).includes('First 77') },
    {
      ...{ entity: 'found_contacts', holds: 'contacts', only: (row) => Number(row['id']) > manyIds },
      params: { filterGroups: [{ filters: [{ propertyName: 'hs_object_id', operator: 'GT', value: String(manyIds) }] }] },
    },
    { entity: 'properties', params: { object: 'contacts' }, holds: 'contact properties', key: 'name' },
    { entity: 'custom_objects', holds: 'types', key: 'objectTypeId' },
    { entity: 'custom_records', params: { object: '2-11' }, holds: 'records of types', only: ({ object }) => object === '2-11' },
    { entity: 'pipelines', params: { object: 'deals' }, holds: 'deal pipelines' },
  ],
  gets: [
    ...hubspotLists.map((entity) => ({ entity, holds: entity, params: byId, shows: withProperties })),
    { entity: 'owners', holds: 'owners', params: byId },
    { entity: 'custom_records', holds: 'records of types', params: ({ object, id }) => ({ object, id }) },
  ],
  writes: [
    {
      ...{ entity: 'custom_records', action: 'create', holds: 'records of types', more: 1 },
      params: () => ({ object: '2-11', properties: { own_ship: 'Rose' } }),
    },
    {
      ...{ entity: 'custom_records', action: 'update', of: 'records of types', holds: 'records of types' },
      ...{ params: ({ object, id }) => ({ object, id, properties: { own_crew: '9' } }), sets: { properties: { own_crew: '9' } } },
    },
    { entity: 'contacts', action: 'create', params: () => ({ email: 'new@example.com', firstname: 'New' }), holds: 'contacts', more: 1 },
    {
      ...{ entity: 'contacts', action: 'update', of: 'contacts', holds: 'contacts', sets: { properties: { lastname: 'Other' } } },
      params: ({ id }) => ({ id, lastname: 'Other' }),
    },
    { entity: 'contacts', action: 'delete', of: 'contacts', params: byId, holds: 'contacts', more: -1 },
    { entity: 'deals', action: 'create', params: () => ({ dealname: 'New', amount: '12.50' }), holds: 'deals', more: 1 },
    { entity: 'tickets', action: 'delete', of: 'tickets', params: byId, holds: 'tickets', more: -1 },
  ],
  copies: [
    ...hubspotLists.map((entity) => ({
      ...{ entity, holds: entity, compared: ['updatedAt', ...(entity === 'contacts' ? ['properties.own_color'] : [])] },
    })),
    {
      ...{ entity: 'custom_records', needs: ['custom_objects'], holds: 'records of types' },
      ...{ key: ({ object, id }) => `${String(object)} ${String(id)}` },
      compared: ['updatedAt', 'properties.own_ship', 'properties.own_crew', 'properties.own_weight', 'properties.hubspot_owner_id'],
    },
  ],
  refusals: [
    { answer: hubspotRefusals.rate, code: 'upstream_rate_limited' },
    { answer: hubspotRefusals.scopes, code: 'upstream_permission_denied' },
    { answer: hubspotRefusals.down, code: 'upstream_error' },
    { answer: hubspotRefusals.conflict, code: 'upstream_conflict' },
  ],
  missing: { entity: 'contacts', params: { id: '999999999' }, code: 'record_not_found' },
}

/** All kinds that have a stand-in and a file. */
export const subjects: readonly Subject[] = [stripe, github, slack, zendesk, notion, hubspot, googleCalendar, salesforce, jira, linear]
