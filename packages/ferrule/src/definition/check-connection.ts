/** Checks of a kind beside its entities: addresses, credentials, pages, errors, limits. */
import { Check } from 'typebox/value'
import { errorTable } from '../errors.ts'
import { uuid } from '../values/texts.ts'
import { checkCodes, checkGone, type Sentences } from './check-codes.ts'
import { checkWebhooks } from './check-webhooks.ts'
import type { ChosenOrigin, ConnectorDefinition, CredentialScheme, Kind, Rules } from './connector.ts'
import type { Consent, Exchange, Signing } from './consent.ts'
import { findLiveOperation, liveActions } from './entity.ts'
import { type Field, type Fields, isOptional } from './fields.ts'
import type { NextPages, PartPages, PositionPages } from './page.ts'
import { findField } from './plain-schema.ts'
import { listSlots } from './templates.ts'

const listSigningFields = ({ key, passphrase, claims }: Signing): string[] => [
  key,
  ...(passphrase === undefined ? [] : [passphrase]),
  ...(typeof claims === 'string' ? [] : Object.values(claims).flatMap(listSlots)),
]

const checkSigning = (name: string, { claims, seconds }: Signing, rules: Rules): Sentences => [
  typeof claims === 'string' &&
    !(claims.slice('rule:'.length) in (rules.claims ?? {})) &&
    `credentials ${name} are signed with ${claims}, which is not a rule of the kind`,
  !(seconds > 0) && `credentials ${name} are signed for ${seconds} seconds, which is no time`,
]

const listExchangeFields = ({ headers = {}, expires, read, refresh, code }: Exchange): string[] => [
  ...Object.values(headers).flatMap(listSlots),
  ...(expires === undefined ? [] : [expires.field]),
  ...Object.keys(read),
  ...Object.values(refresh?.send ?? {}),
  ...(refresh?.signed === undefined ? [] : listSigningFields(refresh.signed)),
  ...Object.values(code?.send ?? {}),
  ...(code?.field === undefined ? [] : [code.field]),
]

const listConsentFields = ({ send, oauthClient, signature, accounts, revoke }: Consent): string[] => [
  ...Object.values(send),
  ...(signature === undefined ? [] : [signature.key]),
  ...oauthClient,
  ...Object.values(accounts?.send ?? {}),
  ...Object.values(revoke?.send ?? {}),
]

const checkExchange = (name: string, { fields, exchange }: CredentialScheme): Sentences => {
  const { refresh, code } = exchange ?? {}
  const field = code?.field
  return [
    exchange !== undefined && refresh === undefined && code === undefined && `credentials ${name} are exchanged for no grant`,
    field !== undefined && field in fields && !isOptional(fields, field) && `credentials ${name} spend ${field}, which is required`,
  ]
}

const checkPage = (name: string, { exchange, consent }: CredentialScheme, configuration: Fields): Sentences => {
  if (consent === undefined) return []
  const { oauthClient, accounts, scopes = [], returns = {}, signature } = consent
  const grant = exchange?.code
  return [
    grant === undefined && `credentials ${name} have a consent page, but no exchange of its code`,
    consent.code.length === 0 && `credentials ${name} have a consent page that returns no code`,
    consent.who.trim() === '' && `credentials ${name} do not say who can consent`,
    accounts !== undefined &&
      !(accounts.configuration in configuration) &&
      `credentials ${name} choose accounts for ${accounts.configuration}, which is not a configuration field`,
    ...scopes
      .flatMap(listSlots)
      .map(
        (slot) =>
          !(slot in configuration) && `credentials ${name} ask for a scope with the slot ${slot}, which is not a configuration field`,
      ),
    ...Object.entries(returns).flatMap(([param, value]) =>
      checkSlots(`the return's ${param} of credentials ${name}`, value, configuration),
    ),
    // The account's owner gives nothing but the code, so everything else that is sent belongs to the operator's OAuth client.
    ...[
      ...Object.values(consent.send),
      ...Object.values(grant?.send ?? {}),
      ...Object.values(exchange?.headers ?? {}).flatMap(listSlots),
      ...(signature === undefined ? [] : [signature.key]),
    ].map(
      (field) => !oauthClient.includes(field) && `credentials ${name} send ${field} for a consent, which is not part of the OAuth client`,
    ),
  ]
}

const checkAccount = ({ account, entities, known = {} }: ConnectorDefinition): Sentences => {
  if (account === undefined) return []
  const { entity, action, among } = account
  const operation = findLiveOperation(entities, entity, action)
  return [
    operation === undefined && `the account is proven by ${entity} ${action}, which does not exist`,
    among !== undefined && !(among in known) && `the account is among ${among}, which the kind does not know`,
  ]
}

/** Finds the problems of the words for OAuth. */
const checkConsent = (definition: ConnectorDefinition): Sentences => [
  ...Object.entries(definition.credentials).flatMap(([name, scheme]) => [
    ...checkExchange(name, scheme),
    ...checkPage(name, scheme, definition.configuration),
  ]),
  ...checkAccount(definition),
]

const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text && text.startsWith('https://')

const isPattern = (text: string): boolean => {
  try {
    return new RegExp(text) instanceof RegExp
  } catch {
    return false
  }
}

const listCredentialFields = ({ credentials }: ConnectorDefinition): ReadonlySet<string> =>
  new Set(Object.values(credentials).flatMap(({ fields }) => Object.keys(fields)))

const isAnchored = (text: string): boolean => text.startsWith('^') && text.endsWith('$') && isPattern(text)

/** Checks the slots of an origin or prefix. A value from outside fills a slot, so the field's pattern must cover the whole value. */
const checkSlots = (what: string, template: string, configuration: Fields): Sentences =>
  [...template.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => {
    const field = configuration[name]
    if (field === undefined) return `${what} has the slot ${name}, which is not a configuration field`
    return !isAnchored(field.pattern ?? '') && `${what} has the slot ${name}, whose field has no anchored pattern`
  })

const fillSlots = (template: string): string => template.replace(/\{[^}]*\}/g, 'a')

const checkOrigin = (what: string, origin: string | ChosenOrigin, configuration: Fields): Sentences => {
  if (typeof origin === 'string') return checkSlots(what, origin, configuration)
  const { by, origins } = origin
  const field = configuration[by]
  const chosen = Object.keys(origins)
  return [
    [...(field?.enum ?? [])].sort().join() !== [...chosen].sort().join() &&
      `${what} is chosen by ${by}, which is not a configuration field with the values ${chosen.join(', ')}`,
    field !== undefined && !chosen.includes(String(field.default)) && `${what} is chosen by ${by}, which has no default`,
  ]
}

const checkApiOrigins = ({ origins: { api }, configuration }: ConnectorDefinition): Sentences =>
  checkOrigin('origin api', api, configuration)

const isPrefix = (prefix: string): boolean => /^(\/[\w.-]+)*$/.test(fillSlots(prefix))

const checkOther = (other: NonNullable<ConnectorDefinition['origins']['other']>, configuration: Fields): Sentences => [
  ...checkSlots('origin other', other.api, configuration),
  ...checkSlots('prefix of origin other', other.prefix, configuration),
  !isPrefix(other.prefix) && `prefix ${other.prefix} is not a path that begins with a slash and does not end with one`,
  !(other.configuration in configuration) && `origin other depends on ${other.configuration}, which is not a configuration field`,
]

const listOrigins = ({ api, oauth, token, other }: ConnectorDefinition['origins']): [string, string][] => [
  ...(typeof token === 'string' ? [['token', token] as [string, string]] : Object.entries(token?.origins ?? {})),
  ...(other === undefined ? [] : [['other', other.api] as [string, string]]),
  ...(typeof api === 'string' ? [['api', api] as [string, string]] : Object.entries(api.origins)),
  ...(oauth === undefined ? [] : [['oauth', oauth] as [string, string]]),
]

const checkFilledAddresses = ({ prefix = '', configuration, version, origins }: ConnectorDefinition): Sentences => [
  ...(origins.other === undefined ? [] : checkOther(origins.other, configuration)),
  ...checkSlots('origin oauth', origins.oauth ?? '', configuration),
  ...checkOrigin('origin token', origins.token ?? '', configuration),
  ...checkSlots('prefix', prefix, configuration),
  !isPrefix(prefix) && `prefix ${prefix} is not a path that begins with a slash and does not end with one`,
  version !== undefined &&
    !(version.configuration in configuration) &&
    `version is asked for by ${version.configuration}, which is not a configuration field`,
]

const checkNormalisations = ({ configuration }: ConnectorDefinition): Sentences =>
  Object.entries(configuration).flatMap(([name, { 'x-normalise': patterns = [] }]) =>
    patterns.map(
      (pattern) =>
        !(isAnchored(pattern) && /\((?!\?)/.test(pattern)) &&
        `configuration ${name} is normalised by ${pattern}, which is not an anchored pattern with a group`,
    ),
  )

const checkAddresses = ({ origins, base, configuration, ...definition }: ConnectorDefinition): Sentences => [
  ...listOrigins(origins).map(([name, origin]) => !isOrigin(fillSlots(origin)) && `origin ${name} is not an https origin without a path`),
  base !== undefined && !isAnchored(base.matches) && 'base.matches is not an anchored pattern',
  ...(base?.fields ?? []).map(
    (field) =>
      !(field in configuration) &&
      !Object.values(definition.credentials).some(({ fields }) => field in fields) &&
      `base field ${field} is neither a credential nor a configuration field`,
  ),
]

const listSendFields = (send: CredentialScheme['send']): string[] => {
  if ('as' in send) return listSigningFields(send)
  return [...Object.values(send.headers ?? {}), ...Object.values(send.query ?? {})].flatMap(listSlots)
}

const checkSchemeHeaders = ({ credentials, configuration }: ConnectorDefinition): Sentences =>
  Object.entries(credentials).flatMap(([name, { headers = {} }]) =>
    Object.values(headers)
      .flatMap(listSlots)
      .map((slot) => !(slot in configuration) && `credentials ${name} have a header with ${slot}, which is not a configuration field`),
  )

const listSentFields = ({ send, exchange, consent }: CredentialScheme): string[] => [
  ...listSendFields(send),
  ...(exchange === undefined ? [] : listExchangeFields(exchange)),
  ...(consent === undefined ? [] : listConsentFields(consent)),
]

const checkSchemes = ({ credentials, origins, configuration }: ConnectorDefinition, rules: Rules): Sentences => {
  const all = Object.entries(credentials)
  const sameFields = (fields: object): string => Object.keys(fields).sort().join(' ')
  return [
    all.length === 0 && 'has no credentials',
    ...all.flatMap(([name, scheme]) =>
      listSentFields(scheme).map(
        (field) => !(field in scheme.fields) && `credentials ${name} use ${field}, which is not one of their fields`,
      ),
    ),
    ...all.map(
      ([name, { exchange }]) =>
        exchange?.code !== undefined && origins.oauth === undefined && `credentials ${name} exchange a code, but there is no origin oauth`,
    ),
    ...all.flatMap(([name, { exchange, consent }]) =>
      [exchange?.call ?? '', consent?.page ?? ''].flatMap((call) =>
        checkSlots(`the call ${call} of credentials ${name}`, call, configuration),
      ),
    ),
    ...all.flatMap(([name, { send, exchange }]) =>
      [...('as' in send ? [send] : []), ...(exchange?.refresh?.signed === undefined ? [] : [exchange.refresh.signed])].flatMap((signing) =>
        checkSigning(name, signing, rules),
      ),
    ),
    ...all.map(
      ([name, { fields }], index) =>
        all.slice(0, index).some(([, other]) => sameFields(other.fields) === sameFields(fields)) &&
        `credentials ${name} cannot be told from another scheme`,
    ),
  ]
}

const listContinuedFields = (page: PositionPages | PartPages): string[] =>
  'next' in page ? [page.next.meta] : [page.parts.handle.meta, page.parts.known, page.parts.url]

const checkNextPages = (name: string, { position, send, size, first, more, cap }: NextPages): Sentences => {
  const isCounted = position === 'rows' || position === 'pages'
  return [
    position === '' && `page ${name} does not say where the position of the next page is`,
    isCounted && send === undefined && `page ${name} counts, but does not say which parameter takes the number`,
    first !== undefined && position !== 'pages' && `page ${name} has a first number, but does not count pages`,
    position.startsWith('last:') &&
      more === undefined &&
      size === undefined &&
      `page ${name} has neither a flag of more pages nor a size, so it would not end`,
    cap !== undefined && !(size !== undefined && cap.rows >= size.most) && `page ${name} ends at a cap that is smaller than a page`,
    cap !== undefined &&
      !Object.values(cap.behind).some((value) => JSON.stringify(value).includes('{last}')) &&
      `page ${name} starts again without {last}, so every search would start at the same record`,
    size !== undefined && !(Number.isInteger(size.most) && size.most >= 1) && `page ${name} has a largest size of ${size.most}`,
  ]
}

const checkNextPart = ({ entities }: ConnectorDefinition, name: string, { entity, handle, number }: PartPages['parts']): Sentences => {
  const get = entities[entity]?.get
  if (get === undefined) return [`page ${name} continues with ${entity} get, which does not exist`]
  return [handle.param, number].map(
    (param) => !(param in get.params) && `page ${name} continues with ${param}, which is not a parameter of ${entity} get`,
  )
}

const checkPages = (definition: ConnectorDefinition): Sentences =>
  Object.entries(definition.pages).flatMap(([name, page]) => [
    ...('position' in page ? checkNextPages(name, page) : checkReadPages(definition, name, page)),
  ])

const checkReadPages = (definition: ConnectorDefinition, name: string, page: PositionPages | PartPages): Sentences => [
  ...listContinuedFields(page).map((meta) => !(meta in page.read) && `page ${name} continues from ${meta}, which it does not read`),
  ...('parts' in page ? checkNextPart(definition, name, page.parts) : []),
]

const checkErrors = (definition: ConnectorDefinition): Sentences =>
  definition.errors.flatMap(({ is, matches, statuses, status, actions, wait }, index) => [
    is !== 'empty' && !(is in errorTable) && `error ${index} is ${is}, which is not an error code`,
    matches !== undefined && !isPattern(matches) && `error ${index} has an invalid pattern`,
    status !== undefined && statuses !== undefined && `error ${index} says status and statuses`,
    statuses !== undefined && statuses[0] > statuses[1] && `error ${index} has an empty range`,
    wait !== undefined && !(wait.first > 0 && wait.first <= wait.longest) && `error ${index} has an invalid wait`,
    ...(actions ?? []).map(
      (action) => !liveActions.some((live) => live === action) && `error ${index} is for ${action}, which is not an action`,
    ),
  ])

/** Lists the values that a field can have; `otherwise` stands for a field without a list. */
const readValues = (field: Field | undefined, otherwise: string): readonly string[] => field?.enum ?? [otherwise]

const checkLimits = (definition: ConnectorDefinition): Sentences => {
  const fields = listCredentialFields(definition)
  const { bucket, rates, other } = definition.limits
  return [
    other !== undefined &&
      !(other.configuration in definition.configuration) &&
      `other rates depend on ${other.configuration}, which is not a configuration field`,
    other !== undefined &&
      !readValues(definition.configuration[other.configuration], other.is).includes(other.is) &&
      `other rates depend on ${other.configuration} being ${other.is}, which it cannot be`,
    bucket !== undefined &&
      !(Number.isInteger(bucket.size) && bucket.size >= 2 && bucket.perSecond > 0) &&
      `a bucket of ${bucket.size} calls that leaks ${bucket.perSecond} in a second is not one`,
    bucket?.points !== undefined &&
      !(bucket.points.expected >= 1 && bucket.points.expected <= bucket.size) &&
      `limits expect a call to cost ${bucket.points.expected} of ${bucket.size} points`,
    ...[...(rates ?? []), ...(other?.rates ?? [])].map(
      ({ calls, seconds }) =>
        !(Number.isInteger(calls) && calls >= 1 && seconds > 0) && `a rate of ${calls} calls in ${seconds} seconds is not one`,
    ),
    ...definition.limits.key.map(
      (field) =>
        !fields.has(field) &&
        !(field in definition.configuration) &&
        `limits are shared by ${field}, which is neither a credential nor a configuration field`,
    ),
  ]
}

const checkLookups = ({ lookups: all, entities }: ConnectorDefinition): Sentences =>
  Object.entries(all ?? {}).flatMap(([name, { entity, action, ids, batch, single }]) => {
    const operation = entities[entity]?.[action]
    const other = single === undefined ? undefined : entities[single.entity]?.[single.action]
    return [
      single !== undefined && other === undefined && `lookup ${name} uses ${single.entity} ${single.action}, which does not exist`,
      single !== undefined &&
        other !== undefined &&
        findField(other.params, single.param) === undefined &&
        `lookup ${name} sends an id as ${single.param}, which is not a parameter`,
      single !== undefined &&
        !(Number.isInteger(single.most) && single.most >= 1) &&
        `lookup ${name} fetches ${single.most} single records`,
      operation === undefined && `lookup ${name} uses ${entity} ${action}, which does not exist`,
      operation !== undefined &&
        findField(operation.params, ids) === undefined &&
        `lookup ${name} sends ids as ${ids}, which is not a parameter`,
      !(Number.isInteger(batch) && batch >= 1) && `lookup ${name} has a batch of ${batch}`,
    ]
  })

const checkHidden = ({ hidden: rule, configuration, entities, lookups: all }: ConnectorDefinition): Sentences =>
  rule === undefined
    ? []
    : [
        !(rule.unless.field in configuration) && `hidden rows depend on ${rule.unless.field}, which is not a configuration field`,
        !(rule.error in errorTable) && `hidden rows answer ${rule.error}, which is not an error code`,
        rule.recheck !== undefined &&
          (entities[rule.recheck.entity]?.sync === undefined || all?.[rule.recheck.lookup] === undefined || rule.recheck.seconds <= 0) &&
          'hidden rows are looked up again without an entity that is synced, a lookup or a time',
      ]

const checkProbe = ({ check: probe, entities }: ConnectorDefinition): Sentences => {
  const operation = findLiveOperation(entities, probe.entity, probe.action)
  return [operation === undefined && `the check is ${probe.entity} ${probe.action}, which does not exist`]
}

const checkCounts = ({ pages: all }: ConnectorDefinition): Sentences =>
  Object.entries(all).flatMap(([name, page]) => {
    const { count, from } = 'next' in page ? page.next : {}
    if (count === undefined) return []
    return [
      (count.page === '' || count.last === '' || count.size === '') && `page ${name} counts by a number without a name`,
      from !== undefined && `page ${name} says from and count`,
    ]
  })

const checkDefaults = ({ configuration }: ConnectorDefinition): Sentences =>
  Object.entries(configuration).map(
    ([name, field]) =>
      field.default !== undefined &&
      !Check(field, field.default) && // interpreted: nothing of a file becomes code
      `configuration ${name} has a default that it does not take itself`,
  )

/** Checks that each field which a person fills in states where its value is found. */
const checkFindings = ({ credentials, configuration }: ConnectorDefinition): Sentences =>
  [
    ...Object.entries(credentials).map(([name, { fields }]) => [`credentials ${name}`, fields] as const),
    ['configuration', configuration] as const,
  ]
    .flatMap(([label, fields]) => Object.entries(fields).map(([name, field]) => [`${label} ${name}`, field['x-find']] as const))
    .flatMap(([label, finding]) => [
      finding === undefined && `${label} does not state where people find it`,
      finding !== undefined && !/^[A-Z].*\.$/.test(finding.says) && `${label} is found by ${finding.says}, which is not a sentence`,
      finding?.menu?.trim() === '' && `${label} is found in a menu without a name`,
      finding?.role?.trim() === '' && `${label} is found by a role without a name`,
      finding?.url !== undefined && !finding.url.startsWith('https://') && `${label} is found at ${finding.url}, which is no https address`,
    ])

const checkKnown = (definition: ConnectorDefinition): Sentences =>
  Object.entries(definition.known ?? {}).flatMap(([name, { configuration, credential }]) => [
    !(configuration in definition.configuration) && `known ${name} is in ${configuration}, which is not a configuration field`,
    credential !== undefined &&
      !listCredentialFields(definition).has(credential) &&
      `known ${name} is in ${credential}, which is not a credential field`,
  ])

const checkIdentity = ({ kind, id, about, category }: ConnectorDefinition): Sentences => [
  !/^[a-z][a-z0-9-]{0,31}$/.test(kind) && 'the slug is not lower case with dashes, at most 32 characters',
  (!uuid.test(id) || id !== id.toLowerCase()) && 'the id is not a UUID in lower case',
  (about.trim() === '' || category.trim() === '') && 'has no sentence or no category',
]

/** Finds the problems of a kind beside its entities. @returns sentences; falsy entries are no problems */
export const checkConnection = ({ definition, rules }: Kind): Sentences =>
  [
    checkIdentity,
    checkAddresses,
    checkApiOrigins,
    checkFilledAddresses,
    checkNormalisations,
    checkSchemes,
    checkSchemeHeaders,
    checkPages,
    checkErrors,
    checkCodes,
    checkGone,
    checkLimits,
    checkCounts,
    checkConsent,
    checkDefaults,
    checkFindings,
    checkKnown,
    checkLookups,
    checkHidden,
    checkProbe,
    checkWebhooks,
  ].flatMap((rule) => rule(definition, rules))
