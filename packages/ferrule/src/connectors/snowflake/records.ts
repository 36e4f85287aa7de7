import {
  absent,
  bool,
  each,
  entity,
  fromConnector,
  int,
  list,
  obj,
  oneOf,
  open,
  opt,
  orAny,
  refuseGiven,
  str,
  trimmed,
} from '../../definition/index.ts'

const name = (what: string) =>
  fromConnector(
    what,
    str(`The ${what}, in the case that SHOW prints; that of the configuration when it is left out`, { minLength: 1 }),
    'if_known',
  )

const context = {
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
const unneeded = {
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
const result = {
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
const statement = {
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

const uuid = (about: string) =>
  str(about, {
    pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
    says: 'must be a UUID',
    examples: ['01c899bb-0000-0001-0000-001000000001'],
  })

const text = (about: string, example: string) => {
  const rules = { minLength: 1, examples: [example] }
  return refuseGiven('statement_not_allowed', str(`${about}, without placeholders; values are written into it`, rules))
}

const write = {
  requestId: opt(
    uuid('Id of the write, a UUID; made when it is left out. The same id with retry true repeats a write without doing it twice'),
  ),
  retry: opt(bool('The write with this requestId was sent before')),
  ...context,
}

/** Default time limit of a write in seconds. After it the write is over and can be sent again. */
const usualTimeout = { timeout: 20 }

/** Rows by statements of the caller. */
export const record = entity({
  about: 'Rows of tables: each action takes one statement of its own kind, such as a SELECT for list',
  key: ['statementHandle'],
  record: result,
  get: {
    about: 'Runs one SELECT that gives a single row',
    ...statement,
    admit: 'rule:select',
    params: { statement: text('One SELECT', 'SELECT CURRENT_USER(), CURRENT_ROLE(), CURRENT_WAREHOUSE()'), ...context },
  },
  list: {
    about: 'Runs one SELECT',
    ...statement,
    admit: 'rule:select',
    params: { statement: text('One SELECT', "SELECT * FROM ORDERS WHERE STATUS = 'NEW' LIMIT 100"), ...context },
  },
  create: {
    about: 'Runs one INSERT, once; 20 seconds at most unless timeout says more',
    ...statement,
    admit: 'rule:insert',
    params: { statement: text('One INSERT', "INSERT INTO EVENTS (EVENT_ID, NAME) VALUES ('e-1', 'signup')"), ...write },
    defaults: usualTimeout,
  },
  update: {
    about: 'Runs one UPDATE, once; 20 seconds at most unless timeout says more',
    ...statement,
    admit: 'rule:update',
    params: { statement: text('One UPDATE', "UPDATE EVENTS SET NAME = 'sign-up' WHERE EVENT_ID = 'e-1'"), ...write },
    defaults: usualTimeout,
  },
  delete: {
    about: 'Runs one DELETE, once; 20 seconds at most unless timeout says more',
    ...statement,
    admit: 'rule:delete',
    params: { statement: text('One DELETE', "DELETE FROM EVENTS WHERE EVENT_ID = 'e-1'"), ...write },
    defaults: usualTimeout,
  },
})

/** No result has so many parts. A larger number is a mistake, and a number beyond 2^53 would lose digits. */
const mostParts = 2_147_483_647

/** GET /api/v2/statements/{statementHandle}. The vendor keeps results for 24 hours. */
export const result_partitions = entity({
  about: 'One part of the result of a statement that ran before; part 0 shows whether it has ended',
  key: ['statementHandle', 'param.partition'],
  record: result,
  from: { statementHandle: { param: 'statementHandle' } },
  get: {
    call: 'GET /api/v2/statements/{statementHandle}',
    at: '',
    one: true,
    page: 'statement',
    running: statement.running,
    params: {
      statementHandle: uuid('Names the result: meta.statement_handle of the statement'),
      partition: int('Number of the part, from 0', { minimum: 0, maximum: mostParts }),
      requestId: opt(uuid('Id of the statement; the vendor does not need it')),
      ...unneeded,
    },
    unsent: Object.keys(unneeded),
  },
})

/** Declares a list by a fixed statement, which is sent whether the caller writes it or not. */
const show = <const S extends string>(text: S) =>
  ({
    ...statement,
    admit: 'rule:session',
    params: { statement: opt(trimmed(oneOf(`${text}; the only one that is taken`, text))), ...context },
    defaults: { statement: text },
  }) as const

/** SHOW DATABASES */
export const databases = entity({
  about: 'Databases that the role sees, as one result',
  key: ['statementHandle'],
  record: result,
  list: show('SHOW DATABASES'),
})

/** SHOW SCHEMAS */
export const schemas = entity({
  about: 'Schemas of the database in use, as one result',
  key: ['statementHandle'],
  record: result,
  list: show('SHOW SCHEMAS'),
})

/** SHOW TABLES. The vendor lists the current database whatever the schema, and lists equal names in several schemas once. */
export const tables = entity({
  about: 'Tables of the database in use, as one result; the vendor shows those of one name in several schemas once',
  key: ['statementHandle'],
  record: result,
  list: show('SHOW TABLES'),
})

/** SHOW VIEWS */
export const views = entity({
  about: 'Views of the database in use, as one result; the vendor shows those of one name in several schemas once',
  key: ['statementHandle'],
  record: result,
  list: show('SHOW VIEWS'),
})

/** SHOW WAREHOUSES */
export const warehouses = entity({
  about: 'Warehouses that the role sees, as one result; the vendor ends it after 10,000',
  key: ['statementHandle'],
  record: result,
  list: show('SHOW WAREHOUSES'),
})

/** SHOW COLUMNS */
export const columns = entity({
  about: 'Columns of the database in use, as one result; the vendor ends it after 10,000',
  key: ['statementHandle'],
  record: result,
  list: show('SHOW COLUMNS'),
})
