/** Lists all kinds. No other file names them. */
import { checkKinds } from '../definition/check.ts'
import { gong } from './gong/index.ts'
import { shopify } from './shopify/index.ts'
import { snowflake } from './snowflake/index.ts'
import { tiktokMarketing } from './tiktok-marketing/index.ts'

/** Every kind by its slug, checked together at import. */
export const kinds = checkKinds({ gong, shopify, snowflake, 'tiktok-marketing': tiktokMarketing })
