import type { Failure, JsonRecord } from './answers.ts'
import { invalid, isFailure } from './answers.ts'
import { objectIn, textsOf } from './parameters.ts'

/** What the parameter `filtering` of a list of campaigns, ad groups or ads lets through. */
export interface Filtering {
  /** Whether objects that were deleted, or were not, are shown. */
  readonly shows: { readonly deleted: boolean; readonly existing: boolean }
  /** Only objects with this status. */
  readonly secondaryStatus?: string
  readonly campaignIds?: ReadonlySet<string>
  readonly adGroupIds?: ReadonlySet<string>
  readonly adIds?: ReadonlySet<string>
  /** `YYYY-MM-DD HH:MM:SS`; only objects that were changed after it. */
  readonly modifiedAfter?: string
  /** Asks for campaigns that the accounts do not have. */
  readonly nothing: boolean
}

const known = [
  'primary_status',
  'secondary_status',
  'campaign_ids',
  'adgroup_ids',
  'ad_ids',
  'modified_after',
  'buying_types',
  'objective_type',
]
const idFilters = ['campaign_ids', 'adgroup_ids', 'ad_ids', 'buying_types']
const primary: Readonly<Record<string, Filtering['shows']>> = {
  STATUS_NOT_DELETE: { deleted: false, existing: true },
  STATUS_ALL: { deleted: true, existing: true },
  STATUS_DELETE: { deleted: true, existing: false },
}

function problemOf(filtering: JsonRecord): Failure | undefined {
  const unknown = Object.keys(filtering).find((name) => !known.includes(name))
  if (unknown) return invalid('filtering', `Unknown field ${unknown}.`)
  const wrong = Object.entries(filtering).find(([name, value]) => {
    return idFilters.includes(name) ? (textsOf(value)?.length ?? 0) === 0 : typeof value !== 'string'
  })
  if (wrong) return invalid('filtering', `Invalid value of ${wrong[0]}.`)
  const ids = idFilters.find((name) => (textsOf(filtering[name])?.length ?? 0) > 100)
  return ids ? invalid('filtering', `${ids}: Longer than maximum length 100.`) : undefined
}

function idsIn(filtering: JsonRecord, name: string): ReadonlySet<string> | undefined {
  const ids = textsOf(filtering[name])
  return ids && new Set(ids)
}

function statusesIn(filtering: JsonRecord): Pick<Filtering, 'shows' | 'secondaryStatus'> | Failure {
  const status = filtering['secondary_status']
  if (typeof status === 'string') {
    if (status.endsWith('_STATUS_ALL')) return { shows: { deleted: true, existing: true } }
    if (status.endsWith('_STATUS_NOT_DELETE')) return { shows: { deleted: false, existing: true } }
    return { shows: { deleted: true, existing: true }, secondaryStatus: status }
  }
  const shows = primary[String(filtering['primary_status'] ?? 'STATUS_NOT_DELETE')]
  return shows ? { shows } : invalid('filtering', 'Invalid value of primary_status.')
}

/** Reads the parameter `filtering` of a list of campaigns, ad groups or ads. */
export function filteringIn(query: URLSearchParams): Filtering | Failure {
  const filtering = objectIn(query, 'filtering')
  if (isFailure(filtering)) return filtering
  const problem = problemOf(filtering)
  if (problem) return problem
  const statuses = statusesIn(filtering)
  if (isFailure(statuses)) return statuses
  const campaignIds = idsIn(filtering, 'campaign_ids')
  const adGroupIds = idsIn(filtering, 'adgroup_ids')
  const adIds = idsIn(filtering, 'ad_ids')
  const modifiedAfter = filtering['modified_after']
  return {
    ...statuses,
    ...(campaignIds ? { campaignIds } : {}),
    ...(adGroupIds ? { adGroupIds } : {}),
    ...(adIds ? { adIds } : {}),
    ...(typeof modifiedAfter === 'string' ? { modifiedAfter } : {}),
    nothing: textsOf(filtering['buying_types'])?.includes('RESERVATION_TOP_VIEW') ?? false,
  }
}
