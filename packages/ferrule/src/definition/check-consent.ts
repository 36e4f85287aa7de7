/** Checks of the words for OAuth: exchanges, consents and the proof of the account. */

import type { Sentences } from './check-codes.ts'
import type { ConnectorDefinition, CredentialScheme } from './connector.ts'
import type { Consent, Exchange } from './consent.ts'
import { isOptional } from './document.ts'
import { liveActions } from './entity.ts'

/** Lists the credential fields that an exchange names. */
export const listExchangeFields = ({ client, expires, read, refresh, code }: Exchange): string[] => [
  ...(client === undefined ? [] : [client.user, client.password]),
  ...(expires === undefined ? [] : [expires.field]),
  ...Object.keys(read),
  ...Object.values(refresh?.send ?? {}),
  ...Object.values(code?.send ?? {}),
  ...(code?.field === undefined ? [] : [code.field]),
]

/** Lists the credential fields that a consent names. */
export const listConsentFields = ({ send, application, accounts, revoke }: Consent): string[] => [
  ...Object.values(send),
  ...application,
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

const checkPage = (name: string, { exchange, consent }: CredentialScheme, configuration: object): Sentences => {
  if (consent === undefined) return []
  const { application, accounts } = consent
  const grant = exchange?.code
  return [
    grant === undefined && `credentials ${name} have a consent page, but no exchange of its code`,
    consent.code.length === 0 && `credentials ${name} have a consent page that returns no code`,
    consent.who.trim() === '' && `credentials ${name} do not say who can consent`,
    accounts !== undefined &&
      !(accounts.configuration in configuration) &&
      `credentials ${name} choose accounts for ${accounts.configuration}, which is not a configuration field`,
    // The account's owner gives nothing but the code, so everything else that is sent belongs to the operator's application.
    ...[...Object.values(consent.send), ...Object.values(grant?.send ?? {}), ...Object.values(exchange?.client ?? {})].map(
      (field) => !application.includes(field) && `credentials ${name} send ${field} for a consent, which is not part of the application`,
    ),
  ]
}

const checkAccount = ({ account, entities, known = {} }: ConnectorDefinition): Sentences => {
  if (account === undefined) return []
  const { entity, action, among } = account
  const operation = liveActions.filter((live) => live === action).map((live) => entities[entity]?.[live])[0]
  return [
    operation === undefined && `the account is proven by ${entity} ${action}, which does not exist`,
    among !== undefined && !(among in known) && `the account is among ${among}, which the kind does not know`,
  ]
}

/** Finds the problems of the words for OAuth. */
export const checkConsent = (definition: ConnectorDefinition): Sentences => [
  ...Object.entries(definition.credentials).flatMap(([name, scheme]) => [
    ...checkExchange(name, scheme),
    ...checkPage(name, scheme, definition.configuration),
  ]),
  ...checkAccount(definition),
]
