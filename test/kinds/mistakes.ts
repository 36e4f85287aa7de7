/** Mistakes that people make in the files of kinds: what is written instead, and what finds it. */

/** A mistake. */
export interface Mistake {
  readonly says: string
  /** Text of the file, and what stands there instead. */
  readonly change: readonly [from: string, to: string]
  /** The entity that finds it: its list, its copy, whether its second run reads changes only, or its first write, whose answer is lost. */
  readonly by: `${'list' | 'copy' | 'changes' | 'write'} ${string}`
}

/** Ten or more for each kind. */
export const mistakes: Readonly<Record<string, readonly Mistake[]>> = {
  stripe: [
    { says: 'another field of the last record', change: ["'last:id'", "'last:object'"], by: 'list customers' },
    { says: 'the position of the other direction', change: ['send: starting_after', 'send: ending_before'], by: 'list customers' },
    { says: 'the search of another vendor', change: ['GET /customers/search', 'GET /customers/find'], by: 'list found_customers' },
    {
      says: 'too large pages',
      change: ['more: has_more, size: limit=100 }\n  search', 'more: has_more, size: limit=1000 }\n  search'],
      by: 'list customers',
    },
    { says: 'another path', change: ['path: /v1', 'path: /v2'], by: 'list customers' },
    { says: 'another place of the rows', change: ['at: data, pages', 'at: items, pages'], by: 'list customers' },
    { says: 'an unknown version', change: ['stripe-version: 2026-02-25.clover', 'stripe-version: clover'], by: 'list customers' },
    { says: 'JSON in place of a form', change: ['as: form', 'as: json'], by: 'write customers' },
    { says: 'no key of repeated writes', change: [', once: idempotency-key', ''], by: 'write customers' },
    { says: 'a type of changes left out', change: ["      - '{name}.updated'\n", ''], by: 'copy customers' },
    { says: 'deletes left out', change: ['[customer.deleted, ', '['], by: 'copy customers' },
    { says: 'cancelled subscriptions left out', change: ['{ params: { status: all }, changes', '{ changes'], by: 'copy subscriptions' },
    {
      says: 'cancelled subscriptions deleted',
      change: ['  gone: [', '  gone: [customer.subscription.updated, '],
      by: 'copy subscriptions',
    },
    { says: 'another unit of time', change: ["'created[gte]': unix-time", "'created[gte]': unix-time-ms"], by: 'copy customers' },
  ],
  github: [
    { says: 'another relation of the link', change: ['next: link, size', 'next: link:last, size'], by: 'list pull_requests' },
    { says: 'numbers in place of links', change: ['link: { next: link,', 'link: { next: pages, send: offset,'], by: 'list issues' },
    { says: 'an unknown size', change: ['size: per_page=100 }\n  counted', 'size: limit=100 }\n  counted'], by: 'list issues' },
    { says: 'an unknown version', change: ["x-github-api-version: '2022-11-28'", "x-github-api-version: '2021-01-01'"], by: 'list issues' },
    { says: 'rows at the root', change: ['      at: workflow_runs\n', ''], by: 'list workflow_runs' },
    { says: 'another place of results', change: ['      at: items\n', '      at: results\n'], by: 'list found_issues' },
    { says: 'other words for a token', change: ["'Bearer {token}'", "'Key {token}'"], by: 'list issues' },
    {
      says: 'open issues only',
      change: ['{ state: all, sort: updated, direction: asc }', '{ sort: updated, direction: asc }'],
      by: 'copy issues',
    },
    {
      says: 'changed repositories only',
      change: ['sync: full # a', 'sync: { params: { sort: updated, direction: asc }, since: { updated_at: since } } # a'],
      by: 'copy issues',
    },
    {
      says: 'the id in place of the name',
      change: [
        'each: { repositories: { owner: owner.login, repo: name } }\n      params: { state: all, sort: updated, direction: asc }',
        'each: { repositories: { owner: owner.login, repo: full_name } }\n      params: { state: all, sort: updated, direction: asc }',
      ],
      by: 'copy issues',
    },
    { says: 'a turned-off list as an error', change: ['    - 410 disabled: empty', '    - 410 disabled: unsupported'], by: 'copy issues' },
    {
      says: 'another name in the body',
      change: [
        'body: { title: string! Title, body: string Text, labels',
        'body: { name: string! Title, title: string Title, body: string Text, labels',
      ],
      by: 'write issues',
    },
  ],
  slack: [
    { says: 'another place of the cursor', change: ['next: response_metadata.next_cursor', 'next: next_cursor'], by: 'list users' },
    { says: 'an unknown position', change: ['send: cursor, size', 'send: page_token, size'], by: 'list users' },
    { says: 'too large pages', change: ['size: limit=200', 'size: limit=1000'], by: 'list users' },
    {
      says: 'numbers until a page is short',
      change: ['cursor: { next: response_metadata.next_cursor, send: cursor,', 'cursor: { next: pages, send: cursor,'],
      by: 'list users',
    },
    { says: 'another place of the rows', change: ['at: members', 'at: users'], by: 'list users' },
    { says: 'another place of files', change: ['at: files', 'at: items'], by: 'list files' },
    { says: 'a wrong flag of failures', change: ['failed: { ok: false }', 'failed: { ok: true }'], by: 'list users' },
    { says: 'public channels only', change: ['types: [public_channel, private_channel]', 'types: [public_channel]'], by: 'copy channels' },
    {
      says: 'names of types repeated',
      change: ['lists: { pages: cursor }', 'lists: { pages: cursor, arrays: repeat }'],
      by: 'copy channels',
    },
    {
      says: 'another count of numbered pages',
      change: ['numbered: { next: pages, send: page,', 'numbered: { next: pages, first: "0", send: page,'],
      by: 'list files',
    },
    { says: 'another method', change: ['GET /files.list', 'GET /files.index'], by: 'list files' },
    {
      says: 'deactivated members as deleted',
      change: [
        'budget: users, params: { +: locale } }\n    get: { call: GET /users.info, at: user, params: { user: string! Id of the user, +: locale } }\n    sync: full',
        'budget: users, params: { +: locale } }\n    get: { call: GET /users.info, at: user, params: { user: string! Id of the user, +: locale } }\n    sync: { gone: { deleted: true } }',
      ],
      by: 'copy users',
    },
  ],
  zendesk: [
    { says: 'no size, which gives numbered pages', change: [", size: 'page[size]=100'", ''], by: 'list organizations' },
    { says: 'the cursor of the page before', change: ['meta.after_cursor', 'meta.before_cursor'], by: 'list organizations' },
    { says: 'a position without brackets', change: ["send: 'page[after]'", 'send: page_after'], by: 'list organizations' },
    { says: 'too large pages', change: ["'page[size]=100'", "'page[size]=1000'"], by: 'list organizations' },
    { says: 'a password in place of a token', change: ['{email}/token:{api_token}', '{email}:{api_token}'], by: 'list organizations' },
    { says: 'another place of the rows', change: ['at: organizations }', 'at: data }'], by: 'list organizations' },
    { says: 'the flag of the end turned around', change: ["more: '!end_of_stream'", 'more: end_of_stream'], by: 'list tickets' },
    {
      says: 'milliseconds',
      change: [
        "start_time: 'unix-time Changed at or after, at least a minute ago' } # after",
        "start_time: 'unix-time-ms Changed at or after, at least a minute ago' } # after",
      ],
      by: 'copy tickets',
    },
    { says: 'deleted tickets kept', change: ['      gone: { status: deleted }\n', ''], by: 'copy tickets' },
    { says: 'inactive users kept', change: ['      gone: { active: false }\n', ''], by: 'copy users' },
    { says: 'a body without its wrapping', change: ['      wrap: ticket\n      once', '      once'], by: 'write tickets' },
    { says: 'no key of repeated writes', change: ['      once: idempotency-key\n', ''], by: 'write tickets' },
    { says: 'another version', change: ['path: /api/v2', 'path: /api/v1'], by: 'list organizations' },
  ],
  notion: [
    { says: 'another place of the cursor', change: ['next: next_cursor', 'next: cursor'], by: 'list documents' },
    { says: 'an unknown position', change: ['send: start_cursor', 'send: cursor'], by: 'list documents' },
    {
      says: 'the cursor in the query',
      change: ['send: start_cursor, more', 'send: start_cursor, place: query, more'],
      by: 'list documents',
    },
    { says: 'too large pages', change: ['page_size=100', 'page_size=1000'], by: 'list documents' },
    { says: 'an unknown version', change: ["notion-version: '2025-09-03'", "notion-version: '2020-01-01'"], by: 'list documents' },
    { says: 'another place of the rows', change: ['at: results', 'at: data'], by: 'list documents' },
    {
      says: 'tables among the pages',
      change: ['always: { filter.property: object, filter.value: page, sort', 'always: { sort'],
      by: 'list documents',
    },
    {
      says: 'the oldest first',
      change: [
        'filter.value: page, sort.timestamp: last_edited_time, sort.direction: descending',
        'filter.value: page, sort.timestamp: last_edited_time, sort.direction: ascending',
      ],
      by: 'copy documents',
    },
    {
      says: 'a filter without its condition',
      change: ["      defaults: { changed_since: '2000-01-01T00:00:00Z' }\n", ''],
      by: 'copy rows',
    },
    { says: 'another filter', change: ['filter.last_edited_time.on_or_after', 'filter.last_edited_time.since.time'], by: 'list rows' },
    {
      says: 'the wrong parent',
      change: ['each: { data_sources: { data_source: id } }', 'each: { data_sources: { data_source: object } }'],
      by: 'copy rows',
    },
    {
      says: 'another method',
      change: ['call: POST /search\n      params: {}', 'call: GET /search\n      params: {}'],
      by: 'list documents',
    },
  ],
  hubspot: [
    {
      says: 'another place of the cursor',
      change: ['after: { next: paging.next.after', 'after: { next: paging.after'],
      by: 'list contacts',
    },
    { says: 'an unknown position', change: ['send: after, size: limit=100', 'send: offset, size: limit=100'], by: 'list contacts' },
    { says: 'too large pages', change: ['size: limit=100', 'size: limit=200'], by: 'list contacts' },
    { says: 'too large pages of searches', change: ['size: limit=200', 'size: limit=500'], by: 'list found_contacts' },
    { says: 'the link as a cursor', change: ['after: { next: paging.next.after', 'after: { next: paging.next.link'], by: 'list contacts' },
    { says: 'another place of the rows', change: ['at: results, pages', 'at: objects, pages'], by: 'list contacts' },
    { says: 'other words for a token', change: ["'Bearer {token}'", "'{token}'"], by: 'list contacts' },
    {
      says: 'a body without its wrapping',
      change: ['create: { call: POST /crm/v3/objects/contacts, wrap: properties,', 'create: { call: POST /crm/v3/objects/contacts,'],
      by: 'write contacts',
    },
    { says: 'another version', change: ['GET /crm/v3/owners,', 'GET /crm/v2/owners,'], by: 'list owners' },
    {
      says: 'the archive in place of the list',
      change: [
        "      params: { +: wanted, archived: boolean Those in the archive }\n      defaults: &contact_names { properties: 'email,",
        "      params: { +: wanted, archived: boolean Those in the archive }\n      always: { status: archived }\n      defaults: &contact_names { properties: 'email,",
      ],
      by: 'list contacts',
    },
    { says: 'another path', change: ['GET /crm/v3/objects/contacts\n', 'GET /crm/v3/contacts\n'], by: 'list contacts' },
    { says: 'lists of the wrong size for owners', change: ['size: limit=500', 'size: limit=501'], by: 'list owners' },
  ],
  'google-calendar': [
    { says: 'another place of the cursor', change: ['events: { next: nextPageToken', 'events: { next: nextToken'], by: 'copy events' },
    {
      says: 'the token of changes as a cursor',
      change: ['events: { next: nextPageToken', 'events: { next: nextSyncToken'],
      by: 'copy events',
    },
    {
      says: 'an unknown position',
      change: ['send: pageToken, size: maxResults=2500', 'send: token, size: maxResults=2500'],
      by: 'copy events',
    },
    { says: 'too large pages', change: ['size: maxResults=250 }', 'size: maxResults=500 }'], by: 'list access_rules' },
    { says: 'too large pages of events', change: ['size: maxResults=2500', 'size: maxResults=5000'], by: 'list events' },
    { says: 'another place of the rows', change: ['at: items', 'at: events'], by: 'list events' },
    { says: 'another path', change: ['path: /calendar/v3', 'path: /calendar/v2'], by: 'list events' },
    {
      says: 'a token that is not read',
      change: ['token: { read: nextSyncToken, send', 'token: { read: syncToken, send'],
      by: 'changes events',
    },
    { says: 'a token under another name', change: ['$to: syncToken', '$to: sync_token'], by: 'copy events' },
    { says: 'cancelled events kept', change: ['      gone: { status: cancelled }\n', ''], by: 'copy events' },
    { says: 'another calendar', change: ['params: { calendar: primary }', 'params: { calendar: team@example.com }'], by: 'copy events' },
    {
      says: 'a body without its start',
      change: [
        '    start: { $type: object, $about: Start, $fields: { +: time } }',
        '    begin: { $type: object, $about: Start, $fields: { +: time } }',
      ],
      by: 'write events',
    },
  ],
  salesforce: [
    { says: 'another place of the next page', change: ['next: nextRecordsUrl', 'next: nextPageUrl'], by: 'list accounts' },
    {
      says: 'the address as a parameter',
      change: ['next: nextRecordsUrl, more', 'next: nextRecordsUrl, send: q, more'],
      by: 'list accounts',
    },
    { says: 'the flag of the end turned around', change: ["more: '!done'", 'more: done'], by: 'list accounts' },
    { says: 'another place of the rows', change: ['at: records', 'at: items'], by: 'list accounts' },
    { says: 'another version', change: ['path: /services/data/v62.0', 'path: /services/data/62'], by: 'list accounts' },
    {
      says: 'other words for a token',
      change: ['    title: Salesforce app\n', "    title: Salesforce app\n    send: { authorization: 'OAuth2 {access_token}' }\n"],
      by: 'list accounts',
    },
    { says: 'an unknown field', change: ['      Website: string? Website\n', '      Web_Site: string? Website\n'], by: 'list accounts' },
    { says: 'a time in quotation marks', change: ['SystemModstamp >= {since|bare}', 'SystemModstamp >= {since}'], by: 'changes accounts' },
    { says: 'deleted records not asked for', change: ['{ call: GET /queryAll', '{ call: GET /query'], by: 'copy accounts' },
    { says: 'fields of every organization as its own', change: ['where: custom', "where: '!custom'"], by: 'copy accounts' },
    { says: 'own fields beside the others', change: ['{ deleted: false }, rest: custom', '{ deleted: false }'], by: 'copy accounts' },
    {
      says: 'deleted records left out',
      change: ['sync: &sync { params: { deleted: true }, since', 'sync: &sync { since'],
      by: 'copy accounts',
    },
    { says: 'deleted records kept', change: [', gone: { IsDeleted: true }', ''], by: 'copy accounts' },
    {
      says: 'deleted records in the list',
      change: ['- &bin (IsDeleted = false OR IsDeleted = {deleted|bare})', '- &bin (IsDeleted = true OR IsDeleted = {deleted|bare})'],
      by: 'list accounts',
    },
    { says: 'changes by the day', change: ['found: { since: date-time', 'found: { since: date'], by: 'copy accounts' },
    {
      says: 'a form in place of JSON',
      change: ['+: account }, answers: part }', '+: account }, as: form, answers: part }'],
      by: 'write accounts',
    },
    {
      says: 'a body that is wrapped',
      change: ['+: account }, answers: part }', '+: account }, wrap: record }'],
      by: 'write accounts',
    },
  ],
  jira: [
    { says: 'another place of the token', change: ['next: nextPageToken', 'next: pageToken'], by: 'list issues' },
    { says: 'an unknown position', change: ['send: nextPageToken', 'send: pageToken'], by: 'list issues' },
    {
      says: 'the flag of the end turned around',
      change: ["nextPageToken, more: '!isLast'", 'nextPageToken, more: isLast'],
      by: 'list issues',
    },
    { says: 'numbers of pages in place of offsets', change: ['offset: { next: rows', 'offset: { next: pages'], by: 'list projects' },
    { says: 'too large pages of users, which are cut', change: ['maxResults=1000', 'maxResults=2000'], by: 'list users' },
    { says: 'users among values', change: ['GET /users/search,', 'GET /users/search, at: values,'], by: 'list users' },
    { says: 'fields that nobody asks for', change: [", fields: '{fields},{described}' }", ' }'], by: 'copy issues' },
    { says: 'fields left where they stand', change: ['      merge: [fields]\n', ''], by: 'copy issues' },
    { says: 'a query without a condition', change: ['updated_since: 0, ', ''], by: 'list issues' },
    { says: 'a time as JSON writes it', change: ['updated_since: unix-time-ms', 'updated_since: date-time'], by: 'changes issues' },
    { says: 'a time without a field', change: ["'updated >= {updated_since|bare}'", "'since {updated_since|bare}'"], by: 'list issues' },
    { says: 'the search that was removed', change: ['GET /search/jql', 'GET /search'], by: 'list issues' },
    { says: 'the token as another vendor writes it', change: ['{email}:{api_token}', '{email}/token:{api_token}'], by: 'list issues' },
    { says: 'a body without its wrapping', change: ['      wrap: fields\n', ''], by: 'write issues' },
    {
      says: 'the words of the path turned around',
      change: ['GET /project/{project}/component', 'GET /component/{project}'],
      by: 'list components',
    },
    {
      says: 'the title in place of the id',
      change: ['{ each: { issues: { issue: id } } }', '{ each: { issues: { issue: summary } } }'],
      by: 'copy comments',
    },
    { says: 'another version', change: ['path: /rest/api/3', 'path: /rest/api/1'], by: 'list projects' },
  ],
  linear: [
    {
      says: 'another place of the cursor',
      change: ['data.result.pageInfo.endCursor', 'data.result.pageInfo.startCursor'],
      by: 'list issues',
    },
    { says: 'a flag of the other direction', change: ['pageInfo.hasNextPage', 'pageInfo.hasPreviousPage'], by: 'list issues' },
    { says: 'the position of the other direction', change: ['send: after', 'send: before'], by: 'list issues' },
    { says: 'too large pages', change: ['first=250', 'first=500'], by: 'list issues' },
    { says: 'another path', change: ['graphql: /graphql', 'graphql: /api/graphql'], by: 'list issues' },
    { says: 'other words for a key', change: ["'{api_key}' }", "'Bearer {api_key}' }"], by: 'list issues' },
    { says: 'another place of the rows', change: ['at: data.result.nodes', 'at: data.result.edges'], by: 'list issues' },
    { says: 'an unknown field', change: ['branchName: string Name', 'branch_name: string Name'], by: 'list issues' },
    {
      says: 'an object without its fields',
      change: ['team: { id: string Id, key: string Short name }', 'team: object Team'],
      by: 'list issues',
    },
    { says: 'another type of an argument', change: ['filter: IssueFilter,', 'filter: Filter,'], by: 'list issues' },
    { says: 'another comparator', change: ['filter.updatedAt.gte', 'filter.updatedAt.since'], by: 'copy issues' },
    { says: 'another field of the filter', change: ['filter.updatedAt.gte', 'filter.createdAt.gte'], by: 'copy issues' },
    {
      says: 'archived issues as there',
      change: ['since: { updatedAt: changed_since }, gone: archivedAt }', 'since: { updatedAt: changed_since } }'],
      by: 'copy issues',
    },
    {
      says: 'archived issues left out',
      change: ['sync: { params: { includeArchived: true }, since', 'sync: { since'],
      by: 'copy issues',
    },
    { says: 'those who cannot sign in left out', change: ['params: { includeDisabled: true }, ', ''], by: 'copy users' },
    { says: 'an input without its wrapping', change: ['      wrap: input\n', ''], by: 'write issues' },
    { says: 'another type of the input', change: ['input: IssueCreateInput!', 'input: IssueInput!'], by: 'write issues' },
    { says: 'another place of the record', change: ['at: data.result.issue\n', 'at: data.result.entity\n'], by: 'write issues' },
  ],
}
