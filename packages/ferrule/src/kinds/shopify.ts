/** The entry `ferrule/shopify`: this kind alone, for `connect` of `ferrule/core`. */
import { shopify as kind } from '../connectors/shopify/index.ts'
import { type ConnectableKind, makeConnectable } from './connectable.ts'

/** Shopify. */
export const shopify: ConnectableKind<typeof kind.definition> = makeConnectable(kind)
