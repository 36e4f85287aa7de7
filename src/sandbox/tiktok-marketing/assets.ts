import { at } from '../at.ts'
import { hash32, idOf, Random } from '../random.ts'
import type { Account } from './accounts.ts'
import { businessCenterId } from './accounts.ts'
import type { JsonRecord } from './answers.ts'
import { hexOf, imageId, videoId } from './ids.ts'
import { day, hour, isoStamp, stamp } from './time.ts'
import { audienceKinds, brands, crowds, goods, slogans } from './words.ts'
import type { Spot, View } from './world.ts'
import { edited, objectId } from './world.ts'

/** When an object that hangs on no campaign was made, epoch milliseconds; within 330 days of the account's opening. */
function created({ kind, account, position }: Spot): number {
  return account.opened + Math.floor(((position + 1) * 330 * day) / (account[sizes[kind] ?? 'images'] + 1) / 1000) * 1000
}

const sizes: Readonly<Partial<Record<Spot['kind'], 'audiences' | 'images' | 'videos' | 'posts'>>> = {
  audiences: 'audiences',
  images: 'images',
  videos: 'videos',
  posts: 'posts',
}

/** Addresses of files end after some hours. */
function signedAddress(host: string, hex: string, expires: number): string {
  return `https://${host}.tiktokcdn.example/${hex}/?x-expires=${Math.floor(expires / 1000)}&x-signature=${hex.slice(0, 12)}%3D`
}

/** An audience as lists tell it. */
export function audienceRecord(view: View, spot: Spot): JsonRecord {
  const { account, position } = spot
  const random = new Random(view.seed, 'audience', account.index, position)
  const [type, calculation] = at(audienceKinds, position % audienceKinds.length)
  return edited(view, spot, {
    audience_id: objectId(view, spot),
    name: `${random.pick(crowds)} – ${random.pick(goods)}`,
    audience_type: type,
    cover_num: random.chance(0.1) ? 0 : random.int(1000, 4_000_000),
    create_time: stamp(created(spot)),
    expired_time: '2038-01-01 00:00:00',
    is_creator: random.chance(0.8),
    is_valid: random.chance(0.9),
    is_expiring: random.chance(0.05),
    shared: random.chance(0.15),
    calculate_type: calculation,
  })
}

/** An image as the search tells it. */
export function imageRecord(view: View, spot: Spot): JsonRecord {
  const { account, position } = spot
  const random = new Random(view.seed, 'image details', account.index, position)
  const hex = hexOf(32, view.seed, 'image', account.index, position)
  const made = created(spot)
  return edited(view, spot, {
    image_id: imageId(view, account, position),
    image_url: signedAddress('p16-ad', hex, view.now + hour),
    material_id: idOf(view.seed, 'image material', account.index, position),
    file_name: position % 9 === 4 ? null : `${random.pick(goods).toLowerCase().replaceAll(' ', '-')}_${position}.jpg`,
    format: position % 6 === 5 ? '' : 'jpeg',
    signature: hex,
    width: random.pick([1200, 720, 1080]),
    height: random.pick([628, 1280, 1080]),
    size: random.int(20_000, 900_000),
    ...(position % 5 === 3 ? {} : { is_carousel_usable: random.chance(0.7) }),
    displayable: true,
    create_time: isoStamp(made),
    modify_time: isoStamp(made + random.int(0, 20) * hour),
  })
}

/** A video as the search tells it. */
export function videoRecord(view: View, spot: Spot): JsonRecord {
  const { account, position } = spot
  const random = new Random(view.seed, 'video details', account.index, position)
  const hex = hexOf(32, view.seed, 'video file', account.index, position)
  const made = created(spot)
  const expires = view.now + 6 * hour
  return edited(view, spot, {
    video_id: videoId(view, account, position),
    video_cover_url: signedAddress('p16-sign', hex, expires),
    preview_url: signedAddress('v16m', hex, expires),
    preview_url_expire_time: stamp(expires),
    material_id: idOf(view.seed, 'video material', account.index, position),
    file_name: `${random.pick(brands)} ${random.pick(goods)} ${position}.mp4`,
    format: 'mp4',
    signature: hex,
    duration: random.decimal(5, 60, 3),
    bit_rate: random.int(400_000, 9_000_000),
    width: 720,
    height: random.pick([1280, 720]),
    size: random.int(500_000, 80_000_000),
    allow_download: random.chance(0.8),
    allowed_placements: random.pick([['PLACEMENT_TIKTOK', 'PLACEMENT_PANGLE'], ['PLACEMENT_TIKTOK'], []]),
    displayable: true,
    create_time: isoStamp(made),
    modify_time: isoStamp(made + random.int(0, 20) * hour),
  })
}

/** The position of the post that shows photos: it has no video. */
export const carouselPost = 2

/** The position of a post from before posts had types. */
export const postWithoutType = 3

function postVideo(random: Random, hex: string, expires: number): JsonRecord {
  return {
    duration: random.decimal(5, 60, 3),
    width: 720,
    height: 1280,
    size: random.int(500_000, 80_000_000),
    bit_rate: random.int(400_000, 9_000_000),
    signature: hex,
    preview_url: signedAddress('v16m', hex, expires),
    poster_url: signedAddress('p16-sign', hex, expires),
  }
}

function postType(position: number): JsonRecord {
  if (position === postWithoutType) return {}
  return { item_type: position === carouselPost ? 'CAROUSEL' : 'VIDEO' }
}

/** A post that its creator authorized for ads. */
export function postRecord(view: View, spot: Spot): JsonRecord {
  const { account, position } = spot
  const random = new Random(view.seed, 'post', account.index, position)
  const hex = hexOf(32, view.seed, 'post', account.index, position)
  const made = created(spot)
  const carousel = position === carouselPost
  const image = { image_url: signedAddress('p16-sign', hex, view.now + hour), image_width: 1080, image_height: 1440 }
  return edited(view, spot, {
    item_info: {
      item_id: objectId(view, spot),
      ...postType(position),
      auth_code: `#${Buffer.from(hex, 'hex').toString('base64')}`,
      text: random.pick(slogans),
      status: 'HESITATE_RECOMMEND',
      anchor_list: null,
      ...(carousel ? { carousel_info: { image_info: [image, image], music_info: null } } : {}),
    },
    user_info: { tiktok_name: `creator.${random.base36(5)}`, identity_id: hexOf(36, 'identity', hex), identity_type: 'AUTH_CODE' },
    auth_info: {
      ad_auth_status: 'AUTHORIZED',
      invite_start_time: stamp(made),
      auth_start_time: stamp(made + hour),
      auth_end_time: stamp(made + 3650 * day),
    },
    video_info: carousel ? null : postVideo(random, hex, view.now + 6 * hour),
  })
}

/** How many catalogs the business center has. */
export const catalogCount = 23

const catalogTypes = ['ECOM', 'ECOM', 'HOTEL', 'FLIGHT', 'DESTINATION', 'AUTO_VEHICLE', 'MINI_SERIES']

/** A catalog of the business center. */
export function catalogRecord(view: View, spot: Spot): JsonRecord {
  const { account, position } = spot
  const random = new Random(view.seed, 'catalog', position)
  const made = account.opened + (position + 1) * 9 * day
  return edited(view, spot, {
    catalog_id: objectId(view, spot),
    catalog_name: `${random.pick(brands)} ${random.pick(goods)}`,
    catalog_type: at(catalogTypes, position % catalogTypes.length),
    ad_creation_eligible: random.chance(0.8) ? 'AVAILABLE' : 'NOT_AVAILABLE',
    create_time: stamp(made),
    update_time: stamp(made + (hash32(view.seed, 'catalog update', position) % 40) * day),
    bc_info: { bc_id: businessCenterId, bc_name: 'Fernway Group', picture_url: '' },
    catalog_conf: { country: random.pick(['US', 'JP']), currency: 'USD', channel: random.pick(['CLIENT', 'PARTNER']) },
  })
}

/** An account as the vendor tells it. */
export function advertiserRecord(account: Account): JsonRecord {
  const random = new Random('advertiser', account.index)
  return {
    advertiser_id: account.id,
    name: account.name,
    status: 'STATUS_ENABLE',
    role: 'ROLE_ADVERTISER',
    advertiser_account_type: 'AUCTION',
    company: 'Fernway Ltd',
    country: account.country,
    currency: account.currency,
    timezone: account.timezone,
    display_timezone: account.displayTimezone,
    language: account.index === 2 ? '' : account.language,
    industry: '290303',
    balance: account.index === 2 ? 0 : random.decimal(100, 9000),
    create_time: Math.floor(account.opened / 1000) - 86_400,
    promotion_area: '0',
    rejection_reason: '',
    email: 'd***@*******',
    contacter: account.index === 0 ? 'F*****' : null,
    cellphone_number: account.index === 0 ? '+1*******42' : null,
    telephone_number: null,
    address: null,
    brand: null,
    description: account.index === 0 ? 'Shoes, bags and more' : null,
    license_no: null,
    license_url: null,
    license_city: null,
    license_province: null,
    promotion_center_city: null,
    promotion_center_province: null,
    owner_bc_id: account.index === 0 ? businessCenterId : null,
  }
}

/** Fields of an account that are told only when they are asked for. */
export const rareAdvertiserFields: JsonRecord = { company_name_editable: true, can_use_custom_identity: false, ads_only_mode: false }
