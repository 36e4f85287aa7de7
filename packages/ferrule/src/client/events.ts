/** Parses server-sent events (HTML Living Standard, section 9.2). */
import { fail } from '../errors.ts'

/** One event. */
export interface ServerEvent {
  /** `message` when the server names no type. */
  readonly type: string
  readonly data: string
}

/** Largest event, and largest line, in UTF-16 code units. The status of a copy with 200 entities has about 200,000. */
const largestEvent = 8 * 1024 * 1024

/** A parser for one stream. Chunks can be cut anywhere, in the middle of a character too. */
export class EventParser {
  readonly #decoder = new TextDecoder()
  readonly #limit: number
  /** Beginning of a line whose end has not arrived. */
  #line = ''
  /** True: the last chunk ended with a carriage return, so a line feed at the start of the next chunk ends no line. */
  #endedWithReturn = false
  #type = ''
  #data = ''
  #id: string
  #lastEventId: string
  #retryMs: number | undefined

  /**
   * @param lastEventId id of the last event of the earlier stream, or an empty string
   * @param limit largest event in UTF-16 code units
   */
  constructor(lastEventId = '', limit = largestEvent) {
    this.#id = lastEventId
    this.#lastEventId = lastEventId
    this.#limit = limit
  }

  /** Id of the last event; an empty string when the server names none. */
  get lastEventId(): string {
    return this.#lastEventId
  }

  /** Wait before a reconnection, in milliseconds, as the server wants it. */
  get retryMs(): number | undefined {
    return this.#retryMs
  }

  /**
   * Parses the next chunk.
   * @returns the events that it completes
   * @throws FerruleError `service_answer_invalid` when an event is too large
   */
  push(chunk: Uint8Array): ServerEvent[] {
    const text = this.#decoder.decode(chunk, { stream: true })
    if (text === '') return []
    const events: ServerEvent[] = []
    let start = this.#endedWithReturn && text.startsWith('\n') ? 1 : 0
    this.#endedWithReturn = text.endsWith('\r')
    const ends = /\r\n|\r|\n/g
    ends.lastIndex = start
    for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
      const event = this.#readLine(this.#line + text.slice(start, end.index))
      if (event !== undefined) events.push(event)
      this.#line = ''
      start = ends.lastIndex
    }
    this.#line += text.slice(start)
    this.#checkSize(this.#line)
    return events
  }

  #checkSize(line: string): void {
    if (line.length + this.#data.length <= this.#limit) return
    throw fail('service_answer_invalid', { reason: `an event is larger than ${this.#limit} characters` }, { retryable: false })
  }

  #readLine(line: string): ServerEvent | undefined {
    if (line === '') return this.#dispatch()
    this.#checkSize(line)
    const colon = line.indexOf(':')
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'data') this.#data += `${value}\n`
    else if (name === 'event') this.#type = value
    else if (name === 'id' && !value.includes('\0')) this.#id = value
    else if (name === 'retry' && /^\d+$/.test(value)) this.#retryMs = Number(value)
    return undefined
  }

  #dispatch(): ServerEvent | undefined {
    const event = { type: this.#type === '' ? 'message' : this.#type, data: this.#data.slice(0, -1) }
    const isEmpty = this.#data === ''
    this.#lastEventId = this.#id
    this.#type = ''
    this.#data = ''
    return isEmpty ? undefined : event
  }
}
