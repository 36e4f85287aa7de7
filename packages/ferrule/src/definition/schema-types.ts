/**
 * Copies of the TypeBox types that our published declarations name. `scripts/bundle.mjs` lets the declarations import them from here, because
 * TypeBox's own cost each user 2.4 million type instantiations. `sameTypesProgram` in test/pack/programs.ts compares both.
 */

/** Any schema. */
// biome-ignore lint/suspicious/noEmptyInterface: as TypeBox has it, so that its schemas are schemas here
export interface TSchema {}
/** Schemas by name. */
export interface TProperties extends TSchema {
  [key: PropertyKey]: TSchema
}
/** A string. */
export interface TString extends TSchema {
  '~kind': 'String'
  type: 'string'
}
/** An integer. */
export interface TInteger extends TSchema {
  '~kind': 'Integer'
  type: 'integer'
}
/** A number. */
export interface TNumber extends TSchema {
  '~kind': 'Number'
  type: 'number'
}
/** A boolean. */
export interface TBoolean extends TSchema {
  '~kind': 'Boolean'
  type: 'boolean'
}
/** A value that a literal can have. */
export type TLiteralValue = string | number | boolean | bigint
/** Name of the type of a literal. */
export type TLiteralTypeName<Value extends TLiteralValue> = Value extends bigint
  ? 'bigint'
  : Value extends boolean
    ? 'boolean'
    : Value extends number
      ? 'number'
      : Value extends string
        ? 'string'
        : never
/** One value. */
export interface TLiteral<Value extends TLiteralValue = TLiteralValue> extends TSchema {
  '~kind': 'Literal'
  type: TLiteralTypeName<Value>
  const: Value
}
/** An array. */
export interface TArray<Type extends TSchema = TSchema> extends TSchema {
  '~kind': 'Array'
  type: 'array'
  items: Type
}
/** A schema whose type is stated. */
export interface TUnsafe<Type = unknown> extends TSchema {
  '~unsafe': Type
}
/** A property that can be left out. */
export type TOptional<Type extends TSchema = TSchema> = Type & { '~optional': true }
/** A check beside the schema. */
export interface TRefinement<Value = unknown> {
  check: (value: Value) => boolean
  error: (value: Value) => string
}
/** A schema with checks beside it. */
export type TRefine<Type extends TSchema = TSchema> = Type & { '~refine': TRefinement<unknown>[] }

type ToIntersection<Union> = (Union extends unknown ? (one: Union) => 0 : never) extends (all: infer All) => 0 ? All : never
type Last<Union> = ToIntersection<Union extends unknown ? (one: Union) => 0 : never> extends (last: infer One) => 0 ? One : never
type ToTuple<Union, Rest extends unknown[] = [], One = Last<Union>> = [Union] extends [never]
  ? Rest
  : ToTuple<Exclude<Union, One>, [Extract<Union, One>, ...Rest]>

/** Names of the properties that cannot be left out, in their order; undefined if all can be left out. */
export type TRequiredArray<
  Properties extends TProperties,
  Required extends TProperties = {
    [Key in keyof Properties as Properties[Key] extends TOptional<Properties[Key]> ? never : Key]: Properties[Key]
  },
  Keys extends string[] = ToTuple<Extract<keyof Required, string>>,
> = Keys extends [] ? undefined : Keys

/** An object with known keys. */
export interface TObject<Properties extends TProperties = TProperties> extends TSchema {
  '~kind': 'Object'
  type: 'object'
  properties: Properties
  required: TRequiredArray<Properties>
}

/** A property that can be left out, marked once. */
export type TAddOptional<Type extends TSchema> = '~optional' extends keyof Type ? Type : TOptional<Type>
/** Marks a property that can be left out. */
export declare function Optional<Type extends TSchema>(type: Type): TAddOptional<Type>

type OptionalKeys<Properties> = { [Key in keyof Properties]: Properties[Key] extends TOptional<TSchema> ? Key : never }[keyof Properties]
type Evaluate<T> = { [Key in keyof T]: T[Key] } & {}
type PlainProperties<Properties> = { [Key in keyof Properties]: Static<Extract<Properties[Key], TSchema>> }
type WithOptional<Properties, Plain extends Record<PropertyKey, unknown>> = Evaluate<
  Partial<Pick<Plain, OptionalKeys<Properties>>> & Required<Pick<Plain, Exclude<keyof Properties, OptionalKeys<Properties>>>>
>
type StaticProperties<Properties> = WithOptional<Properties, PlainProperties<Properties>>

/** The plain type of a schema. */
export type Static<Type extends TSchema> = Type extends { readonly '~kind': 'Array'; readonly items: infer Items extends TSchema }
  ? Static<Items>[]
  : Type extends TBoolean
    ? boolean
    : Type extends TInteger
      ? number
      : Type extends TLiteral<infer Value extends TLiteralValue>
        ? Value
        : Type extends TNumber
          ? number
          : Type extends { readonly '~kind': 'Object'; readonly properties: infer Properties extends TProperties }
            ? keyof Properties extends never
              ? object
              : StaticProperties<Properties>
            : Type extends TString
              ? string
              : Type extends TUnsafe<infer Stated>
                ? Stated
                : unknown

/** The plain type of a schema, under the name and with the parameters of the compiler's output. */
export type StaticType<_Stack, _Direction, _Context, _This, Type extends TSchema> = Static<Type>
