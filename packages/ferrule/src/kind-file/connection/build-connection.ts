/** Makes the parts of the long form that reach the vendor: hosts, credentials, configuration and limits. */
import type { ConnectorDefinition, CredentialScheme, Limits, Origins, Rate } from '../../definition/connector.ts'
import type { ConsentRevocation, Exchange, Grant } from '../../definition/consent.ts'
import type { Field, Fields, Finding } from '../../definition/fields.ts'
import { find, opt, secret, str, time } from '../../definition/fields.ts'
import { dropAbsent } from '../../definition/object.ts'
import { listSlots } from '../../definition/templates.ts'
import { buildFields, hostSlots, readFinding, wholeHost } from '../build-fields.ts'
import { type BuildScope, checkHeaders, lowerNames, readSpan, refer } from '../build-scope.ts'
import type { Steps } from '../check-tree.ts'
import type { FileLimits, FileLogin, FileOauth, FileScheme, KindFile, Named } from '../file.ts'
import { findNearWord } from '../mistakes.ts'
import { buildLogin, buildLoginFields, checkLogin } from './build-login.ts'

/** Says where people find values whose fields do not say it. */
export const docsFinding = ({ file }: BuildScope): Finding => ({
  says: `The documentation of ${file.title} describes where.`,
  ...(file.docs === '' ? {} : { url: file.docs }),
})

/** Builds the configuration. Slots of the host, the path and the return are required, and take classes of characters only. */
export function buildConfiguration(scope: BuildScope): Fields {
  const { file, found } = scope
  const api = typeof file.api === 'string' ? file.api : ''
  const endpoints = Object.entries(file.auth).flatMap(([name, { oauth, login }]) =>
    [
      [['auth', name, 'oauth', 'page'], oauth?.page ?? ''] as const,
      [['auth', name, 'oauth', 'token'], oauth?.token ?? ''] as const,
      [['auth', name, 'login', 'host'], typeof login?.host === 'string' ? login.host : ''] as const,
      [['auth', name, 'login', 'call'], login?.call ?? ''] as const,
    ].filter(([, address]) => address !== ''),
  )
  const returned = Object.entries(file.auth).flatMap(([name, { oauth: { returns = {} } = {} }]) =>
    Object.entries(returns).map(([param, template]) => [['auth', name, 'oauth', 'returns', param], template] as const),
  )
  const { elsewhere } = file
  const slots = [
    ...(elsewhere === undefined ? [api, file.path ?? ''] : []),
    ...[...endpoints, ...returned].map(([, each]) => each),
  ].flatMap(listSlots)
  const { fields } = buildFields(file.configuration ?? {}, ['configuration'], {
    ...{ use: 'configuration', found, types: file.types ?? {}, required: new Set(slots), finding: docsFinding(scope) },
  })
  checkHosts(scope, fields)
  for (const [steps, text] of [
    [['api'], api],
    [['path'], file.path ?? ''],
    [['elsewhere', 'with'], elsewhere === undefined ? '' : `{${elsewhere.with}}`],
    [['elsewhere', 'api'], elsewhere?.api ?? ''],
    [['elsewhere', 'path'], elsewhere?.path ?? ''],
    ...endpoints,
    ...returned,
  ] as const)
    for (const name of listSlots(text)) {
      const isKnown = refer(scope, {
        ...{ steps, what: 'a field of configuration', name, valid: Object.keys(fields) },
        example: `configuration: { ${name}: label Name of the account in the address }`,
      })
      if (isKnown && fields[name]?.pattern === undefined)
        found.note(['configuration', name], {
          message: `fills a part of ${steps[3] === 'returns' ? 'what the vendor returns' : 'the address'}, so its type is label, uuid, digits or path`,
          example: `${name}: label Name of the account in the address`,
        })
    }
  return fields
}

/** Classes of characters that stay within a part of a host. */
const hostPatterns: ReadonlySet<string | undefined> = new Set(Object.values(hostSlots).map(([pattern]) => pattern))

/**
 * Checks that hosts belong to the vendor: the last two parts stand in the file, and slots fill whole or half parts before them. Credentials
 * would else go wherever a value leads.
 */
function checkHosts({ file, found }: BuildScope, configuration: Fields): void {
  const { elsewhere } = file
  const chosen: [Steps, string][] =
    typeof file.api === 'string' ? [] : Object.entries(file.api.of).map(([name, origin]) => [['api', 'of', name], origin])
  const pages = Object.entries(file.auth).flatMap(([name, { oauth, login }]) => [
    [['auth', name, 'oauth', 'page'], oauth?.page ?? ''] as const,
    [['auth', name, 'oauth', 'token'], oauth?.token ?? ''] as const,
    ...(typeof login?.host === 'object'
      ? Object.entries(login.host.of).map(([value, origin]) => [['auth', name, 'login', 'host', 'of', value], origin] as const)
      : [[['auth', name, 'login', 'host'], login?.host ?? ''] as const]),
  ])
  if (elsewhere !== undefined) chosen.push([['elsewhere', 'api'], elsewhere.api])
  for (const [steps, address] of [...(typeof file.api === 'string' ? [[['api'], file.api] as const] : []), ...chosen, ...pages]) {
    const host = originOf(address)
      .replace(/^https:\/\//, '')
      .replace(/:\d+$/, '')
    const [last = '', domain = ''] = host.split('.').toReversed()
    const whole = /^\{([^{}]*)\}$/.exec(host)?.[1]
    if (whole !== undefined && steps[0] === 'api' && steps.length === 1) {
      if (Object.hasOwn(configuration, whole) && configuration[whole]?.pattern !== wholeHost.pattern)
        found.note(['configuration', whole], {
          message: 'is the whole host of api, so its type is host',
          example: `${whole}: host Host of the account`,
        })
      continue
    }
    if (host !== '' && (domain === '' || /[{}]/.test(last + domain) || !/[a-z]/i.test(last)))
      found.note(steps, { message: "must end with the vendor's own domain", example: "api: 'https://{site}.example.com'" })
    for (const name of listSlots(host))
      if (
        Object.hasOwn(configuration, name) &&
        configuration[name]?.pattern !== undefined &&
        !hostPatterns.has(configuration[name]?.pattern)
      )
        found.note(['configuration', name], {
          message: 'fills a part of a host, so its type is label, uuid or digits',
          example: `${name}: label Name of the account in the address`,
        })
  }
}

const originOf = (address: string): string => /^https:\/\/[^/]+/.exec(address)?.[0] ?? address
const pathOf = (address: string): `/${string}` => `/${address.slice(originOf(address).length + 1)}`

/** Builds the hosts. */
export function buildOrigins(scope: BuildScope): Origins {
  const { file, found } = scope
  const api = typeof file.api === 'string' ? file.api : { by: file.api.by, origins: file.api.of }
  const choices: readonly (readonly [Steps, FileLogin['host']])[] = [
    [['api'], file.api],
    ...Object.entries(file.auth).map(([name, { login }]) => [['auth', name, 'login', 'host'], login?.host] as const),
  ]
  for (const [steps, choice] of choices)
    if (typeof choice === 'object')
      refer(scope, {
        ...{ steps: [...steps, 'by'], what: 'a field of configuration', name: choice.by },
        valid: Object.keys(file.configuration ?? {}),
      })
  const ways = listTokenWays(file)
  const [first, ...more] = ways.filter(({ page }) => page !== undefined)
  for (const { steps } of more)
    found.note(steps.slice(0, -1), { message: `a kind has one page of consent, and auth.${first?.steps[1]} has it` })
  const { host: used } = first ?? ways[0] ?? {}
  for (const { steps, host } of ways)
    if (JSON.stringify(host) !== JSON.stringify(used))
      found.note(steps, { message: `all ways get their tokens at one host, and another one has ${sayHost(used)}` })
  const { elsewhere } = file
  const hosts = {
    api,
    ...(elsewhere === undefined ? {} : { other: { configuration: elsewhere.with, api: elsewhere.api, prefix: elsewhere.path } }),
  }
  if (used === undefined) return hosts
  if (typeof used === 'object') return { ...hosts, token: { by: used.by, origins: used.of } }
  const page = originOf(first?.page ?? used)
  return { ...hosts, oauth: page, ...(used === page ? {} : { token: used }) }
}

const sayHost = (host: FileLogin['host']): string =>
  host === undefined ? 'that of the API' : typeof host === 'string' ? host : `one that ${host.by} chooses`

interface TokenWay {
  readonly steps: Steps
  /** Undefined: the API's host, which a value chooses. */
  readonly host: FileLogin['host']
  readonly page: string | undefined
}

const listTokenWays = ({ auth, api }: KindFile): readonly TokenWay[] =>
  Object.entries(auth).flatMap(([name, { oauth, login }]): readonly TokenWay[] => {
    if (oauth !== undefined) return [{ steps: ['auth', name, 'oauth', 'token'], host: originOf(oauth.token), page: oauth.page }]
    const host = login?.host ?? (typeof api === 'string' ? api : undefined)
    return login === undefined ? [] : [{ steps: ['auth', name, 'login', 'call'], host, page: undefined }]
  })

const grantFields = ['client_id', 'client_secret'] as const

/** Builds the fields of OAuth: what the OAuth client has, and what the exchange fills in. */
function buildGrantFields(title: string, { page, signed, refresh: hasRefresh = true }: FileOauth): Fields {
  const filled = {
    says:
      page === undefined
        ? `${title} gives it for the other values.`
        : `${title} gives it when the owner of the account agrees; a connect link fills it in.`,
  }
  const shown = { says: `${title} shows it in the settings of your OAuth client.` }
  const access: Field = find(filled, secret('Access token'))
  const id = find(shown, str('Client id of the OAuth client', { minLength: 1 }))
  const password = find(shown, secret('Client secret of the OAuth client'))
  const expiry = opt(find(filled, time('When the access token expires')))
  if (signed !== undefined) return { access_token: opt(access), token_expiry_date: expiry }
  if (page === undefined) return { client_id: id, client_secret: password, access_token: opt(access), token_expiry_date: expiry }
  return {
    ...(hasRefresh ? { refresh_token: find(filled, secret('Refresh token')), access_token: opt(access) } : { access_token: access }),
    client_id: opt(id),
    client_secret: opt(password),
    ...(hasRefresh ? { token_expiry_date: expiry } : {}),
  }
}

const joinScopes = ({ scopes, separator = ' ' }: FileOauth): Named<string> =>
  scopes === undefined ? {} : { scope: scopes.join(separator) }
const toTexts = (values: NonNullable<FileOauth['always']>): Named<string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))

/** Lifetime of a signed token in seconds: it is exchanged at once, and vendors refuse long ones. */
const signedSeconds = 120

/** Builds the grant of an OAuth client without a page: it is the grant itself (RFC 6749 section 4.4), or a token that it signs (RFC 7523). */
function buildOwnGrant(oauth: FileOauth, inBody: Named<string>): Grant {
  const { signed, always = {} } = oauth
  const constant = { ...joinScopes(oauth), ...toTexts(always) }
  if (signed === undefined) return { constant: { grant_type: 'client_credentials', ...constant }, send: inBody }
  return {
    constant: { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', ...constant },
    send: {},
    signed: { param: 'assertion', ...signed, seconds: signedSeconds },
  }
}

function buildExchange(oauth: FileOauth): Exchange {
  const { page, token, client = 'body', as = 'form', refresh = true, signed, refusal, names = {}, exchange = {} } = oauth
  const { client_id = 'client_id', client_secret = 'client_secret', code = 'code', redirect_uri = 'redirect_uri' } = names
  const { access_token = 'access_token', refresh_token = 'refresh_token', expires_in = 'expires_in' } = names
  const inBody: Named<string> = client === 'body' ? { [client_id]: 'client_id', [client_secret]: 'client_secret' } : {}
  const common = {
    call: `POST ${pathOf(token)}`,
    ...(client === 'basic' && signed === undefined ? { headers: { authorization: 'Basic {client_id}:{client_secret}' } } : {}),
    as,
    ...dropAbsent({ refusal }),
  } as const
  const expires = { seconds: expires_in, field: 'token_expiry_date' }
  if (page === undefined) return { ...common, read: { access_token }, expires, refresh: buildOwnGrant(oauth, inBody) }
  return {
    ...common,
    read: { access_token, ...(refresh ? { refresh_token } : {}) },
    ...(refresh
      ? { expires, refresh: { constant: { grant_type: 'refresh_token' }, send: { refresh_token: 'refresh_token', ...inBody } } }
      : {}),
    code: { constant: { grant_type: 'authorization_code', ...toTexts(exchange) }, send: inBody, code, redirectUri: redirect_uri },
  }
}

/** Checks that a signed token names fields, and that its way has no page of consent. */
function checkSigned(
  scope: BuildScope,
  { page, signed }: FileOauth,
  { fields, steps }: { readonly fields: Fields; readonly steps: Steps },
) {
  if (signed === undefined) return
  if (page !== undefined)
    scope.found.note(
      steps,
      { message: 'a way with a page of consent gets its token for a code', example: 'a way of its own, without page' },
      'key',
    )
  const { key, passphrase } = signed
  for (const [word, name] of Object.entries(dropAbsent({ key, passphrase })))
    refer(scope, {
      ...{ steps: [...steps, word], what: 'a field of this way to authenticate', name, valid: Object.keys(fields) },
      example: `fields: { ${name}: secret Private key }`,
    })
  checkTemplates(scope, signed.claims, fields, [...steps, 'claims'])
}

function buildConsent(title: string, oauth: FileOauth, page: string): NonNullable<CredentialScheme['consent']> {
  const { scopes, separator, pkce, names = {}, always = {}, who = `The owner of the ${title} account can consent.` } = oauth
  const { signature, returns, accounts, revoke } = oauth
  return dropAbsent({
    page: `GET ${pathOf(page)}` as const,
    send: { [names.client_id ?? 'client_id']: 'client_id' },
    constant: { response_type: 'code', ...toTexts(always) },
    scopes,
    separator,
    pkce: pkce || undefined,
    oauthClient: grantFields,
    who,
    code: [names.code ?? 'code'],
    signature: signature === undefined ? undefined : { param: signature, key: 'client_secret' },
    returns,
    accounts: accounts && buildAccounts(accounts),
    revoke: revoke && buildRevocation(revoke),
  })
}

const buildAccounts = ({ call, send = {}, at = '', id, name, to: configuration }: NonNullable<FileOauth['accounts']>) => ({
  call: `GET ${call.slice('GET '.length)}` as `GET /${string}`, // the form of the table
  ...{ send, at, id, name, configuration },
})

const buildRevocation = ({ call, send, as = 'form', ended = [] }: NonNullable<FileOauth['revoke']>): ConsentRevocation => ({
  call: `POST ${call.slice('POST '.length)}` as `POST /${string}`, // the form of the table
  send,
  ...(as === 'form' ? { as } : {}),
  ended,
})

/** First words of credentials. What stands behind Basic is encoded, and only there. */
const schemes = ['Basic', 'Bearer']

/** Checks that the slots of templates are fields of the scheme, and that they stand in braces. */
function checkTemplates(scope: BuildScope, templates: Named<string>, fields: Fields, steps: Steps): void {
  for (const [header, template] of Object.entries(templates)) {
    const slots = listSlots(template)
    const bare = Object.keys(fields).find((name) => template.endsWith(` ${name}`) || template === name)
    const near = findNearWord(header, ['authorization'])
    if (near !== undefined) scope.found.doubt([...steps, header], { message: `${header} is the header that is sent`, near })
    const [word = ''] = /^\w+(?= \{)/.exec(template) ?? []
    const meant = schemes.find((each) => each !== word && each.toLowerCase() === word.toLowerCase()) ?? findNearWord(word, schemes)
    if (meant !== undefined)
      scope.found.note([...steps, header], {
        message: `${word} is sent as it is`,
        near: meant,
        example: `${header}: '${template.replace(word, meant)}'`,
      })
    if (slots.length === 0 && bare !== undefined)
      scope.found.note([...steps, header], {
        message: `${bare} stands in braces, else the word itself is sent`,
        example: `${header}: '${template.replace(bare, `{${bare}}`)}'`,
      })
    for (const name of slots)
      refer(scope, {
        steps: [...steps, header],
        what: 'a field of this way to authenticate',
        name,
        valid: Object.keys(fields),
        example: `fields: { ${name || 'token'}: secret Token }`,
      })
  }
}

/** Checks the words about the page of consent and its return: that there is a page, and that `accounts` has its field of configuration. */
function checkPageWords(scope: BuildScope, oauth: FileOauth, steps: Steps): void {
  const { accounts, page, pkce = false, signature, returns, exchange, revoke } = oauth
  const { configuration = {} } = scope.file
  const given = { accounts, pkce: pkce || undefined, signature, returns, exchange, revoke }
  for (const [word, said] of Object.entries(given))
    if (page === undefined && said !== undefined)
      scope.found.note([...steps, word], {
        message: 'this way has no page of consent',
        example: 'page: https://example.com/oauth/authorize',
      })
  if (accounts !== undefined)
    refer(scope, {
      ...{ steps: [...steps, 'accounts', 'to'], what: 'a field of configuration', name: accounts.to, valid: Object.keys(configuration) },
      example: `configuration: { ${accounts.to}: uuid? Id of the account }`,
    })
}

function checkSent(
  scope: BuildScope,
  { accounts, revoke }: FileOauth,
  { fields, steps }: { readonly fields: Fields; readonly steps: Steps },
): void {
  const valid = Object.keys(fields)
  for (const [word, { send = {} } = {}] of Object.entries({ accounts, revoke }))
    for (const [name, field] of Object.entries(send))
      refer(scope, { steps: [...steps, word, 'send', name], what: 'a field of this way to authenticate', name: field, valid })
}

function buildScheme(scope: BuildScope, name: string, scheme: FileScheme): CredentialScheme {
  const { file, found } = scope
  const {
    title,
    fields: given = {},
    find: where,
    oauth,
    login,
    send: headers = oauth === undefined && login === undefined ? {} : { authorization: 'Bearer {access_token}' },
    query,
  } = scheme
  const steps = ['auth', name]
  if (oauth !== undefined) checkPageWords(scope, oauth, [...steps, 'oauth'])
  if (where === undefined && oauth === undefined && Object.keys(given).length > 0)
    found.doubt(steps, { message: 'does not say where people find the values', example: 'find: Settings > API' })
  const finding = where === undefined ? docsFinding(scope) : readFinding(where, file.title)
  const own = buildFields(given, [...steps, 'fields'], { use: 'credential', found, types: file.types ?? {}, finding }).fields
  const filled = login === undefined ? {} : buildLoginFields(file.title, login)
  const fields = { ...(oauth === undefined ? {} : buildGrantFields(file.title, oauth)), ...own, ...filled }
  checkTemplates(scope, headers, fields, [...steps, 'send'])
  checkTemplates(scope, query ?? {}, fields, [...steps, 'query'])
  const sent = Object.values({ ...headers, ...query }).flatMap(listSlots)
  if (Object.keys(given).length > 0 && oauth === undefined && login === undefined && sent.length === 0)
    found.note(steps, { message: 'sends none of its fields', example: "send: { authorization: 'Bearer {token}' }" }, 'key')
  checkLogin(scope, scheme, { fields, steps })
  if (oauth !== undefined) checkSent(scope, oauth, { fields, steps: [...steps, 'oauth'] })
  if (oauth !== undefined) checkSigned(scope, oauth, { fields, steps: [...steps, 'oauth', 'signed'] })
  checkHeaders(scope, headers, [...steps, 'send'], true)
  const fixed = { ...file.headers, ...scheme.headers }
  checkHeaders(scope, scheme.headers ?? {}, [...steps, 'headers'], false)
  for (const [at, given] of [
    [['headers'], file.headers ?? {}],
    [[...steps, 'headers'], scheme.headers ?? {}],
  ] as const)
    checkSlots(scope, given, at)
  return {
    title,
    fields,
    send: dropAbsent({ headers: lowerNames(headers), query }),
    ...(Object.keys(fixed).length === 0 ? {} : { headers: lowerNames(fixed) }),
    ...(oauth === undefined ? (login === undefined ? {} : buildLogin(login)) : { exchange: buildExchange(oauth) }),
    ...(oauth?.page === undefined ? {} : { consent: buildConsent(file.title, oauth, oauth.page) }),
  }
}

function checkSlots(scope: BuildScope, headers: Named<string>, steps: Steps): void {
  const valid = Object.keys(scope.file.configuration ?? {})
  for (const [header, template] of Object.entries(headers))
    for (const name of listSlots(template))
      refer(scope, {
        ...{ steps: [...steps, header], what: 'a field of configuration', name, valid },
        example: `configuration: { ${name}: string? Id of the workspace }`,
      })
}

/** Builds the ways to authenticate. */
export function buildCredentials(scope: BuildScope): ConnectorDefinition['credentials'] {
  checkHeaders(scope, scope.file.headers ?? {}, ['headers'], false)
  return Object.fromEntries(Object.entries(scope.file.auth).map(([name, scheme]) => [name, buildScheme(scope, name, scheme)]))
}

function readRates({ found }: BuildScope, texts: readonly string[], steps: Steps): readonly Rate[] {
  const rates = texts.map((rate) => {
    const [calls = '', span = ''] = rate.split('/')
    return { calls: Number(calls), seconds: readSpan(span) }
  })
  for (const [index, { calls, seconds }] of rates.entries())
    if (calls < 1 || seconds < 1) found.note([...steps, String(index)], { message: 'no call would be allowed', example: 'rates: [5000/h]' })
  return rates
}

function buildBucket(scope: BuildScope, { points, as = 'seconds' }: FileLimits): Pick<Limits, 'bucket'> {
  const [rate] = points === undefined ? [] : readRates(scope, [points.rate], ['limits', 'points', 'rate'])
  if (points === undefined || rate === undefined) return {}
  const { rate: _, ...kept } = points
  return { bucket: { size: rate.calls, perSecond: rate.calls / rate.seconds, points: { ...kept, form: as } } }
}

/** Builds the limits. */
export function buildLimits(scope: BuildScope, definition: Pick<ConnectorDefinition, 'credentials' | 'configuration'>): Limits {
  const { limits } = scope.file
  const fields = [
    ...Object.values(definition.credentials).flatMap(({ fields: each }) => Object.keys(each)),
    ...Object.keys(definition.configuration),
  ]
  if (limits === undefined) return { key: fields.slice(0, 1) }
  const key = [limits.per].flat()
  for (const name of key) refer(scope, { steps: ['limits', 'per'], what: 'a field of credentials or configuration', name, valid: fields })
  const { left, resets, as = 'seconds', budgets = {} } = limits
  if (left !== undefined && resets === undefined)
    scope.found.note(['limits', 'left'], { message: 'does not say when there are more again', example: 'resets: x-ratelimit-reset' })
  const own = Object.entries(budgets).map(([name, texts]) => [name, readRates(scope, texts, ['limits', 'budgets', name])] as const)
  return {
    key,
    rates: readRates(scope, limits.rates, ['limits', 'rates']),
    ...(own.length === 0 ? {} : { budgets: Object.fromEntries(own) }),
    ...buildBucket(scope, limits),
    ...(resets === undefined ? {} : { window: dropAbsent({ left, resets, form: as }) }),
  }
}
