/** The table of kind files: each key, what it holds, what it says, and how it is written (docs/decisions/kind-files.md). */
import { authGroups } from './groups/auth.ts'
import { condition, conditionGroups, eachWhereRow, whereRow } from './groups/conditions.ts'
import { describedGroup, fieldGroup, pageGroups, recordTextKeys } from './groups/fields.ts'
import { webhookGroups } from './groups/webhooks.ts'
import {
  constants,
  either,
  fields,
  flag,
  type KeyGroup,
  type KeyRow,
  key,
  keys,
  list,
  map,
  scalar,
  sentence,
  text,
  title,
  value,
  word,
} from './shape.ts'
import { errorWords } from './vocabulary.ts'

const take = map('name', text('path'))
const params = map('name', value)
const listOfWords = list(text('word'))

const bodies = word('json', 'form', 'query')
const arrays = word('comma', 'repeat', 'brackets')
const asRow = key('as', bodies, 'How a request carries its body', { example: 'as: form', without: 'json' })
const arraysRow = key(
  'arrays',
  arrays,
  'How a query or a form carries a list: values with commas, the name repeated, or with brackets behind it',
  {
    example: 'arrays: repeat',
    without: 'comma',
  },
)
const atRow = key(
  'at',
  text('rows'),
  'Path of the rows, or of the record, in the answer; orders[].lines takes the lists within the rows of a list',
  {
    example: 'at: data',
    without: 'the whole answer; data.result of GraphQL',
  },
)
const onceRow = key('once', text('header'), 'Header by which the vendor knows a repeated write and does it once', {
  example: 'once: idempotency-key',
  without: 'a write is never sent twice',
})
const remembersRow = key(
  'remembers',
  text('span'),
  'How long the vendor remembers a value of that header; no repetition is sent after that',
  {
    example: 'remembers: 2h',
    without: '24h',
  },
)
const pagesRow = key('pages', text('word'), 'The way of paging, a name of pages; none for lists of one page', {
  example: 'pages: link',
  without: 'that of lists',
})

const kind: KeyGroup = {
  title: 'a kind file',
  keys: [
    key('kind', text('slug'), 'Name of the kind in programs and addresses', { example: 'kind: github', required: true }),
    key('title', title, 'Name of the vendor or product, as people write it', { example: 'title: GitHub', required: true }),
    key('category', title, 'What sort of system it is, in a few words', { example: 'category: code hosting', required: true }),
    key('about', sentence, 'What can be read and written, in one sentence', { example: 'about: Repositories and issues', required: true }),
    key('docs', text('https'), "The vendor's pages about its API", { example: 'docs: https://docs.github.com/en/rest', required: true }),
    key('api', either(text('origin'), keys('choice')), 'Host of the API; a {slot} takes a value of configuration', {
      example: "api: 'https://{subdomain}.zendesk.com'",
      required: true,
    }),
    key('path', text('prefix'), 'What every path begins with', { example: 'path: /v1' }),
    key('elsewhere', keys('elsewhere'), 'Another host and path, for accounts that are known by a value of configuration', {
      example: "elsewhere: { with: cloud_id, api: https://api.example.com, path: '/sites/{cloud_id}' }",
    }),
    key('graphql', text('prefix'), 'Path of GraphQL, for calls that are a query or a mutation', { example: 'graphql: /graphql' }),
    key('headers', map('header', text('value')), 'Headers of every request; a {slot} takes a value of configuration', {
      example: "headers: { accept: 'application/json' }",
    }),
    key('configuration', fields('configuration'), 'Values that each account has of its own, beside its credentials', {
      example: 'configuration: { subdomain: label Subdomain of the account }',
    }),
    key('auth', map('word', keys('scheme')), 'Ways to authenticate, each with a name', {
      example: "auth: { token: { title: Token, fields: { token: secret Token }, send: { authorization: 'Bearer {token}' } } }",
      required: true,
    }),
    key('limits', keys('limits'), "The vendor's limits of calls", { example: 'limits: { per: token, rates: [5000/h] }' }),
    key('errors', keys('errors'), 'How the vendor says that a call failed', { example: 'errors: { message: error.message }' }),
    key('check', either(text('operation'), keys('run')), 'The cheapest call that proves the credentials', {
      example: 'check: user.get',
      required: true,
    }),
    key('account', either(text('account'), keys('account')), 'The call whose record says which account it is, and the field with its id', {
      example: 'account: user.get id',
    }),
    key('pages', map('word', keys('way')), 'Ways of paging, each with a name', { example: 'pages: { link: { next: link } }' }),
    key('lists', keys('lists'), 'What holds for every list that does not say otherwise', { example: 'lists: { at: data, pages: link }' }),
    key('writes', keys('writes'), 'What holds for every create, update and delete that does not say otherwise', {
      example: 'writes: { as: form }',
    }),
    key('changes', keys('changes'), 'A list of what changed, which several entities read instead of all their records', {
      example:
        "changes: { entity: events, since: { created: 'created[gte]' }, where: { type: '{name}.updated' }, record: data.object, keeps: 30d }",
    }),
    key('webhooks', keys('webhooks'), 'Which records the events name that the vendor sends by itself', {
      example:
        'webhooks: { secret: webhook_secret, signature: { header: x-signature }, topic: type, events: { made: { entity: things, key: id } } }',
    }),
    key('types', map('word', fields('any')), 'Fields that several lists of fields share; `+: name` takes them in', {
      example: 'types: { base: { id: string Id } }',
    }),
    key(
      'unsure',
      map('path', word('guessed', 'not said')),
      'What an importer guessed, and what its document did not say: paths of this file',
      {
        example: 'unsure: { limits: not said, entities.issues.list.pages: guessed }',
      },
    ),
    key('entities', map('entity', keys('entity'), 100), 'What the vendor has: each entity with its record and its operations', {
      example: 'entities: { issues: { about: Issues, fields: { id: integer Id }, list: GET /issues } }',
      required: true,
    }),
  ],
}

const connection: Readonly<Record<string, KeyGroup>> = {
  choice: {
    title: 'api, chosen by a value',
    keys: [
      key('by', text('word'), 'The field of configuration that chooses the host', { example: 'by: region', required: true }),
      key('of', map('word', text('origin')), 'A host for each value', {
        example: 'of: { eu: https://api.eu.example.com }',
        required: true,
      }),
    ],
  },
  elsewhere: {
    title: 'elsewhere',
    keys: [
      key('with', text('word'), 'The field of configuration that has a value for such accounts', {
        example: 'with: cloud_id',
        required: true,
      }),
      key('api', text('origin'), 'Host of the API', { example: 'api: https://api.example.com', required: true }),
      key('path', text('prefix'), 'What every path begins with', { example: "path: '/sites/{cloud_id}'", required: true }),
    ],
  },
  ...authGroups,
  limits: {
    title: 'limits',
    keys: [
      key('per', either(text('word'), listOfWords), 'Fields of credentials or configuration whose value has the budget', {
        example: 'per: token',
        required: true,
      }),
      key('rates', list(text('rate')), 'Calls per time that hold together', { example: 'rates: [100/10s, 5000/h]', required: true }),
      key('budgets', map('word', list(text('rate'))), 'Rates of operations that have a budget of their own, each with a name', {
        example: 'budgets: { search: [30/m] }',
      }),
      key('points', keys('points'), 'For vendors that count what a call costs, beside the calls', {
        example: 'points: { rate: 250000/h, cost: x-complexity, expected: 1000, left: x-complexity-remaining }',
      }),
      key('left', text('header'), 'Header that says how many calls are left', { example: 'left: x-ratelimit-remaining' }),
      key('resets', text('header'), 'Header that says when there are more again', { example: 'resets: x-ratelimit-reset' }),
      key('as', word('seconds', 'unix-time', 'unix-time-ms', 'date-time'), 'How it writes the time; seconds count from now', {
        example: 'as: unix-time',
        without: 'seconds',
      }),
    ],
  },
  points: {
    title: 'limits.points',
    keys: [
      key('rate', text('rate'), 'Points per time', { example: 'rate: 250000/h', required: true }),
      key('cost', text('header'), 'Header that says what the call cost', { example: 'cost: x-complexity', required: true }),
      key('expected', { is: 'number', least: 1 }, 'What a call costs as long as no answer said it', {
        example: 'expected: 1000',
        required: true,
      }),
      key('left', text('header'), 'Header that says how many points are left', { example: 'left: x-complexity-remaining' }),
      key('resets', text('header'), 'Header that says when all points are back, written as the resets of limits', {
        example: 'resets: x-complexity-reset',
      }),
    ],
  },
  errors: {
    title: 'errors',
    keys: [
      key('message', either(text('source'), list(text('source'))), "Where the vendor's message is", { example: 'message: error.message' }),
      key('code', text('source'), "Where the vendor's own code is", { example: 'code: error.code' }),
      key('request', text('source'), 'Where the id of the request is', { example: 'request: header:x-request-id' }),
      key(
        'failed',
        { is: 'either', of: [text('path'), { is: 'map', names: 'path', of: scalar, most: 1 }] },
        'A value that says that a call with status 200 failed',
        {
          example: 'failed: { ok: false }',
        },
      ),
      key('success', list(text()), "The vendor's codes of success; every other code is an error", { example: "success: ['0']" }),
      key('partial', list(text()), "The vendor's codes of success in part", { example: "partial: ['20001']" }),
      key('warnings', list(text('header')), 'Headers that warn', { example: 'warnings: [x-warning]' }),
      key(
        'rows',
        list({ is: 'pair', names: 'condition', of: word(...errorWords), group: 'row', known: 'is' }),
        'Which answer means what; the first that fits counts',
        {
          example: 'rows: [{ 403 rate limit: rate_limited }, { code resource_missing: gone }]',
          without: '401, 403, 404, 409, 422, 429 and 5xx mean what they mean everywhere',
        },
      ),
    ],
  },
  row: {
    title: 'errors.rows, in full',
    keys: [
      key('is', word(...errorWords), 'What the answer means', { example: 'is: rate_limited', required: true }),
      key('status', text('status'), 'Status of the answer', { example: 'status: 403' }),
      key('code', list(text()), "The vendor's codes", { example: 'code: [rate_limited]' }),
      key('contains', sentence, 'Words of the message', { example: 'contains: rate limit' }),
      key('for', list(word('list', 'get', 'create', 'update', 'delete')), 'Actions that the row is for', {
        example: 'for: [get]',
        without: 'all',
      }),
      key('hint', sentence, 'What to do next', { example: 'hint: Ask for fewer days.' }),
      key('wait', list(text('span')), 'First and longest wait, when the vendor says none', { example: 'wait: [1s, 5m]' }),
      key('again', flag, 'Whether the same call can succeed later', { example: 'again: true' }),
    ],
  },
  run: {
    title: 'check, with parameters',
    keys: [
      key('run', text('operation'), 'An entity and an action', { example: 'run: users.list', required: true }),
      key('params', params, 'Parameters of the call', { example: 'params: { limit: 1 }' }),
    ],
  },
  ...pageGroups,
  ...conditionGroups,
  lists: { title: 'lists', keys: [atRow, pagesRow, asRow, arraysRow] },
  writes: { title: 'writes', keys: [asRow, arraysRow, onceRow, remembersRow] },
  changes: {
    title: 'changes',
    keys: [
      key('entity', text('entity'), 'The entity whose list has the changes', { example: 'entity: events', required: true }),
      key('params', params, 'Parameters of that list', { example: 'params: { type: all }' }),
      key(
        'since',
        { is: 'pair', names: 'path', of: text('name'), group: 'since', known: 'field' },
        'Field with the time of a change, and the parameter for the start',
        {
          example: "since: { created: 'created[gte]' }",
          required: true,
        },
      ),
      key(
        'where',
        map('path', either(text(), list(text())), 1),
        'Field that says what changed, and its values; {name} is the name of sync.changes',
        {
          example: "where: { type: ['{name}.created', '{name}.updated', '{name}.deleted'] }",
          required: true,
        },
      ),
      key('gone', either(text(), list(text())), 'Values of the same field for deleted records', { example: "gone: '{name}.deleted'" }),
      key('record', text('path'), 'Where a change has the record', { example: 'record: data.object', required: true }),
      key('keeps', text('days'), 'How long the vendor keeps changes', { example: 'keeps: 30d', required: true }),
    ],
  },
}

const operation = keys('operation')
const call = either(text('call'), operation)
const action = (name: string, about: string, example: string): KeyRow => key(name, call, about, { example })

const entities: Readonly<Record<string, KeyGroup>> = {
  entity: {
    title: 'entities.NAME',
    keys: [
      key('about', sentence, 'What a record is', { example: 'about: Issues of a repository', required: true }),
      key('fields', fields('record'), 'The fields of a record', {
        example: 'fields: { id: integer Id, name: string? Name }',
        required: true,
      }),
      key('key', either(text('path'), list(text('path'))), 'What identifies a record; none: nothing does', {
        example: 'key: sha',
        without: 'id',
      }),
      action('list', 'Returns records', 'list: GET /issues'),
      action('get', 'Returns one record', "get: 'GET /issues/{id}'"),
      action('create', 'Makes a record', 'create: { call: POST /issues, body: { title: string! Title } }'),
      action('update', 'Changes a record', "update: { call: 'PATCH /issues/{id}', body: { title: string Title } }"),
      action('delete', 'Deletes a record', "delete: 'DELETE /issues/{id}'"),
      key('sync', either(word('full', 'none'), keys('sync')), 'How the searchable copy gets the records; full: all of them each time', {
        example: 'sync: { since: { updated_at: since } }',
        without: 'none',
      }),
      key(
        'search',
        either(text('name'), list(text('name')), map('name', text('path'))),
        'What can be searched: names, or names with paths; none: nothing',
        {
          example: 'search: [id, name]',
          without: 'all fields of the record',
        },
      ),
      key('from', map('name', either(text('column'), keys('from'))), 'Fields that stand elsewhere in the answer', {
        example: 'from: { name: properties.name }',
      }),
      key('scope', list(text()), 'Scopes, of which the credentials need one', { example: 'scope: [repo]' }),
      key('of', text('entity'), 'The entity that this one is a part of, under the same key', { example: 'of: issues' }),
      ...recordTextKeys,
      key('refers', map('path', text('entity')), 'Fields with keys of other entities', { example: 'refers: { user_id: users }' }),
      key('described', keys('described'), 'The list of the fields that an account has of its own; {described} stands for their names', {
        example: 'described: { run: fields.list, name: id, where: { custom: true } }',
      }),
    ],
  },
  described: describedGroup,
  from: {
    title: 'entities.NAME.from, in full',
    keys: [
      key('path', text('column'), 'Where the value stands in the answer', { example: 'path: properties.name' }),
      key('param', text('name'), 'The parameter whose value it is', { example: 'param: repo' }),
      key('as', word('string', 'lower', 'integer', 'number'), 'The type it becomes', { example: 'as: integer' }),
    ],
  },
  operation: {
    title: 'list, get, create, update, delete, in full',
    keys: [
      key('call', text('call'), 'Method and path, or a field of GraphQL; a {slot} or an argument! is a required parameter', {
        example: "call: 'GET /repos/{owner}/issues'",
        required: true,
      }),
      key('about', sentence, 'What the call does, if the entity does not say it', { example: 'about: Closes an issue' }),
      key('params', fields('parameter'), 'Parameters of the address', { example: 'params: { state: open|closed State }' }),
      key('body', fields('parameter'), 'Parameters of the body', { example: 'body: { title: string! Title }' }),
      key('wrap', text('path'), 'What the body is wrapped in', { example: 'wrap: ticket' }),
      key(
        'always',
        map('name', either(scalar, list(value))),
        'Values that every request carries, and lists with anything in them; {fields} in a text is the names of the fields, with commas, {described} those of the account',
        {
          example: 'always: { archived: false }',
        },
      ),
      key('defaults', constants, 'Values for parameters that are left out, with {fields} and {described} as in always', {
        example: 'defaults: { state: all }',
      }),
      key('format', word('ndjson', 'csv'), 'How a list is answered in lines: each is a record; the first line of CSV has the names', {
        example: 'format: csv',
        without: 'JSON',
      }),
      atRow,
      key('outer', map('name', text('path')), 'Fields that rows within rows take from the row around them: field, and path there', {
        example: 'outer: { order_id: id }',
      }),
      key('keyed', text('name'), 'The rows are the values of an object, and its names become this field', { example: 'keyed: id' }),
      whereRow,
      pagesRow,
      key('because', sentence, 'Why the list has one page, so that a full page raises no doubt', {
        example: 'because: The vendor returns all of them at once.',
      }),
      key('text', map('name', keys('text')), 'Parameters in a query language, which are written from other parameters', {
        example: "text: { jql: { parts: ['project = {project}'], quote: '\"' } }",
      }),
      asRow,
      arraysRow,
      onceRow,
      remembersRow,
      key('headers', map('header', text('value')), 'Headers of the call; a {slot} takes a parameter, which then stands nowhere else', {
        example: "headers: { x-team: '{team}' }",
      }),
      key('running', { is: 'number', least: 201 }, 'Status of an answer that is not ready yet: the same call is made again', {
        example: 'running: 202',
      }),
      key('budget', text('word'), 'Name among the budgets of limits', { example: 'budget: search', without: 'that of the kind' }),
      key('answers', word('record', 'part', 'nothing'), 'What a write answers: the record, some of its fields, or nothing', {
        example: 'answers: nothing',
        without: 'record; nothing for delete',
      }),
      key('merge', list(text('path')), 'Objects of a row whose fields become those of the record', { example: 'merge: [properties]' }),
      key(
        'rest',
        text('name'),
        'Field of the record for what merge finds and the record does not name; without merge, for the described fields',
        {
          example: 'rest: custom',
          without: 'they become fields of the record too',
        },
      ),
    ],
  },
  text: {
    title: 'text',
    keys: [
      key('parts', list(text()), 'Parts, each left out if a parameter in it is; {name} is quoted, {name|bare} is not', {
        example: "parts: ['project = {project}']",
        required: true,
      }),
      key('quote', word('"', "'"), 'Quotation mark of the language', { example: "quote: '\"'", required: true }),
      key('join', text(), 'What stands between the parts', { example: "join: ' AND '", without: ' AND ' }),
      key('start', text(), 'What the text begins with, with {fields} and {described} as in always', {
        example: "start: 'SELECT {fields} FROM Account'",
      }),
      key('lead', text(), 'What stands before the first part, if there is one', { example: "lead: ' WHERE '" }),
      key('end', text(), 'What the text ends with', { example: "end: ' ORDER BY updated'" }),
    ],
  },
  sync: {
    title: 'entities.NAME.sync',
    keys: [
      key('params', params, 'Parameters of every call', { example: 'params: { state: all }' }),
      key('each', map('entity', take), 'Once for each record of another entity, or of several: parameter, and path in that record', {
        example: 'each: { repositories: { owner: owner.login, repo: name } }',
      }),
      eachWhereRow,
      key('batch', { is: 'number', least: 1 }, 'How many records of each one call takes', { example: 'batch: 50', without: 'one' }),
      key('within', keys('within'), 'The records stand inside the records of another entity', {
        example: 'within: { entity: invoices, at: lines.data }',
      }),
      key('under', map('name', text('path'), 1), "Searchable field with the parent's value, and its path in the parent", {
        example: 'under: { repository_id: id }',
      }),
      key(
        'since',
        { is: 'pair', names: 'path', of: text('name'), group: 'since', known: 'field' },
        'Field with the time of a change, and the parameter for the start',
        {
          example: 'since: { updated_at: since }',
        },
      ),
      key('values', map('name', list(scalar)), 'Once for each value of a parameter, and of several for each combination', {
        example: 'values: { status: [active, archived] }',
      }),
      key('newest', text('path'), 'The list is sorted by this time, newest first, and has no filter by it', {
        example: 'newest: updated_at',
      }),
      key('token', keys('token'), 'The last page names a token, and the next run sends it', {
        example: 'token: { read: nextSyncToken, send: syncToken }',
      }),
      key('changes', either(text(), list(text())), 'Names in the list of changes of the kind', { example: 'changes: customer' }),
      key('gone', condition, 'Field, or field and value, that says that a record is deleted', {
        example: 'gone: { status: cancelled }',
      }),
      key('after', map('path', text('name'), 1), 'Field, and the parameter that starts behind its largest value', {
        example: 'after: { id: since_id }',
      }),
    ],
  },
  within: {
    title: 'entities.NAME.sync.within',
    keys: [
      key('entity', text('entity'), 'The other entity', { example: 'entity: invoices', required: true }),
      key('at', text('path'), 'Path of the records in its records', { example: 'at: lines.data', required: true }),
      key('most', { is: 'number', least: 1 }, 'How many the vendor puts there at most', { example: 'most: 10' }),
      key('take', take, 'Parameters of the own list, for those that are cut', { example: 'take: { invoice: id }' }),
    ],
  },
  since: {
    title: 'since, in full',
    keys: [
      key('field', text('path'), 'Field with the time of a change', { example: 'field: updated_at', required: true }),
      key('send', text('name'), 'Parameter for the start', { example: 'send: since', required: true }),
      key('until', text('name'), 'Parameter for the end, if the vendor needs one', { example: 'until: to' }),
      key('as', text('time'), 'How the parameter writes a time: a word, or a text with slots for its parts in UTC', {
        example: "as: '{year}/{month}/{day} {hour}:{minute}:{second}'",
        without: 'the type of the parameter, else iso',
      }),
      key('text', text(), 'Text of the parameter, with {time} in it', { example: "text: 'created:>={time}'" }),
      key('first', text(), 'Start of the first run', { example: "first: '2020-01-01T00:00:00Z'" }),
      key('overlap', text('span'), 'How far each run looks back behind the last', { example: 'overlap: 1h', without: '1m' }),
      key('fixed', flag, 'True: the time of a record never changes', { example: 'fixed: true' }),
      key('sorted', flag, 'True: the list is sorted by it, the oldest first, so the sync goes on from the last record of each page', {
        example: 'sorted: true',
      }),
    ],
  },
  token: {
    title: 'entities.NAME.sync.token',
    keys: [
      key('read', text('path'), 'Path of the token in the answer', { example: 'read: nextSyncToken', required: true }),
      key('send', text('name'), 'Parameter that takes it', { example: 'send: syncToken', required: true }),
    ],
  },
}

/** All groups of keys by name. `kind` is the whole file. */
export const groups: Readonly<Record<string, KeyGroup>> = { kind, ...connection, ...entities, ...webhookGroups, field: fieldGroup }
