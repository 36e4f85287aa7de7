import { hash32, Random } from '../random.ts'
import type { Account } from './accounts.ts'
import type { JsonRecord } from './answers.ts'
import { campaignName, campaignStatus, isSmartPlus, objectiveOf } from './campaigns.ts'
import { audienceId, pixelDigits } from './ids.ts'
import { day, stamp } from './time.ts'
import { crowds } from './words.ts'
import type { Spot, View } from './world.ts'
import { campaignOfGroup, changesOf, edited, editOf, groupCreated, groupDeletion, objectId } from './world.ts'

/** The name of an ad group. */
export function adGroupName(view: View, account: Account, position: number): string {
  const given = editOf(view, { kind: 'ad_groups', account, position })?.fields?.['adgroup_name']
  if (typeof given === 'string') return given
  const random = new Random(view.seed, 'ad group name', account.index, position)
  return `${random.pick(crowds)} ${random.int(18, 55)}+ #${(position % account.groupsPerCampaign) + 1}`
}

/** True for an ad group whose placements the vendor chooses. */
export function placesItself(view: View, account: Account, position: number): boolean {
  return hash32(view.seed, 'placement', account.index, position) % 3 === 0
}

/** The status of an ad group. */
export function adGroupStatus(view: View, account: Account, position: number): { operation: string; secondary: string } {
  const deletion = groupDeletion(view, account, position)
  if (deletion) return { operation: 'DISABLE', secondary: `ADGROUP_STATUS_${deletion}` }
  const campaign = campaignStatus(view, account, campaignOfGroup(account, position))
  if (campaign.operation === 'DISABLE') return { operation: 'ENABLE', secondary: 'ADGROUP_STATUS_CAMPAIGN_DISABLE' }
  const chance = hash32(view.seed, 'ad group status', account.index, position) % 12
  if (chance === 0) return { operation: 'DISABLE', secondary: 'ADGROUP_STATUS_DISABLE' }
  const states = ['DELIVERY_OK', 'TIME_DONE', 'AUDIT_DENY', 'BUDGET_EXCEED', 'NOT_START']
  return { operation: 'ENABLE', secondary: `ADGROUP_STATUS_${states[chance - 1] ?? 'DELIVERY_OK'}` }
}

/** Features that most ad groups do not use: null, zero, or an empty list. */
const unused: JsonRecord = {
  adgroup_app_profile_page_state: null,
  app_config: null,
  app_download_url: null,
  attribution_event_count: null,
  automated_keywords_enabled: null,
  brand_safety_partner: null,
  catalog_authorized_bc_id: null,
  catalog_id: null,
  category_exclusion_ids: [],
  click_attribution_window: null,
  conversion_bid_price: 0,
  conversion_window: null,
  custom_conversion_id: null,
  deep_bid_type: null,
  deep_cpa_bid: 0,
  deep_funnel_event_source: null,
  deep_funnel_event_source_id: null,
  deep_funnel_optimization_event: null,
  deep_funnel_optimization_status: null,
  delivery_mode: null,
  device_price_ranges: null,
  excluded_custom_actions: [],
  feed_type: null,
  frequency: null,
  frequency_schedule: null,
  included_custom_actions: [],
  inventory_filter_enabled: false,
  is_hfss: false,
  is_lhf_compliance: null,
  isp_ids: [],
  keywords: null,
  next_day_retention: null,
  product_set_id: null,
  purchased_impression: null,
  purchased_reach: null,
  rf_estimated_cpr: null,
  rf_estimated_frequency: null,
  rf_purchased_type: null,
  schedule_infos: null,
  secondary_optimization_event: null,
  skip_learning_phase: true,
  smart_audience_enabled: null,
  smart_interest_behavior_enabled: null,
  statistic_type: null,
  tiktok_subplacements: null,
  vbo_window: null,
  view_attribution_window: null,
}

/** Who is to see the ads. */
function targeting(view: View, { account, position }: Spot, random: Random): JsonRecord {
  const audience = (offset: number) => audienceId(view, account, (position + offset) % Math.max(account.audiences, 1))
  return {
    gender: random.pick(['GENDER_UNLIMITED', 'GENDER_FEMALE', 'GENDER_MALE']),
    age_groups: random.pick([['AGE_18_24', 'AGE_25_34'], ['AGE_25_34'], null]),
    languages: random.pick([['en'], ['en', 'es'], []]),
    location_ids: random.pick([['6252001'], ['6252001', '2635167'], ['1861060']]),
    audience_ids: position % 4 === 1 ? [audience(0), audience(3)] : [],
    excluded_audience_ids: position % 8 === 1 ? [audience(5)] : [],
    interest_category_ids: random.pick([[], ['10', '1013']]),
    interest_keyword_ids: [],
    actions: random.pick([[], [{ action_category_ids: ['10'], action_period: 7, action_scene: 'VIDEO_RELATED' }]]),
    network_types: [],
    operating_systems: random.pick([[], ['ANDROID'], ['IOS']]),
    spending_power: 'ALL',
    auto_targeting_enabled: false,
  }
}

/** What the ad group spends, and when. */
function delivery(view: View, { account, position }: Spot, random: Random): JsonRecord {
  const created = groupCreated(account, position)
  const bidless = random.chance(0.4)
  return {
    budget: random.pick([20, 50, 75.25, 300]),
    budget_mode: random.pick(['BUDGET_MODE_DAY', 'BUDGET_MODE_TOTAL', 'BUDGET_MODE_INFINITE']),
    scheduled_budget: 0,
    schedule_type: random.pick(['SCHEDULE_START_END', 'SCHEDULE_FROM_NOW']),
    schedule_start_time: stamp(created),
    schedule_end_time: stamp(created + 3650 * day),
    dayparting: '1'.repeat(336),
    optimization_goal: random.pick(['CLICK', 'CONVERT', 'REACH', 'VIDEO_VIEW']),
    bid_type: bidless ? 'BID_TYPE_NO_BID' : 'BID_TYPE_CUSTOM',
    bid_price: bidless ? 0 : random.decimal(0.2, 4),
    bid_display_mode: 'CPMV',
    billing_event: random.pick(['CPC', 'CPM', 'OCPM']),
    pacing: 'PACING_MODE_SMOOTH',
    ios14_quota_type: 'UNOCCUPIED',
    modify_time: stamp(changesOf(view, { kind: 'ad_groups', account, position }, created).at),
    create_time: stamp(created),
  }
}

/** What is advertised. */
function promotion(view: View, { account, position }: Spot, campaign: number): JsonRecord {
  const objective = objectiveOf(view, account, campaign)
  const app = objective === 'APP_PROMOTION'
  const converts = objective === 'WEB_CONVERSIONS'
  return {
    promotion_type: app ? 'APP_ANDROID' : 'WEBSITE',
    promotion_target_type: null,
    app_id: app ? '7211980045122207745' : null,
    app_type: app ? 'APP_ANDROID' : null,
    pixel_id: converts ? pixelDigits(view, account, campaign) : null,
    optimization_event: converts ? 'SHOPPING' : null,
    creative_material_mode: isSmartPlus(account, campaign) ? 'SMART_CREATIVE' : 'CUSTOM',
    category_id: position % 2 === 0 ? '0' : null,
  }
}

/**
 * An ad group as lists tell it.
 *
 * @param view - of the request
 * @param spot - the ad group
 */
export function adGroupRecord(view: View, spot: Spot): JsonRecord {
  const { account, position } = spot
  const random = new Random(view.seed, 'ad group', account.index, position)
  const campaign = campaignOfGroup(account, position)
  const status = adGroupStatus(view, account, position)
  const automatic = placesItself(view, account, position)
  const record = {
    ...unused,
    adgroup_id: objectId(view, spot),
    advertiser_id: account.id,
    campaign_id: objectId(view, { kind: 'campaigns', account, position: campaign }),
    campaign_name: campaignName(view, account, campaign),
    campaign_automation_type: isSmartPlus(account, campaign) ? 'UPGRADED_SMART_PLUS' : 'MANUAL',
    adgroup_name: adGroupName(view, account, position),
    placement_type: automatic ? 'PLACEMENT_TYPE_AUTOMATIC' : 'PLACEMENT_TYPE_NORMAL',
    placements: automatic ? null : ['PLACEMENT_TIKTOK'],
    ...targeting(view, spot, random),
    ...delivery(view, spot, random),
    ...promotion(view, spot, campaign),
    brand_safety_type: 'NO_BRAND_SAFETY',
    comment_disabled: random.chance(0.2),
    share_disabled: false,
    video_download_disabled: random.chance(0.3),
    search_result_enabled: true,
    is_new_structure: true,
    is_smart_performance_campaign: false,
    operation_status: status.operation,
    ...(account.environment === 'sandbox' ? {} : { secondary_status: status.secondary }),
  }
  return edited(view, spot, record)
}
