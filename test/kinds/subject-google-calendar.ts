/** What the tests know of Google Calendar: its stand-in, and which list of the stand-in an entity reads. */
import { choose } from '../support/draws.ts'
import { GoogleCalendar, googleCalendarRefusals } from './stand-ins/google-calendar.ts'
import { at, type Row } from './stand-ins/shared.ts'
import type { Subject } from './subjects.ts'

const calendar = 'me@example.com'
const byId = ({ id }: Row) => ({ id })
const ofCalendar = (row: Row) => ({ calendar, id: row['id'] })
const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
const hour = (after: number) => ({ dateTime: new Date(Date.now() + after * 3_600_000).toISOString() })
/** Google Calendar at its stand-in. */
export const googleCalendar: Subject = {
  slug: 'google-calendar',
  start: () => new GoogleCalendar(choose({ records: 120, smaller: 100 }, {})),
  startLarge: () => new GoogleCalendar(choose({ records: 280, smaller: 100 }, { records: 28_000 })),
  credentials: { refresh_token: 'refresh', access_token: 'ya29.standin', client_id: 'client', client_secret: 'secret' },
  lists: [
    { entity: 'calendars', holds: 'calendarList' },
    { entity: 'events', params: { calendar: 'primary' }, holds: 'events' },
    { entity: 'events', params: { calendar, showDeleted: true, orderBy: 'updated' }, holds: 'all events' },
    { entity: 'events', params: { calendar, q: 'Event 77' }, holds: 'events', only: (row) => String(row['summary']).includes('Event 77') },
    { entity: 'events', params: { calendar: 'team@example.com' }, holds: 'none' },
    { entity: 'instances', params: { calendar, event: 'weekly01' }, holds: 'instances' },
    {
      entity: 'instances',
      params: { calendar, event: 'weekly01', timeMin: tomorrow },
      holds: 'instances',
      only: (row) => Date.parse(String(at(row, 'end.dateTime'))) > Date.parse(tomorrow),
    },
    { entity: 'access_rules', params: { calendar }, holds: 'acl' },
    { entity: 'settings', holds: 'settings' },
  ],
  gets: [
    { entity: 'calendars', holds: 'calendarList', params: byId },
    { entity: 'events', holds: 'events', params: ofCalendar },
    { entity: 'access_rules', holds: 'acl', params: ofCalendar },
    { entity: 'settings', holds: 'settings', params: byId },
  ],
  writes: [
    {
      ...{ entity: 'events', action: 'create', holds: 'events', more: 1 },
      params: () => ({ calendar, summary: 'New', start: hour(1), end: hour(2), sendUpdates: 'none' }),
    },
    {
      ...{ entity: 'events', action: 'update', of: 'events', holds: 'events', sets: { summary: 'Other' } },
      params: (row) => ({ ...ofCalendar(row), summary: 'Other', sendUpdates: 'none' }),
    },
    { entity: 'events', action: 'delete', of: 'events', params: ofCalendar, holds: 'events', more: -1 },
    {
      ...{ entity: 'access_rules', action: 'create', holds: 'acl', more: 1 },
      params: () => ({ calendar, role: 'reader', scope: { type: 'user', value: 'new@example.com' }, sendNotifications: false }),
    },
    {
      ...{ entity: 'access_rules', action: 'update', of: 'acl', holds: 'acl', sets: { role: 'writer' } },
      params: (row) => ({ ...ofCalendar(row), role: 'writer', sendNotifications: false }),
    },
    { entity: 'access_rules', action: 'delete', of: 'acl', params: ofCalendar, holds: 'acl', more: -1 },
  ],
  copies: [
    { entity: 'events', holds: 'events', compared: ['summary', 'status'], incremental: true },
    { entity: 'calendars', holds: 'calendarList', compared: ['summary'] },
  ],
  refusals: [
    { answer: googleCalendarRefusals.rate, code: 'upstream_rate_limited' },
    { answer: googleCalendarRefusals.user, code: 'upstream_rate_limited' },
    { answer: googleCalendarRefusals.forbidden, code: 'upstream_permission_denied' },
    { answer: googleCalendarRefusals.down, code: 'upstream_error' },
  ],
  missing: { entity: 'events', params: { calendar, id: 'none0' }, code: 'record_not_found' },
}
