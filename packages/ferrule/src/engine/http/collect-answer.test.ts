import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { Agent } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { collectAnswer, TooLarge } from './body.ts'

/** Starts a server that answers each request with raw bytes, and returns what asks it. */
async function answerWith(...parts: readonly string[]) {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      for (const part of parts) socket.write(part)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const agent = new Agent()
  onTestFinished(async () => {
    await agent.destroy()
    server.close()
  })
  return (most: number, signal = new AbortController().signal, onSend?: () => void) =>
    collectAnswer(agent, { origin: `http://127.0.0.1:${port}`, path: '/', method: 'GET' }, { most, signal, onSend })
}

const head = 'HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n'

test('an answer is whole, after informational ones', async () => {
  const ask = await answerWith('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', head, 'abc', 'def')
  const { status, headers, bytes } = await ask(6)
  expect({ status, length: headers['content-length'], text: String(bytes) }).toEqual({ status: 200, length: '6', text: 'abcdef' })
})

test('a body above the limit fails, and so does one whose caller leaves', async () => {
  await expect((await answerWith(head, 'abcdef'))(5)).rejects.toThrow(TooLarge)
  const caller = new AbortController()
  const waiting = (await answerWith(head, 'abc'))(6, caller.signal)
  caller.abort(new Error('the caller left'))
  await expect(waiting).rejects.toThrow('the caller left')
})

test('a request of a caller who left is not sent', async () => {
  const ask = await answerWith(head, 'abcdef')
  const caller = new AbortController()
  let sent = 0
  const asked = ask(6, caller.signal, () => {
    sent += 1
  })
  caller.abort(new Error('the caller left'))
  await expect(asked).rejects.toThrow('the caller left')
  await ask(6)
  expect(sent).toBe(0)
})
