/** Pieces that all schemas of the API's document are made from. */
import { type Field, type Fields, list, obj, orNull, str } from '../../definition/fields.ts'

/** A shared schema, by its name. */
export const ref = (name: string): Field => ({ $ref: `#/components/schemas/${name}` })

/** An answer: members may be added to it, so unknown ones are not refused. */
export const answer = (fields: Fields, about: string): Field => ({ ...obj(fields, about), additionalProperties: undefined })

/** A UUID. */
export const uuid = (about: string) => str(about, { format: 'uuid' })

/** A moment, ISO 8601 in UTC. */
export const moment = (about: string) => str(about, { format: 'date-time' })

/** One page of a list. */
export const page = (items: string, about: string): Field =>
  answer({ data: list(ref(items), about), next: orNull(str('Address of the next page; null at the end')) }, `One page: ${about}`)
