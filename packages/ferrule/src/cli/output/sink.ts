/** Writes text to standard output in large pieces, at the speed of its reader. */

/** Characters that are collected before they are written. */
const pieceLength = 64 * 1024

/** Standard output. A reader that closes its end stops the command quietly. */
export class Sink {
  readonly #stream: NodeJS.WritableStream
  #pending: string[] = []
  #length = 0
  #isClosed = false

  /**
   * @param stream where the text goes
   * @param onClosed called when the reader closes its end, for example `head`
   */
  constructor(stream: NodeJS.WritableStream, onClosed: () => void) {
    this.#stream = stream
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') return // the process fails with any other error
      this.#isClosed = true
      onClosed()
    })
  }

  /** Adds text. */
  async write(text: string): Promise<void> {
    this.#pending.push(text)
    this.#length += text.length
    if (this.#length >= pieceLength) await this.flush()
  }

  /** Writes what is collected, and waits while the reader is slow. */
  async flush(): Promise<void> {
    const text = this.#pending.join('')
    this.#pending = []
    this.#length = 0
    if (text !== '') await this.writeBytes(text)
  }

  /** Writes bytes or text at once. */
  async writeBytes(bytes: Uint8Array | string): Promise<void> {
    if (this.#isClosed || this.#stream.write(bytes)) return
    const ready = Promise.withResolvers<void>()
    const names = ['drain', 'close', 'error'] as const
    for (const name of names) this.#stream.once(name, ready.resolve)
    await ready.promise
    for (const name of names) this.#stream.removeListener(name, ready.resolve)
  }
}
