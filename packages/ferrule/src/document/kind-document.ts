/** A kind as callers see it: the part of the service's record that commands and tools use. */
import type { EntityDocument } from '../wire/definitions.ts'

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>

/** A scheme of credentials. */
export interface SchemeDocument {
  readonly scheme: string
  readonly title: string
  readonly schema: Schema
}

/** A kind, as commands and tools show it. */
export interface KindDocument {
  readonly kind: string
  readonly title: string
  readonly description: string
  readonly documentation: string
  readonly credentials: readonly SchemeDocument[]
  readonly configuration: Schema
  readonly entities: readonly EntityDocument[]
}
