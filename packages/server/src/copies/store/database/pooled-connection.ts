/** A connection of the context database through a pooler in transaction mode. */
import type pg from 'pg'
import { askAfter, beginSnapshot, buildBegin, stopStatement } from '../../../db/connections/pooler.ts'
import { copyRows } from './copy.ts'
import type { Answer, Connection, Statement } from './database.ts'
import { encodeValues } from './decoding.ts'

/** Options of a connection. */
export interface PooledOptions {
  /** Settings of each transaction. */
  readonly settings: Readonly<Record<string, string>>
  /** Timeout of a statement on the server in milliseconds. */
  readonly limitMs: number
  /** Runs each statement in a reading transaction of its own. */
  readonly isReading: boolean
  /** Follows what the client is asked, see `Server.follow`. */
  follow<T>(running: Promise<T>): Promise<T>
  /** Releases the client; a broken one is not reused. */
  giveBack(broken: boolean): void
}

/** Repeats the settings in each transaction, and names no statement. Statements outside of transactions have the server's settings. */
export class PooledConnection implements Connection {
  readonly #client: pg.ClientBase
  readonly #options: PooledOptions
  #limitMs: number
  #running: Promise<unknown> = Promise.resolve()
  #isStopped = false
  #isBroken = false
  #isInSnapshot = false

  constructor(client: pg.ClientBase, options: PooledOptions) {
    this.#client = client
    this.#options = options
    this.#limitMs = options.limitMs
  }

  run(statement: Statement): Promise<Answer> {
    this.#isStopped = false
    const isApart = this.#options.isReading && !this.#isInSnapshot && statement.beginsSnapshot !== true
    const running = this.#options.follow(isApart ? this.#read(statement) : this.#ask(statement))
    this.#running = running
    return running
  }

  limit(timeoutMs: number | undefined): Promise<void> {
    this.#limitMs = timeoutMs ?? this.#options.limitMs
    return Promise.resolve()
  }

  stop(): Promise<void> {
    this.#isStopped = true
    return stopStatement(this.#client, this.#running)
  }

  release(broken: boolean): void {
    this.#options.giveBack(broken || this.#isBroken)
  }

  async #read(statement: Statement): Promise<Answer> {
    try {
      await this.#begin('isolation level read committed read only')
      // A cancellation finds nothing while the transaction waits for a session of the pooler.
      if (this.#isStopped) throw new Error('the statement was cancelled before its begin')
      const answer = await this.#ask(statement)
      await this.#client.query('commit')
      return answer
    } catch (thrown) {
      await this.#client.query('rollback').catch(() => {
        this.#isBroken = true
      })
      throw thrown
    }
  }

  async #ask({ text, values = [], copied, beginsSnapshot }: Statement): Promise<Answer> {
    if (text === 'begin') return this.#begin()
    if (beginsSnapshot) {
      this.#isInSnapshot = true // until the connection is released
      return askAfter(this.#client, this.#buildBegin(beginSnapshot), text)
    }
    if (copied !== undefined) return copyRows(this.#client, text, copied)
    const { rows, rowCount } = await this.#client.query({ text, values: encodeValues(values) })
    return { rows, count: rowCount ?? 0 }
  }

  async #begin(mode?: 'isolation level read committed read only'): Promise<Answer> {
    await this.#client.query(this.#buildBegin(mode))
    return { rows: [], count: 0 }
  }

  #buildBegin(mode?: Parameters<typeof buildBegin>[1]): string {
    const limits = { statement_timeout: this.#limitMs, idle_in_transaction_session_timeout: this.#limitMs }
    return buildBegin({ ...this.#options.settings, ...limits }, mode)
  }
}
