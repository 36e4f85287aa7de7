import type { ConnectorDefinition, ErrorRule, Kind, Rules } from './connector.ts'
import type { EntityDefinition, LiveAction, Operation } from './entity.ts'

/** The words for writing kinds, and the check that reports what is wrong with a kind (docs/decisions/kind-files.md). */
export { checkKinds, findProblems } from './check.ts'
export type {
  Admitted,
  ChosenOrigin,
  ClaimsRule,
  ClaimsSource,
  ConnectorDefinition,
  CredentialScheme,
  ErrorRule,
  Hidden,
  Kind,
  Limits,
  Lookup,
  Origins,
  ParameterRule,
  Rate,
  Refusal,
  RowRule,
  Rules,
  SendCredentials,
  SignedToken,
  Templates,
} from './connector.ts'
export type { AccountProof, CodeGrant, Consent, ConsentAccounts, ConsentRevocation, Exchange, Grant, ReturnSignature } from './consent.ts'
export type {
  Described,
  EntityDefinition,
  FileSource,
  Filled,
  Join,
  LiveAction,
  LocalFilter,
  MergedRows,
  Method,
  Operation,
  Origin,
  Poll,
  RuleName,
  Send,
  Submission,
} from './entity.ts'
export {
  absent,
  bool,
  byDefault,
  date,
  decimal,
  each,
  emptyIsAbsent,
  type Field,
  type Fields,
  type Fill,
  type Finding,
  type Flat,
  find,
  fromConnector,
  id,
  int,
  jsonArray,
  jsonFilter,
  known,
  type ListRules,
  list,
  listRequired,
  mixed,
  moment,
  mustBeTrue,
  normalised,
  num,
  type ObjectField,
  type Optional,
  obj,
  objectOrAny,
  objectOrList,
  oneOf,
  oneOrMany,
  open,
  opt,
  orAny,
  orDate,
  orNull,
  pick,
  refuse,
  refuseGiven,
  type Schema,
  type Static,
  secret,
  stamp,
  str,
  type TextRules,
  time,
  trimmed,
  unixTime,
  unixTimeMs,
  wellFormed,
} from './fields.ts'
export type { NextPages, PageDefinition, PageShape, PartPages, PositionPages, SearchCap } from './page.ts'
export type { Changes, Condition, Each, Since, Sync, TimeForm, Windows, Withdrawn, Within } from './sync.ts'
export type {
  HmacSignature,
  TokenSignature,
  WebhookChallenge,
  WebhookEffect,
  WebhookRule,
  WebhookSubscription,
  Webhooks,
  WebhookTime,
} from './webhooks.ts'

/** A compile error as a sentence. An object type, because a branded string literal collapses to `never`. */
interface Wrong<M extends string> {
  readonly wrong: M
}
type Slots<S> = S extends `${string}{${infer V}}${infer Rest}` ? V | Slots<Rest> : never
type Lacks<N, F, At extends string, M extends string> = [Exclude<N, keyof F>] extends [never]
  ? unknown
  : { [P in At]: Wrong<`${M} '${Exclude<N, keyof F> & string}'`> }
type ParamsOf<O> = O extends { params: infer P } ? P : Record<never, never>
type CheckOperation<O> = { [P in Exclude<keyof O, keyof Operation>]: Wrong<'not a part of an operation'> } & (O extends { call: infer C }
  ? Lacks<Slots<C>, ParamsOf<O>, 'call', 'params lacks the path slot'>
  : unknown)
type RecordKeys<K> = K extends `param.${string}` ? never : K extends `${infer First}.${string}` ? First : K

/** Checks the type of an entity; `unknown` if it is right, else an object with a sentence at each wrong property. */
type CheckEntity<E> = (E extends { key: readonly (infer K)[]; record: infer R }
  ? Lacks<RecordKeys<K>, R, 'key', 'record lacks'>
  : unknown) & {
  [A in keyof E]: A extends LiveAction
    ? CheckOperation<E[A]>
    : A extends keyof EntityDefinition
      ? unknown
      : Wrong<'not a part of an entity'>
}

type KeysOf<R> = R extends unknown ? keyof R : never

/** Checks the type of a kind. Without this check a misspelt property is ignored, together with the protection that it declares. */
type CheckConnector<D> = { [P in Exclude<keyof D, keyof ConnectorDefinition>]: Wrong<'not a part of a kind'> } & (D extends {
  errors: readonly (infer R)[]
}
  ? Lacks<KeysOf<R>, ErrorRule, 'errors', 'a row cannot have'>
  : unknown)

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
