/** Writes the text of a kind file as people write it: a map stands on one line where it fits, else its keys stand below each other. */
import type { Document, YAMLMap } from 'yaml'
import { dropEmpty, type Imported } from './imported.ts'

const longestLine = 140
/** Most fields of a record that stand on one line. */
const mostOnOneLine = 4

const schemaComment = ' yaml-language-server: $schema=./node_modules/ferrule/kind.schema.json'

type Yaml = typeof import('yaml')

/** Measures a value on one line, rather too long than too short: texts count with quotation marks. */
function measure(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + measure(item) + 2, 2)
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).reduce((sum, [name, inner]) => sum + name.length + 4 + measure(inner), 4)
  if (typeof value !== 'string') return String(value).length
  return /[^\w ./?-]/.test(value) ? value.replaceAll("'", "''").length + 2 : value.length
}

/** Returns whether keys always stand below each other: parts of the file, an entity, the fields of a record. */
function isTall(steps: readonly string[], value: object): boolean {
  const [section, , part] = steps
  if (section === 'entities')
    return steps.length <= 2 || (part === 'fields' && steps.length === 3 && Object.keys(value).length > mostOnOneLine)
  return steps.length === 0 || (steps.length === 1 && ['auth', 'pages', 'types', 'unsure'].includes(section ?? ''))
}

class Layout {
  readonly #yaml: Yaml

  constructor(yaml: Yaml) {
    this.#yaml = yaml
  }

  /** Puts a map or a list on one line where it fits. @param before characters that stand on the line before it */
  lay(node: unknown, value: unknown, { steps, before }: { readonly steps: readonly string[]; readonly before: number }): void {
    const { isMap, isSeq, isScalar } = this.#yaml
    if (isScalar(node) && typeof value === 'string' && before + measure(value) > longestLine) node.type = 'BLOCK_FOLDED'
    if (typeof value !== 'object' || value === null || (!isMap(node) && !isSeq(node))) return
    if (!isTall(steps, value) && before + measure(value) <= longestLine) {
      node.flow = true
      return
    }
    const indent = steps.length * 2
    for (const [index, item] of node.items.entries())
      if (this.#yaml.isPair(item)) {
        const name = String(this.#yaml.isScalar(item.key) ? item.key.value : item.key)
        this.lay(item.value, Reflect.get(value, name), { steps: [...steps, name], before: indent + name.length + 4 })
      } else this.lay(item, Reflect.get(value, index), { steps: [...steps, String(index)], before: indent + 2 })
  }

  /** Puts an empty line before each entity and each large part of the file. */
  space(contents: YAMLMap): void {
    let isAfterTall = false
    for (const { key, value } of contents.items) {
      if (!this.#yaml.isScalar(key)) continue
      const isTallHere = this.#yaml.isMap(value) && value.flow !== true
      if (isTallHere || isAfterTall) key.spaceBefore = true
      isAfterTall = isTallHere
      if (key.value !== 'entities' || !this.#yaml.isMap(value)) continue
      for (const { key: name } of value.items.slice(1)) if (this.#yaml.isScalar(name)) name.spaceBefore = true
    }
  }
}

/** Puts what is unsure behind the first lines, where people see it. */
function addUnsure({ file, unsure }: Pick<Imported, 'file' | 'unsure'>): Readonly<Record<string, unknown>> {
  const { kind, title, category, about, docs, api, ...rest } = file
  const { path, ...others } = rest
  return { kind, title, category, about, docs, api, ...dropEmpty({ path, unsure }), ...others }
}

/** Writes parts of a kind file. @param comment stands before them @returns YAML, with lines of at most 140 characters */
export async function writeParts(value: Readonly<Record<string, unknown>>, comment?: string): Promise<string> {
  const yaml = await import('yaml')
  const document: Document = new yaml.Document(value, { version: '1.2', aliasDuplicateObjects: false })
  const layout = new Layout(yaml)
  layout.lay(document.contents, value, { steps: [], before: 0 })
  if (yaml.isMap(document.contents)) layout.space(document.contents)
  if (comment !== undefined) document.commentBefore = comment
  return document.toString({ lineWidth: longestLine, singleQuote: true, flowCollectionPadding: true })
}

/** Writes a kind file. */
export const writeKindText = (imported: Pick<Imported, 'file' | 'unsure'>): Promise<string> =>
  writeParts(addUnsure(imported), schemaComment)
