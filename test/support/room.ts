/** The shape of the rules of imports. */

/** What a part of a package may import; its own folder is always allowed. */
export interface Room {
  /** A file, a folder (ends with `/`), or a folder such as `…/connectors/<kind>/` for each folder in it. The first that fits counts. */
  readonly room: string
  /** Files and folders of the same package. */
  readonly files?: readonly string[]
  /** Files and folders of the same package whose types may be imported, and nothing that runs. */
  readonly types?: readonly string[]
  /** Entries of our packages, and npm packages; `@scope/*` for all of a scope. */
  readonly npm?: readonly string[]
  /** Node's modules: all but the database's, or all. */
  readonly node?: 'all' | 'all but node:sqlite'
}

/** Puts a folder in front of names. */
export const within = (folder: string, names: readonly string[]): readonly string[] => names.map((name) => `${folder}${name}`)

/** The documented entries of the library, and the one that the server has to itself. */
export const entries = [
  'ferrule',
  'ferrule/definition',
  'ferrule/engine',
  'ferrule/wire',
  'ferrule/agents',
  'ferrule/opentelemetry',
  'ferrule/internal',
]
