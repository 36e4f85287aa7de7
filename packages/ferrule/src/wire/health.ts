/** Health on the wire. */
import { oneOf } from '../definition/index.ts'
import { record } from './words.ts'

/** The answer of a healthy service. */
export const health = record('Health', { status: oneOf('Status', 'ok') }, 'The service is healthy')
