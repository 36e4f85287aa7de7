/** Parameters and record fields that several Gong entities share. */
import {
  absent,
  bool,
  date,
  each,
  emptyIsAbsent,
  int,
  known,
  list,
  mustBeTrue,
  obj,
  opt,
  orDate,
  orNull,
  refuse,
  str,
  time,
} from '../../definition/index.ts'

/**
 * Calls can be processed, commented, summarised or made private long after they happened, without a visible change. So the sync reads the
 * last two weeks again. The start of a call never changes.
 */
export const recentCalls = { lookback: 14 * 86_400, fixed: true } as const

/** Position in a paged list. The vendor's cursor is valid for one hour, with the same parameters. */
export const cursor = opt(str('Cursor of the page before (meta.cursor); valid for one hour, with all other parameters unchanged'))

/** The window of calls: `from` inclusive, `to` exclusive. */
export const callWindow = {
  fromDateTime: opt(orDate(time('Start of the window, inclusive; default: the earliest call'))),
  toDateTime: opt(orDate(time('End of the window, exclusive; default: the latest call'))),
}

/** The workspace as a filter of calls. */
export const workspaceId = opt(str('Only calls of this workspace'))

/** Hosts as a filter of calls. The request omits an empty array, because the vendor refuses it. */
export const primaryUserIds = opt(emptyIsAbsent(list(str('User id'), 'Only calls of these hosts; an empty array is the same as none')))

/** Call ids as a filter. The request omits an empty array, because the vendor refuses it. */
export const callIds = opt(emptyIsAbsent(list(str('Call id'), 'Only these calls; an empty array is the same as none')))

/** The twenty fields of a call: the record of `calls`, and `metaData` of `calls_extensive`. */
export const callRecord = {
  id: str('Call id, up to 20 digits'),
  url: str('Address of the call in the web application'),
  title: absent(str('Title; null where it is unknown')),
  scheduled: absent(time('Scheduled start; null for a call that was not scheduled')),
  started: time('Actual start'),
  duration: absent(int('Length in seconds; null where it is unknown')),
  primaryUserId: absent(str('User id of the host; null where it is unknown')),
  direction: known('Who called whom', 'Inbound', 'Outbound', 'Conference', 'Unknown'),
  system: absent(str('System that the call was made with, for example Zoom; null where it is unknown')),
  scope: known('Who took part', 'Internal', 'External', 'Unknown'),
  media: known('What was recorded', 'Video', 'Audio'),
  language: str('ISO 639-2/B code; also und and zxx'),
  workspaceId: str('Workspace id'),
  ...each(orNull(str('As the vendor sends it')), 'sdrDisposition', 'clientUniqueId', 'customData', 'purpose'),
  meetingUrl: absent(str('Address of the meeting; null without one, as for telephone calls')),
  isPrivate: bool('Whether the call is private'),
  calendarEventId: orNull(str('Calendar event id')),
}

/** Parameters of the statistics: calendar days in the company's time zone. */
export const statisticsFilter = obj(
  {
    fromDate: date('First day, inclusive, YYYY-MM-DD, in the time zone of the company'),
    toDate: date('Last day, exclusive, YYYY-MM-DD; not after today'),
    userIds: opt(emptyIsAbsent(list(str('User id'), 'Only these users; an empty array is the same as none'))),
  },
  'Which days and users',
)

/** Parameters of both downloads. */
export const downloadParams = {
  filter: refuse(
    'media_selector_required',
    obj({ callIds: list(str('Call id', { minLength: 1 }), 'Exactly one call id', { minItems: 1, maxItems: 1 }) }, 'The call'),
  ),
  contentSelector: refuse(
    'media_selector_required',
    obj({ exposedFields: obj({ media: mustBeTrue('Must be true') }, 'What to expose') }, 'Must ask for the media'),
  ),
  range_header: opt(
    refuse(
      'range_invalid',
      str('One byte range, for example bytes=0-1023', {
        pattern: '^bytes=(\\d{1,15}-\\d{0,15}|-\\d{1,15})$',
        says: 'must be one byte range such as bytes=0-1023',
      }),
    ),
  ),
}
