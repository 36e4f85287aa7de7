/** Holds answers against the API's own document. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { kinds } from '../../src/connectors/index.ts'
import { routes } from '../../src/surfaces/http/routes/index.ts'
import { openApiDocument } from '../../src/surfaces/openapi.ts'
import type { Answer } from './support.ts'

const document = openApiDocument({ routes, kinds: Object.values(kinds) })
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
ajv.addSchema(document, 'document')

const pointer = (steps: readonly string[]): string => steps.map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')

function expectValid(place: readonly string[], body: unknown, says: string): void {
  const schema = ajv.getSchema(`document#/${pointer(place).replaceAll('{', '%7B').replaceAll('}', '%7D')}`)
  expect(schema, `${says} is documented`).toBeDefined()
  const problems = schema?.(body) === true ? [] : (schema?.errors ?? []).slice(0, 5).map((each) => `${each.instancePath} ${each.message}`)
  expect(problems, says).toEqual([])
}

/**
 * Fails unless the document has this answer and its schema takes the body.
 * @param operation such as `POST /api/v1/workspaces`
 */
export function expectDocumented(operation: string, answer: Answer): void {
  const [method = '', path = ''] = operation.split(' ')
  const type = String(answer.headers['content-type']).split(';')[0] ?? ''
  const place = ['paths', path, method.toLowerCase(), 'responses', String(answer.status), 'content', type, 'schema']
  expectValid(place, /[/+]json$/.test(type) ? answer.json : answer.text, `${operation} ${answer.status} ${type}`)
}

/** Fails unless the answer is what the document says of an operation, such as `gong.users.list`. */
export const expectOperation = (operation: string, answer: Answer): void =>
  expectValid(['components', 'schemas', `${operation}.Answer`], answer.json, operation)
