/** Sends recorded requests to a world. */
import { expect } from 'vitest'
import { type Answer, base, client, connectorsPath, type Json, type Sent, type World } from '../support.ts'
import { addressPath, type ClientName, clientHeaders, executeBody } from './requests.ts'

/** One of the clients at a world. */
export interface Recorded {
  readonly name: ClientName
  /** Sends a request as the client does. The path starts behind the configured address. */
  send(path: string, sent?: Sent): Promise<Answer>
  /** @param operation entity and action, as `users list` */
  execute(connectorId: string, operation: string, params?: object): Promise<Answer>
}

const bodyOf = async (response: Response): Promise<Answer> => {
  const bytes = Buffer.from(await response.arrayBuffer())
  const text = bytes.toString('utf8')
  return {
    ...{ status: response.status, headers: Object.fromEntries(response.headers), bytes, text },
    get json(): Json {
      return JSON.parse(text)
    },
  }
}

/** Returns a client with a token of its own request. The world's own `ask` compares answers with our document, which these are not in. */
export async function recordedClient(world: World, name: ClientName): Promise<Recorded> {
  const send = async (path: string, { method, token, body, headers }: Sent = {}): Promise<Answer> => {
    const response = await fetch(world.url + addressPath[name] + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...clientHeaders[name],
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return bodyOf(response)
  }
  const credentials = { client_id: client.id, client_secret: client.secret }
  const issued = await send(`${base}/account/applications/token`, { body: credentials })
  expect(issued.json).toMatchObject({ access_token: expect.any(String), token_type: 'bearer' })
  expect(issued.json.expires_in).toBeGreaterThanOrEqual(840) // the client keeps it that long
  const token = String(issued.json.access_token)
  const authorized: Recorded['send'] = (path, sent) => send(path, { token, ...sent })
  return {
    name,
    send: authorized,
    execute: (id, operation, params) => {
      const [entity = '', action = ''] = operation.split(' ')
      return authorized(`${connectorsPath}/${id}/execute`, { body: executeBody[name](entity, action, params) })
    },
  }
}

/** Returns the envelope of a success. */
export function envelopeOf(answer: Answer, connectorId: string): Json {
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`)
  const { json } = answer
  expect(Object.keys(json)).toEqual(['status', 'result', 'connector_metadata', 'execution_metadata'])
  expect([json.status, json.execution_metadata.connector_instance_id]).toEqual(['success', connectorId])
  expect(Number.isInteger(json.execution_metadata.execution_time_ms)).toBe(true)
  return json
}

/** The text that these clients show of an error. */
export const shownText = ({ json }: Answer): string =>
  json.errors.length > 0 ? json.errors.map(({ message }: { message: string }) => message).join(', ') : json.message
