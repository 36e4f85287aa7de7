import { each, entity, id, known, list, obj, orNull, pick } from '../../definition/index.ts'
import {
  address,
  anything,
  changed,
  count,
  createdWindow,
  flag,
  following,
  limit,
  money,
  paging,
  ref,
  text,
  texts,
  updatedWindow,
  when,
  wholePages,
} from './shapes.ts'

const record = {
  id: id('Customer id'),
  ...each(
    text,
    'email',
    'first_name',
    'last_name',
    'state',
    'total_spent',
    'note',
    'multipass_identifier',
    'tags',
    'last_order_name',
    'currency',
    'phone',
    'marketing_opt_in_level',
    'admin_graphql_api_id',
  ),
  total_spent: money,
  state: orNull(known('State of the account', 'disabled', 'invited', 'enabled', 'declined')),
  ...each(when, 'created_at', 'updated_at', 'accepts_marketing_updated_at'),
  ...each(flag, 'accepts_marketing', 'verified_email', 'tax_exempt'),
  orders_count: count,
  last_order_id: ref,
  addresses: orNull(list(obj(address, 'Address'), 'Addresses')),
  tax_exemptions: texts,
  ...each(anything, 'email_marketing_consent', 'sms_marketing_consent', 'default_address'),
}

/** GET /customers.json, GET /customers/{customer_id}.json */
export const customers = entity({
  about: 'Customers of the store',
  scope: ['read_customers'],
  key: ['id'],
  record,
  list: { call: 'GET /customers.json', at: 'customers', page: 'next_page_url', params: { ...paging, ...createdWindow, ...updatedWindow } },
  get: { call: 'GET /customers/{customer_id}.json', at: 'customer', params: { customer_id: id('Customer id') } },
  context_store_search: pick(
    record,
    'id',
    'orders_count',
    'email',
    'phone',
    'first_name',
    'last_name',
    'total_spent',
    'state',
    'currency',
    'created_at',
    'updated_at',
  ),
  sync: { params: wholePages, ...changed },
})

/** GET /customers/{customer_id}/addresses.json. The envelope of one address has another name than the list's. */
export const customer_address = entity({
  about: 'Addresses of one customer',
  filled: { params: ['list', 'get'], record: 'all' },
  scope: ['read_customers'],
  key: ['id'],
  record: address,
  list: {
    call: 'GET /customers/{customer_id}/addresses.json',
    at: 'addresses',
    page: 'next_page_url',
    params: { customer_id: id('Customer id'), limit, ...following },
  },
  get: {
    call: 'GET /customers/{customer_id}/addresses/{address_id}.json',
    at: 'customer_address',
    params: { customer_id: id('Customer id'), address_id: id('Address id') },
  },
})
