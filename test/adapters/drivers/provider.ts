/** Answers instead of the HTTP interfaces of model providers: Anthropic's messages and OpenAI's responses. LangGraph merges messages of equal ids. */
import { randomUUID } from 'node:crypto'
import { isObject } from '../../../packages/ferrule/src/definition/object.ts'
import type { ModelCall, ModelResult, ScriptedModel } from './driver.ts'

/** Reads the text of a result: a string, or blocks of text. */
function readText(content: unknown): string {
  if (typeof content === 'string') return content
  const texts = Array.isArray(content) ? content.map((block: unknown) => (isObject(block) ? block['text'] : undefined)) : [undefined]
  if (!texts.every((text) => typeof text === 'string')) throw new Error('The model was sent something else than text')
  return texts.join('')
}

/** Reads the objects of a list at the end of a body. */
const readObjects = (list: unknown): readonly Readonly<Record<string, unknown>>[] => (Array.isArray(list) ? list.filter(isObject) : [])

/** Answers `POST /v1/messages`. @param body what was sent @param final text of the last answer */
export function answerMessages(body: Readonly<Record<string, unknown>>, model: ScriptedModel, final = 'done'): object {
  const results = readObjects(readObjects(body['messages']).at(-1)?.['content']).flatMap(({ type, content, is_error }): ModelResult[] =>
    type === 'tool_result' ? [{ text: readText(content), isError: is_error === true }] : [],
  )
  const calls = model(results)
  const content = calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args }))
  return {
    ...{ id: randomUUID(), type: 'message', role: 'assistant', model: 'test', usage: { input_tokens: 1, output_tokens: 1 } },
    content: calls.length > 0 ? content : [{ type: 'text', text: final }],
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
  }
}

const toFunctionCall = ({ id, name, args }: ModelCall) => ({
  ...{ type: 'function_call', id: `fc_${id}`, call_id: id, name, status: 'completed', arguments: JSON.stringify(args) },
})

/** Answers `POST /v1/responses`. @param body what was sent @param final text of the last answer */
export function answerResponses(body: Readonly<Record<string, unknown>>, model: ScriptedModel, final = 'done'): object {
  const items = readObjects(body['input'])
  const start = items.findLastIndex(({ type }) => type !== 'function_call_output') + 1
  const calls = model(items.slice(start).map(({ output }) => ({ text: readText(output), isError: undefined })))
  const message = { type: 'message', id: randomUUID(), role: 'assistant', status: 'completed', content: [textOf(final)] }
  return {
    ...{ id: randomUUID(), object: 'response', created_at: 1, model: 'test', status: 'completed', error: null, incomplete_details: null },
    output: calls.length > 0 ? calls.map(toFunctionCall) : [message],
    usage: {
      ...{ input_tokens: 1, output_tokens: 1, total_tokens: 2 },
      ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
    },
  }
}

const textOf = (text: string) => ({ type: 'output_text', text, annotations: [] })
