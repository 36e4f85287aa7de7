/** Wrong files: each mistake has its place, says what is wrong, and says what to write. */
import { describe, expect, test } from 'vitest'
import { formatMistake, parseKind, readKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { acme } from './acme.ts'

/** What in the file becomes what, and what the mistake says. `§` stands where the mistake is. */
type Wrong = readonly [from: string, to: string, says: string, write?: string]

const long = (count: number, make: (index: number) => string): string => Array.from({ length: count }, (_, index) => make(index)).join('\n')

const cases: Readonly<Record<string, readonly Wrong[]>> = {
  'the text': [
    [acme, '§', 'the file is empty', 'kind: acme'],
    ['about: Things\n', 'about: §Things: all of them\n', 'a colon ended the sentence', 'about: "'],
    ['state: open|closed State }', 'state: open§[] State }', 'must be quoted', '"string[]'],
    ['api:', '§kind: other\napi:', 'stands twice'],
    ["x-version: '3'", "x-version: !!str §'3'", 'the tag tag:yaml.org,2002:str is not allowed', '"text"'],
    ["x-version: '3'", "x-version: §!secret '3'", 'tags are not allowed', "'!important'"],
    ['about: Things\n', '§about:\n', 'about has no value'],
    ['name: string! Name }', 'name: string! Name, §of the thing }', 'a comma ended the sentence: quote it', '"string Name, as'],
    ['  key:\n', '§\tkey:\n', 'spaces, not with tabs'],
    ["headers: { x-version: '3' }\n", "headers: [{ x-version: '3' }\n§", 'a bracket is not closed'],
    [acme, `§${'# comment\n'.repeat(30_000)}${acme}`, 'larger than 256 kB'],
    ['  key:\n', '  ? §[a]\n  : b\n  key:\n', 'a key must be a word'],
    [
      'types:\n',
      `x: &a [${'1,'.repeat(40)}]\ny: &b [${'*a,'.repeat(40)}]\nz: [${'*b,'.repeat(40)}]\ntypes:\n`,
      'more than 50000 values after its aliases',
    ],
    ["headers: { x-version: '3' }", `headers: ${'['.repeat(30)}${']'.repeat(30)}`, 'nested more than 24 levels'],
    ['    fields: { id: string Id }', '    fields: { <<: §*no, id: string Id }', 'not YAML|no anchor'],
    ['    fields: { id: string Id }', '    fields: { §<<: 3, id: string Id }', '<< merges maps only', '<<: *base'],
    ['error.message\n  code:', '§error.message\n   code:', 'the next line is indented too far'],
    ['title: Acme', "title: 'Acme", 'not YAML|quotation|indented'],
  ],
  names: [
    ['  things:\n', '  §__proto__:\n', '__proto__ cannot be a name'],
    ['name: string Name', '§constructor: string Name', 'constructor cannot be a name'],
    ['name: string! Name', '§prototype: string! Name', 'prototype cannot be a name'],
    ['  parts:\n', '  §then:\n', 'then cannot be a name'],
    [
      'body: { name: string! Name }',
      'body: { name: { $type: string!, $to: §a.__proto__.b } }',
      '__proto__ is a name that JavaScript uses',
      'leave it out',
    ],
    ['next: meta.next,', 'next: §meta.constructor.next,', 'constructor is a name that JavaScript uses', 'leave it out'],
    [
      '    list: GET /things/{thing}/parts',
      "    list: { call: 'GET /things/{thing}/parts', at: §then.data }",
      'then is a name that JavaScript uses',
      'leave it out',
    ],
    ['  parts:\n', '  §Parts:\n', 'small letters', 'pull_requests'],
    ['  parts:\n', `  §${'p'.repeat(65)}:\n`, 'has 65 characters; at most 64'],
    ['name: string Name', "§'first name': string Name", 'without spaces', 'created_at'],
    ['kind: acme', 'kind: §Acme', 'must be a slug', 'kind: github'],
    ['kind: acme', `kind: §${'a'.repeat(33)}`, 'must be a slug'],
    ['  key:\n', '  §my key:\n', 'must be a name', 'token'],
  ],
  'keys of the file': [
    ['title: Acme', '§tilte: Acme', 'tilte is not a key of a kind file', 'title'],
    ['category: things\n', '', 'lacks category', 'category: code hosting'],
    ['docs: https://docs', 'docs: §http://docs', 'an address with https'],
    ["'https://{site}.acme.example'", '§http://acme.example', 'with https', 'api: https://'],
    ["'https://{site}.acme.example'", '§https://acme.example/v1', 'without a path', 'api: https://'],
    ['path: /v1', 'path: §v1/', 'begins with a slash', '/v1'],
    ["'https://{site}.acme.example'", "§'https://{sight}.acme.example'", 'sight is not a field of configuration', 'site'],
    ["'https://{site}.acme.example'", "§'https://acme.{site}'", "the vendor's own domain", 'example.com'],
    ["'https://{site}.acme.example'", '§https://localhost', "the vendor's own domain", 'example.com'],
    ["'https://{site}.acme.example'", '§https://10.0.0.1', "the vendor's own domain", 'example.com'],
    ['site: label', 'site: §path', 'its type is label, uuid or digits', 'site: label'],
    ["x-version: '3'", 'x-version: §"3\\r\\nx: y"', 'printable ASCII'],
    ['site: label', 'site: §string', 'its type is label, uuid, digits or path', 'site: label'],
    ['title: Acme', `title: §${'A'.repeat(65)}`, 'has 65 characters; at most 64'],
    ['about: Things of Acme', `about: §${'A'.repeat(301)}`, 'has 301 characters; at most 300'],
    ['about: Things of Acme', 'about: §[Things]', 'must be a text, and is a list'],
    ['about: Things of Acme', 'about: §true', 'quote it'],
    ['about: Things of Acme', 'about: §"Things\\e[31m"', 'control character'],
    ["x-version: '3'", "§host: 'evil.example'", 'host cannot be set'],
    ["x-version: '3'", "§authorization: 'Bearer x'", 'stands in send', 'send:'],
    ["x-version: '3'", "§x version: '3'", 'the name of a header'],
    ["headers: { x-version: '3' }", 'headers: §none', 'must be a map'],
    ['check: user.get', 'check: §usr.get', 'usr is not an entity', 'user'],
    ['check: user.get', 'check: §user.gte', 'gte is not an operation of user', 'get'],
    ['check: user.get', 'check: §user', 'an entity and an action', 'user.get'],
    ['check: user.get', 'check: §things.get', 'needs the parameter id', 'params: { id'],
    ['check: user.get', 'check: { run: user.get, params: { §x: 1 } }', 'x is not a parameter of the call'],
    ['account: user.get id', 'account: §user.get ident', 'ident is not a field of user'],
    ['account: user.get id', 'account: §user.get', 'the field with the id'],
    ['check: user.get', 'check: { run: things.list, params: { state: §opn } }', 'opn is not one of the values', 'open'],
  ],
  credentials: [
    ["'Bearer {token}'", "'Bearer {tokn}'", 'tokn is not a field of this way', 'token'],
    ["authorization: 'Bearer {token}'", "authorization: §'Bearer token'", 'token stands in braces', '{token}'],
    ['token: secret Token', 'token: §secrte Token', 'secrte is not a type', 'secret'],
    ['user: string? Address', 'user: §string! Address', '! is for parameters'],
    ['user: string? Address', 'user: §label? Address', 'label is for configuration fields only'],
    ['    title: Key\n', '    §titel: Key\n    title: Key\n', 'titel is not a key', 'title'],
    ['    title: Key\n', '', 'lacks title'],
    ['find: Settings > API', '§find: { menu: Settings }', 'lacks says', 'says:'],
    ['per: token', 'per: §tokn', 'tokn is not a field of credentials', 'token'],
    ["'Bearer {token}'", "§'Baerer {token}'", 'Baerer is sent as it is', 'Bearer {token}'],
    ["'Bearer {token}'", "§'basic {user}:{token}'", 'basic is sent as it is', 'Basic {user}:{token}'],
    ["send: { authorization: 'Bearer {token}' }", 'query: { key: tokn }', 'sends none of its fields', 'send:'],
    [
      'send: { auth',
      "login: { call: POST /s, send: { u: '{user}' }, token: t, expires: §12w }\n    send: { auth",
      'a time: a number and s, m, h or d',
      '12h',
    ],
    ['100/10s', '§100 per minute', 'calls per time', '5000/h'],
    ['100/10s', '§0/s', 'no call would be allowed', '5000/h'],
    [
      'send: { auth',
      'oauth: { page: §http://a.example/x, token: https://a.example/y }\n    send: { auth',
      'an address with https and a path',
    ],
    [
      'send: { auth',
      'oauth: { page: https://a.example/x, token: https://a.example/y, client: §header }\n    send: { auth',
      'header is not a word for this',
    ],
    ['send: { auth', 'oauth: { page: https://a.example/x, token: https://a.example/y, pkce: §S256 }\n    send: { auth', 'true or false'],
    [
      'send: { auth',
      'oauth: { token: https://a.example/y, signed: { key: §tokn, claims: { iss: x } } }\n    send: { auth',
      'tokn is not a field of this way',
      'token',
    ],
    [
      'send: { auth',
      "oauth: { token: https://a.example/y, signed: { key: token, claims: { iss: §'{usr}' } } }\n    send: { auth",
      'usr is not a field of this way',
      'user',
    ],
    ['send: { auth', 'oauth: { token: https://a.example/y, §signed: { claims: { iss: x } } }\n    send: { auth', 'lacks key', 'key:'],
    [
      'send: { auth',
      'oauth: { page: https://a.example/x, token: https://a.example/y, §signed: { key: token, claims: { iss: x } } }\n    send: { auth',
      'gets its token for a code',
    ],
    ['send: { auth', 'oauth: { token: https://a.example/y, pkce: §true }\n    send: { auth', 'has no page', 'page:'],
    ['send: { auth', 'oauth: { token: https://a.example/y, signature: §hmac }\n    send: { auth', 'has no page', 'page:'],
    ['send: { auth', 'oauth: { token: https://a.example/y, §returns: { shop: x } }\n    send: { auth', 'has no page', 'page:'],
    [
      'send: { auth',
      'oauth: { page: https://a.example/x, token: https://a.example/y, §signatur: hmac }\n    send: { auth',
      'signatur is not a key of auth.NAME.oauth',
      'signature',
    ],
    [
      'send: { auth',
      'oauth: { page: https://a.example/x, token: https://a.example/y, signature: §[hmac] }\n    send: { auth',
      'must be a name without spaces, and is a list',
      'signature: hmac',
    ],
    [
      'send: { auth',
      'oauth: { page: https://a.example/x, token: https://a.example/y, returns: §shop }\n    send: { auth',
      'must be a map, and is a text',
      'returns: {',
    ],
    [
      'send: { auth',
      "oauth: { page: https://a.example/x, token: https://a.example/y, returns: { shop: §'{sight}.a.example' } }\n    send: { auth",
      'sight is not a field of configuration',
      'site',
    ],
    [
      'send: { auth',
      'oauth: { page: https://a.example/x, token: https://a.example/y, refusal: §true }\n    send: { auth',
      'must be a text',
      'refusal:',
    ],
    [
      'send: { auth',
      "oauth: { page: https://a.example/x, token: https://a.example/y, refusal: §' ' }\n    send: { auth",
      'is empty',
      'refusal:',
    ],
    [
      'in the address\nauth:\n',
      "in the address\n  shop: §string Shop\nauth:\n  app: { title: App, oauth: { page: https://a.example/x, token: https://a.example/y, returns: { shop: '{shop}' } } }\n",
      'fills a part of what the vendor returns, so its type is label',
      'shop: label',
    ],
    [
      'limits: { per',
      '  app: { title: App, oauth: { token: https://a.example/y } }\n  two: { title: Two, oauth: { token: §https://b.example/y } }\nlimits: { per',
      'all ways get their tokens at one host',
    ],
  ],
  errors: [
    ['403 too fast: rate_limited', '403 too fast: §rate_limitd', 'rate_limitd is not a word for this', 'rate_limited'],
    ['- code missing: gone', '- §404: gone', 'a status alone', 'code resource_missing: gone'],
    ['  code: error.code\n', '', 'does not say where'],
    ['- code missing: gone', '- { is: gone, code: [missing], for: §[list] }', 'gone is for get only', '[get]'],
    ['- code missing: gone', '- §{ is: conflict }', 'has no condition', '403 rate limit'],
    ['- code missing: gone', '- { is: conflict, status: §4000 }', 'must be a status', '429'],
    ['- code missing: gone', '- §gone', 'must be a map|must be', '403 rate limit'],
    ['- code missing: gone', '- { is: conflict, status: 409, wait: §[1s, 2s, 3s] }', 'the first and the longest wait'],
    ['- code missing: gone', '- { is: conflict, matches: x, status: 409 }', 'matches is not a key'],
    ['message: error.message', 'message: §error message', 'a path in the answer'],
    ['403 too fast: rate_limited', '§43 too fast: rate_limited', '43 is not a status', '403 rate limit'],
    ['- code missing: gone', '- code missing: conflict\n    - §code missing: gone', 'has the condition of a row above'],
  ],
  paging: [
    ['next: meta.next', 'next: §meta next', 'where the next position is', 'meta.next_cursor'],
    ['send: cursor', '§sent: cursor', 'sent is not a key of pages', 'send'],
    ['size: limit=100', 'size: §100', "the vendor's parameter and its largest value", 'per_page=100'],
    ['pages: cursor }', 'pages: §cursr }', 'cursr is not a way of paging', 'cursor'],
    ['cursor: { next: meta.next, send', '§none: { next: meta.next, send', 'none is the word for lists of one page'],
    ['next: meta.next, send: cursor', 'next: link, §send: cursor', 'no parameter takes it'],
    ['next: meta.next, send: cursor, more', 'next: rows, more', 'needs the parameter that takes it', 'starting_after'],
    ['send: cursor, more: meta.has_more, size: limit=100', "send: cursor, §first: '0'", 'next is pages'],
    [
      'next: meta.next, send: cursor, more: meta.has_more, size: limit=100',
      "next: 'last:id', send: page",
      'where the list ends',
      'per_page=100',
    ],
    ['size: limit=100', 'size: §limit=0', 'at least one record'],
    ['get: GET /things/{id}', "get: { call: 'GET /things/{id}', keyed: id }", 'only a list has keyed rows'],
    ['      call: GET /things\n', '      call: GET /things\n      keyed: nothing\n', 'keyed by nothing'],
    ['limit=100 }', "limit=100, cap: { rows: 99, by: id, order: { state: open }, behind: { state: '{last}' } } }", 'smaller than a page'],
    ['limit=100 }', 'limit=100, cap: { rows: 999, by: id, order: { state: open }, behind: { state: 3 } } }', 'without {last}'],
    ['limit=100 }', "limit=100, cap: { rows: 999, by: id, order: { sort: id }, behind: { state: '{last}' } } }", 'continues with sort'],
    ['limit=100 }', 'limit=100, §cap: { rows: 999, by: id, order: { sort: id } } }', 'behind'],
    ['more: meta.has_more', 'more: §yes please', 'the path of a flag', 'has_more'],
    ['state: open|closed State }', 'state: open|closed State, §cursor: string Position }', 'every paged list', 'pages:'],
    ['get: GET /things/{id}', "get: { call: 'GET /things/{id}', §pages: cursor }", 'only a list has pages'],
  ],
  fields: [
    ['name: string Name\n', 'name: §text Name\n', 'text is not a type', 'name: string'],
    ['name: string Name\n', 'name: §str Name\n', 'str is not a type', 'string'],
    ['name: string Name\n', 'name: §everything Name\n', 'a single value stands in $values', 'name: string'],
    ['name: string Name\n', 'name: §Name of it\n', 'a type stands in front of the sentence', 'name: string'],
    ['name: string Name\n', 'name: §string! Name\n', '! is for parameters', 'name: string?'],
    ['state: open|closed State', 'state: §string? State', 'parameters are optional', 'string!'],
    ['state: open|closed State', 'state: §open|open State', 'between | stand different values', 'open|closed'],
    ['state: open|closed State', 'state: §secret State', 'secret is for credential fields only'],
    ['name: string Name\n', 'name: §12\n', 'must be a type with a sentence', 'string'],
    ['name: string Name\n', 'name: { §$typ: string }\n', '$typ is not a key of a field', '$type'],
    ['name: string Name\n', 'name: { $type: §strin, $about: Name }\n', 'strin is not a type', 'string'],
    ['name: string Name\n', 'name: { $type: §integer, a: string A }\n', 'its type is object', 'object[]'],
    ['name: string Name\n', 'name: §[string A, string B]\n', 'one element', 'labels:'],
    ['+: base', '+: §bse', 'bse is not a group of types', 'base'],
    ['base: { id', 'base: { +: §base, id', 'cannot take in another'],
    ['name: string Name\n', `name: §string ${'n'.repeat(301)}\n`, 'has 301 characters'],
    ['name: string Name\n', 'a: { b: { c: { d: { e: §{ f: string F } } } } }\n', 'more than 5 levels', 'object?'],
    [
      '    fields:\n      +: base\n',
      `    §fields:\n      +: base\n${long(501, (index) => `      f${index}: string F`)}\n`,
      'at most 500 are allowed',
    ],
    ['name: string Name\n', 'name: { $type: string, $about: Name, $min: §a }\n', 'a whole number'],
    ['name: string! Name }', 'name: { $type: integer!, $about: Name, $values: §[a, b] } }', 'the type is integer', '$type: string'],
    ['name: string! Name }', 'name: { $type: integer, $about: Name, $default: §few } }', 'few is a text'],
    ['state: open|closed State', 'state: { $type: string, $about: S, $values: [open, closed], $default: §opn }', 'opn is not', 'open'],
  ],
  operations: [
    ['call: GET /things\n', 'call: §FETCH /things\n', 'a method', 'GET /repos'],
    ['get: GET /things/{id}', "get: §'GET /things/{id'", 'whose braces are closed', 'GET /repos/{owner}/{repo}'],
    ['call: GET /things\n', 'call: §GET things\n', 'a method', 'GET /repos'],
    ['call: GET /things\n', 'call: §GET /things?all=1\n', 'without a query'],
    ['get: GET /things/{id}', 'get: { §path: /things }', 'lacks call|path is not a key'],
    ['body: { name: string! Name }', 'body: { name: string! Name }, params: { name: string Name }', 'stands in params too'],
    [
      'create: { call: POST /things, body: { name: string! Name } }',
      'create: { call: POST /things, §wrap: thing }',
      'there is none',
      'body:',
    ],
    ['create: { call: POST /things,', 'create: { call: POST /things, answers: §all,', 'all is not a word for this'],
    ['create: { call: POST /things,', 'create: { call: POST /things, as: §xml,', 'xml is not a word for this', 'form'],
    ['create: { call: POST /things,', 'create: { call: POST /things, always: { §name: x },', 'callers cannot choose'],
    ['create: { call: POST /things,', 'create: { call: POST /things, defaults: { §nam: x },', 'nam is not a parameter', 'name'],
    ['    get: GET /things/{id}', "    get: { call: 'GET /things/{id}', §answers: part }", 'is for writes'],
    ['create: { call: POST /things,', 'create: { call: POST /things, §remembers: 2h,', 'is for writes with once'],
    ['    get: GET /things/{id}', "    get: §'GET /things/{the id}'", 'a path without a query'],
    ['    get: GET /things/{id}', '    §gett: GET /things/{id}', 'gett is not a key', 'get'],
    ['call: GET /things\n', 'call: GET /things\n      defaults: { state: §opn }\n', 'opn is not one of the values', 'open'],
    ['call: GET /things\n', "call: GET /things\n      always: { fields: §'{feilds}' }\n", 'feilds is not a slot of fixed values', 'fields'],
    ['call: GET /things\n', "call: GET /things\n      defaults: { state: §'{descrbed}' }\n", 'descrbed is not a slot', 'described'],
  ],
  entities: [
    ['    get: GET /user\n', '', 'has no operation', 'list: GET /user'],
    ['    about: The account\n', '', 'lacks about', 'about: Issues'],
    ['    fields: { id: string Id }\n    get', '    §fields: { id: §integr Id }\n    get', 'integr is not a type', 'integer'],
    ['    fields: { id: string Id }\n    get', '    key: §uid\n    fields: { id: string Id }\n    get', 'uid is not a field of the record'],
    [
      '    about: Parts of a thing\n',
      '    about: Parts of a thing\n    key: §[param.thng, id]\n',
      'thng is not a parameter of the list',
      'thing',
    ],
    ['    fields: { id: string Id }\n    get', '    fields: { uid: string Id }\n    get', 'id is not a field of the record', 'key: sha'],
    ['    sync: { each', '    title: §kind\n    sync: { each', 'title kind is not a searchable field'],
    ['    sync: { each', '    link: §http://acme.example/{id}\n    sync: { each', 'must be', 'https'],
    [
      '    sync: { each',
      "    link: §'https://acme.example/{kind}'\n    sync: { each",
      'link takes kind, which is not one searchable field',
    ],
    ['    sync: { each', '    refers: { type: §thing }\n    sync: { each', 'thing is not an entity', 'things'],
    ['    sync: { each', '    refers: { kind: §things }\n    sync: { each', 'refers to things by kind, which is not a searchable field'],
    [
      '    sync: { each',
      '    refers: { type: things, kind: §things }\n    sync: { each',
      'refers to things by kind, which is not a searchable field',
    ],
    ['    fields: { id: string Id }\n    get', '    of: §usr\n    fields: { id: string Id }\n    get', 'usr is not an entity', 'user'],
    [
      '    fields: { id: string Id }\n    get',
      '    from: { §nam: a.b }\n    fields: { id: string Id, name: string Name }\n    get',
      'nam is not a field',
      'name',
    ],
    [
      '    fields: { id: string Id }\n    get',
      '    search: §[id]\n    fields: { id: string Id }\n    get',
      'there is no sync',
      'sync: full',
    ],
    ['    get: GET /things/{id}', '    search: §[id, nam]\n    get: GET /things/{id}', 'nam is not a field that can be searched', 'name'],
    [
      '    fields: { id: string Id }\n    get',
      '    key: none\n    sync: §full\n    fields: { id: string Id }\n    get',
      'a copy needs a key',
      'key: id',
    ],
  ],
  sync: [
    ['since: { updated_at: since }', 'since: { §update_at: since }', 'update_at is not a field of the record', 'updated_at'],
    ['since: { updated_at: since }', 'since: { updated_at: §sinze }', 'sinze is not a parameter of list', 'since'],
    ['since: { updated_at: since }', "since: { field: updated_at, send: since, text: §'now' }", 'no {time}', '{time}'],
    ['since: { updated_at: since }', 'since: { field: updated_at, send: since, overlap: §soon }', 'a time: a number and', '7d'],
    ['since: { updated_at: since }', 'since: { field: updated_at, send: since, as: §unix }', 'unix must be iso, seconds'],
    ['since: { updated_at: since }', 'since: §{ updated_at: since, id: since }', 'at most 1 are allowed'],
    ['params: { state: open }, since', 'params: { §stat: open }, since', 'stat is not a parameter', 'state'],
    ['params: { state: open }, since', 'params: { state: §opn }, since', 'opn is not one of the values', 'open'],
    ['since: { updated_at: since }', 'since: { updated_at: §state }', 'state takes fixed values and no time', 'date-time'],
    ['since: { updated_at: since }', 'since: { field: updated_at, send: since, first: §20x }', '20x is no time', '2020'],
    ["where: { type: '{name}.changed' }", "where: { type: §'{nme}.changed' }", 'nme is not a slot of changes', 'name'],
    ['each: { things: { thing: id } }', 'each: { §thing: { thing: id } }', 'thing is not an entity', 'things'],
    ['each: { things: { thing: id } }', 'each: { things: { §thng: id } }', 'thng is not a parameter', 'thing'],
    ['each: { things: { thing: id } }', 'each: { things: { thing: §idd } }', 'idd is not a field of things'],
    ['sync: { each: { things: { thing: id } }, changes: part }', 'sync: §sometimes', 'sometimes is not a word|must be', 'full'],
    ['changes: part }', 'gone: { §deletd: true } }', 'deletd is not a field'],
    ['changes: part }', 'newest: §typ }', 'typ is not a field', 'type'],
    ['changes: part }', 'values: { §typ: [a] } }', 'typ is not a parameter'],
    ['changes: part }', 'token: { read: next, send: §tok } }', 'tok is not a parameter'],
    ['changes: part }', 'within: { entity: §thing, at: owner } }', 'thing is not an entity', 'things'],
    ['  entity: events\n', '  entity: §event\n', 'event is not an entity', 'events'],
    ['keeps: 30d', 'keeps: §long', 'a number of days', '30d'],
    ['keeps: 30d\n', 'keeps: 30d\n  §keep: 3\n', 'keep is not a key of changes', 'keeps'],
    ['sync: { each: { things: { thing: id } }, changes: part }', 'sync: { batch: §3 }', 'is for each'],
    ['sync: { each: { things: { thing: id } }, changes: part }', 'sync: { where: §name }', 'is for each'],
    ['each: { things: { thing: id } }', 'each: { things: { thing: id } }, where: { §nme: x }', 'nme is not a field of things', 'name'],
    [
      'each: { things: { thing: id } }',
      "each: { things: { thing: id } }, where: { name: §'{sit}' }",
      'sit is not a field of config',
      'site',
    ],
  ],
}

const apply = ([from, to]: Wrong): { readonly text: string; readonly place: string | undefined } => {
  expect(acme).toContain(from)
  const marked = acme.replace(from, () => to)
  const before = marked.split('§').at(-2) !== undefined ? marked.slice(0, marked.lastIndexOf('§')).replaceAll('§', '') : undefined
  const lines = before?.split('\n')
  return { text: marked.replaceAll('§', ''), place: lines === undefined ? undefined : `${lines.length}:${(lines.at(-1) ?? '').length + 1}` }
}

test('the file is right before anything is made wrong', async () => {
  expect((await readKind(acme, { name: 'acme' })).mistakes.map(formatMistake)).toEqual([])
})

test('there are at least 120 wrong files', () => {
  expect(Object.values(cases).flat().length).toBeGreaterThanOrEqual(120)
})

describe.each(Object.keys(cases))('%s', (group) => {
  test.each((cases[group] ?? []).map((wrong) => [wrong[2], wrong] as const))('%s', async (_says, wrong) => {
    const { text, place } = apply(wrong)
    const { definition, mistakes } = await readKind(text, { name: 'acme' })
    expect(definition).toBeUndefined()
    const lines = mistakes.map(formatMistake)
    const words = wrong[2].split('|')
    const found = mistakes.filter((mistake) => words.some((word) => mistake.message.includes(word)))
    expect(found.length, `none says so:\n${lines.join('\n')}`).toBeGreaterThan(0)
    if (place !== undefined) expect(found.map(({ line, column }) => `${line}:${column}`)).toContain(place)
    if (wrong[3] !== undefined) expect(found.map(formatMistake).join('\n')).toContain(wrong[3])
    // A mistake of the text itself, such as a tab, has no key that shows how it is written.
    expect(found.filter(({ path, example }) => path !== '' && example === undefined).map(formatMistake)).toEqual([])
  })
})

test('a wrong row of errors is one mistake', async () => {
  const { mistakes } = await readKind(acme.replace('403 too fast: rate_limited', 'code 7: not_found'), { name: 'acme' })
  expect(mistakes.map(({ message }) => message)).toEqual(['not_found is not a word for this'])
})

test('all mistakes come at once, in the order of the file', async () => {
  const text = acme
    .replace('title: Acme', 'titel: Acme')
    .replace('name: string Name', 'name: text Name')
    .replace('GET /user', 'FETCH /user')
  const { mistakes } = await readKind(text, { name: 'acme.kind.yaml' })
  expect(mistakes.map(formatMistake)).toEqual([
    'acme.kind.yaml:1:1 lacks title. Example: title: GitHub',
    'acme.kind.yaml:2:1 titel: titel is not a key of a kind file; did you mean title? Example: title: GitHub',
    expect.stringContaining('acme.kind.yaml:41:10 entities.user.get: FETCH /user must be a method'),
    expect.stringContaining('acme.kind.yaml:46:13 entities.things.fields.name: text is not a type'),
  ])
})

test('a wrong file is an error with all mistakes, their lines and their columns', async () => {
  const thrown: unknown = await parseKind(acme.replace('keeps: 30d', 'keeps: long'), { name: 'acme.kind.yaml' }).catch(
    (error: unknown) => error,
  )
  expect(thrown).toMatchObject({
    code: 'kind_invalid',
    status: 422,
    message: expect.stringContaining('acme.kind.yaml:36:10 changes.keeps: long must be a number of days'),
    errors: [{ field: '/changes/keeps', line: 36, column: 10 }],
  })
})

test('a fixed value or a path that is nearly right is in doubt', async () => {
  const text = acme
    .replace("send: { authorization: 'Bearer {token}' }", "send: { authorisation: 'Bearer {token}' }")
    .replace('code missing: gone', 'coed missing: gone')
    .replace('type: string Type }', 'type: small|large Type, owner: { login: string Login } }')
    .replace('changes: part }', 'changes: part, gone: { type: smal } }')
    .replace('account: user.get id', 'account: user.get id.value')
    .replace('      name: string Name\n', '      name: string Name\n      tags: [{ label: string Label }]\n')
    .replace('    get: GET /things/{id}', '    search: [id, tags.labl]\n    get: GET /things/{id}')
  const { definition, doubts } = await readKind(text, { name: 'acme' })
  expect(definition).toBeDefined()
  expect(doubts.map(({ path, message, near }) => `${path} ${message} ${near}`)).toEqual([
    'auth.key.send.authorisation authorisation is the header that is sent authorization',
    'errors.rows.1 coed missing is looked for in messages code',
    'account value is below a value of the type string, which has nothing within it undefined',
    'entities.things.search labl is not one of the named fields label',
    'entities.parts.sync.gone.type smal is not one of the known values small',
  ])
})

test('doubts are told beside a right file', async () => {
  const text = acme
    .replace('name: string Name', 'name: string')
    .replace('lists: { at: data, pages: cursor }', 'lists: { at: data }')
    .replace('from: date-time Start', 'from: date-time Start, per_page: integer Size')
  const { definition, doubts } = await readKind(text, { name: 'acme' })
  expect(definition).toBeDefined()
  expect(doubts.map(({ path, message }) => `${path} ${message}`)).toEqual([
    'entities.things.fields.name has no sentence, so its name makes one: Name',
    ...['things', 'parts', 'events'].map((name) => `entities.${name}.list has no way of paging, so every call returns one page`),
    'entities.events.list.params.per_page looks like a part of paging, which stands in pages: callers have cursor and limit',
  ])
})
