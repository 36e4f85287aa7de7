import type { SwitchControl } from '../switches.ts'
import { createSwitchControl } from '../switches.ts'

/** What can be changed while the stand-in runs. */
export interface GongSwitches {
  /** Rate and daily quota are enforced. */
  readonly limits: boolean
  /** Requests per second and company. */
  readonly ratePerSecond: number
  /** Requests per UTC day and company. */
  readonly dailyLimit: number
  /** Ids of answered scorecards are JSON numbers with all their digits. */
  readonly int64ScorecardIds: boolean
  /** GET /v2/users, /v2/workspaces and /v2/coaching answer 403 `Access denied`. */
  readonly accessDenied: boolean
  /** Empty statistics answer 200 with an empty list instead of the 404 of the vendor's document. */
  readonly emptyStatsOk: boolean
  /** Life of new access tokens, in seconds. */
  readonly expiresIn: number
  /** `api_base_url_for_customer`; empty for the API origin. */
  readonly apiBaseUrl: string
  /** Bearer tokens are valid only on the host of `apiBaseUrl` (read from X-Forwarded-Host, else Host). */
  readonly customerHostOnly: boolean
  /** A refresh also revokes the access token that it replaces. */
  readonly refreshRevokesAccess: boolean
  /** Scopes of tokens given for `sandbox-code`, separated by spaces; empty for all. */
  readonly scopes: string
}

const factory: GongSwitches = {
  limits: true,
  ratePerSecond: 3,
  dailyLimit: 10_000,
  int64ScorecardIds: false,
  accessDenied: false,
  emptyStatsOk: false,
  expiresIn: 86_400,
  apiBaseUrl: '',
  customerHostOnly: false,
  refreshRevokesAccess: false,
  scopes: '',
}

/**
 * The switches of one sandbox.
 *
 * @param start - what differs from the defaults at the start and after a reset
 */
export function createSwitches(start: Partial<GongSwitches>): SwitchControl<GongSwitches> {
  return createSwitchControl({
    factory,
    start,
    check: (name, value) =>
      name === 'apiBaseUrl' && value && !URL.canParse(String(value)) ? 'apiBaseUrl must be empty or an address' : undefined,
  })
}
