import { setEach } from '../data.ts'
import type { Random } from '../random.ts'
import type { JsonRecord } from './answers.ts'
import { crowds } from './assets.ts'
import { campaignFields, campaignStatus, isSmartPlus, objectiveOf, type Status } from './campaigns.ts'
import { day, stamp } from './time.ts'
import type { Spot, Structural, View } from './world.ts'
import * as world from './world.ts'

type AdGroup = Spot<Structural>

/** Returns the name of an ad group. */
export function adGroupName(view: View, group: AdGroup): string {
  const random = world.randomOf(view, group, 'ad group name')
  return world.givenName(view, group, 'adgroup_name') ?? `${random.pick(crowds)} ${random.int(18, 55)}+ #${world.ordinalOf(group)}`
}

/** Returns true for an ad group whose placements the vendor chooses. */
export const choosesPlacements = (view: View, group: AdGroup): boolean => world.draw(view, group, ['placement', 3]) === 0

const states = ['DISABLE', 'DELIVERY_OK', 'TIME_DONE', 'AUDIT_DENY', 'BUDGET_EXCEED', 'NOT_START']

/** Returns what comes of an ad group, without the word of its layer. */
export function adGroupState(view: View, group: AdGroup): string {
  const deletion = world.deletionOf(view, group)
  if (deletion) return deletion
  if (campaignStatus(view, world.campaignOf(group)).operation_status === 'DISABLE') return 'CAMPAIGN_DISABLE'
  return states[world.draw(view, group, ['ad group status', 12])] ?? 'DELIVERY_OK'
}

/** Returns the status of an ad group. */
export function adGroupStatus(view: View, group: AdGroup): Status {
  const state = adGroupState(view, group)
  const off = state === 'DISABLE' || world.deletionOf(view, group) !== undefined
  return { operation_status: off ? 'DISABLE' : 'ENABLE', secondary_status: world.statusName(group, state) }
}

/** Features that most ad groups do not use. */
const unused: JsonRecord = {
  ...setEach(null, 'adgroup_app_profile_page_state app_config app_download_url attribution_event_count automated_keywords_enabled'),
  ...setEach(null, 'brand_safety_partner catalog_authorized_bc_id catalog_id click_attribution_window conversion_window'),
  ...setEach(null, 'custom_conversion_id deep_bid_type deep_funnel_event_source deep_funnel_event_source_id'),
  ...setEach(null, 'deep_funnel_optimization_event deep_funnel_optimization_status delivery_mode device_price_ranges feed_type'),
  ...setEach(null, 'frequency frequency_schedule is_lhf_compliance keywords next_day_retention product_set_id promotion_target_type'),
  ...setEach(null, 'purchased_impression purchased_reach rf_estimated_cpr rf_estimated_frequency rf_purchased_type schedule_infos'),
  ...setEach(null, 'secondary_optimization_event smart_audience_enabled smart_interest_behavior_enabled statistic_type'),
  ...setEach(null, 'tiktok_subplacements vbo_window view_attribution_window'),
  ...setEach([], 'category_exclusion_ids excluded_custom_actions included_custom_actions isp_ids interest_keyword_ids network_types'),
  ...setEach(0, 'conversion_bid_price deep_cpa_bid scheduled_budget'),
  ...setEach(false, 'inventory_filter_enabled is_hfss share_disabled is_smart_performance_campaign auto_targeting_enabled'),
  ...setEach(true, 'skip_learning_phase search_result_enabled is_new_structure'),
  spending_power: 'ALL',
  brand_safety_type: 'NO_BRAND_SAFETY',
}

function targeting(view: View, { account, position }: AdGroup, random: Random): JsonRecord {
  const audience = (offset: number) =>
    world.objectId(view, { kind: 'audiences', account, position: (position + offset) % Math.max(account.audiences, 1) })
  return {
    gender: random.pick(['GENDER_UNLIMITED', 'GENDER_FEMALE', 'GENDER_MALE']),
    age_groups: random.pick([['AGE_18_24', 'AGE_25_34'], ['AGE_25_34'], null]),
    languages: random.pick([['en'], ['en', 'es'], []]),
    location_ids: random.pick([['6252001'], ['6252001', '2635167'], ['1861060']]),
    audience_ids: position % 4 === 1 ? [audience(0), audience(3)] : [],
    excluded_audience_ids: position % 8 === 1 ? [audience(5)] : [],
    interest_category_ids: random.pick([[], ['10', '1013']]),
    actions: random.pick([[], [{ action_category_ids: ['10'], action_period: 7, action_scene: 'VIDEO_RELATED' }]]),
    operating_systems: random.pick([[], ['ANDROID'], ['IOS']]),
  }
}

function delivery(view: View, group: AdGroup, random: Random): JsonRecord {
  const created = world.createdAt(group)
  const bidless = random.chance(0.4)
  return {
    budget: random.pick([20, 50, 75.25, 300]),
    budget_mode: random.pick(['BUDGET_MODE_DAY', 'BUDGET_MODE_TOTAL', 'BUDGET_MODE_INFINITE']),
    schedule_type: random.pick(['SCHEDULE_START_END', 'SCHEDULE_FROM_NOW']),
    schedule_start_time: stamp(created),
    schedule_end_time: stamp(created + 3650 * day),
    dayparting: '1'.repeat(336),
    optimization_goal: random.pick(['CLICK', 'CONVERT', 'REACH', 'VIDEO_VIEW']),
    bid_type: bidless ? 'BID_TYPE_NO_BID' : 'BID_TYPE_CUSTOM',
    bid_price: bidless ? 0 : random.decimal(0.2, 4),
    bid_display_mode: 'CPMV',
    pacing: 'PACING_MODE_SMOOTH',
    ios14_quota_type: 'UNOCCUPIED',
    billing_event: random.pick(['CPC', 'CPM', 'OCPM']),
    modify_time: stamp(world.changesOf(view, group).at),
    create_time: stamp(created),
  }
}

function promotion(view: View, { position }: AdGroup, campaign: Spot<Structural>): JsonRecord {
  const objective = objectiveOf(view, campaign)
  const [app, converts] = [objective === 'APP_PROMOTION', objective === 'WEB_CONVERSIONS']
  return {
    promotion_type: app ? 'APP_ANDROID' : 'WEBSITE',
    app_id: app ? '7211980045122207745' : null,
    app_type: app ? 'APP_ANDROID' : null,
    pixel_id: converts ? world.pixelDigits(view, campaign) : null,
    optimization_event: converts ? 'SHOPPING' : null,
    creative_material_mode: isSmartPlus(campaign) ? 'SMART_CREATIVE' : 'CUSTOM',
    category_id: position % 2 === 0 ? '0' : null,
  }
}

/** Returns an ad group as lists return it. */
export function adGroupRecord(view: View, group: AdGroup): JsonRecord {
  const random = world.randomOf(view, group, 'ad group')
  const campaign = world.campaignOf(group)
  const { secondary_status, operation_status } = adGroupStatus(view, group)
  const automatic = choosesPlacements(view, group)
  return {
    ...unused,
    ...campaignFields(view, campaign),
    adgroup_id: world.objectId(view, group),
    adgroup_name: adGroupName(view, group),
    placement_type: automatic ? 'PLACEMENT_TYPE_AUTOMATIC' : 'PLACEMENT_TYPE_NORMAL',
    placements: automatic ? null : ['PLACEMENT_TIKTOK'],
    ...targeting(view, group, random),
    ...delivery(view, group, random),
    ...promotion(view, group, campaign),
    comment_disabled: random.chance(0.2),
    video_download_disabled: random.chance(0.3),
    operation_status,
    ...(group.account.environment === 'sandbox' ? {} : { secondary_status }),
  }
}
