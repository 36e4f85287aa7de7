/** Adds a recording to the text of a file. What stands there stays as it is written. */
import { formatJson, writeJson } from '../values/json/json.ts'

type Values = Readonly<Record<string, unknown>>

const indent = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`)

/** Writes a file without recordings. */
const writeEmpty = (kind: string, configuration: Values): string => {
  const config = Object.keys(configuration).length === 0 ? '' : ` "config": ${writeJson(configuration)},\n`
  return `{\n "kind": ${writeJson(kind)},\n${config} "recordings": [\n ]\n}\n`
}

/**
 * Adds a recording at the end.
 * @param given the file's text, which was read without mistakes; undefined for a new file
 */
export async function addRecording(
  given: string | undefined,
  { kind, configuration, entry }: { readonly kind: string; readonly configuration: Values; readonly entry: Values },
): Promise<string> {
  const { findNodeAtLocation, parseTree } = await import('jsonc-parser')
  const text = given ?? writeEmpty(kind, configuration)
  const root = parseTree(text)
  const list = root === undefined ? undefined : findNodeAtLocation(root, ['recordings'])
  if (list === undefined) return text
  const last = list.children?.at(-1)
  const at = last === undefined ? list.offset + 1 : last.offset + last.length
  const added = `${last === undefined ? '' : ','}\n  ${indent(formatJson(entry), '  ')}`
  return text.slice(0, at) + added + text.slice(at)
}
