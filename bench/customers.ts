/** A customer as Shopify's stand-in and its webhooks have it, of invented values. */

const address = (customer: number) => ({
  ...{
    id: customer * 10,
    customer_id: customer,
    first_name: 'Ada',
    last_name: 'Example',
    company: 'Example Ltd',
    phone: '+44 20 7946 0000',
  },
  ...{ address1: '1 Example Street', address2: '', city: 'London', province: null, zip: 'N1 1AA', country: 'United Kingdom' },
  ...{ country_code: 'GB', country_name: 'United Kingdom', province_code: null, name: 'Ada Example', default: true },
})

/** Builds a customer. It changes with each call, as a customer does before a vendor sends an event. */
export function buildCustomer(id: number | string): object {
  const [customer, changed] = [Number(id), new Date().toISOString()]
  const consent = { state: 'subscribed', opt_in_level: 'single_opt_in', consent_updated_at: '2026-01-05T10:00:00Z' }
  return {
    ...{ id: customer, email: `ada.${customer}@example.com`, created_at: '2026-01-05T10:00:00Z', updated_at: changed },
    ...{ first_name: 'Ada', last_name: 'Example', orders_count: 3, state: 'enabled', total_spent: '345.67', last_order_id: 9_000_000_123 },
    ...{
      note: 'Prefers deliveries in the morning',
      verified_email: true,
      multipass_identifier: null,
      tax_exempt: false,
      tags: 'vip, london',
    },
    ...{ last_order_name: '#1123', currency: 'GBP', phone: '+44 20 7946 0000', tax_exemptions: [], email_marketing_consent: consent },
    ...{ sms_marketing_consent: null, admin_graphql_api_id: `gid://shopify/Customer/${customer}`, addresses: [address(customer)] },
    default_address: address(customer),
  }
}
