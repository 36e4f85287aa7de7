import { at, setEach, wordsOf } from '../data.ts'
import { hash32 } from '../random.ts'
import type { JsonRecord } from './answers.ts'
import { crowds, goods, seasons } from './assets.ts'
import { stamp } from './time.ts'
import {
  changesOf,
  createdAt,
  deletionOf,
  draw,
  givenName,
  objectId,
  randomOf,
  type Spot,
  type Structural,
  statusName,
  type View,
} from './world.ts'

type Campaign = Spot<Structural>

/** Status of an object: what its owner wants, and what comes of it. */
export interface Status {
  readonly operation_status: 'ENABLE' | 'DISABLE'
  readonly secondary_status: string
}

const objectives = wordsOf('WEB_CONVERSIONS, TRAFFIC, REACH, VIDEO_VIEWS, APP_PROMOTION, LEAD_GENERATION, PRODUCT_SALES, ENGAGEMENT')
const budgetModes = wordsOf('DAY, TOTAL, DYNAMIC_DAILY_BUDGET, INFINITE').map((mode) => `BUDGET_MODE_${mode}`)

/** Returns what a campaign is for. */
export const objectiveOf = (view: View, campaign: Campaign): string =>
  at(objectives, draw(view, campaign, ['objective', objectives.length]))

/** Returns the name of a campaign; one change in two gives it another one. */
export function campaignName(view: View, campaign: Campaign): string {
  const random = randomOf(view, campaign, 'campaign name')
  const renamed = changesOf(view, campaign).count
  const name = `${random.pick(seasons)} · ${random.pick(goods)} · ${random.pick(crowds)}`
  return givenName(view, campaign, 'campaign_name') ?? (renamed < 2 ? name : `${name} v${Math.floor(renamed / 2) + 1}`)
}

/** Returns true for the campaigns of the upgraded automatic kind. */
export const isSmartPlus = ({ account, position }: Campaign): boolean =>
  account.campaigns > 0 && (position === account.campaigns - 1 || position % 19 === 5)

/** Returns the position of the campaign whose record has no `secondary_status`. */
export const campaignWithoutStatus = ({ account }: Pick<Spot, 'account'>): number => account.campaigns - 1

/** Returns the status of a campaign. */
export function campaignStatus(view: View, campaign: Campaign): Status {
  const chance = draw(view, campaign, ['campaign status', 10])
  const [operation, status] = deletionOf(view, campaign)
    ? (['DISABLE', 'DELETE'] as const)
    : chance < 2
      ? (['DISABLE', 'DISABLE'] as const)
      : (['ENABLE', chance === 2 ? 'BUDGET_EXCEED' : 'ENABLE'] as const)
  return { operation_status: operation, secondary_status: statusName(campaign, status) }
}

function rareKeys(view: View, campaign: Campaign, app: boolean): JsonRecord {
  const { account, position } = campaign
  const without = position === campaignWithoutStatus(campaign) || account.environment === 'sandbox'
  return {
    ...(without ? {} : { secondary_status: campaignStatus(view, campaign).secondary_status }),
    ...(app ? { app_promotion_type: 'APP_INSTALL', app_id: '7211980045122207745' } : {}),
    ...(position % 6 === 1 ? { budget_optimize_on: true, bid_type: 'BID_TYPE_NO_BID', optimization_goal: 'CLICK' } : {}),
    ...(position % 29 === 11 ? { rf_campaign_type: 'STANDARD' } : {}),
    ...(position % 31 === 4 ? { split_test_variable: 'TARGETING' } : {}),
  }
}

/** Features that the imitated campaigns do not use. */
const unused: JsonRecord = {
  ...setEach(null, 'bid_align_type campaign_app_profile_page_state campaign_system_origin catalog_enabled deep_bid_type po_number'),
  ...setEach(null, 'postback_window_mode rta_id sales_destination virtual_objective_type'),
  ...setEach(false, 'is_advanced_dedicated_campaign is_smart_performance_campaign rta_bid_enabled rta_product_selection_enabled'),
  is_new_structure: true,
}

/** Returns a campaign as lists return it. */
export function campaignRecord(view: View, campaign: Campaign): JsonRecord {
  const { position } = campaign
  const random = randomOf(view, campaign, 'campaign')
  const changes = changesOf(view, campaign)
  const objective = objectiveOf(view, campaign)
  const [app, sales] = [objective === 'APP_PROMOTION', objective === 'PRODUCT_SALES']
  const mode = random.pick(budgetModes)
  return {
    ...unused,
    campaign_id: objectId(view, campaign),
    create_time: stamp(createdAt(campaign)),
    modify_time: stamp(changes.at),
    objective_type: objective,
    is_search_campaign: position % 23 === 2,
    campaign_type: app && position % 2 === 0 ? 'IOS14_CAMPAIGN' : 'REGULAR_CAMPAIGN',
    campaign_product_source: sales ? 'CATALOG' : null,
    campaign_name: campaignName(view, campaign),
    special_industries: position % 13 === 4 ? ['HOUSING'] : [],
    budget: mode === 'BUDGET_MODE_INFINITE' ? 0 : at([50, 100, 250.5, 1000], random.int(0, 3)) + changes.count * 10,
    budget_mode: mode,
    roas_bid: sales ? random.decimal(1, 4) : 0,
    objective: app ? 'APP' : 'LANDING_PAGE',
    operation_status: campaignStatus(view, campaign).operation_status,
    disable_skan_campaign: app ? false : null,
    campaign_automation_type: isSmartPlus(campaign) ? 'UPGRADED_SMART_PLUS' : 'MANUAL',
    ...rareKeys(view, campaign, app),
  }
}

/** The fields of its campaign and its account that an ad group or an ad says. */
export const campaignFields = (view: View, campaign: Campaign): JsonRecord => ({
  campaign_id: objectId(view, campaign),
  campaign_name: campaignName(view, campaign),
  campaign_automation_type: isSmartPlus(campaign) ? 'UPGRADED_SMART_PLUS' : 'MANUAL',
})

/** Returns the number of the identity under which the ads of a campaign appear. */
export const identityOf = ({ seed }: View, { account, position }: Campaign): string =>
  `${hash32(seed, 'identity', account.index, position)}`
