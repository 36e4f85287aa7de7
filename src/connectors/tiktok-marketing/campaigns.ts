import { absent, bool, each, entity, id, int, list, num, objectOrAny, open, orNull, pick, stamp, str } from '../../definition/index.ts'
import { advertiser_id, changes, firstPage, paging, perAdvertiser, texts } from './shared.ts'

const text = orNull(str('As the vendor sends it'))
const flag = orNull(bool('As the vendor sends it; null where the feature is not used'))
const amount = orNull(num('As the vendor sends it; null where the feature is not used'))
const budget = num('Budget, in the currency of the account; 0 without one')
const budget_mode = str('BUDGET_MODE_INFINITE, BUDGET_MODE_TOTAL, BUDGET_MODE_DAY or BUDGET_MODE_DYNAMIC_DAILY_BUDGET')
const operation_status = str('ENABLE or DISABLE: what the advertiser chose')
const params = { advertiser_id, ...paging(1000) }
const defaults = firstPage(1000)

const campaign = {
  campaign_id: str('Campaign id'),
  campaign_name: str('Name'),
  campaign_type: str('REGULAR_CAMPAIGN or IOS14_CAMPAIGN'),
  advertiser_id: str('Advertiser id'),
  budget,
  budget_mode,
  // The vendor's own sandbox never sends it.
  secondary_status: absent(
    str(
      'What it does: CAMPAIGN_STATUS_ENABLE, _DISABLE, _DELETE, _ADVERTISER_AUDIT, _ADVERTISER_AUDIT_DENY, _BUDGET_EXCEED, ADVERTISER_ACCOUNT_PUNISH or another',
    ),
  ),
  operation_status: orNull(operation_status),
  objective: orNull(str('APP or LANDING_PAGE')),
  objective_type: orNull(str('REACH, TRAFFIC, VIDEO_VIEWS, LEAD_GENERATION, ENGAGEMENT, APP_PROMOTION, WEB_CONVERSIONS or another')),
  budget_optimize_on: orNull(bool('Whether the budget is shared by the campaign; sent only when it is')),
  ...each(text, 'bid_type', 'deep_bid_type', 'optimization_goal', 'split_test_variable'),
  is_new_structure: bool('Whether it is a campaign of the new structure'),
  ...changes,
  roas_bid: orNull(num('Wanted return on ad spend; 0 without one')),
  ...each(flag, 'is_smart_performance_campaign', 'is_search_campaign'),
  app_promotion_type: orNull(str('APP_INSTALL, APP_RETARGETING, APP_PREREGISTRATION or APP_POSTS_PROMOTION')),
  rf_campaign_type: orNull(str('STANDARD, PULSE or TOPVIEW')),
  ...each(flag, 'disable_skan_campaign', 'is_advanced_dedicated_campaign'),
  rta_id: text,
  campaign_automation_type: orNull(str('MANUAL, SMART_PLUS or UPGRADED_SMART_PLUS')),
  ...each(flag, 'rta_bid_enabled', 'rta_product_selection_enabled'),
}

/** GET /open_api/v1.3/campaign/get/. Auction and reservation campaigns; deleted ones are left out by the vendor. */
export const campaigns = entity({
  about: 'Campaigns of an advertiser, without those that were deleted',
  scope: ['200'],
  key: ['campaign_id'],
  record: campaign,
  list: { call: 'GET /open_api/v1.3/campaign/get/', at: 'data.list', page: 'page_info', params, defaults },
  context_store_search: {
    ...each(id('As in the record, as a number'), 'advertiser_id', 'campaign_id'),
    ...pick(
      campaign,
      'budget',
      'roas_bid',
      'budget_optimize_on',
      'is_new_structure',
      'is_search_campaign',
      'is_smart_performance_campaign',
      'app_promotion_type',
      'bid_type',
      'budget_mode',
      'campaign_name',
      'campaign_type',
      'create_time',
      'deep_bid_type',
      'modify_time',
      'objective',
      'objective_type',
      'operation_status',
      'optimization_goal',
      'rf_campaign_type',
      'secondary_status',
      'split_test_variable',
    ),
  },
  sync: perAdvertiser,
})

const adGroup = {
  adgroup_id: str('Ad group id'),
  campaign_id: str('Campaign id'),
  advertiser_id: str('Advertiser id'),
  adgroup_name: str('Name'),
  placement_type: str('PLACEMENT_TYPE_NORMAL or PLACEMENT_TYPE_AUTOMATIC'),
  placements: texts('Where it is shown, for example PLACEMENT_TIKTOK'),
  budget,
  budget_mode,
  // The vendor's own sandbox never sends it.
  secondary_status: absent(
    str(
      'What it does: ADGROUP_STATUS_DELIVERY_OK, _NOT_START, _TIME_DONE, _AUDIT, _AUDIT_DENY, _BUDGET_EXCEED, _CAMPAIGN_DISABLE, _DISABLE, _DELETE or another',
    ),
  ),
  operation_status,
  // Features that an ad group does not use are null.
  optimization_goal: absent(str('What it is optimized for, for example CLICK')),
  bid_type: orNull(str('BID_TYPE_CUSTOM or BID_TYPE_NO_BID')),
  bid_price: absent(num('Bid, in the currency of the account; 0 or null without one')),
  promotion_type: absent(str('For example WEBSITE')),
  creative_material_mode: absent(str('CUSTOM, DYNAMIC or SMART_CREATIVE')),
  schedule_type: str('SCHEDULE_START_END or SCHEDULE_FROM_NOW'),
  schedule_start_time: stamp('YYYY-MM-DD HH:MM:SS in UTC'),
  schedule_end_time: absent(stamp('YYYY-MM-DD HH:MM:SS in UTC; null without an end')),
  ...changes,
  gender: orNull(str('GENDER_UNLIMITED, GENDER_FEMALE or GENDER_MALE')),
  ...each(
    texts('Whom it is shown to; null or empty where there is no choice'),
    'age_groups',
    'languages',
    'location_ids',
    'audience_ids',
    'excluded_audience_ids',
    'interest_category_ids',
    'interest_keyword_ids',
  ),
  pixel_id: text,
  deep_bid_type: text,
  ...each(absent(num('In the currency of the account; 0 or null without one')), 'deep_cpa_bid', 'conversion_bid_price'),
  billing_event: orNull(str('CPC, CPM, OCPM, CPV or another')),
  pacing: orNull(str('For example PACING_MODE_SMOOTH')),
  dayparting: orNull(str('336 characters 0 or 1: the half hours of a week')),
  ...each(orNull(int('As the vendor sends it')), 'frequency', 'frequency_schedule'),
  is_new_structure: bool('Whether it is an ad group of the new structure'),
  is_smart_performance_campaign: flag,
  ...each(text, 'app_id', 'app_type', 'app_download_url', 'optimization_event', 'secondary_optimization_event', 'conversion_window'),
  ...each(
    flag,
    'comment_disabled',
    'video_download_disabled',
    'share_disabled',
    'auto_targeting_enabled',
    'is_hfss',
    'search_result_enabled',
    'inventory_filter_enabled',
    'skip_learning_phase',
  ),
  ...each(text, 'brand_safety_type', 'brand_safety_partner', 'campaign_name', 'campaign_automation_type', 'bid_display_mode'),
  scheduled_budget: amount,
  ...each(text, 'category_id', 'feed_type', 'delivery_mode', 'ios14_quota_type', 'spending_power'),
  ...each(amount, 'next_day_retention', 'rf_estimated_cpr', 'rf_estimated_frequency', 'purchased_impression', 'purchased_reach'),
  rf_purchased_type: text,
  ...each(
    orNull(
      list(open('Object of the vendor, for example { code, days }'), 'As the vendor sends it; null or empty where there is no choice'),
    ),
    'actions',
    'included_custom_actions',
    'excluded_custom_actions',
    'schedule_infos',
  ),
  device_price_ranges: orNull(list(num('Price'), 'Lowest and highest price of the device; null or empty where there is no choice')),
  ...each(
    texts('As the vendor sends it; null or empty where there is no choice'),
    'network_types',
    'operating_systems',
    'device_model_ids',
    'category_exclusion_ids',
    'contextual_tag_ids',
    'zipcode_ids',
    'household_income',
    'isp_ids',
  ),
  ...each(text, 'statistic_type', 'keywords', 'adgroup_app_profile_page_state'),
  ...each(flag, 'automated_keywords_enabled', 'smart_audience_enabled', 'smart_interest_behavior_enabled'),
  ...each(
    text,
    'vbo_window',
    'deep_funnel_optimization_status',
    'deep_funnel_event_source',
    'deep_funnel_event_source_id',
    'deep_funnel_optimization_event',
    'custom_conversion_id',
  ),
  app_config: orNull(open('As the vendor sends it')),
}

/** GET /open_api/v1.3/adgroup/get/ */
export const ad_groups = entity({
  about: 'Ad groups of an advertiser, without those that were deleted',
  scope: ['210'],
  key: ['adgroup_id'],
  record: adGroup,
  list: { call: 'GET /open_api/v1.3/adgroup/get/', at: 'data.list', page: 'page_info', params, defaults },
  context_store_search: {
    ...each(id('As in the record, as a number'), 'adgroup_id', 'advertiser_id', 'campaign_id'),
    ...pick(
      adGroup,
      'budget',
      'adgroup_name',
      'budget_mode',
      'create_time',
      'modify_time',
      'operation_status',
      'optimization_goal',
      'placement_type',
      'promotion_type',
      'secondary_status',
    ),
  },
  sync: perAdvertiser,
})

const ad = {
  ad_id: str('Ad id'),
  advertiser_id: str('Advertiser id'),
  campaign_id: str('Campaign id'),
  campaign_name: str('Name of the campaign'),
  adgroup_id: str('Ad group id'),
  adgroup_name: str('Name of the ad group'),
  ad_name: str('Name'),
  ad_text: orNull(str('Text that is shown')),
  ad_texts: texts('Texts that are shown, of ads with several'),
  ad_format: orNull(str('SINGLE_VIDEO, SINGLE_IMAGE, CAROUSEL_ADS or another')),
  // As with campaigns and ad groups.
  secondary_status: absent(
    str(
      'What it does: AD_STATUS_DELIVERY_OK, _NOT_START, _DONE, _AUDIT, _AUDIT_DENY, _CAMPAIGN_DISABLE, _ADGROUP_DISABLE, _DISABLE, _DELETE or another',
    ),
  ),
  operation_status: orNull(operation_status),
  ...each(text, 'call_to_action', 'call_to_action_id', 'landing_page_url'),
  landing_page_urls: texts('Addresses, of ads with several'),
  ...each(text, 'display_name', 'profile_image_url', 'video_id'),
  image_ids: texts('Image ids'),
  image_mode: text,
  ...each(flag, 'is_aco', 'is_new_structure'),
  creative_type: text,
  creative_authorized: flag,
  ...each(text, 'identity_id', 'identity_type', 'deeplink', 'deeplink_type', 'fallback_type'),
  tracking_pixel_id: orNull(id('Pixel id; 0 without one')),
  ...each(text, 'impression_tracking_url', 'click_tracking_url', 'music_id', 'optimization_event'),
  vast_moat_enabled: flag,
  ...each(
    text,
    'page_id',
    'viewability_postbid_partner',
    'viewability_vast_url',
    'brand_safety_postbid_partner',
    'brand_safety_vast_url',
    'app_name',
    'playable_url',
    'card_id',
  ),
  carousel_image_labels: orNull(list(objectOrAny('As the vendor sends it'), 'Labels of the pictures')),
  ...each(text, 'avatar_icon_web_uri', 'campaign_automation_type'),
  create_time: changes.create_time,
  // Smart+ ads can lack it.
  modify_time: absent(changes.modify_time),
}

/** GET /open_api/v1.3/ad/get/ */
export const ads = entity({
  about: 'Ads of an advertiser, without those that were deleted',
  scope: ['220'],
  key: ['ad_id'],
  record: ad,
  list: { call: 'GET /open_api/v1.3/ad/get/', at: 'data.list', page: 'page_info', params, defaults },
  context_store_search: {
    ...each(id('As in the record, as a number'), 'ad_id', 'adgroup_id', 'advertiser_id', 'campaign_id'),
    ...pick(
      ad,
      'ad_format',
      'ad_name',
      'ad_text',
      'adgroup_name',
      'campaign_name',
      'create_time',
      'landing_page_url',
      'modify_time',
      'operation_status',
      'secondary_status',
      'video_id',
    ),
  },
  sync: perAdvertiser,
})
