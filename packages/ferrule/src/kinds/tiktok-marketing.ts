/** The entry `ferrule/tiktok-marketing`: this kind alone, for `connect` of `ferrule/core`. */
import { tiktokMarketing as kind } from '../connectors/tiktok-marketing/index.ts'
import { type ConnectableKind, makeConnectable } from './connectable.ts'

/** TikTok Marketing. */
export const tiktokMarketing: ConnectableKind<typeof kind.definition> = makeConnectable(kind)
