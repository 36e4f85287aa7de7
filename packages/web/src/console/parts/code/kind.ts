/** Kind files in the editor: colors of YAML, and the words of the schema. */
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { StreamLanguage, type StreamParser } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import schemaText from 'ferrule/kind.schema.json?raw'
import { findKindWords } from './kind-words.ts'

const schema: Readonly<Record<string, unknown>> = JSON.parse(schemaText)

/** Patterns of tokens, each with its name among the tags of a highlighting. The first that fits is taken. */
const tokens: readonly (readonly [RegExp, string | null])[] = [
  [/^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[\w.$-]+)(?=:(?:\s|$))/, 'propertyName'],
  [/^"(?:[^"\\]|\\.)*"?/, 'string'],
  [/^'(?:[^']|'')*'?/, 'string'],
  [/^(?:true|false|null)(?=[\s,}\]]|$)/, 'atom'],
  [/^-?\d+(?:\.\d+)?(?=[\s,}\]]|$)/, 'number'],
  [/^[[\]{},:-]/, null],
  [/^[^\s,[\]{}:#'"]+/, null],
]

const parser: StreamParser<null> = {
  name: 'kind',
  token: (stream) => {
    if (stream.match(/^(?:^|\s+)#.*/)) return 'comment'
    if (stream.eatSpace()) return null
    for (const [pattern, name] of tokens) if (stream.match(pattern)) return name
    stream.next()
    return null
  },
  languageData: { commentTokens: { line: '#' }, closeBrackets: { brackets: ['{', '[', '"'] } },
}

/** Completes the word before the cursor. An empty place is completed by the wish of the reader only. */
function complete({ state, pos, explicit }: CompletionContext): CompletionResult | null {
  const found = findKindWords(state.sliceDoc(0, pos), schema)
  if (found === undefined || (found.from === pos && !explicit)) return null
  const options = found.words.map(({ label, isKey, info }) => ({
    label,
    type: isKey ? 'property' : 'enum',
    ...(info === '' ? {} : { info }),
    apply: isKey ? `${label}: ` : label,
  }))
  return { from: found.from, options, validFor: /^[\w-]*$/ }
}

const yaml = StreamLanguage.define(parser)

export const language: Extension = [yaml, yaml.data.of({ autocomplete: complete })]
