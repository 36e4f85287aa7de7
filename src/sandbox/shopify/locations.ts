import { at } from '../at.ts'
import { gid } from './ids.ts'
import type { Rows } from './rows.ts'
import { rowsOf } from './rows.ts'
import { day, shopTime } from './time.ts'
import type { Place } from './words.ts'
import { places } from './words.ts'
import type { JsonRecord, View } from './world.ts'
import { changedAt, destroyedAt, edited, idIn } from './world.ts'

/** What a location is. */
export interface Site {
  readonly name: string
  /** Belongs to a fulfillment service. */
  readonly legacy: boolean
  readonly active: boolean
  /** Percent of the variants that it stocks. */
  readonly share: number
  readonly place: number
  readonly street: string | null
}

const shop = { legacy: false, active: true, street: 'Marktplatz 4' }
const service = { legacy: true, active: true, street: null }

/** The locations of the store; the first is the main one. */
export const sites: readonly Site[] = [
  { ...shop, name: 'Lager Berlin', share: 100, place: 0 },
  { ...shop, name: 'Lager Hamburg', share: 60, place: 1 },
  { ...shop, name: 'Laden München', share: 40, place: 2 },
  { ...shop, name: 'Laden Köln', share: 25, place: 3 },
  { ...shop, name: 'Laden Wien', share: 15, place: 4 },
  { ...shop, name: 'Boutique Lyon', share: 10, place: 5 },
  { ...shop, name: 'Laden Leipzig (closed)', share: 5, place: 0, active: false },
  { ...service, name: 'Northship Fulfillment', share: 30, place: 6 },
  { ...service, name: 'Packwerk App', share: 0, place: 7 },
]

/** The location whose fulfillment service is that of the asking app. */
export const ownServiceSite = 8

/** A location without any stock. */
export const emptySite = 8

const opened = Date.UTC(2018, 0, 3, 9)

/** True while a location exists. */
export function siteExists(view: View, site: number): boolean {
  return site < sites.length && destroyedAt(view, { kind: 'locations', position: site }) === undefined
}

/** When a location was opened, epoch milliseconds. */
export function siteOpened(site: number): number {
  return opened + site * 170 * day
}

/** The place of a location. */
export function placeOf(site: number): Place {
  return at(places, at(sites, site).place)
}

function siteRecord(view: View, site: number): JsonRecord {
  const { name, legacy, active, street } = at(sites, site)
  const place = placeOf(site)
  const changed = changedAt(view, { kind: 'locations', position: site }, siteOpened(site) + 40 * day)
  return edited(
    view,
    { kind: 'locations', position: site },
    {
      id: idIn(view, 'locations', site),
      name,
      address1: street,
      address2: null,
      city: legacy ? null : place.city,
      zip: legacy ? null : place.zip,
      province: legacy ? null : place.province,
      country: place.country_code,
      phone: null,
      created_at: shopTime(siteOpened(site)),
      updated_at: shopTime(changed),
      country_code: place.country_code,
      country_name: place.country,
      province_code: legacy ? null : place.province_code,
      legacy,
      active,
      admin_graphql_api_id: gid('Location', idIn(view, 'locations', site)),
    },
  )
}

/** The locations of the store. Two names in the store's language are in the list only. */
export function locationRows(view: View): Rows {
  const list = sites.flatMap((_, site) =>
    siteExists(view, site) ? [{ id: idIn(view, 'locations', site), record: siteRecord(view, site), site }] : [],
  )
  return {
    ...rowsOf(list),
    times: {},
    withoutSince: true,
    record(position, single) {
      const { record, site } = at(list, position)
      const { legacy } = at(sites, site)
      const place = placeOf(site)
      if (single) return record
      return { ...record, localized_country_name: place.country, localized_province_name: legacy ? null : place.province }
    },
  }
}
