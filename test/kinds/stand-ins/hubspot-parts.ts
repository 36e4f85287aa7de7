/** What HubSpot's objects and properties are, by its public reference: https://developers.hubspot.com/docs/api-reference. */
import type { Row } from './shared.ts'
import * as kit from './shared.ts'

const fault = (category: string, message: string, more: Row = {}) =>
  Object.assign({ status: 'error', message, correlationId: 'stand-in', category }, more)
/** https://developers.hubspot.com/docs/api-reference/error-handling */
export const refuse = (status: number, category: string, message: string): kit.Refusal =>
  new kit.Refusal({ status, body: fault(category, message) })
export const invalid = (message: string) => refuse(400, 'VALIDATION_ERROR', message)
export const missing = () => refuse(404, 'OBJECT_NOT_FOUND', 'resource not found')
export const limits = (left: number) => ({
  'x-hubspot-ratelimit-max': '190',
  'x-hubspot-ratelimit-remaining': String(left),
  'x-hubspot-ratelimit-interval-milliseconds': '10000',
})

const ten = { errorType: 'RATE_LIMIT', policyName: 'TEN_SECONDLY_ROLLING' }

/** Refusals on demand: https://developers.hubspot.com/docs/developer-tooling/platform/usage-guidelines */
export const hubspotRefusals = {
  rate: {
    status: 429,
    body: fault('RATE_LIMITS', 'You have reached your ten_secondly_rolling limit.', ten),
    headers: limits(0),
  },
  scopes: { status: 403, body: fault('MISSING_SCOPES', 'This app has not been granted all required scopes to make this call.') },
  down: { status: 502, body: fault('ERROR', 'internal error') },
  conflict: { status: 409, body: fault('CONFLICT', 'Contact already exists. Existing ID: 12') },
}

/**
 * Objects with the properties that the stand-in knows: /docs/api-reference/crm-contacts-v3 and its sisters. Types that an account made have
 * ids such as 2-11: https://developers.hubspot.com/docs/guides/crm/using-object-apis
 */
export const objects = kit.readTable(`
  path       | modified           | properties                                              | unique
  contacts   | lastmodifieddate   | email firstname lastname phone company lifecyclestage own_color | email
  companies  | hs_lastmodifieddate | name domain industry city country phone                |
  deals      | hs_lastmodifieddate | dealname amount dealstage pipeline closedate           |
  tickets    | hs_lastmodifieddate | subject content hs_pipeline hs_pipeline_stage hs_ticket_priority |
  products   | hs_lastmodifieddate | name price description hs_sku                          |
  line_items | hs_lastmodifieddate | name quantity price amount hs_product_id               |
  2-11       | hs_lastmodifieddate | own_ship own_crew hubspot_owner_id                     |
  2-12       | hs_lastmodifieddate | own_crate own_ship own_weight                          |`)
export const modified = (path: string): string => `${objects.get(path)?.['modified']}`
export const known = (path: string): string[] =>
  kit.words(`${objects.get(path)?.['properties'] ?? ''} createdate hs_object_id ${modified(path)}`)

export const iso = (time: number): string => new Date(time).toISOString()
export const list = (value: unknown): Row[] => (Array.isArray(value) ? value.filter(kit.isRow) : [])
export const pipeline = (path: string): Row => ({
  ...{ id: `${path}-default`, label: 'Default', displayOrder: 0, stages: [{ id: '1', label: 'New' }] },
  ...{ archived: false, createdAt: iso(0), updatedAt: iso(0) },
})

/** Those that the account made have no such flag: https://developers.hubspot.com/docs/api-reference/crm-properties-v3/guide */
export const showProperty = (name: string): Row => ({
  ...{ name, label: name, type: 'string', fieldType: 'text', groupName: 'own' },
  ...(name.startsWith('own_') ? {} : { hubspotDefined: true }),
})

export const sampleOwn = (path: string, index: number): Row =>
  Object.fromEntries(known(path).flatMap((name) => (/^(own_|hubspot_owner)/.test(name) ? [[name, `${name} ${index}`]] : [])))
/** https://developers.hubspot.com/docs/api-reference/legacy/crm/objects/schemas/get-schemas */
export const showType = (path: string): Row => ({
  ...{ id: path.slice(2), objectTypeId: path, name: `own_${path.slice(2)}`, fullyQualifiedName: `p4242_own_${path.slice(2)}` },
  ...{ labels: { singular: 'One', plural: 'Several' }, primaryDisplayProperty: known(path)[0], requiredProperties: [], associations: [] },
  ...{ properties: known(path).map(showProperty), archived: false, createdAt: iso(0), updatedAt: iso(0) },
})
