/** Words that no recorded call shows, and the tests that show what they do. */

/** A test, and the words of the table that it shows. */
export interface Shown {
  readonly file: string
  /** A part of its title. */
  readonly test: string
  readonly words: readonly string[]
}

const login = 'test/kind-file/login.test.ts'
const consent = 'test/kind-file/consent-words.test.ts'
const any = 'test/engine/any-vendor.test.ts'
const verdicts = 'test/engine/verdicts.test.ts'
const events = 'test/vendor-webhooks/kinds.test.ts'

/** Signing in. */
const auth: readonly Shown[] = [
  { file: any, test: 'credentials in the query', words: ['scheme.send', 'scheme.query'] },
  { file: login, test: 'signs in once', words: ['scheme.login', 'login.send', 'login.headers', 'login.expires'] },
  { file: login, test: 'GET has its values in the query', words: ['login.as'] },
  { file: login, test: 'a value of the configuration chooses its host', words: ['login.host'] },
  {
    file: consent,
    test: 'has the names, the constants, the accounts and the end of the vendor',
    words: [
      ...['scheme.oauth', 'oauth.page', 'oauth.as', 'oauth.refresh', 'oauth.names', 'oauth.exchange', 'oauth.accounts', 'oauth.revoke'],
      ...['names.client_id', 'names.client_secret', 'names.code', 'names.redirect_uri', 'names.access_token', 'revoke.ended'],
      ...['accounts.send', 'accounts.at', 'kind.account', 'account.params', 'account.among'],
    ],
  },
  { file: consent, test: 'reads refresh tokens and the life of a token', words: ['names.refresh_token', 'names.expires_in'] },
  { file: consent, test: 'ends %s', words: ['revoke.as'] },
  { file: consent, test: 'asks for scopes as the vendor separates them', words: ['oauth.scopes', 'oauth.separator', 'oauth.client'] },
  { file: 'test/stand-in/consent.test.ts', test: 'leads back at once with', words: ['oauth.pkce', 'oauth.always'] },
  {
    file: 'test/kind-file/files.test.ts',
    test: 'the return of a consent is checked by what the file says of it',
    words: ['oauth.signature', 'oauth.returns', 'oauth.refusal'],
  },
  { file: 'test/kinds/signed.test.ts', test: 'takes a signed token once', words: ['oauth.signed'] },
  { file: 'test/engine/signed-token.test.ts', test: 'is proved by the public key', words: ['signed.passphrase'] },
]

/** Limits and errors. */
const limits: readonly Shown[] = [
  { file: any, test: 'a window that is used up', words: ['kind.limits', 'limits.left', 'limits.resets'] },
  { file: 'test/kind-file/times.test.ts', test: 'a header that writes the end of a window', words: ['limits.as'] },
  { file: 'test/kinds/limits.test.ts', test: 'allows each call its own rate', words: ['limits.budgets', 'operation.budget'] },
  { file: 'test/kinds/lost-answers.test.ts', test: 'knows a key for', words: ['writes.remembers', 'operation.remembers'] },
  { file: 'test/kinds/points.test.ts', test: 'waits for points', words: ['limits.points', 'points.left', 'points.resets'] },
  { file: verdicts, test: 'headers that the kind names', words: ['errors.warnings'] },
  { file: verdicts, test: 'can be tried again as its error says', words: ['row.again', 'row.hint'] },
  { file: verdicts, test: 'stands in where the vendor tells no time', words: ['row.wait'] },
  { file: 'test/engine/errors.test.ts', test: 'errors of the vendor', words: ['errors.request'] },
]

/** The copy. */
const copy: readonly Shown[] = [
  { file: 'test/kinds/sync.test.ts', test: 'the copy equals the vendor', words: ['entity.sync', 'sync.params', 'sync.each', 'sync.since'] },
  { file: 'test/kinds/sync.test.ts', test: 'a token of changes that has ended', words: ['sync.token'] },
  { file: 'test/context/sync-parents.test.ts', test: 'only records that fit are called for', words: ['sync.where'] },
  { file: 'test/context/sync-walk.test.ts', test: 'for some parents together', words: ['sync.batch'] },
  { file: 'test/context/sync-walk.test.ts', test: 'goes on by the largest key', words: ['sync.after', 'within.most', 'within.take'] },
  { file: 'test/context/sync-walk.test.ts', test: 'asks within a window that the vendor needs', words: ['since.until'] },
  { file: 'test/context/sync-walk.test.ts', test: 'a lookback before the latest change', words: ['since.overlap'] },
  { file: 'test/context/sync-walk.test.ts', test: 'brings everything', words: ['sync.within'] },
  { file: 'test/context/sync-flaws.test.ts', test: 'what is no longer there leaves the copy', words: ['sync.under'] },
  { file: 'test/context/sync-flaws.test.ts', test: 'leave the copy in the next run, with their transcripts', words: ['since.fixed'] },
  { file: 'test/context/sync-values.test.ts', test: 'are combined', words: ['sync.values'] },
  { file: 'test/context/sync-newest.test.ts', test: 'a run reads back to what the copy has', words: ['sync.newest'] },
  { file: 'test/context/sync-gone.test.ts', test: 'says that a record is deleted', words: ['sync.gone'] },
  {
    file: 'test/context/sync-changes.test.ts',
    test: 'brings what is new or changed, and takes away what is gone',
    words: ['kind.changes', 'sync.changes', 'changes.gone', 'changes.params'],
  },
  { file: 'test/context/sync-times.test.ts', test: 'a run asks for changes by %s', words: ['since.as', 'since.text'] },
  { file: 'test/context/sync-times.test.ts', test: 'a first window begins', words: ['since.first'] },
  { file: 'test/context/sync-safe.test.ts', test: 'a sorted list goes on by the time', words: ['since.sorted'] },
  { file: 'test/context/sync-flaws.test.ts', test: 'is skipped with its reason when the scope is missing', words: ['entity.scope'] },
  { file: 'test/context/sync-gone.test.ts', test: 'leaves the copy with what belongs to it', words: ['entity.of'] },
  { file: 'test/kind-file/files.test.ts', test: 'unless search says otherwise', words: ['entity.search'] },
  { file: 'test/definition/check-references.test.ts', test: 'references', words: ['entity.refers'] },
  { file: 'test/definition/record-texts.test.ts', test: 'a check', words: ['entity.title', 'entity.summary', 'entity.link'] },
]

/** Events of vendors. */
const webhooks: readonly Shown[] = [
  {
    file: events,
    test: 'names the record that changed',
    words: [
      ...['kind.webhooks', 'webhooks.id', 'webhooks.topic', 'webhook_signature.part', 'webhook_signature.prefix', 'webhook_event.entity'],
      ...['webhook_event.key', 'webhook_event.params', 'webhook_event.version', 'webhooks.signature', 'webhook_signature.signs'],
    ],
  },
  { file: events, test: 'is refused in another encoding', words: ['webhook_signature.as'] },
  { file: events, test: 'ends after some minutes', words: ['webhook_signature.time', 'webhook_time.as', 'webhook_time.within'] },
  { file: events, test: 'gets its challenge back', words: ['webhooks.challenge', 'webhook_challenge.when', 'webhook_challenge.answer'] },
  { file: events, test: 'states its token while nobody has stored one', words: ['webhook_challenge.secret'] },
  { file: events, test: 'sends several events of several accounts at once', words: ['webhooks.list', 'webhooks.account'] },
  { file: events, test: 'removes channels by their id', words: ['webhook_event.does'] },
  {
    file: 'test/vendor-webhooks/gong.test.ts',
    test: 'refuses tokens of others, for other bodies, for other addresses',
    words: ['webhooks.token', 'webhook_token.url'],
  },
  { file: 'test/vendor-webhooks/shopify.test.ts', test: 'names the account of a connector as events do', words: ['webhook_account.is'] },
  {
    file: 'test/kind-file/webhooks.test.ts',
    test: 'an event names what is below a parent',
    words: ['webhook_event.under', 'webhook_event.needs'],
  },
]

/** The rest. */
const others: readonly Shown[] = [
  { file: 'test/import/unsure.test.ts', test: 'what is guessed stands where it is', words: ['kind.unsure'] },
  { file: 'test/kinds/kinds.test.ts', test: 'and that credentials are wrong', words: ['run.params'] },
  { file: 'test/engine/schema.test.ts', test: 'each problem is a sentence after its field', words: ['field.$min', 'field.$max'] },
  { file: 'test/engine/params.test.ts', test: 'must be one of', words: ['field.$values'] },
  { file: 'test/context/folds-gone.test.ts', test: 'or of some fields only, is not stored', words: ['field.$chooses'] },
]

/** Tests by what they are about. */
export const elsewhere: readonly Shown[] = [...auth, ...limits, ...copy, ...webhooks, ...others]

/** Words that people read, and that change nothing else. */
export const forPeople: readonly string[] = [
  ...['scheme.find', 'find.menu', 'find.url', 'find.role', 'oauth.who', 'webhooks.find', 'operation.about'],
  ...['field.$about', 'field.$example', 'field.$find', 'field.$deprecated'],
]
