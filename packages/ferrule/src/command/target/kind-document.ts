/** A kind as the command knows it: the part of the service's record that it uses. */
import type { EntityDocument } from '../../wire/definitions.ts'
import type { Schema } from '../typed-values.ts'

/** A scheme of credentials. */
export interface SchemeDocument {
  readonly scheme: string
  readonly title: string
  readonly schema: Schema
}

/** A kind, as the command shows it. */
export interface KindDocument {
  readonly kind: string
  readonly title: string
  readonly description: string
  readonly documentation: string
  readonly credentials: readonly SchemeDocument[]
  readonly configuration: Schema
  readonly entities: readonly EntityDocument[]
}
