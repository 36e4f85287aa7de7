/** The form of an answer: JSON, or a stream of events. Clients ask for one of them, for any, or for nothing at all. */

/** What the SDK wants to read of a client: both forms. */
export const bothForms = 'application/json, text/event-stream'

/** Form that a client takes; `any`: whatever the SDK chooses. */
export type Form = 'any' | 'json' | 'stream'

/** Reads the media ranges of a header that are not refused by their weight. */
const readRanges = (accept: string): readonly string[] =>
  accept
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()))
    .filter(([, ...parameters]) => !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)))
    .map(([type = '']) => type)

/**
 * Chooses the form of an answer. Who does not name the stream reads JSON: such a client may not know streams.
 * @param accept the header; undefined: the client sent none
 */
export function chooseForm(accept: string | undefined): Form {
  const ranges = readRanges(accept ?? '')
  if (!ranges.some((range) => range === 'text/event-stream')) return 'json'
  return ranges.some((range) => ['application/json', 'application/*', '*/*'].includes(range)) ? 'any' : 'stream'
}

const isStream = ({ headers }: Response): boolean => headers.get('content-type')?.startsWith('text/event-stream') === true

const isAnswer = (text: string): boolean => {
  const message: unknown = JSON.parse(text)
  return typeof message === 'object' && message !== null && ('result' in message || 'error' in message)
}

/** Reads the data of the events of a stream. */
const readEvents = (text: string): readonly string[] =>
  text.split(/\r?\n\r?\n/).flatMap((event) => {
    const data = event.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []))
    return data.length === 0 || data.join('') === '' ? [] : [data.join('\n')]
  })

/** Copies the headers of an answer, with another type. The SDK's length is that of the other form. */
function changeType({ headers }: Response, type: string): Headers {
  const changed = new Headers(headers)
  changed.delete('content-length')
  changed.set('content-type', type)
  return changed
}

/**
 * Brings an answer of the SDK into the form that its client takes. What is no answer to a message stays as it is, such as a refusal.
 * Reports of progress have no place in JSON, and are left out.
 */
export async function toForm(response: Response, form: Form): Promise<Response> {
  const { status } = response
  if (form === 'json' && isStream(response)) {
    const answer = readEvents(await response.text()).findLast(isAnswer)
    if (answer === undefined) throw new Error('A stream ended without an answer.')
    return new Response(answer, { status, headers: changeType(response, 'application/json') })
  }
  if (form === 'stream' && status === 200 && !isStream(response)) {
    const headers = changeType(response, 'text/event-stream')
    return new Response(`event: message\ndata: ${await response.text()}\n\n`, { status, headers })
  }
  return response
}
