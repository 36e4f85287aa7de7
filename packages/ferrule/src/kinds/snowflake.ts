/** The entry `ferrule/snowflake`: this kind alone, for `connect` of `ferrule/core`. */
import { snowflake as kind } from '../connectors/snowflake/index.ts'
import { type ConnectableKind, makeConnectable } from './connectable.ts'

/** Snowflake. */
export const snowflake: ConnectableKind<typeof kind.definition> = makeConnectable(kind)
