import { at, setEach } from '../data.ts'
import { listRows, noTimes, type Rows } from './rows.ts'
import { type Town, towns } from './words.ts'
import { changedAt, day, idIn, type JsonRecord, shopTime, type View } from './world.ts'

const storeName = 'sandbox-store'

/** Host of the store at the vendor. */
export const storeHost = `${storeName}.myshopify.com`

/** Returns the id of the store. */
export const shopId = (view: { readonly seed: number }): number => 77_000_000_000 + view.seed

/** When the store was made, epoch milliseconds. */
export const shopCreated = Date.UTC(2018, 0, 2, 9, 30)

const shopAddress = {
  province: 'Berlin',
  country: 'DE',
  address1: 'Marktplatz 4',
  zip: '10115',
  city: 'Berlin',
  phone: '+493012345678',
  latitude: 52.5323,
  longitude: 13.3846,
  country_code: 'DE',
  country_name: 'Germany',
  ...setEach(null, 'address2 province_code'),
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
  plan_display_name: 'Basic',
  plan_name: 'basic',
  money_in_emails_format: '{{amount_with_comma_separator}} €',
  money_with_currency_in_emails_format: '€{{amount_with_comma_separator}} EUR',
  enabled_presentment_currencies: ['EUR'],
  ...setEach(true, 'taxes_included county_taxes has_discounts eligible_for_payments has_storefront finances'),
  ...setEach(true, 'checkout_api_supported multi_location_enabled'),
  ...setEach(null, 'auto_configure_tax_inclusivity tax_shipping google_apps_domain google_apps_login_enabled'),
  ...setEach(false, 'has_gift_cards requires_extra_payments_agreement password_enabled setup_required pre_launch_enabled'),
  ...setEach(false, 'marketing_sms_consent_enabled_at_checkout transactional_sms_disabled'),
}

/** Returns the record of the store. */
export function shopRecord(view: View): JsonRecord {
  const months = Math.floor((view.now - shopCreated) / (30 * day))
  return {
    id: shopId(view),
    name: 'Nordlicht',
    email: 'ida@nordlicht.example.test',
    domain: 'www.nordlicht.example.test',
    source: null,
    ...shopAddress,
    created_at: shopTime(shopCreated),
    updated_at: shopTime(shopCreated + months * 30 * day),
    myshopify_domain: storeHost,
    ...settings,
    primary_location_id: idIn(view, 'locations', 0),
  }
}

type Province = readonly [name: string, code: string, percent: number]

/** The countries to which the store ships, with their provinces. */
const lands: readonly (readonly [name: string, code: string, taxName: string, tax: number, ...provinces: readonly Province[]])[] = [
  ['Germany', 'DE', 'MwSt', 0.19],
  ['Austria', 'AT', 'USt', 0.2],
  ['France', 'FR', 'TVA', 0.2],
  ['Canada', 'CA', 'GST', 0.05, ['Ontario', 'ON', 8], ['Quebec', 'QC', 9]],
  ['United States', 'US', 'Federal Tax', 0, ['Kentucky', 'KY', 6], ['Massachusetts', 'MA', 6.5], ['Oregon', 'OR', 0]],
  ['Rest of World', '*', 'Tax', 0],
]

/** Returns the countries to which the store ships. */
export function countryRows(view: View): Rows {
  const fields = (position: number): JsonRecord => {
    const [name, code, tax_name, tax, ...provinces] = at(lands, position)
    const list = provinces.map(([province, short, percent], index) => ({
      id: idIn(view, 'provinces', position * 16 + index),
      country_id: idIn(view, 'countries', position),
      name: province,
      code: short,
      tax_name: null,
      tax_type: null,
      tax: percent / 100,
      tax_percentage: percent,
      shipping_zone_id: index === 0 ? idIn(view, 'provinces', 900 + position) : null,
    }))
    return { name, code, tax_name, tax, provinces: list }
  }
  return listRows(view, { kind: 'countries', positions: { from: 0, to: lands.length }, visible: () => true, times: noTimes, fields })
}

/** What a location is: `legacy` ones belong to a fulfillment service, `share` is the percentage of the variants that it stocks. */
type Site = Readonly<typeof shop & { readonly name: string; readonly share: number; readonly town: number }>

const shop: { readonly legacy: boolean; readonly active: boolean; readonly street: string | null } = {
  legacy: false,
  active: true,
  street: 'Marktplatz 4',
}
const service = { legacy: true, active: true, street: null }

/** The locations of the store; the first is the main one. */
export const sites: readonly Site[] = [
  { ...shop, name: 'Lager Berlin', share: 100, town: 0 },
  { ...shop, name: 'Lager Hamburg', share: 60, town: 1 },
  { ...shop, name: 'Laden München', share: 40, town: 2 },
  { ...shop, name: 'Laden Köln', share: 25, town: 3 },
  { ...shop, name: 'Laden Wien', share: 15, town: 4 },
  { ...shop, name: 'Boutique Lyon', share: 10, town: 5 },
  { ...shop, name: 'Laden Leipzig (closed)', share: 5, town: 0, active: false },
  { ...service, name: 'Northship Fulfillment', share: 30, town: 6 },
  { ...service, name: 'Packwerk App', share: 0, town: 7 },
]

/** The location whose fulfillment service is that of the asking app. */
export const ownServiceSite = 8

/** A location without any stock. */
export const emptySite = 8

const opened = Date.UTC(2018, 0, 3, 9)

/** Returns when a location was opened, epoch milliseconds. */
export const siteOpened = (site: number): number => opened + site * 170 * day

/** Returns the town of a location. */
export const townOf = (site: number): Town => at(towns, at(sites, site).town)

function siteRecord(view: View, site: number): JsonRecord {
  const { name, legacy, active, street } = at(sites, site)
  const town = townOf(site)
  const changed = changedAt(view, { kind: 'locations', position: site }, siteOpened(site) + 40 * day)
  return {
    name,
    address1: street,
    ...setEach(null, 'address2 phone'),
    city: legacy ? null : town.city,
    zip: legacy ? null : town.zip,
    province: legacy ? null : town.province,
    country: town.country_code,
    created_at: shopTime(siteOpened(site)),
    updated_at: shopTime(changed),
    country_code: town.country_code,
    country_name: town.country,
    province_code: legacy ? null : town.province_code,
    legacy,
    active,
  }
}

/** Returns the locations of the store. Two names in the store's language are in the list only. */
export function locationRows(view: View): Rows {
  const localized = (site: number) => ({
    localized_country_name: townOf(site).country,
    localized_province_name: at(sites, site).legacy ? null : townOf(site).province,
  })
  return listRows(view, {
    kind: 'locations',
    positions: { from: 0, to: sites.length },
    withoutSince: true,
    fields: (site, single) => ({ ...siteRecord(view, site), ...(single ? {} : localized(site)) }),
  })
}
