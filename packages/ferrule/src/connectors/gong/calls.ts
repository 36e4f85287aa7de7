import { absent, bool, entity, id, list, obj, objectOrList, oneOf, open, opt, str, time } from '../../definition/index.ts'
import { callIds, callRecord, callWindow, cursor, downloadParams, primaryUserIds, recentCalls, workspaceId } from './shared.ts'

/** GET /v2/calls, GET /v2/calls/{id}. The vendor filters web conferences by their scheduled time. */
export const calls = entity({
  about: 'Recorded calls',
  key: ['id'],
  refers: { primaryUserId: 'users' },
  record: callRecord,
  list: { call: 'GET /v2/calls', at: 'calls', page: 'cursor', hidden: 'isPrivate', params: { ...callWindow, workspaceId, cursor } },
  get: { call: 'GET /v2/calls/{id}', at: 'call', hidden: 'isPrivate', params: { id: str('Call id') } },
  context_store_search: callRecord,
  link: 'https://app.gong.io/{url}',
  // The vendor's page marks both dates as required. Its calls begin with 1970 for other integrations too.
  sync: {
    since: { param: 'fromDateTime', until: 'toDateTime', first: '1970-01-01T00:00:00Z', field: 'started', ...recentCalls },
  },
})

const flag = (about: string) => opt(bool(about))

const contentSelector = obj(
  {
    context: opt(oneOf('Links to and fields of CRM objects; only with it contextTiming is allowed', 'Extended')),
    contextTiming: opt(list(oneOf('Moment', 'Now', 'TimeOfCall'), 'Which state of the CRM objects')),
    exposedFields: opt(
      obj(
        {
          collaboration: opt(obj({ publicComments: flag('Comments') }, 'Collaboration')),
          content: opt(
            obj(
              {
                pointsOfInterest: opt(bool('Superseded by highlights', { deprecated: true })),
                structure: flag('Parts of the call'),
                topics: flag('Topics and their length'),
                trackers: flag('Trackers and their counts'),
                trackerOccurrences: flag('Where trackers occur; needs trackers'),
                brief: flag('Short summary'),
                outline: flag('Outline'),
                highlights: flag('Highlights'),
                callOutcome: flag('Outcome'),
                keyPoints: flag('Key points'),
              },
              'Content of the call',
            ),
          ),
          interaction: opt(
            obj(
              {
                personInteractionStats: flag('Statistics of the host'),
                questions: flag('Counts of questions'),
                speakers: flag('Talk time of each speaker'),
                video: flag('Video shares'),
              },
              'Interaction',
            ),
          ),
          media: flag('URLs of the media files, valid for eight hours; needs the scope api:calls:read:media-url'),
          parties: flag('Participants'),
        },
        'Which blocks to add; without it a record has metaData only',
      ),
    ),
  },
  'Which blocks of a call to return',
)

/** Requests every block, for the context store. */
const everything = {
  context: 'Extended',
  contextTiming: ['Now', 'TimeOfCall'],
  exposedFields: {
    collaboration: { publicComments: true },
    content: {
      structure: true,
      topics: true,
      trackers: true,
      trackerOccurrences: true,
      brief: true,
      outline: true,
      highlights: true,
      callOutcome: true,
      keyPoints: true,
    },
    interaction: { personInteractionStats: true, questions: true, speakers: true, video: true },
    media: true,
    parties: true,
  },
} as const

const blocks = {
  parties: absent(list(open('Participant'), 'Participants')),
  interaction: absent(open('Interaction')),
  collaboration: absent(open('Collaboration')),
  content: absent(open('Content')),
  media: absent(open('Media URLs')),
}

/** POST /v2/calls/extensive. The window is the actual start of the calls. */
export const calls_extensive = entity({
  about: 'Calls with participants, content, interaction and comments',
  key: ['metaData.id'],
  of: 'calls',
  refers: { 'metaData.primaryUserId': 'users', 'parties[].userId': 'users', 'collaboration.publicComments[].commenterUserId': 'users' },
  record: { metaData: open('The call, with the fields of calls'), ...blocks },
  list: {
    call: 'POST /v2/calls/extensive',
    at: 'calls',
    page: 'cursor',
    hidden: 'metaData.isPrivate',
    params: {
      filter: obj(
        { ...callWindow, callIds, workspaceId, primaryUserIds },
        'Which calls; a window keeps the result manageable, callIds may replace it',
      ),
      contentSelector: opt(contentSelector),
      cursor,
    },
  },
  title: 'metaData.title',
  link: 'https://app.gong.io/{metaData.url}',
  context_store_search: {
    id: id('Call id as an integer, every digit kept'),
    startdatetime: time('Actual start'),
    metaData: open('The call'),
    collaboration: open('Collaboration'),
    content: open('Content'),
    context: objectOrList('CRM objects of the call, by CRM system; the vendor sends a list'),
    interaction: open('Interaction'),
    media: open('Media URLs'),
    parties: list(open('Participant'), 'Participants'),
  },
  sync: {
    params: { filter: {}, contentSelector: everything },
    since: { param: 'filter.fromDateTime', field: 'metaData.started', ...recentCalls },
    project: { id: 'metaData.id', startdatetime: 'metaData.started', context: 'context' },
  },
})

const download = (kind: 'audio' | 'video', extension: string) =>
  ({
    about: `The ${kind} file of one call, whole or a byte range`,
    call: 'POST /v2/calls/extensive',
    at: 'calls[0]',
    hidden: 'metaData.isPrivate',
    params: downloadParams,
    // The media host answers 403 for an expired URL, and 400 for an expired session token.
    file: { at: `media.${kind}Url`, range: 'range_header', renew: [400, 403], name: `{filter.callIds[0]}.${extension}` },
  }) as const

/** POST /v2/calls/extensive for the URL, then the file on the media host, without our credentials. */
export const call_audio = entity({
  about: 'Audio of calls',
  key: ['param.filter.callIds'],
  of: 'calls',
  download: download('audio', 'mp3'),
})
/** As call_audio. */
export const call_video = entity({
  about: 'Video of calls',
  key: ['param.filter.callIds'],
  of: 'calls',
  download: download('video', 'mp4'),
})

/** POST /v2/calls/transcript. Times inside are milliseconds. A lookup finds private calls, because the answer does not flag them. */
export const call_transcripts = entity({
  about: 'Transcripts of calls, by speaker turn',
  key: ['callId'],
  of: 'calls',
  refers: { callId: 'calls' },
  record: {
    callId: str('Call id'),
    transcript: list(open('{ speakerId, topic, sentences: [{ start, end, text }] }; start and end in milliseconds'), 'Speaker turns'),
  },
  list: {
    call: 'POST /v2/calls/transcript',
    at: 'callTranscripts',
    page: 'cursor',
    join: { lookup: 'call', on: 'callId' },
    params: {
      filter: obj({ ...callWindow, callIds, workspaceId }, 'Which calls; a window keeps the result manageable, callIds may replace it'),
      cursor,
    },
  },
  context_store_search: {
    callId: str('Call id'),
    started: time('Actual start of the call'),
    transcript: list(open('Speaker turn'), 'Speaker turns'),
  },
  sync: { each: { entity: 'calls', take: { 'filter.callIds': 'id' }, batch: 100 }, project: { started: 'parent.started' } },
})
