import {
  absent,
  bool,
  each,
  entity,
  fromConnector,
  id,
  int,
  jsonArray,
  known,
  list,
  num,
  obj,
  open,
  opt,
  orNull,
  pick,
  stamp,
  str,
} from '../../definition/index.ts'
import { advertiser_id, changes, firstPage, ofAdvertiser, paging, perAdvertiser } from './shared.ts'

const advertiser = {
  advertiser_id: str('Advertiser id'),
  name: str('Name'),
  ...each(
    orNull(str('As the vendor sends it; contact data is masked')),
    'address',
    'company',
    'contacter',
    'country',
    'currency',
    'description',
    'email',
    'industry',
    'language',
    'license_no',
  ),
  license_url: orNull(str('Address of the licence; valid for one hour')),
  ...each(orNull(str('As the vendor sends it')), 'cellphone_number', 'promotion_area', 'rejection_reason'),
  role: orNull(str('ROLE_ADVERTISER, ROLE_CHILD_ADVERTISER, ROLE_CHILD_AGENT or another')),
  status: orNull(
    known(
      'Status',
      'STATUS_DISABLE',
      'STATUS_PENDING_CONFIRM',
      'STATUS_PENDING_VERIFIED',
      'STATUS_CONFIRM_FAIL',
      'STATUS_ENABLE',
      'STATUS_CONFIRM_FAIL_END',
      'STATUS_PENDING_CONFIRM_MODIFY',
      'STATUS_CONFIRM_MODIFY_FAIL',
      'STATUS_LIMIT',
      'STATUS_WAIT_FOR_BPM_AUDIT',
      'STATUS_WAIT_FOR_PUBLIC_AUTH',
      'STATUS_SELF_SERVICE_UNAUDITED',
      'STATUS_CONTRACT_PENDING',
    ),
  ),
  timezone: orNull(str('Time zone of its reports, for example Etc/GMT+8')),
  telephone_number: orNull(str('Masked telephone number')),
  display_timezone: orNull(str('Time zone by its name, for example America/Los_Angeles')),
  promotion_center_province: orNull(str('Province of the promotion centre')),
  advertiser_account_type: orNull(known('How it buys', 'AUCTION', 'RESERVATION')),
  ...each(orNull(str('As the vendor sends it')), 'license_city', 'brand', 'license_province', 'promotion_center_city'),
  balance: num('Balance, in the currency of the account'),
  create_time: int('When the account was made, in seconds since 1970'),
}
const { advertiser_id: _text, balance, create_time, ...searchableTexts } = advertiser

/** GET /open_api/v1.3/advertiser/info/. The vendor returns all ids at once and has no page and page_size. */
export const advertisers = entity({
  about: 'Advertiser accounts, by their ids',
  scope: ['100'],
  key: ['advertiser_id'],
  record: advertiser,
  list: {
    call: 'GET /open_api/v1.3/advertiser/info/',
    at: 'data.list',
    page: 'page_info',
    slice: { page: 'page', size: 'page_size' },
    params: {
      advertiser_ids: fromConnector(
        'advertiser',
        jsonArray(
          'Advertiser ids, a JSON array of strings in a string: ["7012345678901234567"]; those of the connector when it is left out',
          '["7012345678901234567"]',
        ),
        {
          as: 'json_array',
          most: 100,
          refusal: '^No permission to operate advertiser|(do|does)( not|n.?t) exist',
        },
      ),
      page: opt(int('Number of the page, from 1', { minimum: 1 })),
      page_size: opt(int('Records per page, 1 to 100; all when it is left out', { minimum: 1, maximum: 100 })),
    },
  },
  context_store_search: { advertiser_id: id('Advertiser id'), balance, create_time, ...searchableTexts },
  sync: {},
})

const audience = {
  audience_id: orNull(str('Audience id')),
  name: orNull(str('Name')),
  audience_type: orNull(str('Kind of audience for people, for example Customer File Audience')),
  cover_num: orNull(int('Members that are covered')),
  ...each(orNull(bool('As the vendor sends it')), 'is_valid', 'is_expiring', 'is_creator', 'shared'),
  calculate_type: orNull(str('How members are matched, for example EMAIL_SHA256')),
  create_time: orNull(stamp('When it was made, YYYY-MM-DD HH:MM:SS in UTC')),
  expired_time: orNull(stamp('When it ends, YYYY-MM-DD HH:MM:SS in UTC')),
}

/** GET /open_api/v1.3/dmp/custom_audience/list/ */
export const audiences = entity({
  about: 'Custom audiences of an advertiser',
  scope: ['30'],
  key: ['param.advertiser_id', 'audience_id'],
  record: { ...audience, advertiser_id: orNull(str('The requested advertiser; the vendor sends none')) },
  from: ofAdvertiser,
  list: {
    call: 'GET /open_api/v1.3/dmp/custom_audience/list/',
    at: 'data.list',
    page: 'page_info',
    params: { advertiser_id, ...paging(100) },
    defaults: firstPage(100),
  },
  context_store_search: pick(audience, 'audience_id', 'audience_type', 'create_time', 'name', 'cover_num', 'is_valid', 'shared'),
  sync: perAdvertiser,
})

/** GET /open_api/v1.3/catalog/get/. The vendor takes a business centre here, and no advertiser. */
export const catalogs = entity({
  about: 'Catalogs of a business centre',
  scope: ['900'],
  key: ['catalog_id'],
  record: {
    catalog_id: orNull(str('Catalog id')),
    catalog_name: orNull(str('Name')),
    advertiser_id: orNull(str('The requested advertiser; the vendor sends none')),
    catalog_type: orNull(str('ECOM, HOTEL, FLIGHT, DESTINATION, ENTERTAINMENT, AUTO_VEHICLE, AUTO_MODEL, MINI_SERIES or another')),
    catalog_status: orNull(str('Null unless the vendor sends it; see ad_creation_eligible')),
    create_time: orNull(changes.create_time),
    modify_time: orNull(changes.modify_time),
    product_count: orNull(int('Null unless the vendor sends it')),
  },
  from: { ...ofAdvertiser, modify_time: { copy: 'update_time' } },
  list: {
    call: 'GET /open_api/v1.3/catalog/get/',
    at: 'data.list',
    page: 'page_info',
    admit: 'rule:business_centre',
    params: {
      advertiser_id,
      bc_id: opt(str('Business centre id; the vendor needs it', { minLength: 1 })),
      ...paging(1000, 100),
    },
    unsent: ['advertiser_id'],
    defaults: firstPage(100),
  },
})

/** Fields of a post and of its video beyond the documents. Lists return them, so searches must know them. */
const postExtras = {
  anchor_list: list(open('{ id, status, title, url, product_regions }'), 'Links on the post'),
  carousel_info: open('Of posts of pictures: { image_info, music_info }'),
}
const videoExtras = { bit_rate: num('Bits per second'), signature: str('Signature of the file') }

const item_type = known('Type of the post; older ones have none', 'VIDEO', 'CAROUSEL')
const identity_type = known('Type of the identity', 'AUTH_CODE', 'TT_USER', 'BC_AUTH_TT')

/** GET /open_api/v1.3/tt_video/list/: posts whose authors authorized them by a code. The vendor's tiktok_name is platform_name here. */
export const promoted_post_ads = entity({
  about: 'Posts of creators that an advertiser may promote (Spark Ads)',
  scope: ['691'],
  key: ['param.advertiser_id', 'item_info.item_id'],
  record: {
    item_info: orNull(
      obj(
        {
          item_id: str('Id of the post'),
          ...each(absent(str('As the vendor sends it')), 'auth_code', 'text', 'status'),
          item_type: absent(item_type),
        },
        'The post',
      ),
    ),
    user_info: orNull(
      obj(
        {
          platform_name: absent(str('Name of the author')),
          identity_id: absent(str('Identity id')),
          identity_type: absent(identity_type),
        },
        'Its author',
      ),
    ),
    auth_info: orNull(
      obj(
        {
          ...each(absent(stamp('YYYY-MM-DD HH:MM:SS in UTC')), 'invite_start_time', 'auth_start_time', 'auth_end_time'),
          ad_auth_status: absent(str('AUTHORIZED or another')),
        },
        'The authorization',
      ),
    ),
    advertiser_id: orNull(str('The requested advertiser; the vendor sends none')),
    video_info: orNull(
      obj(
        {
          duration: absent(num('Seconds')),
          ...each(absent(str('Address that ends after a while')), 'preview_url', 'poster_url'),
          ...each(absent(int('Pixels; bytes for the size')), 'height', 'width', 'size'),
        },
        'The video; null for posts of pictures',
      ),
    ),
  },
  from: { ...ofAdvertiser, 'user_info.platform_name': { rename: 'user_info.tiktok_name' } },
  list: {
    call: 'GET /open_api/v1.3/tt_video/list/',
    at: 'data.list',
    page: 'page_info',
    params: { advertiser_id, ...paging(50) },
    defaults: firstPage(50),
  },
  context_store_search: {
    item_info: obj({ ...each(str('As in the record'), 'item_id', 'auth_code', 'text', 'status'), item_type, ...postExtras }, 'The post'),
    user_info: obj({ ...each(str('As in the record'), 'platform_name', 'identity_id'), identity_type }, 'Its author'),
    auth_info: obj(
      {
        ...each(stamp('As in the record'), 'invite_start_time', 'auth_start_time', 'auth_end_time'),
        ad_auth_status: str('As in the record'),
      },
      'The authorization',
    ),
    video_info: obj(
      {
        duration: num('Seconds'),
        ...each(str('As in the record'), 'preview_url', 'poster_url'),
        ...each(int('As in the record'), 'height', 'width', 'size'),
        ...videoExtras,
      },
      'The video',
    ),
  },
  sync: perAdvertiser,
})
