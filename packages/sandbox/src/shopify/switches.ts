import { consentChoices, consentFactory } from '../consent.ts'
import type { BucketSize } from '../limits.ts'
import { shopifyCredentials } from './access.ts'

/** What can be changed while the stand-in runs, with the defaults. */
export const factory = {
  /** The leaky bucket is enforced; its header is sent in any case. */
  limits: true,
  /** `standard` (40 calls, 2 per second), `advanced` (80, 4), `plus` (400, 20) or `enterprise` (800, 40). */
  plan: 'standard',
  /** Calls in a full bucket; 0 for the plan's. */
  bucketSize: 0,
  /** Calls that leak per second; 0 for the plan's. */
  leakPerSecond: 0,
  /** Scopes of every token, separated by commas or spaces; empty for those of the token. */
  scopes: '',
  /** Whether the app may read protected customer data; false: 403 on customers, orders, drafts and checkouts. */
  customerData: true,
  /** Life of a `page_info` in seconds. */
  cursorSeconds: 3600,
  /** The deprecation header on products and variants. */
  deprecations: true,
  /** `active`, `frozen` (402), `forbidden` (403), `locked` (423), `rejected` (430) or `gone` (404). */
  shopState: 'active',
  /** Every request is answered with 301 to this address; empty for none. */
  redirectTo: '',
  /** How often each draft order answers 202 before it is ready. */
  draftPolls: 0,
  /** One customer has an id, and receipts of card payments a number, above 2^53. */
  hugeIds: false,
  /** `vendor`, or the form of every refusal: `string`, `object`, `fields`, `array`, `oauth`, `html`, `empty`. */
  errorForm: 'vendor',
  /** `quoted` as the vendor sends it, or `bare`: the next page first, without quotation marks. */
  linkForm: 'quoted',
  /** Origin of the links to other pages; empty for that of the store. */
  linkOrigin: '',
  /** Whether the store has the app; false: its tokens are refused, and it gets no new ones. */
  installed: true,
  /** Life of new access tokens that a refresh token renews, in seconds. */
  expiresIn: 3600,
  /** Form of the token endpoint's refusals: `json` or `page`. */
  oauthErrors: 'json',
  /** Signature of the return: `right`, `wrong` or `missing`. */
  returnHmac: 'right',
  /** Host of the store that the return names; empty for that of the store. */
  returnShop: '',
  /** Life of a code of the consent page in seconds. */
  codeSeconds: 60,
  /** Webhooks: `prompt`, `twice`, `late` (they wait until they are sent by hand), or `swapped` (the same, the newest first). */
  webhooks: 'prompt',
  /** Signature of webhooks: `right`, `wrong` or `missing`. */
  webhookHmac: 'right',
  ...consentFactory,
  account: shopifyCredentials.owner as string,
}

/** What can be changed while the stand-in runs. */
export type ShopifySwitches = Readonly<typeof factory>

const standard: BucketSize = { size: 40, leak: 2 }

const plans: Readonly<Record<string, BucketSize>> = {
  standard,
  advanced: { size: 80, leak: 4 },
  plus: { size: 400, leak: 20 },
  enterprise: { size: 800, leak: 40 },
}

/** What switches can be. */
export const rules = {
  factory,
  choices: {
    plan: Object.keys(plans),
    shopState: ['active', 'frozen', 'forbidden', 'locked', 'rejected', 'gone'],
    errorForm: ['vendor', 'string', 'object', 'fields', 'array', 'oauth', 'html', 'empty'],
    linkForm: ['quoted', 'bare'],
    oauthErrors: ['json', 'page'],
    returnHmac: ['right', 'wrong', 'missing'],
    webhooks: ['prompt', 'twice', 'late', 'swapped'],
    webhookHmac: ['right', 'wrong', 'missing'],
    ...consentChoices,
  },
  addresses: ['redirectTo', 'linkOrigin'],
  wrongNumber: (value: number) => (value >= 0 ? undefined : 'must not be negative'),
}

/** Returns the bucket that the switches ask for. */
export function bucketOf({ plan, bucketSize, leakPerSecond }: ShopifySwitches): BucketSize {
  const { size, leak } = plans[plan] ?? standard
  return { size: bucketSize || size, leak: leakPerSecond || leak }
}
