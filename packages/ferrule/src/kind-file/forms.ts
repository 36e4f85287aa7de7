/** The forms of short texts in kind files. The reader and the schema for editors use the same patterns. */

/** What a text must look like. */
export interface TextForm {
  readonly pattern: string
  /** Completes "must be". */
  readonly says: string
  readonly example: string
}

const step = String.raw`[^\s.\[\]]+(?:\[\d*\])*`
const path = String.raw`(?:${step}|\[\d+\])(?:\.${step})*`
const column = String.raw`(?:[^\s.\[\]](?:[^.\[\]]*[^\s.\[\]])?(?:\[\d*\])*|\[\d+\])`
const name = '[a-z][a-z0-9_]*'
const argument = String.raw`\w+: \[?\w+!?\]?!?`
const slots = String.raw`(?:[^?#\s{}]|\{[^?#\s{}]+\})*`

/** Forms by name. */
export const textForms = {
  slug: { pattern: '^[a-z][a-z0-9-]{0,31}$', says: 'a slug: small letters, digits and dashes, at most 32', example: 'kind: github' },
  entity: { pattern: `^${name}$`, says: 'a name: small letters, digits and underscores', example: 'pull_requests' },
  word: { pattern: '^[A-Za-z][A-Za-z0-9_-]*$', says: 'a name: letters, digits, underscores and dashes', example: 'token' },
  /** A name of the vendor's: of a field or a parameter. */
  name: { pattern: String.raw`^[^\s{}"\\]+$`, says: 'a name without spaces', example: 'created_at' },
  path: { pattern: `^${path}$`, says: 'a path into the answer', example: 'data.items' },
  rows: { pattern: `^(?:${step}|\\[\\d*\\])(?:\\.${step})*$`, says: 'a path into the answer', example: 'data.items' },
  /** Names of columns have spaces. */
  column: { pattern: `^${column}(?:\\.${column})*$`, says: 'a path into the answer', example: 'Order ID' },
  origin: {
    pattern: String.raw`^https:\/\/[a-z0-9{][A-Za-z0-9.{}_-]*(?::\d+)?$`,
    says: 'the address of a host, with https and without a path (the path stands in path)',
    example: 'api: https://api.example.com',
  },
  https: { pattern: String.raw`^https:\/\/[^\s/]+\.[^\s]+$`, says: 'an address with https', example: 'https://docs.example.com' },
  endpoint: {
    pattern: String.raw`^https:\/\/[^\s/?#]+\/[^\s?#]*$`,
    says: 'an address with https and a path',
    example: 'https://example.com/oauth/token',
  },
  prefix: {
    pattern: String.raw`^(?:\/[\w.{}-]+)+$`,
    says: 'a path that begins with a slash and does not end with one',
    example: 'path: /v1',
  },
  call: {
    pattern: String.raw`^(?:(?:GET|POST|PUT|PATCH|DELETE) \/${slots}|(?:query|mutation) \w+(?:\(${argument}(?:, ${argument})*\))?)$`,
    says: 'a method (GET, POST, PUT, PATCH, DELETE) and a path without a query whose braces are closed, or query or mutation with a field and its arguments',
    example: 'GET /repos/{owner}/{repo}',
  },
  request: {
    pattern: String.raw`^(?:GET|POST|PUT|PATCH|DELETE) \/\S*$`,
    says: 'a method and a path, perhaps with a query, without the host and without spaces',
    example: 'GET /repos/octo/hello/issues?per_page=100',
  },
  beside: { pattern: String.raw`^GET \/[^?#\s{}]*$`, says: 'GET and a path without slots', example: 'call: GET /oauth/sites' },
  time: {
    pattern: String.raw`^(?:iso|seconds|milliseconds|date|(?=.*\{year\})(?:[^{}]|\{(?:year|month|day|hour|minute|second)\})+)$`,
    says: 'iso, seconds, milliseconds, date, or a text with {year} and slots for month, day, hour, minute and second',
    example: "as: '{year}-{month}-{day} {hour}:{minute}:{second}'",
  },
  login: {
    pattern: `^(?:GET|POST) \\/${slots}$`,
    says: 'GET or POST and a path whose braces are closed',
    example: 'call: POST /v1/session',
  },
  life: {
    pattern: `^(?:\\d+[smhd]|(?!\\d+[a-z]$)${path})$`,
    says: 'a path in the answer, or a time: a number and s, m, h or d',
    example: 'expires: 12h',
  },
  revocation: { pattern: String.raw`^POST \/[^?#\s{}]*$`, says: 'POST and a path without slots', example: 'call: POST /oauth/revoke' },
  header: { pattern: '^[A-Za-z][A-Za-z0-9_-]*$', says: 'the name of a header', example: 'x-api-version' },
  value: {
    pattern: String.raw`^[\x20-\x7e]+$`,
    says: 'what a header can carry: printable ASCII',
    example: "send: { authorization: 'Bearer {token}' }",
  },
  rate: { pattern: String.raw`^\d+\/\d*[smhd]$`, says: 'calls per time', example: '5000/h or 190/10s' },
  span: { pattern: String.raw`^\d+[smhd]$`, says: 'a time: a number and s, m, h or d', example: '7d' },
  days: { pattern: String.raw`^\d+d$`, says: 'a number of days', example: '30d' },
  size: { pattern: String.raw`^[^\s=]+=\d+$`, says: "the vendor's parameter and its largest value", example: 'size: per_page=100' },
  position: {
    pattern: `^(?:link|rows|pages|header:[A-Za-z0-9-]+|link:[\\w-]+|last:${path}|${path})$`,
    says: 'where the next position is: link, rows, pages, header:<name>, last:<field>, or a path in the answer',
    example: 'next: meta.next_cursor',
  },
  criterion: { pattern: `^!?${path}$`, says: 'a field that has a value; with ! in front one that has none', example: 'where: is_member' },
  more: { pattern: `^!?${path}$`, says: 'the path of a flag; with ! in front of a flag for the last page', example: 'more: has_more' },
  source: {
    pattern: `^(?:header:[A-Za-z0-9-]+|${path})$`,
    says: 'a path in the answer, or header:<name>',
    example: 'request: header:x-request-id',
  },
  operation: { pattern: `^${name}\\.[a-z]+$`, says: 'an entity and an action', example: 'check: user.get' },
  account: {
    pattern: `^${name}\\.[a-z]+ ${path}$`,
    says: 'an entity and an action, then the field with the id',
    example: 'account: user.get id',
  },
  condition: {
    pattern: String.raw`^(?:[1-5]xx|\d{3}(?:-\d{3})?)?(?: ?code \S+)?(?:(?:^| )\S.*)?$`,
    says: 'a status, code and a code of the vendor, or words of its message',
    example: '403 rate limit: rate_limited',
  },
  status: { pattern: String.raw`^(?:[1-5]xx|\d{3}(?:-\d{3})?)$`, says: 'a status', example: '429, 5xx or 400-499' },
} as const satisfies Readonly<Record<string, TextForm>>
/** Name of a form. */
export type FormName = keyof typeof textForms
