/** Applications of an organization on the wire. */
import { bool, list, str, time } from '../definition/index.ts'
import { displayName } from './names.ts'
import { body, record, uuid, type Wire } from './schemas.ts'

const application = {
  id: uuid('Application id'),
  client_id: str('Client id'),
  name: str('Name'),
  is_caller: bool('true: the application that asks'),
  created_at: time('Time of creation'),
}

export const applicationRecord = record('Application', application, 'An application: a client id with a secret')
/** An application that reaches the organization. */
export type ApplicationRecord = Wire<typeof applicationRecord>

export const applicationList = record(
  'ApplicationList',
  { data: list(applicationRecord, 'Applications') },
  'Applications that reach the organization',
)
/** All applications of an organization. */
export type ApplicationList = Wire<typeof applicationList>

export const applicationSecret = record(
  'ApplicationSecret',
  { ...application, client_secret: str('Client secret; it is stored as a hash and cannot be read again') },
  'An application with its new secret',
)
/** An application with its new secret. */
export type ApplicationSecret = Wire<typeof applicationSecret>

export const applicationRemoval = record(
  'ApplicationRemoval',
  { id: uuid('Application id'), deleted_at: time('Time of deletion; its tokens expire within 35 minutes') },
  'A deleted application',
)
/** A deleted application. */
export type ApplicationRemoval = Wire<typeof applicationRemoval>

export const applicationInput = body('ApplicationInput', { name: displayName('Display name.') }, 'A new application')
/** A new application. */
export type ApplicationInput = Wire<typeof applicationInput>
