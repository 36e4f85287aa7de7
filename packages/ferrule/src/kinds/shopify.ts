/** The entry `ferrule/shopify`: this kind alone, for `connect` of `ferrule/core`. */
import { shopify as kind } from '../connectors/shopify/index.ts'
import { makeConnectable } from './connectable.ts'

/** Shopify. */
export const shopify = makeConnectable(kind)
