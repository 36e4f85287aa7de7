/** Places within a text, for errors. */

/** Line and column, both from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Returns line and column of an offset. */
export function findPosition(text: string, offset: number): Position {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}

/** A text is not in the form of its file. It quotes nothing: the files of clients hold secrets of others. */
export class BrokenText extends Error {
  override readonly name = 'BrokenText'
  readonly position: Position

  constructor(message: string, position: Position) {
    super(message)
    this.position = position
  }
}
