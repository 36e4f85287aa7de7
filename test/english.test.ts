import { describe, expect, test } from 'vitest'
import { checkComments, checkDocument } from '../scripts/english.ts'

const messages = (findings: readonly { readonly line: number; readonly message: string }[]) =>
  findings.map(({ line, message }) => `${line} ${message}`)
const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ')

describe('in documents', () => {
  test.each([
    ['a phrase of the list', 'One line.\n\nA truth value.', '3 "truth value": write boolean'],
    ['a phrase in a table', '| a |\n| --- |\n| keys made anew |', '3 "anew": write again'],
    [
      'a long sentence',
      `Short.\n\n${words(20)}\n${words(6)}.`,
      '3 a sentence of 26 words, 25 at most: "word0 word1 word2 word3 word4 word5 …"',
    ],
    ['a long item', `- ${words(26)}`, '1 a sentence of 26 words, 25 at most: "word0 word1 word2 word3 word4 word5 …"'],
  ])('%s is found', (_says, text, message) => {
    expect(messages(checkDocument(text))).toEqual([message])
  })

  test.each([
    ['code', 'Run `is gone`.\n\n```ts\n// goes on anew\n```\n'],
    ['an address', '[a page](https://example.com/is-gone-on-and-anew)'],
    ['a table', `| ${words(40)} |`],
    ['a heading', `# ${words(40)}`],
    ['two sentences and an item', `${words(20)}: ${words(20)}.\n- ${words(20)}`],
  ])('%s is left alone', (_says, text) => {
    expect(checkDocument(text)).toEqual([])
  })
})

describe('in comments', () => {
  test.each([
    ['/** Whether it is there. */\nexport function isThere(): boolean {', '1 a function\'s comment starts with a verb, not with "Whether"'],
    ['/**\n * What it says.\n */\nconst say = (text: string) => text', '1 a function\'s comment starts with a verb, not with "What"'],
    ['interface A {\n  /** How it goes. */\n  go(): void\n}', '2 a function\'s comment starts with a verb, not with "How"'],
    ['const a = 1 // made anew', '1 "anew": write again'],
    ['/**\n * Reads.\n * It goes on then.\n */', '3 "goes on": write resume, continue'],
  ])('%s', (source, message) => {
    expect(messages(checkComments(source))).toEqual([message])
  })

  test.each([
    '/** Whether it is there. */\nreadonly isThere: boolean',
    '/** What an entity says. */\nexport interface Entity {',
    "const text = 'it is gone // anew'",
    'const address = `https://anew`',
    '/** Reads `anew`. */\nfunction read(): void {',
  ])('%s is right', (source) => {
    expect(checkComments(source)).toEqual([])
  })
})
