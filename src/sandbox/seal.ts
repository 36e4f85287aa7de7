import { createHmac } from 'node:crypto'
import { parseJson } from './http.ts'

function signature(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url')
}

/**
 * Writes a JSON value as an opaque text that only the owner of the secret can make. The content can be read by everybody.
 *
 * @param secret - signs the text
 * @param content - JSON value
 */
export function seal(secret: string, content: unknown): string {
  const text = Buffer.from(JSON.stringify(content)).toString('base64url')
  return `${text}.${signature(secret, text)}`
}

/**
 * Reads what `seal` wrote.
 *
 * @returns the content, or undefined when the text was not made with this secret
 */
export function unseal(secret: string, sealed: string): unknown {
  const [text = '', signed = ''] = sealed.split('.')
  return signature(secret, text) === signed ? parseJson(Buffer.from(text, 'base64url').toString()) : undefined
}
