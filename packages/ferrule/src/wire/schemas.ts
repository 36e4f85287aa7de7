/** The words of the service's own wire: those of a definition, and a name for each schema of the API's document. */
import { type Field, type Fields, listRequired, type ObjectField, obj, type Static, str } from '../definition/index.ts'

type FrozenParts<T> = { readonly [Name in keyof T]: Frozen<T[Name]> }
/** A mapped type leaves strings and numbers as they are, and keeps arrays; it would make {} of unknown. */
type Frozen<T> = unknown extends T ? T : FrozenParts<T>

/** Type of the values of a schema, read-only at every depth. */
export type Wire<S extends Field> = Frozen<Static<S>>

/** Returns the name of a schema in the API's document; undefined for a schema that is written where it is used. */
export const componentName = ({ 'x-component': name }: Field): string | undefined => name

/** Gives a schema a name in the API's document. */
export const named = <S extends Field>(name: string, schema: S): S => ({ ...schema, 'x-component': name })

/** Makes an object of an answer. A later version may add members, so the document does not forbid unknown members. */
export const part = <F extends Fields>(fields: F, about: string): ObjectField<F> => ({
  type: 'object',
  ...listRequired(fields),
  properties: fields,
  description: about,
})

/** Makes a record: an object of an answer with a name. */
export const record = <F extends Fields>(name: string, fields: F, about: string): ObjectField<F> => named(name, part(fields, about))

/** Makes a request body: an object that refuses unknown members. */
export const body = <F extends Fields>(name: string, fields: F, about: string): ObjectField<F> => named(name, obj(fields, about))

/** Makes the query of a route: an object that refuses unknown members. */
export const query = <F extends Fields>(fields: F): ObjectField<F> => obj(fields, 'Query')

/** Makes a UUID. */
export const uuid = (about: string) => str(about, { format: 'uuid' })

/** Makes a record that can be null. `orNull` is for fields without a name. */
export const recordOrNull = <T>(schema: Field<T>): Field<T | null> => ({ anyOf: [schema, { type: 'null' }] })

/** Makes a field for a JSON Schema. */
export const jsonSchema = (about: string): Field<Record<string, unknown>> => ({
  type: 'object',
  description: `${about}, as JSON Schema`,
})

/** Makes a field for a JSON Schema, or null. */
export const jsonSchemaOrNull = (about: string): Field<Record<string, unknown> | null> => ({
  type: ['object', 'null'],
  description: `${about}, as JSON Schema`,
})
