/** What the entities share: every action of the warehouse takes a context and returns one result record. */
import { absent, bool, each, fromConnector, int, list, obj, open, opt, orAny, str } from '../../definition/index.ts'

const name = (what: string) =>
  fromConnector(
    what,
    str(`The ${what}, in the case that SHOW prints; that of the configuration when it is left out`, { minLength: 1 }),
    'if_known',
  )

/** Where and how a statement runs. */
export const context = {
  database: name('database'),
  schema: name('schema'),
  warehouse: name('warehouse'),
  role: name('role'),
  timeout: opt(
    int('Seconds that the statement may run, queueing included; 0 for the longest that the vendor allows, 7 days', {
      minimum: 0,
      maximum: 604_800,
    }),
  ),
  parameters: opt(
    open(
      'Session parameters: BINARY_OUTPUT_FORMAT, CLIENT_RESULT_CHUNK_SIZE, DATE_OUTPUT_FORMAT, QUERY_TAG, ROWS_PER_RESULTSET, TIMEZONE, ' +
        'TIME_OUTPUT_FORMAT, TIMESTAMP_OUTPUT_FORMAT, TIMESTAMP_LTZ_OUTPUT_FORMAT, TIMESTAMP_NTZ_OUTPUT_FORMAT, TIMESTAMP_TZ_OUTPUT_FORMAT, USE_CACHED_RESULT',
    ),
  ),
}

/** The same parameters as documented, for reading an existing result, which needs none of them. */
export const unneeded = {
  ...each(opt(str('Not needed: a result has the context of its statement')), 'database', 'schema', 'warehouse', 'role'),
  timeout: context.timeout,
  parameters: context.parameters,
}

const column = obj(
  {
    name: str('Name'),
    ...each(str('Where the column is from; empty for an expression'), 'database', 'schema', 'table'),
    type: str(
      'fixed, real, text, boolean, binary, date, time, timestamp_ntz, timestamp_ltz, timestamp_tz, variant, object, array or another',
    ),
    ...each(orAny(int('Null where it does not apply')), 'scale', 'precision', 'length', 'byteLength'),
    nullable: bool('Whether it can be null'),
    collation: orAny(str('Collation; null without one')),
  },
  'A column',
)

const partition = obj(
  {
    rowCount: int('Rows'),
    uncompressedSize: int('Bytes'),
    compressedSize: absent(int('Bytes as sent; null for a part that is not compressed')),
  },
  'A part of the result; its position is its number',
)

/** The record of every action. Parts of a result after the first have only `data`. */
export const result = {
  requestId: absent(str('Id that the vendor knows the statement by')),
  resultSetMetaData: absent(
    obj(
      {
        numRows: int('Rows of all parts'),
        format: str('jsonv2: every cell is a string or null'),
        rowType: list(column, 'Columns, in the order of the cells'),
        partitionInfo: list(partition, 'Parts of the result'),
      },
      'What the result looks like',
    ),
  ),
  data: absent(list(list(orAny(str('Value as the vendor writes it; null for NULL')), 'A row'), 'Rows of this part')),
  code: absent(str('090001: it ran; 333334: it is still running')),
  statementStatusUrl: absent(str("Path of the statement at the vendor, which only the vendor's token opens")),
  sqlState: absent(str('SQLSTATE')),
  statementHandle: absent(str('Names the statement and its result, for result_partitions')),
  message: absent(str('What happened, in words')),
  createdOn: absent(int('When the statement began, in milliseconds since 1970')),
  stats: absent(open('Rows that were changed, for example numRowsInserted; null for reads')),
}

/** How every statement is sent: identified by an id, and polled if it takes longer than the vendor waits. */
export const statement = {
  call: 'POST /api/v2/statements',
  at: '',
  one: true,
  page: 'statement',
  submits: { id: 'requestId', again: 'retry', within: 'timeout' },
  running: {
    status: 202,
    poll: {
      call: 'GET /api/v2/statements/{statementHandle}',
      cancel: 'POST /api/v2/statements/{statementHandle}/cancel',
      statuses: [202, 429],
      handle: 'statementHandle',
    },
  },
} as const
