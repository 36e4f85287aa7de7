/** Reads bodies of answers. */

/** Reads an answer within a bound. @param refuse makes the error of a larger one */
export async function readBody({ body }: Response, bytes: number, refuse: (reason: string) => Error): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of body ?? []) {
    length += part.length
    // Leaving the loop closes the connection.
    if (length > bytes) throw refuse(`it is larger than ${bytes} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}
