/** Kind files of strangers who mean harm: each is the right file with one mistake. */
import { acme } from './acme.ts'

/** What in the file becomes what, and what the mistake says. */
export type Hostile = readonly [what: string, from: string, to: string, says: string]

/** The line of the address in the right file. */
export const api = "api: 'https://{site}.acme.example'"
/** The line that sends credentials in the right file. */
export const auth = "    send: { authorization: 'Bearer {token}' }"
const name = '      name: string Name\n'
/** A way to authenticate whose consent page and token are elsewhere. */
export const oauth = (page: string, token: string): string => `    oauth: { page: ${page}, token: ${token} }\n${auth}`
const toApi = (host: string, says: string): Hostile => [`the API at ${host}`, api, `api: '${host}'`, says]
const aboutThings = (text: string, says = 'not seen'): Hostile => [
  `the sentence ${JSON.stringify(text)}`,
  'about: Things of Acme',
  `about: ${JSON.stringify(text)}`,
  says,
]
/** Repeats lines of a file. */
export const times = (count: number, make: (index: number) => string, between = '\n'): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(between)

/** Files that hold what no upload may, by what they try. */
export const hostile: Readonly<Record<string, readonly Hostile[]>> = {
  addresses: [
    toApi('https://127.0.0.1', 'an IP address'),
    toApi('https://10.1.2.3', 'an IP address'),
    toApi('https://169.254.169.254', 'an IP address'),
    toApi('https://8.8.8.8', 'an IP address'),
    toApi('https://2130706433', 'an IP address'),
    toApi('https://0x7f000001', 'an IP address'),
    toApi('https://0x7f.0.0.0x1', 'an IP address'),
    toApi('https://0177.0.0.01', 'an IP address'),
    toApi('https://127.1', 'an IP address'),
    toApi('https://{site}.0.0.1', 'an IP address'),
    toApi('https://[::1]', 'the address of a host'),
    toApi('https://localhost', 'with a dot in it'),
    toApi('https://api.localhost', 'none ends with .localhost'),
    toApi('https://metadata.google.internal', 'none ends with .internal'),
    toApi('https://printer.local', 'none ends with .local'),
    toApi('https://api.acme.example.', 'must be the name of a host'),
    toApi('https://api.acme.example:443', 'cannot have a port'),
    toApi('https://api.acme.example:8080', 'cannot have a port'),
    toApi('http://api.acme.example', 'with https'),
    toApi('https://user@acme.example', 'the address of a host'),
    toApi('https://acme_.example', 'must be the name of a host'),
    toApi('https://acme.{site}', "the vendor's own domain"),
    ['a slot that takes any text', 'site: label Name', 'site: string Name', 'its type is label'],
    ['a host that a value chooses', api, 'api: { by: site, of: { a: https://api.acme.example, b: https://10.0.0.1 } }', 'an IP address'],
    ['another address for some accounts', api, `${api}\nelsewhere: { with: site, api: https://192.168.1.1, path: /x }`, 'an IP address'],
    ['a page of consent on this machine', auth, oauth('https://localhost/x', 'https://a.example/y'), 'with a dot in it'],
    ['tokens at the address of metadata', auth, oauth('https://a.example/x', 'https://169.254.169.254/y'), 'an IP address'],
    ['tokens at a host behind a backslash', auth, oauth('https://a.example/x', "'https://b.example\\a.example/y'"), 'the name of a host'],
    ['tokens at a host with a user', auth, oauth('https://a.example/x', 'https://a.example@b.example/y'), 'cannot hold a user'],
    [
      'tokens at an address in full-width signs',
      auth,
      oauth('https://a.example/x', 'https://１２７.0.0.1/y'),
      'an IP address|name of a host',
    ],
    ['pages about the API on this machine', 'docs: https://docs.acme.example', 'docs: https://127.0.0.1/docs', 'an IP address'],
    [
      'an address of credentials inside',
      'find: Settings > API',
      'find: { says: There., url: https://wiki.corp/x }',
      'none ends with .corp',
    ],
  ],
  headers: [
    ...['host', 'content-length', 'transfer-encoding', 'cookie', 'connection', 'proxy-authorization', 'x-forwarded-for'].map(
      (header): Hostile => [`the header ${header}`, "x-version: '3'", `${header}: '3'`, 'cannot be set|may set'],
    ),
    ...['x-forwarded-user', 'x-real-ip', 'x-original-url', 'x-http-method-override', 'metadata-flavor', 'sec-fetch-site', 'te'].map(
      (header): Hostile => [`the header ${header}`, "x-version: '3'", `${header}: a`, 'cannot be set|may set'],
    ),
    ['authorization of every request', "x-version: '3'", 'authorization: Bearer abc', 'carries credentials'],
    ['authorization of a way', auth, `    headers: { Authorization: Bearer abc }\n${auth}`, 'carries credentials'],
    ['cookies with credentials', auth, "    send: { cookie: '{token}' }", 'cannot be set'],
    ['a second header in a value', "x-version: '3'", 'x-version: "3\\r\\nhost: b.example"', 'printable ASCII'],
    ['a host by the header of repeated writes', 'POST /things, body', 'POST /things, once: host, body', 'may set'],
    ['a host by a header of one call', 'call: GET /things\n', 'call: GET /things\n      headers: { Host: a }\n', 'cannot be set'],
    ['a header of networks by one call', 'call: GET /things\n', 'call: GET /things\n      headers: { x-real-ip: a }\n', 'may set'],
    ['a host by the header of all writes', 'lists:', 'writes: { once: Host }\nlists:', 'may set'],
  ],
  names: [
    ['an entity __proto__', '  things:\n', '  __proto__:\n', '__proto__ cannot be a name'],
    ['a field constructor', name, '      constructor: string Name\n', 'constructor cannot be a name'],
    ['a parameter prototype', 'state: open', 'prototype: open', 'prototype cannot be a name'],
    ['the slug constructor', 'kind: acme', 'kind: constructor', 'constructor is a name'],
    ['rows at __proto__', 'at: data,', 'at: __proto__.data,', '__proto__ is a name'],
    ['a message at constructor.name', 'message: error.message', 'message: constructor.name', 'constructor is a name'],
    ['a code in the header constructor', 'code: error.code', 'code: header:constructor', 'constructor is a name'],
    ['a position behind __proto__', 'next: meta.next', 'next: last:__proto__', '__proto__ is a name'],
    ['an account at __proto__', 'user.get id', 'user.get __proto__', '__proto__'],
    ['a condition on __proto__', 'call: GET /things\n', 'call: GET /things\n      where: { name.__proto__: 1 }\n', '__proto__ is a name'],
    ['a renamed parameter', 'name: string! Name', 'name: { $type: string!, $to: a.__proto__.b }', '__proto__ is a name'],
    ['a name that ships', 'kind: acme', 'kind: gong', 'gong is the name of another kind'],
    ['a title that ships, in other letters', 'title: Acme', 'title: "ＧitＨub"', 'is the name of another kind'],
    ['a title that ships, with dashes', 'title: Acme', 'title: tiktok_marketing', 'is the name of another kind'],
    ['the word of all uploaded kinds', 'kind: acme', 'kind: own', 'a word of the service'],
    ['a word of addresses', 'kind: acme', 'kind: versions', 'a word of the service'],
    ['a name of 65 signs', name, `      ${'n'.repeat(65)}: string Name\n`, 'at most 64'],
    ['the same entity twice', '  parts:\n', '  things:\n', 'stands twice'],
    ['the same slot twice', 'get: GET /things/{id}', "get: 'GET /things/{id}/{id}'", 'the same slot twice'],
  ],
  sizes: [
    ['a file of 257 kB', acme, `${acme}${'# more\n'.repeat(38_000)}`, 'larger than 256 kB'],
    ['aliases that multiply', acme, `a: &a [${'1,'.repeat(60)}]\nb: &b [${'*a,'.repeat(60)}]\nc: [${'*b,'.repeat(60)}]`, 'more than 50000'],
    ['an alias of itself', api, 'api: &a { by: *a }', 'contains itself|has no anchor'],
    ['100,000 brackets', acme, `a: ${'['.repeat(100_000)}`, 'nested more than 24 levels'],
    ['a long key', 'title:', `${'x'.repeat(200_000)}:`, '1024 chars|is not a key|not YAML'],
    ['6 levels', name, '      a: { b: { c: { d: { e: { f: string F } } } } }\n', 'more than 5 levels'],
    ['a group of types in itself', 'base: {', 'base: { inner: { +: base }, ', 'more than 5 levels'],
    [
      'groups of types that double',
      'types:\n  base: {',
      `types:\n  t0: { a: string A }\n${times(30, (index) => `  t${index + 1}: { a: { +: t${index} }, b: { +: t${index} } }`)}\n  base: { id: integer Id, updated_at: date-time When, big: { +: t30 } }\n  other: {`,
      'more than 5 levels',
    ],
    ['501 fields', name, `${times(501, (index) => `      f${index}: string F`)}\n`, 'at most 500'],
    [
      '101 entities',
      '  parts:\n',
      `${times(101, (index) => `  e${index}: { about: E, fields: { id: string Id }, get: GET /e }`)}\n  parts:\n`,
      'at most 100',
    ],
    ['21 ways of paging', 'pages:\n', `pages:\n${times(21, (index) => `  p${index}: { next: link }`)}\n`, 'at most 20'],
    [
      '11 ways to authenticate',
      'auth:\n',
      `auth:\n${times(11, (index) => `  a${index}: { title: A, fields: { a${index}: secret A }, send: { token: '{a${index}}' } }`)}\n`,
      'at most 10',
    ],
    [
      'a list of 501 values that is always sent',
      'call: GET /things\n',
      `call: GET /things\n      always: { ids: [${times(501, String, ', ')}] }\n`,
      'more than 500 values',
    ],
    [
      'a list of 9 levels that is always sent',
      'call: GET /things\n',
      `call: GET /things\n      always: { ids: ${'['.repeat(9)}1${']'.repeat(9)} }\n`,
      'or 8 levels',
    ],
    [
      'a condition of 51 values',
      'call: GET /things\n',
      `call: GET /things\n      where: { name: [${times(51, String, ', ')}] }\n`,
      '1 to 50 are allowed',
    ],
    [
      '11 conditions',
      'call: GET /things\n',
      `call: GET /things\n      where: { ${times(11, (index) => `name.f${index}: 1`, ', ')} }\n`,
      'at most 10',
    ],
    ['21 slots', "x-version: '3'", `x-version: '${'{a}'.repeat(21)}'`, 'at most 20 in one text'],
    ['slots side by side', 'GET /things/{thing}/parts', "'GET /things/{thing}{a}{b}{c}{d}{e}/parts'", 'side by side'],
    ['a sentence of 301 signs', 'about: Things of Acme', `about: ${'A'.repeat(301)}`, 'at most 300'],
    ['a text of 2,001 signs', 'params: { state: open }', `params: { state: ${'o'.repeat(2_001)} }`, 'at most 2000'],
  ],
  texts: [
    aboutThings('Things\u001b[2J', 'control character'),
    aboutThings('Things \u202egnp.exe', 'control character'),
    aboutThings('Things\u200b of Acme'),
    aboutThings('Things \u{e0049}\u{e0067}\u{e006e}'),
    aboutThings('Things\u2028# System'),
    aboutThings('Things \ud800 of Acme'),
    ['a hidden sign in a value', name, '      name: "a\u200b|b Name"\n', 'not seen'],
  ],
  'regular expressions and code': [
    ['a regular expression for messages', '- code missing: gone', "- { is: conflict, matches: '^(a+)+$' }", 'matches is not a key'],
    ['a regular expression for values', 'site: label Name', "site: { $type: label, $pattern: '^(a+)+$' } #", '$pattern is not a key'],
    ['a rule', 'call: GET /things\n', 'call: GET /things\n      rows: rule:steal\n', 'rows is not a key'],
    ['a tag that makes an object', "x-version: '3'", "x-version: !!js/function 'function(){}'", 'tags are not allowed'],
    ['a template with code', auth, "    send: { authorization: '{token.constructor}' }", 'is not a field of this way'],
    ['a template of another language', auth, "    send: { authorization: '{{ 7*7 }}' }", 'is not a field of this way'],
    ['the long form', acme, JSON.stringify({ kind: 'acme', origins: { api: 'https://10.0.0.1' } }), 'this is a long form'],
  ],
}

/** Names that the service has. */
export const taken = ['gong', 'Gong', 'github', 'GitHub', 'tiktok-marketing', '32382e40-3b49-4b99-9c5c-4076501914e7']
