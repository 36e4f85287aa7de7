import { at } from '../at.ts'
import { hash32, Random } from '../random.ts'
import type { Account } from './accounts.ts'
import type { JsonRecord } from './answers.ts'
import { stamp } from './time.ts'
import { crowds, goods, seasons } from './words.ts'
import type { Spot, View } from './world.ts'
import { campaignCreated, campaignDeleted, changesOf, edited, editOf, objectId } from './world.ts'

const objectives = [
  'WEB_CONVERSIONS',
  'TRAFFIC',
  'REACH',
  'VIDEO_VIEWS',
  'APP_PROMOTION',
  'LEAD_GENERATION',
  'PRODUCT_SALES',
  'ENGAGEMENT',
] as const
const budgetModes = ['BUDGET_MODE_DAY', 'BUDGET_MODE_TOTAL', 'BUDGET_MODE_DYNAMIC_DAILY_BUDGET', 'BUDGET_MODE_INFINITE'] as const

/** What a campaign is for. */
export function objectiveOf(view: View, account: Account, position: number): (typeof objectives)[number] {
  return objectives[hash32(view.seed, 'objective', account.index, position) % objectives.length] ?? 'TRAFFIC'
}

/** The name of a campaign; one change in two gives it another one. */
export function campaignName(view: View, account: Account, position: number): string {
  const spot: Spot = { kind: 'campaigns', account, position }
  const given = editOf(view, spot)?.fields?.['campaign_name']
  if (typeof given === 'string') return given
  const random = new Random(view.seed, 'campaign name', account.index, position)
  const renamed = changesOf(view, spot, campaignCreated(account, position)).count
  const name = `${random.pick(seasons)} · ${random.pick(goods)} · ${random.pick(crowds)}`
  return renamed < 2 ? name : `${name} v${Math.floor(renamed / 2) + 1}`
}

/** True for the campaigns of the upgraded automatic kind. */
export function isSmartPlus(account: Account, campaign: number): boolean {
  return account.campaigns > 0 && (campaign === account.campaigns - 1 || campaign % 19 === 5)
}

/** The position of the campaign whose record has no `secondary_status`. */
export function campaignWithoutStatus({ campaigns }: Account): number {
  return campaigns - 1
}

/** The status of a campaign. */
export function campaignStatus(view: View, account: Account, position: number): { operation: string; secondary: string } {
  if (campaignDeleted(view, account, position)) return { operation: 'DISABLE', secondary: 'CAMPAIGN_STATUS_DELETE' }
  const chance = hash32(view.seed, 'campaign status', account.index, position) % 10
  if (chance < 2) return { operation: 'DISABLE', secondary: 'CAMPAIGN_STATUS_DISABLE' }
  return { operation: 'ENABLE', secondary: chance === 2 ? 'CAMPAIGN_STATUS_BUDGET_EXCEED' : 'CAMPAIGN_STATUS_ENABLE' }
}

/** Keys that plain campaigns do not have. */
function rareKeys(view: View, spot: Spot, objective: string): JsonRecord {
  const { account, position } = spot
  const app = objective === 'APP_PROMOTION' ? { app_promotion_type: 'APP_INSTALL', app_id: '7211980045122207745' } : {}
  const optimized = position % 6 === 1 ? { budget_optimize_on: true, bid_type: 'BID_TYPE_NO_BID', optimization_goal: 'CLICK' } : {}
  const reservation = position % 29 === 11 ? { rf_campaign_type: 'STANDARD' } : {}
  const without = position === campaignWithoutStatus(account) || account.environment === 'sandbox'
  const status = without ? {} : { secondary_status: campaignStatus(view, account, position).secondary }
  return { ...status, ...app, ...optimized, ...reservation, ...(position % 31 === 4 ? { split_test_variable: 'TARGETING' } : {}) }
}

/** Features that the imitated campaigns do not use. */
const unused: JsonRecord = {
  bid_align_type: null,
  campaign_app_profile_page_state: null,
  campaign_system_origin: null,
  catalog_enabled: null,
  deep_bid_type: null,
  is_advanced_dedicated_campaign: false,
  is_new_structure: true,
  is_smart_performance_campaign: false,
  po_number: null,
  postback_window_mode: null,
  rta_bid_enabled: false,
  rta_id: null,
  rta_product_selection_enabled: false,
  sales_destination: null,
  virtual_objective_type: null,
}

/**
 * A campaign as lists tell it.
 *
 * @param view - of the request
 * @param spot - the campaign
 */
export function campaignRecord(view: View, spot: Spot): JsonRecord {
  const { account, position } = spot
  const random = new Random(view.seed, 'campaign', account.index, position)
  const created = campaignCreated(account, position)
  const changes = changesOf(view, spot, created)
  const objective = objectiveOf(view, account, position)
  const mode = random.pick(budgetModes)
  const smart = isSmartPlus(account, position)
  const record = {
    ...unused,
    advertiser_id: account.id,
    campaign_id: objectId(view, spot),
    create_time: stamp(created),
    modify_time: stamp(changes.at),
    objective_type: objective,
    is_search_campaign: position % 23 === 2,
    campaign_type: objective === 'APP_PROMOTION' && position % 2 === 0 ? 'IOS14_CAMPAIGN' : 'REGULAR_CAMPAIGN',
    campaign_product_source: objective === 'PRODUCT_SALES' ? 'CATALOG' : null,
    campaign_name: campaignName(view, account, position),
    special_industries: position % 13 === 4 ? ['HOUSING'] : [],
    budget: mode === 'BUDGET_MODE_INFINITE' ? 0 : at([50, 100, 250.5, 1000], random.int(0, 3)) + changes.count * 10,
    budget_mode: mode,
    roas_bid: objective === 'PRODUCT_SALES' ? random.decimal(1, 4) : 0,
    objective: objective === 'APP_PROMOTION' ? 'APP' : 'LANDING_PAGE',
    operation_status: campaignStatus(view, account, position).operation,
    disable_skan_campaign: objective === 'APP_PROMOTION' ? false : null,
    campaign_automation_type: smart ? 'UPGRADED_SMART_PLUS' : 'MANUAL',
    ...rareKeys(view, spot, objective),
  }
  return edited(view, spot, record)
}
