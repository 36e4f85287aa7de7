/** The kinds: the only file that names them all. */
import { checkedKinds } from '../definition/check.ts'
import { gong } from './gong/index.ts'
import { shopify } from './shopify/index.ts'
import { snowflake } from './snowflake/index.ts'
import { tiktokMarketing } from './tiktok-marketing/index.ts'

/** Every kind by its slug, checked together when it is loaded. */
export const kinds = checkedKinds({ gong, shopify, snowflake, 'tiktok-marketing': tiktokMarketing })
