/** What importers take and return. An importer is pure: a document becomes the tree of a kind file, and doubts about it. */
import type { FileEntity, KindFile, Unsure } from '../kind-file/file.ts'

/** A part of a document that is not in the file. */
export interface LeftOut {
  /** As the document names it: `POST /items/{id}/merge`. */
  readonly what: string
  /** A sentence. */
  readonly why: string
}

/** What an importer made of a document. */
export interface Imported {
  readonly file: Omit<KindFile, 'unsure'>
  /** Why parts of the file are unsure, by their paths. */
  readonly unsure: Readonly<Record<string, Unsure>>
  readonly leftOut: readonly LeftOut[]
}

/** What the user says beside the document. */
export interface ImportOptions {
  /** Slug of the kind. */
  readonly kind: string
  /** Name of the vendor, instead of the document's. */
  readonly title?: string
  /** Address of the API, instead of the document's. */
  readonly api?: string
  /** Names of entities, or tags of the document; all if omitted. */
  readonly only?: readonly string[]
}

/** Makes a kind of a document. @param document the parsed document @throws DocumentError for a document of another sort */
export type Importer = (document: unknown, options: ImportOptions) => Imported

/** Lists the calls of an entity. */
export const listCalls = ({ list, get, create, update, delete: remove }: FileEntity): readonly string[] =>
  [list, get, create, update, remove].flatMap((each) => (each === undefined ? [] : [typeof each === 'string' ? each : each.call]))

type Filled<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Leaves out members that say nothing: undefined, and empty texts, lists and maps. */
export const dropEmpty = <T extends object>(members: T): Filled<T> =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && (typeof value !== 'object' ? value !== '' : !isEmpty(value))),
  ) as Filled<T>
const isEmpty = (value: object): boolean => Object.keys(value).length === 0

/** A document cannot be read. Its message says why, in one sentence. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
}
