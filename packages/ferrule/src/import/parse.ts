/** Parses documents for importers, JSON or YAML, within bounds. */
import { DocumentError } from './imported.ts'

/** Largest document in characters, largest number of its values after aliases are resolved, and their deepest nesting. */
const most = { characters: 32 * 1024 * 1024, values: 5_000_000, depth: 200 } as const
/** Most aliases that the parser of YAML resolves. */
const mostAliases = 1_000

async function parseText(text: string): Promise<unknown> {
  if (/^\s*[{[]/.test(text)) {
    try {
      return JSON.parse(text)
    } catch {
      // YAML can begin with a brace too.
    }
  }
  const { parse } = await import('yaml')
  try {
    // Of two keys with one name the last counts, as in JSON.
    return parse(text, { version: '1.2', schema: 'core', logLevel: 'error', maxAliasCount: mostAliases, uniqueKeys: false })
  } catch (thrown) {
    const [said = ''] = (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')
    throw new DocumentError(`is neither JSON nor YAML: ${said.replace(/:$/, '')}`)
  }
}

/** Counts values. An alias counts each time, because everything that walks the document meets it each time. */
function checkValues(value: unknown, counted: { values: number }, depth: number): void {
  counted.values += 1
  if (counted.values > most.values) throw new DocumentError(`has more than ${most.values} values`)
  if (depth > most.depth) throw new DocumentError(`is nested more than ${most.depth} levels deep`)
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    if (name === '__proto__') throw new DocumentError('has the name __proto__, which JavaScript uses itself')
    checkValues(inner, counted, depth + 1)
  }
}

/** Parses a document. @throws DocumentError for a text that is neither JSON nor YAML, and for one above the bounds */
export async function parseDocument(text: string): Promise<unknown> {
  if (text.length > most.characters) throw new DocumentError(`has more than ${most.characters} characters`)
  const document = await parseText(text)
  checkValues(document, { values: 0 }, 0)
  return document
}
