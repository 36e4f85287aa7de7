import { isObject } from '../http.ts'

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

/** Reads and changes the switches. */
export interface SwitchControl {
  current(): GongSwitches
  /** @throws RangeError for an unknown switch or a value of another type */
  set(changes: Partial<GongSwitches>): void
  reset(): void
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
 * What is wrong with a value that should change switches; undefined when nothing is.
 *
 * @param value - anything, for example the JSON body of a control request
 */
export function switchProblem(value: unknown): string | undefined {
  if (!isObject(value)) return 'Switches are a JSON object'
  const known = new Map<string, unknown>(Object.entries(factory))
  for (const [name, wanted] of Object.entries(value)) {
    if (!known.has(name)) return `${name} is not a switch; there are ${[...known.keys()].join(', ')}`
    if (typeof wanted !== typeof known.get(name)) return `${name} must be a ${typeof known.get(name)}`
  }
  const { apiBaseUrl } = value
  if (apiBaseUrl && !URL.canParse(String(apiBaseUrl))) return 'apiBaseUrl must be empty or an address'
  return undefined
}

/** True for a value that changes switches. */
export function isSwitches(value: unknown): value is Partial<GongSwitches> {
  return switchProblem(value) === undefined
}

/**
 * The switches of one sandbox.
 *
 * @param start - what differs from the defaults at the start and after a reset
 */
export function createSwitches(start: Partial<GongSwitches>): SwitchControl {
  let now: GongSwitches = { ...factory, ...start }
  return {
    current: () => now,
    set(changes) {
      const problem = switchProblem(changes)
      if (problem) throw new RangeError(problem)
      now = { ...now, ...changes }
    },
    reset() {
      now = { ...factory, ...start }
    },
  }
}
