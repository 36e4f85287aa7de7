import type { SwitchControl } from '../switches.ts'
import { createSwitchControl } from '../switches.ts'

/** What can be changed while the stand-in runs. */
export interface ShopifySwitches {
  /** The leaky bucket is enforced; its header is sent in any case. */
  readonly limits: boolean
  /** `standard` (40 calls, 2 per second), `advanced` (80, 4), `plus` (400, 20) or `enterprise` (800, 40). */
  readonly plan: string
  /** Calls in a full bucket; 0 for the plan's. */
  readonly bucketSize: number
  /** Calls that leak per second; 0 for the plan's. */
  readonly leakPerSecond: number
  /** Scopes of every token, separated by commas or spaces; empty for those of the token. */
  readonly scopes: string
  /** Whether the app may read protected customer data; false: 403 on customers, orders, drafts and checkouts. */
  readonly customerData: boolean
  /** Life of a `page_info` in seconds. */
  readonly cursorSeconds: number
  /** The deprecation header on products and variants. */
  readonly deprecations: boolean
  /** `active`, `frozen` (402), `forbidden` (403), `locked` (423), `rejected` (430) or `gone` (404). */
  readonly shopState: string
  /** Every request is answered with 301 to this address; empty for none. */
  readonly redirectTo: string
  /** How often each draft order answers 202 before it is ready. */
  readonly draftPolls: number
  /** One customer has an id, and receipts of card payments a number, above 2^53. */
  readonly hugeIds: boolean
  /** `vendor`, or the form of every refusal: `string`, `object`, `fields`, `array`, `oauth`, `html`, `empty`. */
  readonly errorForm: string
  /** `quoted` as the vendor sends it, or `bare`: the next page first, without quotation marks. */
  readonly linkForm: string
  /** Origin of the links to other pages; empty for that of the store. */
  readonly linkOrigin: string
}

const factory: ShopifySwitches = {
  limits: true,
  plan: 'standard',
  bucketSize: 0,
  leakPerSecond: 0,
  scopes: '',
  customerData: true,
  cursorSeconds: 3600,
  deprecations: true,
  shopState: 'active',
  redirectTo: '',
  draftPolls: 0,
  hugeIds: false,
  errorForm: 'vendor',
  linkForm: 'quoted',
  linkOrigin: '',
}

const choices: Readonly<Record<string, readonly string[]>> = {
  plan: ['standard', 'advanced', 'plus', 'enterprise'],
  shopState: ['active', 'frozen', 'forbidden', 'locked', 'rejected', 'gone'],
  errorForm: ['vendor', 'string', 'object', 'fields', 'array', 'oauth', 'html', 'empty'],
  linkForm: ['quoted', 'bare'],
}

const addresses = ['redirectTo', 'linkOrigin']

function check(name: string, value: unknown): string | undefined {
  const allowed = choices[name]
  if (allowed && !allowed.some((choice) => choice === value)) return `${name} must be one of ${allowed.join(', ')}`
  if (addresses.includes(name) && value && !URL.canParse(String(value))) return `${name} must be empty or an address`
  if (typeof value === 'number' && !(value >= 0)) return `${name} must not be negative`
  return undefined
}

/**
 * The switches of one stand-in.
 *
 * @param start - what differs from the defaults at the start and after a reset
 */
export function createShopifySwitches(start: Partial<ShopifySwitches>): SwitchControl<ShopifySwitches> {
  return createSwitchControl({ factory, start, check })
}

/** Size and leak of the bucket by plan. */
const plans: Readonly<Record<string, { readonly size: number; readonly leak: number }>> = {
  standard: { size: 40, leak: 2 },
  advanced: { size: 80, leak: 4 },
  plus: { size: 400, leak: 20 },
  enterprise: { size: 800, leak: 40 },
}

/** The bucket that the switches ask for: calls that it holds, calls that leak per second. */
export function bucketOf({ plan, bucketSize, leakPerSecond }: ShopifySwitches): { readonly size: number; readonly leak: number } {
  const { size, leak } = plans[plan] ?? { size: 40, leak: 2 }
  return { size: bucketSize || size, leak: leakPerSecond || leak }
}
