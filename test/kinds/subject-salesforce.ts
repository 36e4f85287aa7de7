/** What the tests know of Salesforce: its stand-in, and which object an entity reads. */
import { choose } from '../support/draws.ts'
import { Salesforce, salesforceRefusals } from './stand-ins/salesforce.ts'
import { customTypes } from './stand-ins/salesforce-soql.ts'
import type { Row } from './stand-ins/shared.ts'
import type { Subject } from './subjects.ts'

const objects = {
  accounts: 'Account',
  contacts: 'Contact',
  leads: 'Lead',
  opportunities: 'Opportunity',
  cases: 'Case',
  tasks: 'Task',
  events: 'Event',
  products: 'Product2',
  users: 'User',
}
/** The custom fields of a record stand in one object. */
const withCustom = (row: Row): Row => ({
  ...row,
  custom: Object.fromEntries(Object.entries(row).filter(([name]) => name in customTypes)),
})
/** Each record names its object and its address. */
const withAttributes =
  (object: string) =>
  (row: Row): Row => ({
    ...withCustom(row),
    attributes: { type: object, url: `/services/data/v62.0/sobjects/${object}/${String(row['Id'])}` },
  })
const byId = ({ Id }: Row) => ({ Id })
const mostRecent = new Date(Date.now() - 86_400_000).toISOString()
/** Salesforce at its stand-in. */
export const salesforce: Subject = {
  slug: 'salesforce',
  start: () => new Salesforce(choose({ records: 150, batch: 20 }, {})),
  startLarge: () => new Salesforce(choose({ records: 275, batch: 5 }, { records: 1_200, batch: 20 })),
  credentials: { refresh_token: 'refresh', access_token: '00D!standin', client_id: 'client', client_secret: 'secret' },
  config: { domain: 'stand-in' },
  lists: [
    ...Object.entries(objects).map(([entity, object]) => ({ entity, holds: object, key: 'Id' })),
    { entity: 'organizations', holds: 'Organization', key: 'Id' },
    { entity: 'accounts', params: { deleted: true }, holds: 'all Account', key: 'Id' },
    {
      ...{ entity: 'accounts', params: { since: mostRecent }, holds: 'Account', key: 'Id' },
      only: (row) => Date.parse(String(row['SystemModstamp'])) >= Date.parse(mostRecent),
    },
    { entity: 'custom_objects', holds: 'made', key: 'name' },
    { entity: 'custom_records', params: { object: 'Shipment__c' }, holds: 'Shipment__c', key: 'Id' },
    { entity: 'custom_records', params: { object: 'acme__Box__c', deleted: true }, holds: 'all acme__Box__c', key: 'Id' },
    {
      ...{ entity: 'leads', params: { Status: 'Status 4' }, holds: 'Lead', key: 'Id' },
      only: ({ Status }) => Status === 'Status 4',
    },
    { entity: 'users', params: { IsActive: true }, holds: 'User', key: 'Id', only: ({ IsActive }) => IsActive === true },
    {
      entity: 'found',
      params: { q: 'SELECT Id FROM Case WHERE IsClosed = true' },
      holds: 'Case',
      key: 'Id',
      only: ({ IsClosed }) => IsClosed === true,
    },
  ],
  gets: [
    ...Object.entries(objects).map(([entity, object]) => ({ entity, holds: object, params: byId, shows: withAttributes(object) })),
    {
      ...{ entity: 'custom_records', holds: 'acme__Box__c', params: ({ Id }) => ({ object: 'acme__Box__c', Id }) },
      shows: (row) => ({ ...withAttributes('acme__Box__c')(row), object: 'acme__Box__c', custom: row }),
    },
  ],
  writes: [
    {
      entity: 'accounts',
      action: 'create',
      params: () => ({ Name: "O'Neill \\ Sons", Website: 'example.com' }),
      holds: 'Account',
      more: 1,
    },
    {
      ...{ entity: 'accounts', action: 'update', of: 'Account', holds: 'Account', sets: { Phone: '+1 555 0100' } },
      params: ({ Id }) => ({ Id, Phone: '+1 555 0100' }),
    },
    { entity: 'accounts', action: 'delete', of: 'Account', params: byId, holds: 'Account', more: -1 },
    {
      ...{ entity: 'opportunities', action: 'create', of: 'Account', holds: 'Opportunity', more: 1 },
      params: ({ Id }) => ({ Name: 'New', StageName: 'Prospecting', CloseDate: '2026-05-01', Amount: 12.5, AccountId: Id }),
    },
    {
      ...{ entity: 'events', action: 'create', holds: 'Event', more: 1 },
      params: () => ({ Subject: 'New', StartDateTime: '2026-05-01T10:00:00Z', EndDateTime: '2026-05-01T11:00:00Z' }),
    },
    {
      ...{ entity: 'custom_records', action: 'delete', of: 'Shipment__c', holds: 'Shipment__c', more: -1 },
      params: ({ Id }) => ({ object: 'Shipment__c', Id }),
    },
    { entity: 'tasks', action: 'delete', of: 'Task', params: byId, holds: 'Task', more: -1 },
  ],
  copies: [
    ...(['accounts', 'contacts', 'opportunities', 'cases', 'users'] as const).map((entity) => ({
      ...{ entity, holds: objects[entity], key: ({ Id }: Row) => String(Id), shows: withCustom, incremental: true as const },
      compared: ['SystemModstamp', 'custom.Color__c', 'custom.Score__c', 'custom.Hot__c'],
    })),
    {
      ...{ entity: 'custom_records', needs: ['custom_objects'], holds: 'records of made', key: ({ Id }) => String(Id), incremental: true },
      ...{
        shows: (row) => ({ ...row, custom: row }),
        compared: ['SystemModstamp', 'custom.Weight__c', 'custom.Route__c', 'custom.Size__c'],
      },
    },
  ],
  refusals: [
    { answer: salesforceRefusals.rate, code: 'upstream_rate_limited' },
    { answer: salesforceRefusals.access, code: 'upstream_permission_denied' },
    { answer: salesforceRefusals.disabled, code: 'upstream_account_unavailable' },
    { answer: salesforceRefusals.timeout, code: 'upstream_timeout' },
    { answer: salesforceRefusals.duplicate, code: 'upstream_conflict' },
    { answer: salesforceRefusals.down, code: 'upstream_error' },
  ],
  missing: { entity: 'accounts', params: { Id: '001999999999999AAA' }, code: 'record_not_found' },
}
