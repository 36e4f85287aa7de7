/** Organizations as clients see them, and how many an application can reach. */
import type { Problem } from 'ferrule'
import type { OrganizationRecord } from 'ferrule/wire'
import { iso } from '../../values/ids.ts'
import type { OrganizationRow } from '../sql/organizations.ts'

/** Maximum number of organizations of an application. */
export const mostOrganizations = 1_000

/** The problem of an application at the limit. */
export const refuseMore: Problem = {
  field: '',
  message: `cannot be done: the application reaches ${mostOrganizations} organizations, the most`,
  error_code: 'limit',
}

/** Builds the record of an organization. */
export const toOrganizationRecord = ({
  id,
  name,
  created_at,
}: Pick<OrganizationRow, 'id' | 'name' | 'created_at'>): OrganizationRecord => ({
  id,
  name,
  role: 'admin',
  created_at: iso(created_at),
})
