/** HTTP answers, before their meaning is known. */

/** An HTTP answer with its body as a string. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** The same body as bytes, if the request asked for bytes. */
  readonly bytes?: Buffer
  /** What `digest` of the request made of the body's bytes. */
  readonly digest?: string
  /** The bytes of `text`, if the request keeps them. Whoever reads the answer frees them. */
  readonly kept?: Buffer
}

/** Reads all values of a response header, in order. */
export const readHeaders = ({ headers }: Pick<HttpAnswer, 'headers'>, name: string): readonly string[] => {
  const value = headers[name] ?? []
  return Array.isArray(value) ? value : [value]
}

/** Reads the first value of a response header. */
export const readHeader = (answer: Pick<HttpAnswer, 'headers'>, name: string): string | undefined => readHeaders(answer, name)[0]
