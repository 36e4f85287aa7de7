/** The tokens of a statement, as positions in its string. */

/**
 * Types of tokens. A single operator character is its own ASCII code; longer tokens have a number beyond ASCII, so that the rules compare
 * one number per token.
 */
export const tokenType = {
  none: 0,
  dollar: 0x24,
  open: 0x28,
  close: 0x29,
  star: 0x2a,
  comma: 0x2c,
  dot: 0x2e,
  colon: 0x3a,
  semicolon: 0x3b,
  placeholder: 0x3f,
  openBracket: 0x5b,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
  word: 0x80,
  quoted: 0x81,
  string: 0x82,
  number: 0x83,
  variable: 0x84,
  stage: 0x85,
  pipe: 0x86,
  operator: 0x87,
} as const

/** How a refusal names tokens whose content it does not show. */
const shownAs: ReadonlyMap<number, string> = new Map([
  [tokenType.none, 'the end of the statement'],
  [tokenType.quoted, 'a quoted identifier'],
  [tokenType.string, 'a string'],
  [tokenType.number, 'a number'],
  [tokenType.variable, 'a variable'],
  [tokenType.stage, 'a stage'],
])

const space = 0x20
const longestExcerpt = 40

/** Cuts a string to the 40 characters that a refusal may show. */
const excerpt = (text: string): string => (text.length <= longestExcerpt ? text : `${text.slice(0, longestExcerpt - 1)}…`)

/**
 * The tokens of one string, without its comments and spaces. Three lists of numbers instead of objects, because a megabyte may have a
 * million tokens. An index outside of the list is a token of type `none`.
 */
export class Tokens {
  /** The string that the positions refer to. */
  readonly text: string
  readonly #types: number[] = []
  readonly #starts: number[] = []
  readonly #ends: number[] = []
  /** Tokens with anything but one space before them. */
  readonly #wideGaps: number[] = []
  #lastEnd = 0
  #closings: Int32Array | undefined

  constructor(text: string) {
    this.text = text
  }

  /** Number of tokens. */
  get length(): number {
    return this.#types.length
  }

  /** Appends a token from `start` to before `end`, and returns `end`. */
  add(type: number, start: number, end: number): number {
    const gap = start - this.#lastEnd
    if (gap > 1 || (gap === 1 && this.text.charCodeAt(start - 1) !== space)) this.#wideGaps.push(this.#types.length)
    this.#lastEnd = end
    this.#types.push(type)
    this.#starts.push(start)
    this.#ends.push(end)
    return end
  }

  /** Removes the last tokens while they are of this type. */
  dropTrailing(type: number): void {
    while (this.#types.at(-1) === type) {
      this.#types.pop()
      this.#starts.pop()
      this.#ends.pop()
    }
  }

  /** Returns the index of the first token of this type, or -1. */
  indexOf(type: number): number {
    return this.#types.indexOf(type)
  }

  /** Returns the type of a token. */
  type(index: number): number {
    return this.#types[index] ?? tokenType.none
  }

  /** Returns the offset of a token, in UTF-16 code units; the length of the string after the last token. */
  start(index: number): number {
    return this.#starts[index] ?? this.text.length
  }

  /** Returns the offset after a token. */
  end(index: number): number {
    return this.#ends[index] ?? 0
  }

  /** Returns a token as it is written. */
  written(index: number): string {
    return this.text.slice(this.start(index), this.end(index))
  }

  /** Returns an unquoted word in upper case; empty for every other token. */
  word(index: number): string {
    return this.#types[index] === tokenType.word ? this.written(index).toUpperCase() : ''
  }

  /** Returns whether a token is this unquoted word, given in upper case. Most words differ in length, so few are copied. */
  is(index: number, word: string): boolean {
    return this.end(index) - this.start(index) === word.length && this.word(index) === word
  }

  /** Returns a word, or the content of a quoted identifier, in upper case; empty for every other token. */
  name(index: number): string {
    if (this.#types[index] !== tokenType.quoted) return this.word(index)
    return this.written(index).slice(1, -1).toUpperCase()
  }

  /** Returns whether nothing stands between a token and the one before it, not even a comment. */
  isAdjacent(index: number): boolean {
    return index > 0 && this.start(index) === this.end(index - 1)
  }

  /** Returns the parenthesis that closes this one, or undefined. The first call finds all of them in one pass. */
  closing(index: number): number | undefined {
    this.#closings ??= this.#findClosings()
    return this.#closings[index] || undefined
  }

  #findClosings(): Int32Array {
    const closings = new Int32Array(this.length)
    const open: number[] = []
    for (let index = 0; index < this.length; index += 1) {
      if (this.#types[index] === tokenType.open) open.push(index)
      if (this.#types[index] === tokenType.close) closings[open.pop() ?? this.length] = index
    }
    return closings
  }

  /** Formats a token for a refusal: at most 40 characters, and never the content of a literal or a quoted identifier. */
  shown(index: number): string {
    return shownAs.get(this.type(index)) ?? excerpt(this.written(index))
  }

  /** Joins the tokens to a string without comments, with single spaces, and otherwise unchanged. */
  joined(): string {
    const runs: string[] = []
    let start = this.start(0)
    for (const index of this.#wideGaps) {
      if (index === 0) continue
      if (index >= this.length) break
      runs.push(this.text.slice(start, this.end(index - 1)))
      start = this.start(index)
    }
    runs.push(this.text.slice(start, this.end(this.length - 1)))
    return runs.join(' ')
  }
}
