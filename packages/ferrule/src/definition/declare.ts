/** Declares entities and kinds. A wrong definition does not compile, and the compiler's message says why. */
import type { CheckConnector, CheckEntity } from './check-types.ts'
import type { ConnectorDefinition, Kind, Rules } from './connector.ts'
import type { EntityDefinition } from './entity.ts'

/**
 * Declares an entity. A path slot without a parameter, a key that the record lacks or an unknown property is a compile error.
 * @param definition the entity as plain data
 * @returns the same object, with its literal types
 */
export const entity = <const E extends EntityDefinition>(definition: E & CheckEntity<E>): E => definition

const freeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const key of Reflect.ownKeys(value)) freeze(Reflect.get(value, key))
  return value
}

/**
 * Declares a kind and freezes its data deeply. An unknown property is a compile error.
 * @param definition the kind as plain data
 * @param rules the functions that the data names
 */
export const connector = <const D extends ConnectorDefinition>(definition: D & CheckConnector<D>, rules: Rules = {}): Kind<D> =>
  freeze({ definition, rules })
