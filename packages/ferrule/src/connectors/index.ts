/** Lists all kinds. No other file names them. */
import { gong } from './gong/index.ts'
import { shopify } from './shopify/index.ts'
import { snowflake } from './snowflake/index.ts'
import { tiktokMarketing } from './tiktok-marketing/index.ts'

/** The kinds by slug. Named, so that published declarations have each kind's type once, whichever entry it comes from. */
type AllKinds = {
  readonly gong: typeof gong
  readonly shopify: typeof shopify
  readonly snowflake: typeof snowflake
  readonly 'tiktok-marketing': typeof tiktokMarketing
}

/** Every kind by its slug. Tests and `npm run gen` check them together, because the check takes a tenth of an import. */
export const kinds: AllKinds = { gong, shopify, snowflake, 'tiktok-marketing': tiktokMarketing }
