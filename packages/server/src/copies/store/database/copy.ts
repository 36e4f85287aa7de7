/** Sends rows by `copy … from stdin`. The driver has the messages, but no statement that sends them. */

import type pg from 'pg'
import type { Answer } from './database.ts'

/** Calls a method of the driver's connection, which its types do not declare. */
function send(connection: object, method: 'query' | 'sendCopyFromChunk' | 'endCopyFrom', ...values: readonly unknown[]): void {
  const found: unknown = Reflect.get(connection, method)
  if (typeof found !== 'function') throw new TypeError(`the driver's connection has no ${method}`)
  Reflect.apply(found, connection, values)
}

/** Runs `copy … from stdin` with rows in PostgreSQL's text format. */
export const copyRows = async (client: pg.ClientBase, text: string, rows: string): Promise<Answer> => ({
  rows: [],
  count: await client.query(new Copy(text, rows)).finished,
})

/** A COPY for the driver's `query`, which calls the methods. The server ignores rows that follow its error. */
class Copy {
  readonly text: string
  readonly #rows: Buffer
  readonly #finished = Promise.withResolvers<number>()
  #count = 0

  /**
   * @param text `copy … from stdin`
   * @param rows rows in PostgreSQL's text format
   */
  constructor(text: string, rows: string) {
    this.text = text
    this.#rows = Buffer.from(rows)
  }

  /** Number of written rows, when the connection is ready for the next statement. Rejects with the server's error. */
  get finished(): Promise<number> {
    return this.#finished.promise
  }

  submit(connection: object): void {
    send(connection, 'query', this.text)
  }

  handleCopyInResponse(connection: object): void {
    send(connection, 'sendCopyFromChunk', this.#rows)
    send(connection, 'endCopyFrom')
  }

  /** @param answer for example `COPY 250` */
  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#count = Number(text.split(' ')[1] ?? 0)
  }

  handleError(thrown: unknown): void {
    this.#finished.reject(thrown)
  }

  handleReadyForQuery(): void {
    this.#finished.resolve(this.#count)
  }
}
