import { absent, entity, int, orNull, str, time } from '../../definition/index.ts'
import { cursor } from './shared.ts'

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
