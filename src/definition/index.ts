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
  moment,
  mustBeTrue,
  num,
  obj,
  oneOf,
  open,
  opt,
  orNull,
  refuse,
  secret,
  str,
  time,
} from './fields.ts'
