/** Organizations on the wire. */
import { list, oneOf, str, time } from '../definition/index.ts'
import { displayName } from './names.ts'
import { body, record, uuid, type Wire } from './schemas.ts'

/** Roles of a caller in an organization. */
export const roles = ['admin'] as const

export const organizationRecord = record(
  'Organization',
  {
    id: uuid('Organization id'),
    name: str('Name'),
    role: oneOf('Role of the caller', ...roles),
    created_at: time('Time of creation'),
  },
  'An organization',
)
/** An organization, with the caller's role in it. */
export type OrganizationRecord = Wire<typeof organizationRecord>

export const organizationList = record(
  'OrganizationList',
  { data: list(organizationRecord, 'Organizations') },
  'Organizations that the client reaches',
)
/** All organizations of a client. */
export type OrganizationList = Wire<typeof organizationList>

export const organizationRemoval = record(
  'OrganizationRemoval',
  { id: uuid('Organization id'), deleted_at: time('Time of deletion; the organization can be restored for 30 days') },
  'A deleted organization',
)
/** A deleted organization. */
export type OrganizationRemoval = Wire<typeof organizationRemoval>

export const organizationInput = body('OrganizationInput', { name: displayName('Display name.') }, 'A new organization')
/** A new organization. */
export type OrganizationInput = Wire<typeof organizationInput>
