/** What a route says about itself in the API's document. */
import type { Field, Fields } from '../../definition/fields.ts'
import type { ErrorCode } from '../../errors.ts'
import type { Scope } from '../../platform/scopes.ts'

/** JSON Schema or OpenAPI object, ready to be written. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Groups of routes, in the order of the document. */
export const tags = {
  tokens: 'Get a bearer token',
  organizations: 'Organizations that a client reaches',
  workspaces: 'Workspaces: the boundary between connectors',
  definitions: 'Kinds of external systems and what they offer',
  connectors: 'Connectors: one external system with one set of credentials',
  execute: 'Run an action on an entity',
  'context store': 'The synced copy: how it is filled, how fresh it is, and its records',
  jobs: 'Work that was asked for',
  service: 'State of the service',
} as const
/** One group of routes. */
export type Tag = keyof typeof tags

/** A body or an answer: the name of a shared schema, or a schema of its own. */
export type SchemaSource = string | Field

/** A route's part of the document. */
export interface RouteDocument {
  /** Unique name of the operation, for generated clients. */
  readonly id: string
  readonly tag: Tag
  readonly summary: string
  readonly about?: string
  readonly scope?: Scope
  /** Query parameters. */
  readonly query?: Fields
  readonly body?: SchemaSource
  /** A body that works, where one made from the schema would not. */
  readonly example?: unknown
  /** Left out: a body is required where there is one. */
  readonly bodyOptional?: boolean
  /** The answer of a success; a text names another media type than JSON. */
  readonly answer: { readonly status?: number; readonly about: string; readonly schema: SchemaSource; readonly type?: string }
  /** Takes the header Idempotency-Key. */
  readonly idempotent?: boolean
  /** Errors beside those that every route of its kind has. */
  readonly problems: readonly ErrorCode[]
}
