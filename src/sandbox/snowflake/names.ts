/**
 * The engine compares names without regard to case, the vendor compares them exactly. So every lower-case letter of a name is
 * followed by a mark in the engine: `"id"` and `"Id"` and `ID` are three names there as well.
 */
const mark = '\uE000'

/** The vendor's schema of views about a database; the engine has one of the same name that cannot be replaced, so it gets a mark too. */
export const informationSchema = 'INFORMATION_SCHEMA'

/** A name as the engine knows it. */
export function marked(name: string): string {
  return name === informationSchema ? name + mark : name.replaceAll(/\p{Ll}/gu, `$&${mark}`)
}

/** A name, or a text with names, as the vendor knows it. */
export function unmarked(text: string): string {
  return text.replaceAll(mark, '')
}

/** A name between quotation marks, for the engine. */
export function quotedName(name: string): string {
  return `"${marked(name).replaceAll('"', '""')}"`
}

/** A string literal of the engine. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** SQL that takes the marks out of a column. */
export function unmarkedSql(column: string): string {
  return `replace(${column}, ${literal(mark)}, '')`
}

/** A name as it is written in the vendor's SQL: between quotation marks where it needs them. */
export function writtenName(name: string): string {
  return /^[A-Z_][A-Z0-9_$]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`
}
