import { setEach } from '../data.ts'
import type { Random } from '../random.ts'
import { adGroupName, adGroupState } from './ad-groups.ts'
import { exactNumber, type JsonRecord } from './answers.ts'
import { brands, slogans } from './assets.ts'
import { campaignFields, identityOf, isSmartPlus, objectiveOf, type Status } from './campaigns.ts'
import { stamp } from './time.ts'
import type { Spot, Structural, View } from './world.ts'
import * as world from './world.ts'

type Ad = Spot<Structural>

/** Positions of odd ads: the one without `modify_time`, and one whose pixel id is a number above 2^53. */
export const oddAds = {
  withoutChange: (account: Spot['account']) => world.sizeOf(account, 'ads') - 2,
  withPixel: (account: Spot['account']) => world.sizeOf(account, 'ads') - 3,
}

const actions = ['SHOP_NOW', 'LEARN_MORE', 'DOWNLOAD_NOW', 'SIGN_UP', 'VIEW_NOW']

const hasPixel = (view: View, ad: Ad): boolean =>
  ad.position === oddAds.withPixel(ad.account) || objectiveOf(view, world.campaignOf(ad)) === 'WEB_CONVERSIONS'

/** Returns true for an ad that shows images instead of a video. */
export const showsImages = (view: View, ad: Ad): boolean => world.draw(view, ad, ['ad format', 5]) === 0

/** Returns the name of an ad. */
export function adName(view: View, ad: Ad): string {
  const brand = world.randomOf(view, ad, 'ad name').pick(brands)
  return world.givenName(view, ad, 'ad_name') ?? `${brand} ${showsImages(view, ad) ? 'Carousel' : 'Video'} ${world.ordinalOf(ad)}`
}

/** Returns the text of an ad; automatic ads have several texts instead. */
export const adText = (view: View, ad: Ad): string | null =>
  isSmartPlus(world.campaignOf(ad)) ? null : world.randomOf(view, ad, 'ad text').pick(slogans)

/** What an ad says of the state of its ad group. */
const inherited: Readonly<Record<string, string>> = { DISABLE: 'ADGROUP_DISABLE', TIME_DONE: 'DONE', AUDIT_DENY: 'ADGROUP_AUDIT_DENY' }

/** Returns the status of an ad. */
export function adStatus(view: View, ad: Ad): Status {
  const told = (operation_status: Status['operation_status'], state: string): Status => {
    return { operation_status, secondary_status: world.statusName(ad, state) }
  }
  const deletion = world.deletionOf(view, ad)
  if (deletion) return told('DISABLE', deletion)
  const group = adGroupState(view, world.layerOf(ad, 'ad_groups') ?? ad)
  if (group !== 'DELIVERY_OK') return told('ENABLE', inherited[group] ?? group)
  const chance = world.draw(view, ad, ['ad status', 14])
  if (chance === 0) return told('DISABLE', 'DISABLE')
  // The vendor misspells this one.
  if (chance === 1 && hasPixel(view, ad)) return { operation_status: 'ENABLE', secondary_status: 'AD_STAUS_PIXEL_UNBIND' }
  return told('ENABLE', chance === 2 ? 'AUDIT' : 'DELIVERY_OK')
}

function creative(view: View, ad: Ad, random: Random): JsonRecord {
  const { account, position } = ad
  const images = showsImages(view, ad)
  const fileAt = (kind: 'images' | 'videos', offset: number) =>
    world.objectId(view, { kind, account, position: (position + offset) % Math.max(account[kind], 1) })
  const smart = isSmartPlus(world.campaignOf(ad))
  return {
    ad_format: images ? 'CAROUSEL_ADS' : 'SINGLE_VIDEO',
    ad_text: adText(view, ad),
    ad_texts: smart ? slogans.slice(0, 3) : null,
    video_id: images ? null : fileAt('videos', 0),
    image_ids: images ? [fileAt('images', 0), fileAt('images', 1), fileAt('images', 2)] : [fileAt('images', 0)],
    carousel_image_labels: images ? [] : null,
    call_to_action: random.chance(0.8) ? random.pick(actions) : null,
    landing_page_url: random.chance(0.9) ? `https://shop.example/p/${random.base36(6)}?utm_source=tiktok&utm_id=__CID__` : null,
    display_name: random.pick(brands),
    profile_image_url: `https://p16-ad.tiktokcdn.example/profile/${random.base36(8)}.jpeg`,
    avatar_icon_web_uri: `ad-site-i18n-sg/${random.base36(16)}`,
    identity_type: random.pick(['CUSTOMIZED_USER', 'AUTH_CODE', 'TT_USER']),
    music_id: images ? '7100000000000000' : null,
    is_aco: smart,
  }
}

/** Features that the imitated ads do not use. */
const unused: JsonRecord = {
  ...setEach(null, 'card_id catalog_id identity_authorized_bc_id page_id product_set_id promotional_music_disabled tiktok_item_id'),
  ...setEach(null, 'image_mode call_to_action_id landing_page_urls creative_type click_tracking_url viewability_vast_url'),
  ...setEach(null, 'brand_safety_vast_url'),
  ...setEach('', 'app_name deeplink playable_url tracking_app_id'),
  ...setEach('UNSET', 'fallback_type viewability_postbid_partner brand_safety_postbid_partner'),
  ...setEach(false, 'creative_authorized vast_moat_enabled'),
  deeplink_type: 'NORMAL',
  is_new_structure: true,
  tracking_offline_event_set_ids: [],
}

/** Returns an ad as lists return it. */
export function adRecord(view: View, ad: Ad): JsonRecord {
  const { account, position } = ad
  const random = world.randomOf(view, ad, 'ad')
  const group = world.layerOf(ad, 'ad_groups') ?? ad
  const campaign = world.campaignOf(ad)
  const id = world.objectId(view, ad)
  const pixel = hasPixel(view, ad)
  return {
    ...unused,
    ...campaignFields(view, campaign),
    ad_id: id,
    ...(isSmartPlus(campaign) ? { ad_id_v2: id, smart_plus_ad_id: id } : {}),
    ad_name: adName(view, ad),
    adgroup_id: world.objectId(view, group),
    adgroup_name: adGroupName(view, group),
    ...creative(view, ad, random),
    identity_id: identityOf(view, campaign),
    tracking_pixel_id: pixel ? exactNumber(world.pixelDigits(view, campaign)) : 0,
    optimization_event: pixel ? 'SHOPPING' : null,
    impression_tracking_url: position % 7 === 0 ? 'https://track.example/i?ts=__TS__' : null,
    ...adStatus(view, ad),
    create_time: stamp(world.createdAt(ad)),
    ...(position === oddAds.withoutChange(account) ? {} : { modify_time: stamp(world.changesOf(view, ad).at) }),
  }
}
