/** Reads the part of Go's template language that the chart uses. Anything else is refused with its text. */

/** A part of an expression: a constant, a path from the scope or a variable, or a call whose arguments are parts. */
export type Part =
  | { readonly is: 'constant'; readonly value: string | number }
  | { readonly is: 'path'; readonly variable: string; readonly names: readonly string[] }
  | { readonly is: 'call'; readonly name: string; readonly parts: readonly Part[] }

export type Node =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'output'; readonly part: Part }
  | { readonly is: 'variable'; readonly name: string; readonly part: Part }
  | { readonly is: 'if' | 'with'; readonly part: Part; readonly yes: readonly Node[]; readonly no: readonly Node[] }
  | { readonly is: 'range'; readonly key: string; readonly value: string; readonly part: Part; readonly yes: readonly Node[] }
  | { readonly is: 'define'; readonly name: string; readonly nodes: readonly Node[] }

const actions = /\{\{(-\s)?([\s\S]*?)(\s-)?\}\}/g

/** Cuts a template into texts and actions, with the white space taken away that `{{-` and `-}}` stand beside. */
function* cut(template: string): Generator<{ readonly text: string } | { readonly action: string }> {
  let from = 0
  let trimsNext = false
  for (const found of template.matchAll(actions)) {
    const [all, trimsBefore, action = '', trimsAfter] = found
    yield { text: trim(template.slice(from, found.index), trimsNext, trimsBefore !== undefined) }
    if (!action.trim().startsWith('/*')) yield { action: action.trim() }
    trimsNext = trimsAfter !== undefined
    from = found.index + all.length
  }
  yield { text: trim(template.slice(from), trimsNext, false) }
}

function trim(text: string, atStart: boolean, atEnd: boolean): string {
  const rest = atStart ? text.trimStart() : text
  return atEnd ? rest.trimEnd() : rest
}

interface Block {
  readonly head: string
  readonly yes: Node[]
  no: Node[] | undefined
}

/** Parses a template. @throws Error for what is not of the part that the chart may use */
export function parseTemplate(template: string): readonly Node[] {
  const open: Block[] = [{ head: '', yes: [], no: undefined }]
  const last = (): Block => open.at(-1) ?? refuse('end without a beginning')
  const add = (node: Node): void => void (last().no ?? last().yes).push(node)
  for (const piece of cut(template)) {
    if ('text' in piece) add({ is: 'text', text: piece.text })
    else if (/^(if|with|range|define) /.test(piece.action)) open.push({ head: piece.action, yes: [], no: undefined })
    else if (piece.action === 'else') last().no = []
    else if (piece.action === 'end') {
      const block = open.pop() ?? refuse('end without a beginning')
      add(close(block))
    } else add(parseSimple(piece.action))
  }
  if (open.length !== 1) refuse(`no end for ${last().head}`)
  return last().yes
}

function close({ head, yes, no = [] }: Block): Node {
  const [, word = '', rest = ''] = /^(\w+) ([\s\S]*)$/.exec(head) ?? []
  if (word === 'define') return { is: 'define', name: String(JSON.parse(rest)), nodes: yes }
  const [, key, value, over] = /^\$(\w+), \$(\w+) := ([\s\S]*)$/.exec(rest) ?? []
  if (word === 'range' && key !== undefined && value !== undefined && over !== undefined)
    return { is: 'range', key, value, part: parsePart(over), yes }
  if (word === 'if' || word === 'with') return { is: word, part: parsePart(rest), yes, no }
  return refuse(`end without a beginning: ${head}`)
}

function parseSimple(action: string): Node {
  const [, name, rest] = /^\$(\w+) := ([\s\S]*)$/.exec(action) ?? []
  return name === undefined || rest === undefined
    ? { is: 'output', part: parsePart(action) }
    : { is: 'variable', name, part: parsePart(rest) }
}

const tokens = /\s*("(?:[^"\\]|\\.)*"|-?\d+|\$?(?:\.?\w+)+|[.|()])/y

function parsePart(text: string): Part {
  const words: string[] = []
  tokens.lastIndex = 0
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    words.push(found[1] ?? '')
    if (tokens.lastIndex === text.length) break
  }
  if (words.join('') !== text.replaceAll(/\s+(?=(?:[^"]*"[^"]*")*[^"]*$)/g, '')) refuse(text)
  const part = parsePipeline(words)
  if (words.length > 0) refuse(text)
  return part
}

/** Takes words up to a closing bracket. A pipe gives what stands before it to the next call, as its last argument. */
function parsePipeline(words: string[]): Part {
  let piped: Part | undefined
  for (;;) {
    const parts: Part[] = []
    const name = /^[a-zA-Z]\w*$/.test(words[0] ?? '') ? words.shift() : undefined
    while (words.length > 0 && words[0] !== '|' && words[0] !== ')') parts.push(parseOperand(words))
    if (piped !== undefined) parts.push(piped)
    piped = name === undefined ? onlyOne(parts) : { is: 'call', name, parts }
    if (words[0] !== '|') return piped
    words.shift()
  }
}

function onlyOne(parts: readonly Part[]): Part {
  const [part] = parts
  return part !== undefined && parts.length === 1 ? part : refuse('an expression without a function')
}

function parseOperand(words: string[]): Part {
  const word = words.shift() ?? ''
  if (word === '(') {
    const part = parsePipeline(words)
    return words.shift() === ')' ? part : refuse('a bracket is open')
  }
  if (word.startsWith('"')) return { is: 'constant', value: String(JSON.parse(word)) }
  if (/^-?\d+$/.test(word)) return { is: 'constant', value: Number(word) }
  const [, variable = '', names = ''] = /^(?:\$(\w*))?((?:\.\w*)*)$/.exec(word) ?? refuse(word)
  return { is: 'path', variable: word.startsWith('$') ? variable : '.', names: names.split('.').filter((name) => name !== '') }
}

function refuse(text: string): never {
  throw new Error(`the chart's test does not know this part of the template language: ${text}`)
}
