import type { SwitchControl } from '../switches.ts'
import { createSwitchControl } from '../switches.ts'
import type { Rate } from './limits.ts'

/** What can be changed while the stand-in runs. */
export interface TiktokSwitches {
  /** Rates are enforced. */
  readonly limits: boolean
  /** Level of the app: `basic` (10 a second, 600 a minute, 864,000 a day), `advanced`, `premium` or `ultimate`. */
  readonly level: string
  /** Requests of the app per second, minute and UTC day; 0 for those of the level. */
  readonly qps: number
  readonly qpm: number
  readonly qpd: number
  /** Requests per second for one advertiser and path. */
  readonly advertiserQps: number
  /** Scopes of every token, for example `200,210`; empty for those of the token. */
  readonly scopes: string
  /** `host`: by the host that was asked; `production` or `sandbox`: that one for every request. */
  readonly environment: string
  /** A report of more rows times metrics is refused with 40067; 0 for no bound. */
  readonly cellBudget: number
  /** The header that warns of ads that a report left out. */
  readonly adsThrottle: boolean
  /** Ids of campaigns, ad groups and ads have 19 digits. */
  readonly hugeIds: boolean
  /** Every request but control requests is refused with this code; 0 for none. */
  readonly errorCode: number
  /** Its text; empty for one that fits the code. */
  readonly errorMessage: string
  /** Life of a code of the authorization page in seconds. */
  readonly codeSeconds: number
}

const factory: TiktokSwitches = {
  limits: true,
  level: 'basic',
  qps: 0,
  qpm: 0,
  qpd: 0,
  advertiserQps: 20,
  scopes: '',
  environment: 'host',
  cellBudget: 0,
  adsThrottle: true,
  hugeIds: false,
  errorCode: 0,
  errorMessage: '',
  codeSeconds: 3600,
}

/** Rates of an app by level. */
const levels: Readonly<Record<string, Rate>> = {
  basic: { perSecond: 10, perMinute: 600, perDay: 864_000 },
  advanced: { perSecond: 20, perMinute: 1200, perDay: 1_728_000 },
  premium: { perSecond: 30, perMinute: 1800, perDay: 2_592_000 },
  ultimate: { perSecond: 50, perMinute: 3000, perDay: 4_320_000 },
}

const choices: Readonly<Record<string, readonly string[]>> = {
  level: Object.keys(levels),
  environment: ['host', 'production', 'sandbox'],
}

function check(name: string, value: unknown): string | undefined {
  const allowed = choices[name]
  if (allowed && !allowed.some((choice) => choice === value)) return `${name} must be one of ${allowed.join(', ')}`
  if (typeof value === 'number' && !(Number.isInteger(value) && value >= 0)) return `${name} must be an integer from 0 on`
  return undefined
}

/**
 * The switches of one stand-in.
 *
 * @param start - what differs from the defaults at the start and after a reset
 */
export function createTiktokSwitches(start: Partial<TiktokSwitches>): SwitchControl<TiktokSwitches> {
  return createSwitchControl({ factory, start, check })
}

/** The rates of the app that the switches ask for. */
export function appRate({ level, qps, qpm, qpd }: TiktokSwitches): Rate {
  const rate = levels[level] ?? { perSecond: 10, perMinute: 600, perDay: 864_000 }
  return { perSecond: qps || rate.perSecond, perMinute: qpm || rate.perMinute, perDay: qpd || rate.perDay }
}
