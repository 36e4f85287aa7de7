/** The answer files of a kind: true answers of its vendor, with the calls that they answer. `README.md` describes the form. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from '../../packages/ferrule/src/values/json/json.ts'
import { withKeys } from './made.ts'

type Values = Readonly<Record<string, unknown>>

/** One request to the vendor, as it must be, and what it answers. */
export interface Exchange {
  /** `api`, or the host of a file. */
  readonly to?: 'api' | 'file'
  readonly request: {
    readonly method: string
    /** Path with the query, exactly; `{uuid}` for an id that the engine makes. */
    readonly path: string
    /** JSON body, or a form as a text; without it there must be none. */
    readonly body?: unknown
    /** Headers that must be there. */
    readonly headers?: Readonly<Record<string, string>>
  }
  readonly answer: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    /** JSON. */
    readonly body?: unknown
    /** Anything else. */
    readonly text?: string
    /** The body is compressed. */
    readonly gzip?: true
  }
}

/** One page of a list, or the whole of another action. */
export interface ExpectedPage {
  readonly exchanges: readonly Exchange[]
  /** The records, where they are not simply the vendor's rows with null for what it leaves out. */
  readonly data?: unknown
  /** Positions of rows that are not shown. */
  readonly leftOut?: readonly number[]
  readonly meta?: Values
  /** What a download gives, with its text. */
  readonly file?: Values & { readonly text: string }
}

/** A call of an operation: parameters, and what comes page after page. */
export interface ExpectedCall {
  readonly params: Values
  readonly pages: readonly ExpectedPage[]
}

/** A call that a rule of the kind refuses before anything is sent. */
export interface RefusedCall {
  readonly params: Values
  readonly code: string
  /** Fields of its problems. */
  readonly fields: readonly string[]
}

/** The file of an operation. */
export interface AnswerFile {
  /** Where the shapes were seen. */
  readonly source: readonly string[]
  /** Why a list with a page shape has one page here. */
  readonly onePage?: string
  /** Parameters that every call needs although the documents leave them optional → why. */
  readonly needed?: Readonly<Record<string, string>>
  /** Parameters that the rule of the operation changes → what it does to them. */
  readonly changed?: Readonly<Record<string, string>>
  /** What the rule of the operation refuses; there is some where it has one. */
  readonly refused?: readonly RefusedCall[]
  /** By name; `full` uses every parameter, `minimal` those that are required. */
  readonly calls: Readonly<Record<string, ExpectedCall>> & { readonly full: ExpectedCall; readonly minimal: ExpectedCall }
}

/** How the account behind credentials is proven. */
export interface AccountFile {
  readonly exchanges: readonly Exchange[]
  readonly identity: Values
}

/** The way of a consent. Its return address and its state are the same in all files. */
export interface ConsentFile {
  readonly oauthClient: Readonly<Record<string, string>>
  /** The address of the page. */
  readonly page: string
  /** The verifier of PKCE, of kinds that have it. */
  readonly verifier?: string
  /** The query of the return. */
  readonly returned: string
  readonly exchange: Exchange
  /** What the exchange gives, at midnight of 2 January 2026. */
  readonly credentials: Readonly<Record<string, string>>
  readonly account: AccountFile
}

/** Credentials of one scheme, and what they become. */
export interface SchemeFile {
  readonly credentials: Readonly<Record<string, string>>
  /** `{jwt}` stands for a token that is made of a key. */
  readonly headers: Readonly<Record<string, string>>
  /** What that token says, and for how many seconds. */
  readonly token?: { readonly claims: Values; readonly seconds: number }
  /** The first scheme has it. */
  readonly account?: AccountFile
  /** A scheme with a consent page has it. */
  readonly consent?: ConsentFile
}

/** Credentials of each scheme of a kind. */
export interface CredentialsFile {
  readonly schemes: Readonly<Record<string, SchemeFile>>
  readonly configuration: Values
}

const folderOf = (kind: string): string => join(import.meta.dirname, '../../packages/ferrule/src/connectors', kind, 'answers')
/** Ids beyond 2^53 keep their digits. */
const read = (file: string): unknown => parseJson(withKeys(readFileSync(file, 'utf8')))

/** Reads the answer file of an operation; undefined when it is missing. */
export function readAnswers(kind: string, operation: string): AnswerFile | undefined {
  const file = join(folderOf(kind), `${operation}.json`)
  return existsSync(file) ? (read(file) as AnswerFile) : undefined // the suite checks its form
}

/** The credentials file of a kind. */
export const readCredentials = (kind: string): CredentialsFile => read(join(folderOf(kind), 'credentials.json')) as CredentialsFile

/** Names of all answer files of a kind, without `.json`. */
export const answerFiles = (kind: string): string[] =>
  readdirSync(folderOf(kind))
    .map((name) => name.replace(/\.json$/, ''))
    .filter((name) => name !== 'credentials')
