/** Compile-time checks of entities and kinds. The compiler's message says what is wrong with a definition. */
import type { ConnectorDefinition, ErrorRule } from './connector.ts'
import type { EntityDefinition, LiveAction, Operation } from './entity.ts'

/** A compile error as a sentence. An object type, because a branded string literal collapses to `never`. */
export interface Wrong<M extends string> {
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
export type CheckEntity<E> = (E extends { key: readonly (infer K)[]; record: infer R }
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
export type CheckConnector<D> = { [P in Exclude<keyof D, keyof ConnectorDefinition>]: Wrong<'not a part of a kind'> } & (D extends {
  errors: readonly (infer R)[]
}
  ? Lacks<KeysOf<R>, ErrorRule, 'errors', 'a row cannot have'>
  : unknown)
