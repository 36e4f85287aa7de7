import { at } from '../data.ts'
import { type Account, accounts } from './accounts.ts'
import { Failure, invalid, listIn, missing, neededListIn, neededTextIn, type PageSizes, pageIn, type Success, textIn } from './answers.ts'
import { advertiserRecord, rareAdvertiserFields } from './assets.ts'
import { accountIn, accountOf, answerPage, assetRows, type Call, catalogRows, cutPage, fileRows, shapeIn, structureRows } from './lists.ts'
import { checkApp, scopes } from './oauth.ts'
import { leavesAdsOut, reportQueryIn, reportRows, writtenRow } from './reports.ts'
import type { Kind, Structural } from './world.ts'

/** One endpoint that needs a token. */
export interface Route {
  readonly method: string
  /** Below the version; ends with a slash. */
  readonly path: string
  /** The scope that the token needs; undefined for none. */
  readonly scope: number | undefined
  /** Whether the vendor's sandbox environment has it. */
  readonly inSandbox: boolean
  readonly handle: (call: Call) => Success
}

const structureSizes: PageSizes = { usual: 10, largest: 1000 }
const audienceSizes: PageSizes = { usual: 10, largest: 100 }
const fileSizes: PageSizes = { usual: 20, largest: 100 }
const postSizes: PageSizes = { usual: 20, largest: 50 }
const mostAdvertisers = 100
const mostReported = 5

function structure(kind: Structural): Route['handle'] {
  return (call) => answerPage(call, structureSizes, () => structureRows(call.view, { kind, account: accountIn(call) }, call.query))
}

function assets(kind: Kind, sizes: PageSizes): Route['handle'] {
  return (call) => answerPage(call, sizes, () => assetRows(call.view, accountIn(call), kind))
}

function files(kind: Kind): Route['handle'] {
  return (call) => answerPage(call, fileSizes, () => fileRows(call.view, accountIn(call), { kind, query: call.query }))
}

function catalogs(call: Call): Success {
  const { view, query } = call
  return answerPage(call, structureSizes, () => catalogRows(view, neededTextIn(query, 'bc_id'), textIn(query, 'catalog_id')))
}

function accountsOf(call: Call, ids: readonly string[]): readonly Account[] {
  return ids.map((id) => accountOf(call, id, 'advertiser_ids'))
}

/** The accounts that are asked for by id; one that may not be read fails the call. There are no pages. */
function advertisers(call: Call): Success {
  const ids = neededListIn(call.query, 'advertiser_ids')
  if (ids.length > mostAdvertisers) throw new Failure(40011, `advertiser_ids: Longer than maximum length ${mostAdvertisers}.`)
  const shape = shapeIn(call.query)
  const further = call.query.has('fields') ? rareAdvertiserFields : {}
  return { data: {}, list: accountsOf(call, [...new Set(ids)]).map((account) => shape({ ...advertiserRecord(account), ...further })) }
}

function reportAccounts(call: Call): readonly Account[] {
  const ids = listIn(call.query, 'advertiser_ids')
  if (!ids) return [accountIn(call)]
  if (ids.length > mostReported) throw invalid('advertiser_ids', `Longer than maximum length ${mostReported}.`)
  return accountsOf(call, ids)
}

/** A synchronous report. */
function report(call: Call): Success {
  const page = pageIn(call.query, structureSizes)
  const { cellBudget, adsThrottle, timeoutDays, timeoutCode, withdrawn } = call.switches
  const query = reportQueryIn(call.query, withdrawn.split(','))
  if (call.access.environment === 'sandbox' && query.level === 'advertiser') {
    throw new Failure(40009, 'data_level AUCTION_ADVERTISER is not supported for sandbox accounts.')
  }
  const found = reportAccounts(call)
  if (timeoutDays > 0 && query.span.to - query.span.from + 1 > timeoutDays) throw new Failure(timeoutCode)
  const rows = reportRows(call.view, found, query)
  if (cellBudget > 0 && rows.length * Math.max(query.metrics.length, 1) > cellBudget) {
    throw new Failure(40067, 'The query is too large. Please narrow the date range or reduce the metrics.')
  }
  const warned = adsThrottle && found.some((account) => leavesAdsOut(account, query))
  const headers = warned ? { 'x-tt-ads-throttle': 'The number of ads exceeds 20000, only the newest 20000 ads are returned.' } : {}
  return { ...cutPage(call, page, { size: rows.length, record: (index) => writtenRow(call.view, at(rows, index), query) }), headers }
}

function user(): Success {
  const data = { core_user_id: '7019283746556677889', display_name: 'Sandbox User', email: 's***@*******', create_time: 1_673_222_400 }
  return { data }
}

/** The advertisers that the token may read. */
function grantedAdvertisers({ query, access }: Call): Success {
  for (const name of ['app_id', 'secret']) if (textIn(query, name) === undefined) throw missing(name)
  checkApp(query.get('app_id'), query.get('secret'))
  const granted = accounts.filter(({ id }) => access.advertiserIds.includes(id))
  return { data: { list: granted.map(({ id, name }) => ({ advertiser_id: id, advertiser_name: name })) } }
}

const get = { method: 'GET', inSandbox: true } as const
const live = { method: 'GET', inSandbox: false } as const

/** Every endpoint that needs a token. */
export const routes: readonly Route[] = [
  { ...get, path: '/advertiser/info/', scope: scopes.advertiser, handle: advertisers },
  { ...get, path: '/campaign/get/', scope: scopes.campaigns, handle: structure('campaigns') },
  { ...get, path: '/adgroup/get/', scope: scopes.adGroups, handle: structure('ad_groups') },
  { ...get, path: '/ad/get/', scope: scopes.ads, handle: structure('ads') },
  { ...get, path: '/dmp/custom_audience/list/', scope: scopes.audiences, handle: assets('audiences', audienceSizes) },
  { ...get, path: '/file/image/ad/search/', scope: scopes.images, handle: files('images') },
  { ...live, path: '/file/video/ad/search/', scope: scopes.videos, handle: files('videos') },
  { ...live, path: '/tt_video/list/', scope: scopes.posts, handle: assets('posts', postSizes) },
  { ...live, path: '/catalog/get/', scope: scopes.catalogs, handle: catalogs },
  { ...get, path: '/report/integrated/get/', scope: scopes.reporting, handle: report },
  { ...get, path: '/user/info/', scope: undefined, handle: user },
  { ...live, path: '/oauth2/advertiser/get/', scope: undefined, handle: grantedAdvertisers },
]
