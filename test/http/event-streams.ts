import type { IncomingMessage } from 'node:http'
import { contract } from './contract.ts'
import type { Json } from './support.ts'

/** An event of a stream. */
export interface StreamedEvent {
  readonly event: string
  readonly id: string | undefined
  readonly data: Json
}

/** Yields the events of a stream as they come, each compared with the document. @param pathOf the route whose document has an event */
export async function* readEvents(
  answer: IncomingMessage,
  pathOf: (event: string) => string,
): AsyncGenerator<StreamedEvent, void, undefined> {
  let text = ''
  for await (const chunk of answer) {
    text += String(chunk)
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, event, id, data] = /^event: (\w+)\n(?:id: (\S+)\n)?data: (.*)$/.exec(text.slice(0, end)) ?? []
      text = text.slice(end + 2)
      if (event === undefined || data === undefined) continue
      const told = { event, id, data: JSON.parse(data) }
      contract().checkEvent({ method: 'GET', path: pathOf(event) }, told)
      yield told
    }
  }
}
