import { hash32, Random } from '../random.ts'
import type { Account } from './accounts.ts'
import { adGroupName, adGroupStatus } from './ad-groups.ts'
import type { JsonRecord } from './answers.ts'
import { exactNumber } from './answers.ts'
import { campaignName, isSmartPlus, objectiveOf } from './campaigns.ts'
import { imageId, pixelDigits, videoId } from './ids.ts'
import { stamp } from './time.ts'
import { actions, brands, slogans } from './words.ts'
import type { Spot, View } from './world.ts'
import { adCreated, adDeletion, campaignOfGroup, changesOf, edited, editOf, groupOfAd, objectId, sizeOf } from './world.ts'

/** The position of the ad that has no `modify_time`. */
export function adWithoutChange(account: Account): number {
  return sizeOf(account, 'ads') - 2
}

/** The position of an ad whose pixel id is a number above 2^53. */
export function adWithPixel(account: Account): number {
  return sizeOf(account, 'ads') - 3
}

function hasPixel(view: View, account: Account, position: number): boolean {
  const campaign = campaignOfGroup(account, groupOfAd(account, position))
  return position === adWithPixel(account) || objectiveOf(view, account, campaign) === 'WEB_CONVERSIONS'
}

/** True for an ad that shows images instead of a video. */
export function showsImages(view: View, account: Account, position: number): boolean {
  return hash32(view.seed, 'ad format', account.index, position) % 5 === 0
}

/** The name of an ad. */
export function adName(view: View, account: Account, position: number): string {
  const given = editOf(view, { kind: 'ads', account, position })?.fields?.['ad_name']
  if (typeof given === 'string') return given
  const random = new Random(view.seed, 'ad name', account.index, position)
  return `${random.pick(brands)} ${showsImages(view, account, position) ? 'Carousel' : 'Video'} ${(position % account.adsPerGroup) + 1}`
}

/** The text of an ad; automatic ads have several texts instead. */
export function adText(view: View, account: Account, position: number): string | null {
  if (isSmartPlus(account, campaignOfGroup(account, groupOfAd(account, position)))) return null
  return new Random(view.seed, 'ad text', account.index, position).pick(slogans)
}

function statusOf(view: View, { account, position }: Spot): JsonRecord {
  const deletion = adDeletion(view, account, position)
  if (deletion) return { operation_status: 'DISABLE', secondary_status: `AD_STATUS_${deletion}` }
  const group = adGroupStatus(view, account, groupOfAd(account, position)).secondary.replace('ADGROUP_STATUS_', '')
  const inherited: Readonly<Record<string, string>> = { DISABLE: 'ADGROUP_DISABLE', TIME_DONE: 'DONE', AUDIT_DENY: 'ADGROUP_AUDIT_DENY' }
  if (group !== 'DELIVERY_OK') return { operation_status: 'ENABLE', secondary_status: `AD_STATUS_${inherited[group] ?? group}` }
  const chance = hash32(view.seed, 'ad status', account.index, position) % 14
  if (chance === 0) return { operation_status: 'DISABLE', secondary_status: 'AD_STATUS_DISABLE' }
  if (chance === 1 && hasPixel(view, account, position)) return { operation_status: 'ENABLE', secondary_status: 'AD_STAUS_PIXEL_UNBIND' }
  return { operation_status: 'ENABLE', secondary_status: chance === 2 ? 'AD_STATUS_AUDIT' : 'AD_STATUS_DELIVERY_OK' }
}

/** What is seen of the ad. */
function creative(view: View, { account, position }: Spot, random: Random): JsonRecord {
  const images = showsImages(view, account, position)
  const picture = (offset: number) => imageId(view, account, (position + offset) % Math.max(account.images, 1))
  const smart = isSmartPlus(account, campaignOfGroup(account, groupOfAd(account, position)))
  return {
    ad_format: images ? 'CAROUSEL_ADS' : 'SINGLE_VIDEO',
    ad_text: adText(view, account, position),
    ad_texts: smart ? slogans.slice(0, 3) : null,
    video_id: images ? null : videoId(view, account, position % Math.max(account.videos, 1)),
    image_ids: images ? [picture(0), picture(1), picture(2)] : [picture(0)],
    image_mode: null,
    carousel_image_labels: images ? [] : null,
    call_to_action: random.chance(0.8) ? random.pick(actions) : null,
    call_to_action_id: null,
    landing_page_url: random.chance(0.9) ? `https://shop.example/p/${random.base36(6)}?utm_source=tiktok&utm_id=__CID__` : null,
    landing_page_urls: null,
    display_name: random.pick(brands),
    profile_image_url: `https://p16-ad.tiktokcdn.example/profile/${random.base36(8)}.jpeg`,
    avatar_icon_web_uri: `ad-site-i18n-sg/${random.base36(16)}`,
    identity_type: random.pick(['CUSTOMIZED_USER', 'AUTH_CODE', 'TT_USER']),
    music_id: images ? '7100000000000000' : null,
    creative_type: null,
    creative_authorized: false,
    is_aco: smart,
  }
}

/** What is measured of the ad. */
function tracking(view: View, { account, position }: Spot): JsonRecord {
  const pixel = hasPixel(view, account, position)
  const campaign = campaignOfGroup(account, groupOfAd(account, position))
  return {
    tracking_pixel_id: pixel ? exactNumber(pixelDigits(view, account, campaign)) : 0,
    optimization_event: pixel ? 'SHOPPING' : null,
    impression_tracking_url: position % 7 === 0 ? 'https://track.example/i?ts=__TS__' : null,
    click_tracking_url: null,
    vast_moat_enabled: false,
    viewability_postbid_partner: 'UNSET',
    viewability_vast_url: null,
    brand_safety_postbid_partner: 'UNSET',
    brand_safety_vast_url: null,
    tracking_app_id: '',
    tracking_offline_event_set_ids: [],
  }
}

/** Features that the imitated ads do not use. */
const unused: JsonRecord = {
  app_name: '',
  card_id: null,
  catalog_id: null,
  deeplink: '',
  deeplink_type: 'NORMAL',
  fallback_type: 'UNSET',
  identity_authorized_bc_id: null,
  is_new_structure: true,
  page_id: null,
  playable_url: '',
  product_set_id: null,
  promotional_music_disabled: null,
  tiktok_item_id: null,
}

/**
 * An ad as lists tell it.
 *
 * @param view - of the request
 * @param spot - the ad
 */
export function adRecord(view: View, spot: Spot): JsonRecord {
  const { account, position } = spot
  const random = new Random(view.seed, 'ad', account.index, position)
  const group = groupOfAd(account, position)
  const campaign = campaignOfGroup(account, group)
  const smart = isSmartPlus(account, campaign)
  const id = objectId(view, spot)
  const created = adCreated(account, position)
  const changed = changesOf(view, spot, created).at
  const record = {
    ...unused,
    ad_id: id,
    ...(smart ? { ad_id_v2: id, smart_plus_ad_id: id } : {}),
    ad_name: adName(view, account, position),
    adgroup_id: objectId(view, { kind: 'ad_groups', account, position: group }),
    adgroup_name: adGroupName(view, account, group),
    advertiser_id: account.id,
    campaign_id: objectId(view, { kind: 'campaigns', account, position: campaign }),
    campaign_name: campaignName(view, account, campaign),
    campaign_automation_type: smart ? 'UPGRADED_SMART_PLUS' : 'MANUAL',
    ...creative(view, spot, random),
    identity_id: `${hash32(view.seed, 'identity', account.index, campaign)}`,
    ...tracking(view, spot),
    ...statusOf(view, spot),
    create_time: stamp(created),
    ...(position === adWithoutChange(account) ? {} : { modify_time: stamp(changed) }),
  }
  return edited(view, spot, record)
}
