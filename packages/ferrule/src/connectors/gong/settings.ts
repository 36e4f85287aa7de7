import { absent, bool, each, entity, int, list, obj, open, opt, orNull, str, time } from '../../definition/index.ts'
import { cursor } from './shared.ts'

const workspaceId = opt(str('Only those of this workspace'))

const question = {
  ...each(str('As the vendor sends it'), 'questionId', 'questionRevisionId', 'questionText', 'questionType'),
  isRequired: absent(bool('Not sent by the vendor')),
  isOverall: bool('Whether it is the overall question'),
  updaterUserId: str('User id; -1 for built-in ones'),
  ...each(orNull(str('As the vendor sends it')), 'answerGuide', 'minRange', 'maxRange'),
  created: time('When it was created'),
  updated: time('When it was changed'),
  answerOptions: list(open('Option'), 'Options'),
}

const scorecard = {
  scorecardId: str('Scorecard id'),
  scorecardName: str('Name'),
  workspaceId: orNull(str('Workspace id')),
  enabled: bool('Whether it is in use'),
  updaterUserId: str('User id; -1 for built-in ones'),
  created: time('When it was created'),
  updated: time('When it was changed'),
  reviewMethod: str('MANUAL or AUTOMATIC'),
  questions: list(obj(question, 'Question'), 'Questions'),
}
const { reviewMethod: _notSearchable, ...searchable } = scorecard

/** GET /v2/settings/scorecards. The vendor has no parameter here; the engine applies workspaceId. */
export const settings_scorecards = entity({
  about: 'Scorecards',
  key: ['scorecardId'],
  refers: { updaterUserId: 'users', 'questions[].updaterUserId': 'users' },
  record: scorecard,
  // The vendor declares 64-bit integers and sends strings. Both forms become strings.
  from: each(
    { as: 'string' } as const,
    'scorecardId',
    'workspaceId',
    'updaterUserId',
    'questions[].questionId',
    'questions[].questionRevisionId',
    'questions[].updaterUserId',
    'questions[].minRange',
    'questions[].maxRange',
  ),
  list: {
    call: 'GET /v2/settings/scorecards',
    at: 'scorecards',
    params: { workspaceId },
    local: { workspaceId: { field: 'workspaceId', keep: 'equals' } },
  },
  context_store_search: searchable,
  sync: {},
})

/** GET /v2/settings/trackers. Keyword trackers only. */
export const settings_trackers = entity({
  about: 'Keyword trackers',
  key: ['trackerId'],
  record: {
    trackerId: str('Tracker id'),
    trackerName: str('Name'),
    workspaceId: orNull(str('Workspace id')),
    languageKeywords: list(open('{ language, keywords, includeRelatedForms }'), 'Keywords by language'),
    affiliation: str('Anyone, Company or NonCompany'),
    partOfQuestion: bool('Whether the words must be part of a question'),
    saidAt: str('Anytime, First or Last'),
    ...each(orNull(str('As the vendor sends it')), 'saidAtInterval', 'saidAtUnit'),
    saidInTopics: list(str('Topic'), 'Topics'),
    filterQuery: str('Filter as a JSON string'),
    created: time('When it was created'),
    creatorUserId: orNull(str('User id')),
    updated: time('When it was changed'),
    updaterUserId: orNull(str('User id; null for built-in ones')),
  },
  from: { saidAtInterval: { as: 'string' } },
  list: { call: 'GET /v2/settings/trackers', at: 'keywordTrackers', params: { workspaceId } },
})

/** GET /v2/library/folders. Public folders that are not archived. */
export const library_folders = entity({
  about: 'Folders of the call library',
  key: ['id'],
  record: {
    id: str('Folder id'),
    name: str('Name'),
    parentFolderId: orNull(str('Folder id of the parent; null for a root')),
    createdBy: orNull(str('User id')),
    updated: time('When it was changed'),
  },
  list: { call: 'GET /v2/library/folders', at: 'folders', params: { workspaceId: str('Workspace id') } },
})

/**
 * GET /v2/library/folder-content. The vendor sends id, title, note, addedBy, created, url and snippet; a lookup adds start, length, host
 * and privacy of each call. It has no cursor, so all its meta is null.
 */
export const library_folder_content = entity({
  about: 'Calls in a folder of the library',
  key: ['callId'],
  record: {
    callId: str('Call id'),
    title: str('Title'),
    started: absent(time('Actual start')),
    duration: absent(int('Length in seconds')),
    primaryUserId: absent(str('User id of the host')),
    url: str('Address of the call in the web application'),
  },
  from: { callId: { rename: 'id' } },
  list: {
    call: 'GET /v2/library/folder-content',
    at: 'calls',
    page: 'cursor',
    join: {
      lookup: 'call',
      on: 'callId',
      take: { started: 'metaData.started', duration: 'metaData.duration', primaryUserId: 'metaData.primaryUserId' },
    },
    params: { folderId: str('Folder id'), cursor },
  },
})
