/** Reads the slug of a file before its check, to know which kind it is about. */

/** Returns the slug that a text names, also where the rest is wrong; undefined without one. @param text YAML or JSON */
export async function readKindSlug(text: string): Promise<string | undefined> {
  const { isMap, parseDocument } = await import('yaml')
  const { contents } = parseDocument(text, { logLevel: 'silent' })
  const slug: unknown = isMap(contents) ? contents.get('kind') : undefined
  return typeof slug === 'string' && /^[a-z][a-z0-9-]*$/.test(slug) ? slug : undefined
}
