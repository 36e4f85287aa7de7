/** Rows of the table about authentication. */
import { constants, either, fields, flag, type KeyGroup, key, keys, list, longest, map, sentence, text, title, word } from '../shape.ts'

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
      key('headers', map('header', text('value')), 'Headers of every request of this way', { example: 'headers: { x-client: acme }' }),
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
        without: 'none: the application gets a token for itself (client credentials)',
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
      key(
        'accounts',
        keys('accounts'),
        'A call beside the token lists the accounts; the owner chooses one, and configuration keeps its id',
        {
          example: 'accounts: { call: GET /oauth/sites, id: id, name: name, to: cloud_id }',
        },
      ),
      key('signed', keys('signed'), 'The application proves itself with a token that its private key signs (RS256, RFC 7523)', {
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
      key('refusal', text(), 'Words of a page, in place of JSON, by which the token call refuses', {
        example: "refusal: 'Oauth error '",
        without: 'pages say nothing',
      }),
      key('who', sentence, 'Who can agree, in one sentence', { example: 'who: An administrator of the account can consent.' }),
    ],
  },
  accounts: {
    title: 'auth.NAME.oauth.accounts',
    keys: [
      key('call', text('beside'), 'The call, without path; on the host of elsewhere', {
        example: 'call: GET /oauth/sites',
        required: true,
      }),
      key('at', text('path'), 'Path of the rows in the answer', { example: 'at: sites', without: 'the whole answer' }),
      key('id', text('path'), 'Path of the id in a row', { example: 'id: id', required: true }),
      key('name', text('path'), 'Path of the name in a row', { example: 'name: name', required: true }),
      key('to', text('word'), 'The field of configuration that keeps the id', { example: 'to: cloud_id', required: true }),
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
