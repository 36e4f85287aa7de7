import type { SmallRow } from './rows.ts'
import { day, shopTime } from './time.ts'
import type { JsonRecord, View } from './world.ts'
import { edited, idIn } from './world.ts'

/** Subdomain of the store. */
const storeName = 'sandbox-store'

/** Host of the store at the vendor. */
export const storeHost = `${storeName}.myshopify.com`

/** The id of the store. */
export function shopId(view: { readonly seed: number }): number {
  return 77_000_000_000 + view.seed
}

/** When the store was made, epoch milliseconds. */
export const shopCreated = Date.UTC(2018, 0, 2, 9, 30)

const place = {
  province: 'Berlin',
  country: 'DE',
  address1: 'Marktplatz 4',
  zip: '10115',
  city: 'Berlin',
  phone: '+493012345678',
  latitude: 52.5323,
  longitude: 13.3846,
  address2: null,
  country_code: 'DE',
  country_name: 'Germany',
  province_code: null,
}

const settings = {
  primary_locale: 'de',
  currency: 'EUR',
  customer_email: 'hallo@nordlicht.example.test',
  timezone: '(GMT+01:00) Europe/Berlin',
  iana_timezone: 'Europe/Berlin',
  shop_owner: 'Ida Berg',
  money_format: '{{amount_with_comma_separator}} €',
  money_with_currency_format: '€{{amount_with_comma_separator}} EUR',
  weight_unit: 'kg',
  taxes_included: true,
  auto_configure_tax_inclusivity: null,
  tax_shipping: null,
  county_taxes: true,
  plan_display_name: 'Basic',
  plan_name: 'basic',
  has_discounts: true,
  has_gift_cards: false,
  google_apps_domain: null,
  google_apps_login_enabled: null,
  money_in_emails_format: '{{amount_with_comma_separator}} €',
  money_with_currency_in_emails_format: '€{{amount_with_comma_separator}} EUR',
  eligible_for_payments: true,
  requires_extra_payments_agreement: false,
  password_enabled: false,
  has_storefront: true,
  finances: true,
  checkout_api_supported: true,
  multi_location_enabled: true,
  setup_required: false,
  pre_launch_enabled: false,
  enabled_presentment_currencies: ['EUR'],
  marketing_sms_consent_enabled_at_checkout: false,
  transactional_sms_disabled: false,
}

/** The record of the store. */
export function shopRecord(view: View): JsonRecord {
  const months = Math.floor((view.now - shopCreated) / (30 * day))
  return {
    id: shopId(view),
    name: 'Nordlicht',
    email: 'ida@nordlicht.example.test',
    domain: 'www.nordlicht.example.test',
    source: null,
    ...place,
    created_at: shopTime(shopCreated),
    updated_at: shopTime(shopCreated + months * 30 * day),
    myshopify_domain: storeHost,
    ...settings,
    primary_location_id: idIn(view, 'locations', 0),
  }
}

interface Land {
  readonly name: string
  readonly code: string
  readonly tax_name: string
  readonly tax: number
  /** Name, code and tax in percent. */
  readonly provinces?: readonly (readonly [string, string, number])[]
}

const lands: readonly Land[] = [
  { name: 'Germany', code: 'DE', tax_name: 'MwSt', tax: 0.19 },
  { name: 'Austria', code: 'AT', tax_name: 'USt', tax: 0.2 },
  { name: 'France', code: 'FR', tax_name: 'TVA', tax: 0.2 },
  {
    name: 'Canada',
    code: 'CA',
    tax_name: 'GST',
    tax: 0.05,
    provinces: [
      ['Ontario', 'ON', 8],
      ['Quebec', 'QC', 9],
    ],
  },
  {
    name: 'United States',
    code: 'US',
    tax_name: 'Federal Tax',
    tax: 0,
    provinces: [
      ['Kentucky', 'KY', 6],
      ['Massachusetts', 'MA', 6.5],
      ['Oregon', 'OR', 0],
    ],
  },
  { name: 'Rest of World', code: '*', tax_name: 'Tax', tax: 0 },
]

/** The countries to which the store ships. */
export function countryList(view: View): readonly SmallRow[] {
  return lands.map(({ provinces = [], ...land }, position) => {
    const id = idIn(view, 'countries', position)
    const list = provinces.map(([name, code, percent], index) => ({
      id: idIn(view, 'provinces', position * 16 + index),
      country_id: id,
      name,
      code,
      tax_name: null,
      tax_type: null,
      shipping_zone_id: index === 0 ? idIn(view, 'provinces', 900 + position) : null,
      tax: percent / 100,
      tax_percentage: percent,
    }))
    return { id, record: edited(view, { kind: 'countries', position }, { id, ...land, provinces: list }) }
  })
}
