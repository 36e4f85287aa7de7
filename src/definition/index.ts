/** The words that a kind is written in. */
export { type ConnectorDefinition, connector, type Kind, type Rule, type Rules } from './connector.ts'
export { entity } from './entity.ts'
export {
  absent,
  bool,
  date,
  each,
  emptyIsAbsent,
  id,
  int,
  list,
  mixed,
  moment,
  mustBeTrue,
  normalised,
  num,
  obj,
  objectOrAny,
  oneOf,
  open,
  opt,
  orNull,
  pick,
  refuse,
  secret,
  str,
  time,
} from './fields.ts'
