import { at, setEach, wordsOf } from '../data.ts'
import { hash32, hexOf, idOf, Random } from '../random.ts'
import { type Account, businessCenterId } from './accounts.ts'
import type { JsonRecord } from './answers.ts'
import { day, hour, isoStamp, stamp } from './time.ts'
import { objectId, randomOf, type Spot, type View } from './world.ts'

export const seasons = wordsOf('Spring, Summer, Autumn, Winter, Back to School, Vårsalg, Été, 春の新生活')
export const goods = wordsOf('Sneakers, Backpacks, Headphones, Sunscreen, Matcha, Puzzles, Desk Lamps, Bike Lights')
export const crowds = wordsOf('Students, Runners, Parents, Gamers, Commuters, Home Cooks, Lookalike 1%, Retargeting')
export const brands = wordsOf('Fernway, Lumo & Sons, Pocketfox, Studio Halm')
export const slogans = [
  ...wordsOf('Made for your day, Only this week 🎁, See why everybody talks about it, Leichter geht es nicht'),
  'Ships in 24 hours, "free" over $50',
  ...wordsOf('毎日をもっと軽く, Try it for 30 days'),
]

const audienceKinds: readonly (readonly [type: string, calculation: string | null])[] = [
  ['Customer File Audience', 'EMAIL_SHA256'],
  ['Customer File Audience', 'PHONE_SHA256'],
  ['Website Traffic', null],
  ['Engagement Audience', null],
  ['Lookalike Audience', null],
  ['App Activity', 'IDFA_MD5'],
]

/** Returns when an object that hangs on no campaign was made, epoch milliseconds; within 330 days of the account's opening. */
const madeAt = ({ account, position }: Spot, size: number): number =>
  account.opened + Math.floor(((position + 1) * 330 * day) / (size + 1) / 1000) * 1000

/** Addresses of files end after some hours. */
const signedAddress = (host: string, hex: string, expires: number): string =>
  `https://${host}.tiktokcdn.example/${hex}/?x-expires=${Math.floor(expires / 1000)}&x-signature=${hex.slice(0, 12)}%3D`

/** Returns an audience as lists return it. */
export function audienceRecord(view: View, spot: Spot): JsonRecord {
  const random = randomOf(view, spot, 'audience')
  const [type, calculation] = at(audienceKinds, spot.position % audienceKinds.length)
  return {
    audience_id: objectId(view, spot),
    name: `${random.pick(crowds)} – ${random.pick(goods)}`,
    audience_type: type,
    cover_num: random.chance(0.1) ? 0 : random.int(1000, 4_000_000),
    create_time: stamp(madeAt(spot, spot.account.audiences)),
    expired_time: '2038-01-01 00:00:00',
    is_creator: random.chance(0.8),
    is_valid: random.chance(0.9),
    is_expiring: random.chance(0.05),
    shared: random.chance(0.15),
    calculate_type: calculation,
  }
}

function fileFields(view: View, spot: Spot, file: { readonly what: 'image' | 'video'; readonly made: number; readonly random: Random }) {
  const { what, made, random } = file
  return {
    material_id: idOf(view.seed, `${what} material`, spot.account.index, spot.position),
    displayable: true,
    create_time: isoStamp(made),
    modify_time: isoStamp(made + random.int(0, 20) * hour),
  }
}

/** Returns an image as the search returns it. */
export function imageRecord(view: View, spot: Spot): JsonRecord {
  const { account, position } = spot
  const random = randomOf(view, spot, 'image details')
  const hex = hexOf(32, view.seed, 'image', account.index, position)
  return {
    image_id: objectId(view, spot),
    image_url: signedAddress('p16-ad', hex, view.now + hour),
    file_name: position % 9 === 4 ? null : `${random.pick(goods).toLowerCase().replaceAll(' ', '-')}_${position}.jpg`,
    format: position % 6 === 5 ? '' : 'jpeg',
    signature: hex,
    width: random.pick([1200, 720, 1080]),
    height: random.pick([628, 1280, 1080]),
    size: random.int(20_000, 900_000),
    ...(position % 5 === 3 ? {} : { is_carousel_usable: random.chance(0.7) }),
    ...fileFields(view, spot, { what: 'image', made: madeAt(spot, account.images), random }),
  }
}

/** Returns a video as the search returns it. */
export function videoRecord(view: View, spot: Spot): JsonRecord {
  const { account, position } = spot
  const random = randomOf(view, spot, 'video details')
  const hex = hexOf(32, view.seed, 'video file', account.index, position)
  const expires = view.now + 6 * hour
  return {
    video_id: objectId(view, spot),
    video_cover_url: signedAddress('p16-sign', hex, expires),
    preview_url: signedAddress('v16m', hex, expires),
    preview_url_expire_time: stamp(expires),
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
    ...fileFields(view, spot, { what: 'video', made: madeAt(spot, account.videos), random }),
  }
}

/** Positions of odd posts: one that shows photos and has no video, one from before posts had types. */
export const oddPosts = { carousel: 2, withoutType: 3 }

const postVideo = (random: Random, hex: string, expires: number): JsonRecord => ({
  duration: random.decimal(5, 60, 3),
  width: 720,
  height: 1280,
  size: random.int(500_000, 80_000_000),
  bit_rate: random.int(400_000, 9_000_000),
  signature: hex,
  preview_url: signedAddress('v16m', hex, expires),
  poster_url: signedAddress('p16-sign', hex, expires),
})

/** Returns a post that its creator authorized for ads. */
export function postRecord(view: View, spot: Spot): JsonRecord {
  const { account, position } = spot
  const random = randomOf(view, spot, 'post')
  const hex = hexOf(32, view.seed, 'post', account.index, position)
  const made = madeAt(spot, account.posts)
  const carousel = position === oddPosts.carousel
  const image = { image_url: signedAddress('p16-sign', hex, view.now + hour), image_width: 1080, image_height: 1440 }
  return {
    item_info: {
      item_id: objectId(view, spot),
      ...(position === oddPosts.withoutType ? {} : { item_type: carousel ? 'CAROUSEL' : 'VIDEO' }),
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
  }
}

const catalogTypes = ['ECOM', 'ECOM', 'HOTEL', 'FLIGHT', 'DESTINATION', 'AUTO_VEHICLE', 'MINI_SERIES']

/** Returns a catalog of the business center. */
export function catalogRecord(view: View, spot: Spot): JsonRecord {
  const { account, position } = spot
  const random = new Random(view.seed, 'catalog', position)
  const made = account.opened + (position + 1) * 9 * day
  return {
    catalog_id: objectId(view, spot),
    catalog_name: `${random.pick(brands)} ${random.pick(goods)}`,
    catalog_type: at(catalogTypes, position % catalogTypes.length),
    ad_creation_eligible: random.chance(0.8) ? 'AVAILABLE' : 'NOT_AVAILABLE',
    create_time: stamp(made),
    update_time: stamp(made + (hash32(view.seed, 'catalog update', position) % 40) * day),
    bc_info: { bc_id: businessCenterId, bc_name: 'Fernway Group', picture_url: '' },
    catalog_conf: { country: random.pick(['US', 'JP']), currency: 'USD', channel: random.pick(['CLIENT', 'PARTNER']) },
  }
}

/** Returns an account as the vendor returns it. */
export function advertiserRecord(account: Account): JsonRecord {
  const random = new Random('advertiser', account.index)
  const [main, unnamed] = [account.index === 0, account.index === 2]
  const { name, country, currency, timezone, language } = account
  return {
    advertiser_id: account.id,
    name,
    country,
    currency,
    timezone,
    display_timezone: account.displayTimezone,
    status: 'STATUS_ENABLE',
    role: 'ROLE_ADVERTISER',
    advertiser_account_type: 'AUCTION',
    company: 'Fernway Ltd',
    industry: '290303',
    promotion_area: '0',
    rejection_reason: '',
    email: 'd***@*******',
    language: unnamed ? '' : language,
    balance: unnamed ? 0 : random.decimal(100, 9000),
    create_time: Math.floor(account.opened / 1000) - 86_400,
    contacter: main ? 'F*****' : null,
    cellphone_number: main ? '+1*******42' : null,
    ...setEach(null, 'telephone_number address brand license_no license_url license_city license_province'),
    ...setEach(null, 'promotion_center_city promotion_center_province'),
    description: main ? 'Shoes, bags and more' : null,
    owner_bc_id: main ? businessCenterId : null,
  }
}

/** Fields of an account that are returned only when they are asked for. */
export const rareAdvertiserFields: JsonRecord = { company_name_editable: true, can_use_custom_identity: false, ads_only_mode: false }
