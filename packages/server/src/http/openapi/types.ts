/** The parts of the API's document that a route states. */
import type { ErrorCode } from 'ferrule'
import type { Field } from 'ferrule/definition'
import { errorTable } from 'ferrule/internal'
import type { EventSchema } from 'ferrule/wire'
import type { ServedKind } from '../../connectors/connector-types.ts'
import type { Scope } from '../../values/access.ts'

/** JSON Schema or OpenAPI object, ready to be written. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Groups of routes, in the order of the document. */
export const tags = {
  tokens: 'Get a bearer token',
  applications: 'Applications: the clients of an organization',
  organizations: 'Organizations that a client reaches',
  workspaces: 'Workspaces: the boundary between connectors',
  definitions: 'Kinds of external systems and what they offer',
  kinds: 'Kinds that the organization brings itself',
  connectors: 'Connectors: one external system with one set of credentials',
  connect: 'Connect links: end users authorize connectors, in a browser',
  execute: 'Run an action on an entity',
  copies: 'Copies of entities: how they are filled, how fresh they are, and their records',
  webhooks: 'Events of the organization: sent to addresses of yours, and by polling',
  jobs: 'Work that was asked for',
  service: 'State of the service',
} as const
/** One group of routes. */
export type Tag = keyof typeof tags

/** All errors that a vendor can cause. */
export const upstreamProblems: readonly ErrorCode[] = Object.keys(errorTable).filter((code): code is ErrorCode =>
  code.startsWith('upstream_'),
)

/** The answer of a success. */
export type AnswerDocument<S extends Field = Field> = JsonAnswerDocument<S> | ContentDocument

/** A JSON answer. */
export interface JsonAnswerDocument<S extends Field = Field> {
  /** HTTP status; left out: 200. */
  readonly status?: number
  readonly about: string
  readonly schema: S
  /** True: the answer has an `ETag`, and 304 without a body says that it has not changed. */
  readonly isTagged?: true
  /** The events of the stream that a request for `text/event-stream` gets instead. */
  readonly event?: EventSchema
}

/** An answer in other media types than JSON. */
export interface ContentDocument {
  readonly about: string
  /** Media types without parameters. */
  readonly types: readonly string[]
  /** True: a range of bytes is answered with 206. */
  readonly isPartial?: true
  readonly event?: EventSchema
}

/** An error of a route: its code, with a status where the status is not the code's own. */
export type ProblemDocument = ErrorCode | { readonly code: ErrorCode; readonly status: number }

/** A route's part of the document. */
export interface RouteDocument<S extends Field = Field> {
  /** Unique name of the operation, for generated clients. */
  readonly id: string
  readonly tag: Tag
  readonly summary: string
  readonly about?: string
  readonly scope?: Scope
  /** Query parameters: an object. */
  readonly query?: Field
  readonly body?: Field
  /** A valid body, where an example that is derived from the schema would not be. */
  readonly example?: unknown
  /** Left out: a body is required where there is one. */
  readonly bodyOptional?: boolean
  readonly answer: AnswerDocument<S>
  /** Errors beside those that every route of its kind has. */
  readonly problems: readonly ProblemDocument[]
}

/** A printed answer, with a tag of its content. */
export interface PrintedDocument {
  readonly text: string
  readonly etag: string
}

/** A document, compressed. */
export interface PackedDocument {
  /** The text, in gzip. */
  readonly packed: Buffer
  readonly etag: string
}

/** The API's documents of a service. */
export interface OpenApiDocuments {
  /**
   * Returns the document with the kinds of the service, and with those of an organization.
   * @throws FerruleError `result_too_large`
   */
  read(own: readonly ServedKind[]): Promise<PackedDocument>
}
