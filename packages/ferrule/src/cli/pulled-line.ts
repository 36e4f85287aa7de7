/**
 * The first line of a kind file that was pulled from a service: it says which version the rest is. It stays on this machine, so what the service
 * has is the text that somebody wrote.
 */

/** Which version of a kind a file was pulled as. */
export interface Pulled {
  /** Id of the kind: another organization can have one of the same slug. */
  readonly id: string
  readonly version: number
}

/** A kind file, with and without its line. */
export interface PulledFile {
  /** Undefined for a file that was not pulled. */
  readonly pulled: Pulled | undefined
  /** The text without the line. */
  readonly text: string
}

const line = /^# Version ([1-9]\d{0,8}) of [\w-]+, ([\da-f-]{36})\b[^\n]*\n/

/** Takes the line from the text of a file. */
export function splitPulled(content: string): PulledFile {
  const [whole = '', version, id] = line.exec(content) ?? []
  return { pulled: id === undefined ? undefined : { id, version: Number(version) }, text: content.slice(whole.length) }
}

/** Puts the line in front of a text. JSON has no comments, so a JSON file gets none. */
export const joinPulled = (text: string, slug: string, { id, version }: Pulled): string =>
  text.trimStart().startsWith('{')
    ? text
    : `# Version ${version} of ${slug}, ${id}. With this line, ferrule kind publish replaces no other version.\n${text}`
