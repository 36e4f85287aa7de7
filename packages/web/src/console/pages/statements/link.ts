/**
 * Addresses with a statement. It stands in the fragment, which no server and no log gets, and only when the reader asks for it: statements
 * can hold values of customers, and can be long.
 */

/** Name of the member of the fragment. */
const member = 'statement'
/** Characters of an encoded statement that an address holds at most. */
const longest = 8_000

/** Reads the statement of the address; undefined without one. It is shown, and never runs by itself. */
export function readLinked(): string | undefined {
  return new URLSearchParams(location.hash.slice(1)).get(member) ?? undefined
}

/** Writes the address of this page with a statement; undefined when the statement is too long. */
export function writeLink(statement: string): string | undefined {
  const fragment = new URLSearchParams({ [member]: statement }).toString()
  return fragment.length > longest ? undefined : `${location.origin}${location.pathname}${location.search}#${fragment}`
}
