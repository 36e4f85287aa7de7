import { at } from '../at.ts'
import type { Account } from './accounts.ts'
import { accounts } from './accounts.ts'
import type { Answer, Failure } from './answers.ts'
import { failure, invalid, isFailure, missing } from './answers.ts'
import { advertiserRecord, rareAdvertiserFields } from './assets.ts'
import type { Call } from './calls.ts'
import { accountIn, accountOf, answerPage, made, pageInfo, shapeIn, sliceOf } from './calls.ts'
import { assetRows, catalogRows, structureRows } from './lists.ts'
import type { PageSizes } from './parameters.ts'
import { listIn, neededListIn, pageIn, textIn } from './parameters.ts'
import { reportQueryIn } from './report-query.ts'
import { leavesAdsOut, reportRows, writtenRow } from './reports.ts'
import { scopes, tiktokCredentials } from './tokens.ts'

/** One endpoint that needs a token. */
export interface Route {
  readonly method: string
  /** Below the version; ends with a slash. */
  readonly path: string
  /** The scope that the token needs; undefined for none. */
  readonly scope: number | undefined
  /** Whether the vendor's sandbox environment has it. */
  readonly inSandbox: boolean
  readonly handle: (call: Call) => Answer
}

const structureSizes: PageSizes = { usual: 10, largest: 1000 }
const audienceSizes: PageSizes = { usual: 10, largest: 100 }
const fileSizes: PageSizes = { usual: 20, largest: 100 }
const postSizes: PageSizes = { usual: 20, largest: 50 }
const mostAdvertisers = 100
const mostReported = 5

const structure =
  (kind: 'campaigns' | 'ad_groups' | 'ads'): Route['handle'] =>
  (call) =>
    answerPage(call, structureSizes, () => {
      const account = accountIn(call)
      return isFailure(account) ? account : structureRows(call.view, { kind, account }, call.query)
    })

const assets =
  (kind: 'audiences' | 'images' | 'videos' | 'posts', sizes: PageSizes): Route['handle'] =>
  (call) =>
    answerPage(call, sizes, () => {
      const account = accountIn(call)
      return isFailure(account) ? account : assetRows(call.view, account, kind)
    })

function catalogs(call: Call): Answer {
  return answerPage(call, structureSizes, () => {
    const bcId = textIn(call.query, 'bc_id')
    return bcId === undefined ? missing('bc_id') : catalogRows(call.view, bcId, textIn(call.query, 'catalog_id'))
  })
}

function accountsOf(call: Call, ids: readonly string[]): readonly Account[] | Failure {
  const found: Account[] = []
  for (const id of ids) {
    const account = accountOf(call, id, 'advertiser_ids')
    if (isFailure(account)) return account
    found.push(account)
  }
  return found
}

/** The accounts that are asked for by id; one that may not be read fails the call. There are no pages. */
function advertisers(call: Call): Answer {
  const ids = neededListIn(call.query, 'advertiser_ids')
  if (isFailure(ids)) return ids
  if (ids.length > mostAdvertisers) return failure(40011, `advertiser_ids: Longer than maximum length ${mostAdvertisers}.`)
  const shape = shapeIn(call.query)
  if (isFailure(shape)) return shape
  const found = accountsOf(call, [...new Set(ids)])
  if (isFailure(found)) return found
  const further = call.query.has('fields') ? rareAdvertiserFields : {}
  return { data: {}, list: found.map((account) => shape({ ...advertiserRecord(account), ...further })) }
}

function reportAccounts(call: Call): readonly Account[] | Failure {
  const ids = listIn(call.query, 'advertiser_ids')
  if (isFailure(ids)) return ids
  if (!ids) {
    const account = accountIn(call)
    return isFailure(account) ? account : [account]
  }
  return ids.length > mostReported ? invalid('advertiser_ids', `Longer than maximum length ${mostReported}.`) : accountsOf(call, ids)
}

/** A synchronous report. */
function report(call: Call): Answer {
  const page = pageIn(call.query, structureSizes)
  if (isFailure(page)) return page
  const query = reportQueryIn(call.query)
  if (isFailure(query)) return query
  if (call.access.environment === 'sandbox' && query.level === 'advertiser') {
    return failure(40009, 'data_level AUCTION_ADVERTISER is not supported for sandbox accounts.')
  }
  const found = reportAccounts(call)
  if (isFailure(found)) return found
  const rows = reportRows(call.view, found, query)
  const { cellBudget, adsThrottle } = call.switches
  if (cellBudget > 0 && rows.length * Math.max(query.metrics.length, 1) > cellBudget) {
    return failure(40067, 'The query is too large. Please narrow the date range or reduce the metrics.')
  }
  const slice = sliceOf(call, page, rows.length)
  if (isFailure(slice)) return slice
  const list = made(slice, (index) => writtenRow(call.view, at(rows, index), query))
  const warned = adsThrottle && found.some((account) => leavesAdsOut(account, query))
  const headers = warned ? { 'x-tt-ads-throttle': 'The number of ads exceeds 20000, only the newest 20000 ads are returned.' } : {}
  return { data: { page_info: pageInfo(slice.page, rows.length) }, list, headers }
}

function user(): Answer {
  const data = { core_user_id: '7019283746556677889', display_name: 'Sandbox User', email: 's***@*******', create_time: 1_673_222_400 }
  return { data }
}

/** The advertisers that the token may read. */
function grantedAdvertisers({ query, access }: Call): Answer {
  for (const name of ['app_id', 'secret']) if (textIn(query, name) === undefined) return missing(name)
  if (query.get('app_id') !== tiktokCredentials.appId || query.get('secret') !== tiktokCredentials.secret) {
    return failure(40101, 'The app_id or secret is incorrect.')
  }
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
  { ...get, path: '/file/image/ad/search/', scope: scopes.images, handle: assets('images', fileSizes) },
  { ...live, path: '/file/video/ad/search/', scope: scopes.videos, handle: assets('videos', fileSizes) },
  { ...live, path: '/tt_video/list/', scope: scopes.posts, handle: assets('posts', postSizes) },
  { ...live, path: '/catalog/get/', scope: scopes.catalogs, handle: catalogs },
  { ...get, path: '/report/integrated/get/', scope: scopes.reporting, handle: report },
  { ...get, path: '/user/info/', scope: undefined, handle: user },
  { ...live, path: '/oauth2/advertiser/get/', scope: undefined, handle: grantedAdvertisers },
]
