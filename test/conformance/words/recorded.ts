/** A kind with its recordings. */
export interface RecordedKind {
  /** Text of its file. */
  readonly kind: string
  readonly recordings: object
}
