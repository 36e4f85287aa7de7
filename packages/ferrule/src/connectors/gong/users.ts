import { bool, each, entity, list, open, orNull, str, time } from '../../definition/index.ts'
import { cursor } from './shared.ts'

const record = {
  id: str('User id'),
  emailAddress: str('E-mail address'),
  created: time('When the user was created'),
  active: bool('Whether the user is active'),
  emailAliases: list(str('E-mail address'), 'Further e-mail addresses'),
  trustedEmailAddress: orNull(str('Trusted e-mail address')),
  firstName: str('First name'),
  lastName: str('Last name'),
  ...each(orNull(str('As the vendor sends it')), 'title', 'phoneNumber', 'extension'),
  personalMeetingUrls: list(str('URL'), 'Personal meeting addresses'),
  settings: open('Recording and import settings'),
  managerId: orNull(str('User id of the manager')),
  meetingConsentPageUrl: orNull(str('Address of the consent page')),
  spokenLanguages: list(open('{ language, primary }'), 'Languages that the user speaks'),
}

/** GET /v2/users, GET /v2/users/{id} */
export const users = entity({
  about: 'Users of the company',
  key: ['id'],
  refers: { managerId: 'users' },
  record,
  list: { call: 'GET /v2/users', at: 'users', page: 'cursor', params: { cursor } },
  get: { call: 'GET /v2/users/{id}', at: 'user', params: { id: str('User id') } },
  title: 'emailAddress',
  context_store_search: record,
  sync: {},
})
