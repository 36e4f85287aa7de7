/** Ends and positions of lists in manifests, which the importer reads from expressions. */
import { describe, expect, test } from 'vitest'
import { importText, writeManifest } from './manifests.ts'

const parameter = '{ type: RequestOption, inject_into: request_parameter, field_name: after }'
const path = '{ type: RequestPath }'

/** Imports a list that is paged by a cursor, and returns its ways of paging. */
async function importPages(position: string, stop: string, { option = parameter as string | null, fieldPath = '[data]', method = 'GET' }) {
  const imported = await importText(
    writeManifest({
      ...{ fieldPath, method },
      retriever: `paginator:
  type: DefaultPaginator
${option === null ? '' : `  page_token_option: ${option}`}
  pagination_strategy:
    type: CursorPagination
    cursor_value: >-
      {{ ${position} }}
    stop_condition: >-
      {{ ${stop} }}`,
    }),
  )
  expect([imported.reasons, imported.read.mistakes]).toEqual([[], []])
  return imported.file.pages
}

const graphql = { option: '{ type: RequestOption, inject_into: body_json, field_name: variables }', method: 'POST' }

test.each([
  [
    'the last record, until a page is empty',
    "last_record['id']",
    'not last_record',
    {},
    { last: { more: 'rows', next: 'last:id', send: 'after' } },
  ],
  [
    'an address that comes with rows only',
    "response['paging']['next'] if response['items']",
    "not response.get('items', [])",
    { option: path, fieldPath: '[items]' },
    { link: { next: 'paging.next', more: 'rows' } },
  ],
  [
    'a name with a dot',
    "response['@odata.nextLink']",
    "not response.get('@odata.nextLink')",
    { option: path },
    { link: { next: '@odata\\.nextLink' } },
  ],
  [
    'a Link header that is cut by hand',
    'headers.get("Link", {}).split(";")[0][1:-1]',
    '\'rel="next"\' not in headers.get("Link", {})',
    { option: path },
    { link: { next: 'link' } },
  ],
  [
    'a Link header whose next page has a flag',
    'headers["link"].get("next", {}).get("cursor", {})',
    'headers["link"]["next"]["results"] == "false"',
    {},
    { link: { next: 'link', more: 'rows' } },
  ],
  [
    'a parameter that is cut out of the next address',
    'response.get("next_page", "").split("after=")[-1].split("&")[0] if "after=" in response.get("next_page", "") else ""',
    'not response.get("next_page", "")',
    {},
    { link: { next: 'next_page' } },
  ],
  [
    'an object of GraphQL that is written as a text',
    `'{"after": "' + response.data.page.end + '"}' if response.data.page.end else ""`,
    'response.data.page.more is false',
    graphql,
    { cursor: { next: 'data.page.end', more: 'data.page.more', send: 'variables.after' } },
  ],
])('%s', async (...[, position, stop, parts, pages]) => {
  expect(await importPages(position, stop, parts)).toEqual(pages)
})

test('a position that no request carries is one page, which is guessed', async () => {
  expect(await importPages('response.next', 'not response.next', { option: null })).toBeUndefined()
})

test('a fixed parameter with a name that callers have for the size of a page', async () => {
  const { file, isWhole, read } = await importText(writeManifest({ requester: 'request_parameters: { limit: "100" }' }))
  expect([isWhole, read.mistakes]).toEqual([true, []])
  expect(file.entities['notes']?.list).toMatchObject({
    params: { limit_value: { $type: 'string', $about: 'Limit', $to: 'limit' } },
    defaults: { limit_value: '100' },
  })
})

test('a path with spaces, names of headers with underscores, and names that are joined', async () => {
  const { file, isWhole, read } = await importText(
    writeManifest({
      path: '"/All notes"',
      authenticator: `type: ApiKeyAuthenticator\nheader: X_API_KEY\napi_token: "{{ config['to' + 'ken'].strip() }}"`,
    }),
  )
  expect([isWhole, read.mistakes]).toEqual([true, []])
  expect([file.entities['notes']?.list, file.auth['key']?.send]).toMatchObject([{ call: 'GET /All%20notes' }, { x_api_key: '{token}' }])
})

const into = (carrier: string, name: string): string => `{ type: RequestOption, inject_into: ${carrier}, field_name: ${name} }`

describe('parameters that the platform puts into the body', () => {
  test('of a GET: the start of the changes and the values of a list', async () => {
    const { file, isWhole, read } = await importText(
      writeManifest({
        requester: 'request_parameters: { v: "3" }',
        retriever: `partition_router: { type: ListPartitionRouter, values: [a, b], cursor_field: shelf, request_option: ${into('body_json', 'shelf')} }`,
        stream: `incremental_sync:
  type: DatetimeBasedCursor
  cursor_field: changed_at
  datetime_format: "%s"
  start_time_option: ${into('body_json', 'since')}`,
      }),
    )
    expect([isWhole, read.mistakes]).toEqual([true, []])
    expect(file.entities['notes']?.list).toMatchObject({
      ...{ call: 'GET /notes', as: 'json', params: { v: 'string V' }, defaults: { v: '3' } },
      body: { since: 'unix-time Changed since', shelf: 'string! Shelf' },
    })
  })

  test.each([
    ['body_json', 'json'],
    ['body_data', 'form'],
  ])('of a GET: the position and the size of a page (%s)', async (carrier, as) => {
    const { file, isWhole, read } = await importText(
      writeManifest({
        retriever: `paginator:
  type: DefaultPaginator
  page_token_option: ${into(carrier, 'skip')}
  page_size_option: ${into(carrier, 'count')}
  pagination_strategy: { type: OffsetIncrement, page_size: 50 }`,
      }),
    )
    expect([isWhole, read.mistakes]).toEqual([true, []])
    expect(file).toMatchObject({
      pages: { rows: { next: 'rows', send: 'skip', size: 'count=50' } },
      entities: { notes: { list: { call: 'GET /notes', as, pages: 'rows' } } },
    })
  })

  test('of a POST as a form', async () => {
    const { file } = await importText(
      writeManifest({
        method: 'POST',
        stream: `incremental_sync:
  type: DatetimeBasedCursor
  cursor_field: changed_at
  datetime_format: "%s"
  start_time_option: ${into('body_data', 'since')}`,
      }),
    )
    expect(file.entities['notes']?.list).toMatchObject({ call: 'POST /notes', as: 'form', body: { since: 'unix-time Changed since' } })
  })
})
