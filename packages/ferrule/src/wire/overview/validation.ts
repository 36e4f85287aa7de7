/** The check of a call before anything is sent, on the wire. */
import { executeFields } from '../execute-request.ts'
import { problemDetails } from '../problem.ts'
import { body, record, recordOrNull, type Wire } from '../words.ts'

const { entity, action, params } = executeFields

/** Body of a check of a call. */
export const validationInput = body('ValidationInput', { entity, action, params }, 'A call to check')
/** A call to check. */
export type ValidationInput = Wire<typeof validationInput>

/** Whether a call can be sent. */
export const validation = record(
  'Validation',
  { problem: recordOrNull(problemDetails) },
  'null: the call can be sent, and the vendor decides. Else the error that execute answers, with places, before anything is sent',
)
/** Whether a call can be sent. */
export type Validation = Wire<typeof validation>
