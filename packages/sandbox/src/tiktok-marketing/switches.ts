import { consentChoices, consentFactory } from '../consent.ts'
import type { Rate } from '../limits.ts'
import { tiktokCredentials } from './oauth.ts'

/** What can be changed while the stand-in runs, with the defaults. */
export const factory = {
  /** Rates are enforced. */
  limits: true,
  /** Level of the app: `basic` (10 a second, 600 a minute, 864,000 a day), `advanced`, `premium` or `ultimate`. */
  level: 'basic',
  /** Requests of the app per second, minute and UTC day; 0 for those of the level. */
  qps: 0,
  qpm: 0,
  qpd: 0,
  /** Requests per second for one advertiser and path. */
  advertiserQps: 20,
  /** Scopes of every token, for example `200,210`; empty for those of the token. */
  scopes: '',
  /** `host`: by the host that was asked; `production` or `sandbox`: that one for every request. */
  environment: 'host',
  /** A report of more rows times metrics is refused with 40067; 0 for no bound. */
  cellBudget: 0,
  /** A report of more days is refused with `timeoutCode`; 0 for no bound. */
  timeoutDays: 0,
  /** 51001 or 51039: a service behind the API did not answer in time. */
  timeoutCode: 51_001,
  /** Metrics that the vendor has withdrawn, separated by commas: a report that asks for one is refused with 40002. */
  withdrawn: '',
  /** The numbers of `page_info` are texts. */
  pageTexts: false,
  /** The header that warns of ads that a report left out. */
  adsThrottle: true,
  /** Ids of campaigns, ad groups and ads have 19 digits. */
  hugeIds: false,
  /** Every request but control requests is refused with this code; 0 for none. */
  errorCode: 0,
  /** Its text; empty for one that fits the code. */
  errorMessage: '',
  /** Life of a code of the consent page in seconds. */
  codeSeconds: 3600,
  ...consentFactory,
  account: tiktokCredentials.user as string,
}

/** What can be changed while the stand-in runs. */
export type TiktokSwitches = Readonly<typeof factory>

const basic: Rate = { perSecond: 10, perMinute: 600, perDay: 864_000 }

const levels: Readonly<Record<string, Rate>> = {
  basic,
  advanced: { perSecond: 20, perMinute: 1200, perDay: 1_728_000 },
  premium: { perSecond: 30, perMinute: 1800, perDay: 2_592_000 },
  ultimate: { perSecond: 50, perMinute: 3000, perDay: 4_320_000 },
}

/** The values that switches can have. */
export const choices = { ...consentChoices, level: Object.keys(levels), environment: ['host', 'production', 'sandbox'] }

/** Returns the rates of the app that the switches ask for. */
export function appRate({ level, qps, qpm, qpd }: TiktokSwitches): Rate {
  const rate = levels[level] ?? basic
  return { perSecond: qps || rate.perSecond, perMinute: qpm || rate.perMinute, perDay: qpd || rate.perDay }
}
