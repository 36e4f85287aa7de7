/** Filters as text in the editor. */
import { StreamLanguage, type StreamParser } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { operatorWords } from 'ferrule/internal'

const words = new RegExp(`^(?:is|${operatorWords.join('|')})\\b`, 'i')
const atoms = /^(?:null|true|false)\b/i

/** Patterns of tokens, each with its name among the tags of a highlighting. */
const tokens: readonly (readonly [RegExp, string])[] = [
  [/^"(?:[^"\\]|\\.)*"?/, 'string'],
  [/^`(?:[^`\\]|\\.)*`?(?:\[\])*/, 'propertyName'],
  [/^\d{4}-\d{2}[\w:.+-]*/, 'number'],
  [/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/, 'number'],
  [words, 'keyword'],
  [atoms, 'atom'],
  [/^(?:[!<>]?=|[<>])/, 'operator'],
  [/^[A-Za-z_$][\w$.[\]]*/, 'propertyName'],
]

const parser: StreamParser<null> = {
  name: 'filter',
  token: (stream) => {
    if (stream.eatSpace()) return null
    for (const [pattern, name] of tokens) if (stream.match(pattern)) return name
    stream.next()
    return null
  },
}

export const language: Extension = StreamLanguage.define(parser)
