import { consentFactory } from '../consent.ts'
import { sandboxCredentials } from './tokens.ts'

/** Every switch with its default. */
export const factory = {
  /** Rate and daily quota are enforced. */
  limits: true,
  /** Requests per second and company. */
  ratePerSecond: 3,
  /** Requests per UTC day and company. */
  dailyLimit: 10_000,
  /** Ids of answered scorecards are JSON numbers with all their digits. */
  int64ScorecardIds: false,
  /** GET /v2/users, /v2/workspaces and /v2/coaching answer 403 `Access denied`. */
  accessDenied: false,
  /** Empty statistics answer 200 with an empty list instead of the 404 of the vendor's document. */
  emptyStatsOk: false,
  /** GET /v2/calls without both dates is refused with 400: the vendor's document marks them as required. */
  datesNeeded: false,
  /** The last page of a list has an empty cursor, where it usually has none. */
  emptyCursor: false,
  /** Seconds after its start until POST /v2/calls/extensive knows a call. */
  extensiveDelay: 0,
  /** Life of new access tokens, in seconds. */
  expiresIn: 86_400,
  /** `api_base_url_for_customer`; empty for the API origin. */
  apiBaseUrl: '',
  /** Bearer tokens are valid only on the host of `apiBaseUrl` (read from X-Forwarded-Host, else Host). */
  customerHostOnly: false,
  /** A refresh also revokes the access token that it replaces. */
  refreshRevokesAccess: false,
  /** Scopes of the app, separated by spaces; empty for all. Tokens for `sandbox-code` have them, the consent page refuses others. */
  scopes: '',
  /** Life of a code of the consent page in seconds. */
  codeSeconds: 60,
  ...consentFactory,
  account: sandboxCredentials.administrator as string,
}

/** What can be changed while the stand-in runs. */
export type GongSwitches = Readonly<typeof factory>
