/** Rows of the table about authentication. */
import {
  constants,
  either,
  fields,
  flag,
  type KeyGroup,
  key,
  keys,
  list,
  longest,
  map,
  scalar,
  sentence,
  text,
  title,
  value,
  word,
} from '../shape.ts'

const sendRow = key('send', map('name', text('word')), 'Parameters of the call, each with the field of this way whose value it has', {
  example: 'send: { token: access_token, client_id: client_id }',
})

/** Groups of keys of ways to authenticate. */
export const authGroups: Readonly<Record<string, KeyGroup>> = {
  scheme: {
    title: 'auth.NAME',
    keys: [
      key('title', title, 'Name of the way, as people know it', { example: 'title: Personal access token', required: true }),
      key('fields', fields('credential'), 'What people give', { example: 'fields: { token: secret Token of the account }' }),
      key('find', either(text(undefined, longest.sentence), keys('find')), 'Where people find the values: the way through the menus', {
        example: 'find: Settings > Developer settings > Tokens',
        without: "the vendor's pages (docs)",
      }),
      key('send', map('header', text('value')), 'Headers with the values; after `Basic ` stands user:password', {
        example: "send: { authorization: 'Bearer {token}' }",
      }),
      key('query', map('name', text()), 'Values in the address, for vendors that take no header', {
        example: "query: { api_key: '{key}' }",
      }),
      key('headers', map('header', text('value')), 'Headers of every request of this way; a {slot} takes a value of configuration', {
        example: 'headers: { x-client: acme }',
      }),
      key('login', keys('login'), 'A call that takes the values and answers a token, which is renewed when the vendor refuses it', {
        example: "login: { call: POST /session, send: { user: '{user}', password: '{password}' }, token: token }",
      }),
      key('oauth', keys('oauth'), 'A page where the owner of the account agrees, and the token that follows', {
        example: 'oauth: { page: https://example.com/authorize, token: https://example.com/token, scopes: [read] }',
      }),
    ],
  },
  find: {
    title: 'find',
    keys: [
      key('says', sentence, 'What the vendor shows, in one sentence with a full stop', {
        example: 'says: Acme shows the token once.',
        required: true,
      }),
      key('menu', sentence, 'The way through the menus', { example: 'menu: Settings > API' }),
      key('url', text('https'), 'The page', { example: 'url: https://example.com/settings/api' }),
      key('role', title, 'Who may see it', { example: 'role: administrator' }),
    ],
  },
  oauth: {
    title: 'auth.NAME.oauth',
    keys: [
      key('page', text('endpoint'), 'Page where the owner agrees', {
        example: 'page: https://github.com/login/oauth/authorize',
        without: 'none: the OAuth client gets a token for itself (client credentials)',
      }),
      key('token', text('endpoint'), 'Address that gives tokens', {
        example: 'token: https://github.com/login/oauth/access_token',
        required: true,
      }),
      key('scopes', list(text()), 'What the page asks for', { example: 'scopes: [repo, read:org]' }),
      key('separator', text(), 'What stands between two scopes', { example: "separator: ','", without: 'a space' }),
      key('pkce', flag, 'True: the page takes the digest of a secret, and the token call takes the secret (S256)', {
        example: 'pkce: true',
        without: 'false',
      }),
      key('always', constants, 'Fixed parameters of the page, or of the token call without one', {
        example: 'always: { access_type: offline }',
      }),
      key('client', word('body', 'basic'), 'Where the token call carries the client id and secret', {
        example: 'client: basic',
        without: 'body',
      }),
      key('as', word('form', 'json', 'query'), 'How the token call carries its values', { example: 'as: json', without: 'form' }),
      key('names', keys('names'), "The vendor's names, where they are not those of OAuth", {
        example: 'names: { code: auth_code, access_token: data.access_token }',
      }),
      key('exchange', constants, 'Fixed parameters of the token call for a code', { example: "exchange: { expiring: '1' }" }),
      key('revoke', keys('revoke'), 'A call that ends the token of a consent', {
        example: 'revoke: { call: POST /oauth/revoke, send: { token: access_token } }',
      }),
      key(
        'accounts',
        keys('accounts'),
        'A call beside the token lists the accounts; the owner chooses one, and configuration keeps its id',
        {
          example: 'accounts: { call: GET /oauth/sites, id: id, name: name, to: cloud_id }',
        },
      ),
      key('signed', keys('signed'), 'The OAuth client proves itself with a token that its private key signs (RS256, RFC 7523)', {
        example: "signed: { key: private_key, claims: { iss: '{client_email}', aud: https://example.com/token } }",
      }),
      key('refresh', flag, 'False: tokens do not end, and there are no refresh tokens', { example: 'refresh: false', without: 'true' }),
      key('signature', text('name'), 'Parameter of the return with a signature of the others: HMAC-SHA256 in hex, by the client secret', {
        example: 'signature: hmac',
        without: 'the return is not signed',
      }),
      key('returns', map('name', text()), 'Parameters of the return with the values that they must have; a {slot} takes configuration', {
        example: "returns: { shop: '{shop}.example.com' }",
      }),
      key('refusal', text(), 'Words of a page, instead of JSON, by which the token call refuses', {
        example: "refusal: 'Oauth error '",
        without: 'pages say nothing',
      }),
      key('who', sentence, 'Who can agree, in one sentence', { example: 'who: An administrator of the account can consent.' }),
    ],
  },
  login: {
    title: 'auth.NAME.login',
    keys: [
      key('call', text('login'), 'The call, with its whole path; a {slot} takes configuration', {
        example: 'call: POST /v1/session',
        required: true,
      }),
      key('host', either(text('origin'), keys('choice')), 'Host of the call, or one for each value of configuration', {
        example: 'host: https://login.example.com',
        without: 'that of the API',
      }),
      key('send', map('path', scalar), 'Parameters of the call: a {slot} takes a field, other values are sent as they are', {
        example: "send: { user: '{user}', password: '{password}', type: password }",
      }),
      key('headers', map('header', text('value')), 'Headers of the call; after `Basic ` stands user:password', {
        example: "headers: { authorization: 'Basic {user}:{password}' }",
      }),
      key('as', word('json', 'form', 'query'), 'How the call carries its parameters', {
        example: 'as: form',
        without: 'json; query for GET',
      }),
      key('token', text('path'), 'Path of the token in the answer; send has it as {access_token}', {
        example: 'token: data.token',
        required: true,
      }),
      key('expires', text('life'), "Path of the token's life in seconds, or that life", {
        example: 'expires: 12h',
        without: 'the token is used until the vendor refuses it',
      }),
    ],
  },
  accounts: {
    title: 'auth.NAME.oauth.accounts',
    keys: [
      key('call', text('beside'), 'The call, without path; on the host of elsewhere', {
        example: 'call: GET /oauth/sites',
        required: true,
      }),
      sendRow,
      key('at', text('path'), 'Path of the rows in the answer', { example: 'at: sites', without: 'the whole answer' }),
      key('id', text('path'), 'Path of the id in a row', { example: 'id: id', required: true }),
      key('name', text('path'), 'Path of the name in a row', { example: 'name: name', required: true }),
      key('to', text('word'), 'The field of configuration that keeps the id', { example: 'to: cloud_id', required: true }),
    ],
  },
  account: {
    title: 'account, in full',
    keys: [
      key('run', text('operation'), 'An entity and an action', { example: 'run: accounts.list', required: true }),
      key('params', map('name', value), 'Parameters of the call', { example: 'params: { mine: true }' }),
      key('id', text('path'), 'The field with the id', { example: 'id: account_id', required: true }),
      key('among', text('word'), 'The field of configuration whose ids count, if it has some; a consent names its own accounts', {
        example: 'among: account_id',
        without: 'all ids count',
      }),
    ],
  },
  names: {
    title: 'auth.NAME.oauth.names',
    keys: [
      key('client_id', text('name'), 'Parameter with the client id', { example: 'client_id: app_id' }),
      key('client_secret', text('name'), 'Parameter with the client secret', { example: 'client_secret: secret' }),
      key('code', text('name'), 'Parameter with the code, of the return and of the token call', { example: 'code: auth_code' }),
      key('redirect_uri', text('name'), 'Parameter of the token call with the address of the return', {
        example: 'redirect_uri: callback',
      }),
      key('access_token', text('path'), 'Path of the token in the answer', { example: 'access_token: data.access_token' }),
      key('refresh_token', text('path'), 'Path of the refresh token in the answer', { example: 'refresh_token: data.refresh_token' }),
      key('expires_in', text('path'), "Path of the token's life in seconds", { example: 'expires_in: data.expires_in' }),
    ],
  },
  revoke: {
    title: 'auth.NAME.oauth.revoke',
    keys: [
      key('call', text('revocation'), 'The call, on the host of the API and without path', {
        example: 'call: POST /oauth/revoke',
        required: true,
      }),
      { ...sendRow, required: true },
      key('as', word('form', 'json'), 'How the call carries its values', { example: 'as: json', without: 'form' }),
      key('ended', list(text()), "The vendor's codes for a token that ended before", { example: "ended: ['40105']", without: 'none' }),
    ],
  },
  signed: {
    title: 'auth.NAME.oauth.signed',
    keys: [
      key('key', text('word'), 'The field with the private key: RSA, PEM', { example: 'key: private_key', required: true }),
      key('passphrase', text('word'), 'The field with the passphrase of the key', { example: 'passphrase: key_passphrase' }),
      key(
        'claims',
        map('name', text()),
        'What the token says beside its times; a {slot} takes a field, and without its value the claim is left out',
        {
          example: "claims: { iss: '{client_email}', aud: https://example.com/token }",
          required: true,
        },
      ),
    ],
  },
}
