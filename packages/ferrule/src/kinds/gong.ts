/** The entry `ferrule/gong`: this kind alone, for `connect` of `ferrule/core`. */
import { gong as kind } from '../connectors/gong/index.ts'
import { type ConnectableKind, makeConnectable } from './connectable.ts'

/** Gong. */
export const gong: ConnectableKind<typeof kind.definition> = makeConnectable(kind)
