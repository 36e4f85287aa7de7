/**
 * The form of the recorded answers, `packages/ferrule/src/connectors/<kind>/answers/*.json`: one line for each request, answer and set
 * of records. Works on tokens, so every digit of a number and every escape of a string stays as it was recorded.
 */

/** Members that always stand on one line, whatever their length. */
const oneLine: ReadonlySet<string> = new Set(['request', 'answer', 'data', 'meta', 'params', 'file'])
const width = 140

/** A value: its text without blanks, and its parts when it is an object or a list. */
interface Node {
  readonly text: string
  /** Members of an object with their keys, elements of a list without. */
  readonly parts?: readonly { readonly key?: string; readonly node: Node }[]
}

/**
 * Returns JSON in the form of recorded answers.
 * @param json JSON of any form
 */
export function formatAnswers(json: string): string {
  JSON.parse(json) // throws where the text is no JSON
  const tokens = json.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? []
  return `${print(readNode(tokens.values()), { indent: '', taken: 0 })}\n`
}

/** Reads one value from the tokens of valid JSON; `token` is its first one. */
function readNode(tokens: Iterator<string>, token: string = next(tokens)): Node {
  if (token === '{') return readParts(tokens, '}')
  return token === '[' ? readParts(tokens, ']') : { text: token }
}

/** Reads members or elements up to the bracket that ends them. */
function readParts(tokens: Iterator<string>, end: '}' | ']'): Node {
  const parts: { key?: string; node: Node }[] = []
  for (let token = next(tokens); token !== end; token = next(tokens)) {
    if (token === ',') continue
    if (end === ']') parts.push({ node: readNode(tokens, token) })
    else {
      next(tokens) // the colon
      parts.push({ key: token, node: readNode(tokens) })
    }
  }
  const inner = parts.map(({ key, node }) => (key === undefined ? node.text : `${key}:${node.text}`)).join()
  return { text: end === '}' ? `{${inner}}` : `[${inner}]`, parts }
}

/** Returns the next token. */
function next(tokens: Iterator<string>): string {
  const { value, done } = tokens.next()
  if (done) throw new Error('the JSON ends too early')
  return value
}

/**
 * Prints a value on one line when it fits, else one part a line.
 * @param line the indent of the line, and how many characters of it are taken
 */
function print({ text, parts }: Node, line: { readonly indent: string; readonly taken: number }): string {
  if (parts === undefined || parts.length === 0 || line.taken + text.length <= width) return text
  const indent = `${line.indent}  `
  const lines = parts.map(({ key, node }) => {
    const label = key === undefined ? '' : `${key}: `
    if (key !== undefined && oneLine.has(JSON.parse(key))) return indent + label + node.text
    return indent + label + print(node, { indent, taken: indent.length + label.length })
  })
  const [open, close] = [text[0], text.at(-1)]
  return [open, lines.join(',\n'), `${line.indent}${close}`].join('\n')
}
