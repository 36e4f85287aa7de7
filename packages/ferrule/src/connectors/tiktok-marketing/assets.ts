import { bool, each, entity, int, num, orNull, pick, stamp, str, time } from '../../definition/index.ts'
import { advertiser_id, filteredPerAdvertiser, filtering, firstPage, ofAdvertiser, paging, texts } from './shared.ts'

const text = orNull(str('As the vendor sends it'))
const changed = { create_time: orNull(time('When it was uploaded')), modify_time: orNull(time('When it was last changed')) }
const advertiserField = { advertiser_id: orNull(str('The requested advertiser; the vendor sends none')) }
const sides = { height: orNull(int('Pixels')), width: orNull(int('Pixels')), size: orNull(int('Bytes')) }

const image = {
  image_id: orNull(str('Image id; it can hold slashes or be a whole address')),
  format: text,
  image_url: orNull(str('Address of the image; valid for one hour')),
  signature: orNull(str('MD5 of the file')),
  ...each(text, 'material_id', 'file_name'),
  ...changed,
  ...sides,
  ...each(orNull(bool('As the vendor sends it')), 'is_carousel_usable', 'displayable'),
}

/** GET /open_api/v1.3/file/image/ad/search/. The vendor returns the 10,000 latest changes. */
export const creative_assets_images = entity({
  about: 'Images of an advertiser, the 10,000 that changed last',
  scope: ['600'],
  key: ['param.advertiser_id', 'image_id'],
  record: { ...image, ...advertiserField },
  from: ofAdvertiser,
  list: {
    call: 'GET /open_api/v1.3/file/image/ad/search/',
    at: 'data.list',
    page: 'page_info',
    params: { advertiser_id, filtering, ...paging(100) },
    defaults: firstPage(100),
  },
  context_store_search: pick(
    image,
    'create_time',
    'file_name',
    'format',
    'image_id',
    'image_url',
    'modify_time',
    'height',
    'size',
    'width',
  ),
  sync: filteredPerAdvertiser,
})

const video = {
  video_id: orNull(str('Video id; several uploads of one file share it')),
  video_cover_url: orNull(str('Address of the cover; valid for six hours')),
  format: text,
  preview_url: orNull(str('Address of a preview; valid for six hours')),
  preview_url_expire_time: orNull(stamp('When the preview ends, YYYY-MM-DD HH:MM:SS in UTC')),
  signature: orNull(str('MD5 of the file')),
  ...each(text, 'material_id', 'file_name'),
  ...changed,
  fix_task_id: orNull(str('Null in this list; the vendor sends it on upload')),
  duration: orNull(num('Seconds')),
  bit_rate: orNull(num('Bits per second')),
  ...sides,
  allowed_placements: texts('Where it may be shown'),
  flaw_types: texts('Null in this list; the vendor sends it on upload'),
  ...each(orNull(bool('As the vendor sends it')), 'allow_download', 'displayable'),
}

/** GET /open_api/v1.3/file/video/ad/search/. The vendor returns the 10,000 latest changes. */
export const creative_assets_videos = entity({
  about: 'Videos of an advertiser, the 10,000 that changed last',
  scope: ['610'],
  key: ['param.advertiser_id', 'video_id'],
  record: { ...video, ...advertiserField },
  from: ofAdvertiser,
  list: {
    call: 'GET /open_api/v1.3/file/video/ad/search/',
    at: 'data.list',
    page: 'page_info',
    params: { advertiser_id, filtering, ...paging(100) },
    defaults: firstPage(100),
  },
  context_store_search: pick(
    video,
    'create_time',
    'file_name',
    'format',
    'modify_time',
    'video_cover_url',
    'video_id',
    'duration',
    'height',
    'width',
    'size',
  ),
  sync: filteredPerAdvertiser,
})
