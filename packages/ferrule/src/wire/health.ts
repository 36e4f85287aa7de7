/** Health on the wire. */
import { oneOf } from '../definition/index.ts'
import { record, type Wire } from './words.ts'

export const health = record('Health', { status: oneOf('Status', 'ok') }, 'The service is healthy')
/** The answer of a healthy service. */
export type Health = Wire<typeof health>
