/** The type of a checked file. The table's checks prove it. */
import type { WindowForm } from '../definition/connector.ts'
import type { SearchCap } from '../definition/page.ts'
import type { TimeForm } from '../definition/sync.ts'
import type { WebhookEffect } from '../definition/webhooks.ts'

/** A text, a number, or true or false. */
export type Scalar = string | number | boolean
/** Values by name. */
export type Named<T> = Readonly<Record<string, T>>
/** Fields as the file has them; `build-fields.ts` reads them. */
export type FileFields = Named<unknown>

/** What a field is tested for. */
export interface FileTest {
  readonly exists?: boolean
  readonly not?: Scalar | readonly Scalar[]
  readonly above?: number
  readonly below?: number
}
/** What records must be. */
export type FileCondition = string | Named<Scalar | readonly Scalar[] | FileTest>

/** A parameter in a query language. */
export interface FileText {
  readonly start?: string
  readonly parts: readonly string[]
  readonly join?: string
  readonly lead?: string
  readonly end?: string
  readonly quote: '"' | "'"
}
/** An operation in full. */
export interface FileOperation {
  readonly call: string
  readonly about?: string
  readonly params?: FileFields
  readonly body?: FileFields
  readonly wrap?: string
  readonly always?: Named<Scalar | readonly unknown[]>
  readonly defaults?: Named<Scalar>
  readonly format?: 'ndjson' | 'csv'
  readonly at?: string
  readonly outer?: Named<string>
  readonly keyed?: string
  readonly where?: FileCondition
  readonly pages?: string
  readonly because?: string
  readonly text?: Named<FileText>
  readonly as?: 'json' | 'form' | 'query'
  readonly arrays?: 'repeat' | 'brackets' | 'comma'
  readonly once?: string
  readonly remembers?: string
  readonly headers?: Named<string>
  readonly running?: number
  readonly budget?: string
  readonly answers?: 'record' | 'part' | 'nothing'
  readonly merge?: readonly string[]
  readonly rest?: string
}
/** Where a run starts. */
export type FileSince =
  | Named<string>
  | {
      readonly field: string
      readonly send: string
      readonly until?: string
      readonly as?: TimeForm
      readonly text?: string
      readonly first?: string
      readonly overlap?: string
      readonly fixed?: boolean
      readonly sorted?: boolean
    }
/** How the copy gets the records. */
export interface FileSync {
  readonly params?: Named<unknown>
  readonly each?: Named<Named<string>>
  readonly where?: FileCondition
  readonly batch?: number
  readonly within?: { readonly entity: string; readonly at: string; readonly most?: number; readonly take?: Named<string> }
  readonly under?: Named<string>
  readonly since?: FileSince
  readonly values?: Named<readonly Scalar[]>
  readonly newest?: string
  readonly token?: { readonly read: string; readonly send: string }
  readonly changes?: string | readonly string[]
  readonly gone?: FileCondition
  readonly after?: Named<string>
}
/** An entity. */
export interface FileEntity {
  readonly about: string
  readonly fields: FileFields
  readonly key?: string | readonly string[]
  readonly list?: string | FileOperation
  readonly get?: string | FileOperation
  readonly create?: string | FileOperation
  readonly update?: string | FileOperation
  readonly delete?: string | FileOperation
  readonly sync?: string | FileSync
  readonly search?: string | readonly string[] | Named<string>
  readonly from?: Named<
    string | { readonly path?: string; readonly param?: string; readonly as?: 'string' | 'lower' | 'integer' | 'number' }
  >
  readonly scope?: readonly string[]
  readonly of?: string
  readonly refers?: Named<string>
  readonly title?: string
  readonly summary?: string
  readonly link?: string
  readonly described?: {
    readonly run: string
    readonly params?: Named<unknown>
    readonly name: string
    readonly where?: FileCondition
  }
}
/** A row of the table of errors in full. */
export interface FileErrorRow {
  readonly is: string
  readonly status?: string
  readonly code?: readonly string[]
  readonly contains?: string
  readonly for?: readonly string[]
  readonly hint?: string
  readonly wait?: readonly string[]
  readonly again?: boolean
}
/** How the vendor says that a call failed. */
export interface FileErrors {
  readonly message?: string | readonly string[]
  readonly code?: string
  readonly request?: string
  readonly failed?: string | Named<Scalar>
  readonly success?: readonly string[]
  readonly partial?: readonly string[]
  readonly warnings?: readonly string[]
  readonly rows?: readonly (Named<string> | FileErrorRow)[]
}
/** A page where the owner agrees, and the token that follows; or the token alone. */
export interface FileOauth {
  readonly page?: string
  readonly token: string
  readonly scopes?: readonly string[]
  readonly separator?: string
  readonly pkce?: boolean
  readonly always?: Named<Scalar>
  readonly client?: 'body' | 'basic'
  readonly as?: 'form' | 'json' | 'query'
  readonly signed?: { readonly key: string; readonly passphrase?: string; readonly claims: Named<string> }
  readonly names?: {
    readonly client_id?: string
    readonly client_secret?: string
    readonly code?: string
    readonly redirect_uri?: string
    readonly access_token?: string
    readonly refresh_token?: string
    readonly expires_in?: string
  }
  readonly exchange?: Named<Scalar>
  readonly revoke?: {
    readonly call: string
    readonly send: Named<string>
    readonly as?: 'form' | 'json'
    readonly ended?: readonly string[]
  }
  readonly accounts?: {
    readonly call: string
    readonly send?: Named<string>
    readonly at?: string
    readonly id: string
    readonly name: string
    readonly to: string
  }
  readonly refresh?: boolean
  readonly signature?: string
  readonly returns?: Named<string>
  readonly refusal?: string
  readonly who?: string
}
/** A host for each value of a field of configuration. */
export interface FileChoice {
  readonly by: string
  readonly of: Named<string>
}
/** A call that takes credentials and answers a token. */
export interface FileLogin {
  readonly call: string
  readonly host?: string | FileChoice
  readonly send?: Named<Scalar>
  readonly headers?: Named<string>
  readonly as?: 'form' | 'json' | 'query'
  readonly token: string
  readonly expires?: string
}
/** A way to authenticate. */
export interface FileScheme {
  readonly title: string
  readonly fields?: FileFields
  readonly find?: unknown
  readonly send?: Named<string>
  readonly query?: Named<string>
  readonly headers?: Named<string>
  readonly oauth?: FileOauth
  readonly login?: FileLogin
}
/** A way of paging. */
export interface FileWay {
  readonly next: string
  readonly send?: string
  readonly in?: 'query' | 'body'
  readonly first?: '0' | '1'
  readonly more?: string
  readonly total?: string
  readonly size?: string
  readonly cap?: SearchCap
}
/** The list of changes. */
export interface FileChanges {
  readonly entity: string
  readonly params?: Named<unknown>
  readonly since: FileSince
  readonly where: Named<string | readonly string[]>
  readonly gone?: string | readonly string[]
  readonly record: string
  readonly keeps: string
}
/** The limits of calls. */
export interface FileLimits {
  readonly per: string | readonly string[]
  readonly rates: readonly string[]
  readonly budgets?: Named<readonly string[]>
  readonly points?: {
    readonly rate: string
    readonly cost: string
    readonly expected: number
    readonly left?: string
    readonly resets?: string
  }
  readonly left?: string
  readonly resets?: string
  readonly as?: WindowForm
}
/** The call that says which account it is. */
export interface FileAccount {
  readonly run: string
  readonly params?: Named<unknown>
  readonly id: string
  readonly among?: string
}
/** What a topic of webhooks says. */
export interface FileWebhookEvent {
  readonly does?: WebhookEffect
  readonly entity?: string
  readonly key?: string | readonly string[]
  readonly under?: Named<string>
  readonly needs?: string | readonly string[]
  readonly params?: Named<string>
  readonly version?: string
}
/** Webhooks. */
export interface FileWebhooks {
  readonly secret: string
  readonly find?: string | Named<string>
  readonly signature?: {
    readonly header: string
    readonly as?: 'hex' | 'base64'
    readonly prefix?: string
    readonly part?: string
    readonly signs?: string
    readonly time?: string | { readonly at: string; readonly as?: 'seconds' | 'milliseconds'; readonly within?: string }
  }
  readonly token?: { readonly header: string; readonly body: string; readonly url?: string }
  readonly challenge?: { readonly when?: Named<string>; readonly answer?: string; readonly secret?: string }
  readonly account?: string | readonly string[] | { readonly at: string | readonly string[]; readonly is?: string }
  readonly id?: string | readonly string[]
  readonly topic?: string | readonly string[]
  readonly list?: string
  readonly events: Named<'redact' | 'uninstalled' | FileWebhookEvent | readonly FileWebhookEvent[]>
}
/** Why something in a file is unsure: an importer guessed it, or its document did not say it. */
export type Unsure = 'guessed' | 'not said'
/** A whole file. */
export interface KindFile {
  readonly kind: string
  readonly title: string
  readonly category: string
  readonly about: string
  readonly docs: string
  readonly api: string | FileChoice
  readonly path?: string
  readonly elsewhere?: { readonly with: string; readonly api: string; readonly path: string }
  readonly graphql?: string
  readonly headers?: Named<string>
  readonly configuration?: FileFields
  readonly auth: Named<FileScheme>
  readonly limits?: FileLimits
  readonly errors?: FileErrors
  readonly check: string | { readonly run: string; readonly params?: Named<unknown> }
  readonly account?: string | FileAccount
  readonly pages?: Named<FileWay>
  readonly lists?: Pick<FileOperation, 'at' | 'pages' | 'as' | 'arrays'>
  readonly writes?: Pick<FileOperation, 'as' | 'arrays' | 'once' | 'remembers'>
  readonly changes?: FileChanges
  readonly webhooks?: FileWebhooks
  readonly types?: Named<FileFields>
  readonly unsure?: Named<Unsure>
  readonly entities: Named<FileEntity>
}
