/** Describes an error for people: what is known, and the next step; the table of errors names requests for programs. */
import { FerruleError, type Problem } from 'ferrule/core'

/** Steps by code of the error. Other hints hold for people as they are. */
const steps: Readonly<Record<string, string>> = {
  upstream_auth_failed: 'Correct the credentials. Those of a connector are on its Credentials tab.',
  credentials_unreadable: 'Restore the master key of the service, or enter the credentials again on the Credentials tab of the connector.',
  context_store_not_ready: 'Wait for the first sync, which the page of the connector shows, or call the vendor in the explorer.',
  context_store_stale: 'Sync the entity, allow an older copy, or call the vendor in the explorer.',
  context_store_unavailable: 'Call the vendor in the explorer until the copies are reached again.',
  changes_expired: 'Try again: it begins now. Changes between are not shown.',
  workspace_inactive: 'Activate the workspace on the page Workspaces.',
  workspace_not_found: 'Choose another workspace at the top of the page.',
  connector_not_found: 'Choose another connector on the page Connectors. This one may be deleted.',
  sync_not_found: 'Look at the runs of the connector.',
  application_not_found: 'Look at the page Applications.',
  mcp_token_not_found: 'Look at the page MCP tokens.',
  connect_link_not_found: 'Look at the page Connect links.',
  oauth_credentials_not_found: 'Store the OAuth client on the page Connect links, or authorize without the consent page.',
  organization_not_found: 'Choose another organization at the top of the page.',
  organization_forbidden: 'Choose another organization at the top of the page.',
  organization_required: 'Choose an organization at the top of the page.',
  validation_failed: 'Correct what is named here or marked at its field.',
  invalid_parameter: 'Correct what is named here or marked at its field.',
  rate_limited: 'Wait a minute, then try again.',
  overloaded: 'Wait a little, then try again.',
}

/** Returns what a person does next. @param hint of the error, for codes without a step of their own */
export const findNextStep = (code: string, hint: string): string => (Object.hasOwn(steps, code) ? (steps[code] ?? hint) : hint)

/** Parts of an error that a page shows. */
export interface ShownError {
  readonly code: string
  readonly sentence: string
  readonly nextStep: string
  readonly details: readonly string[]
  readonly requestId: string | undefined
}

/** Takes the details out of the sentence of an error: each is said once. */
function shorten(message: string, refusals: readonly string[]): string {
  const starts = refusals.map((each) => message.indexOf(each.replace(/\.$/, '')))
  const start = Math.min(...starts)
  if (starts.length === 0 || start <= 0) return message
  return `${message.slice(0, start).replace(/[\s:;,]+$/, '')}.`
}

/** Describes any thrown value. @param marked JSON pointers of fields that say their refusal themselves */
export function describeError(error: unknown, marked: readonly string[] = []): ShownError {
  if (!(error instanceof FerruleError)) {
    const nextStep = 'Load the page again. If it happens again, report it with what you did before.'
    return {
      code: 'page_error',
      sentence: error instanceof Error ? error.message : String(error),
      nextStep,
      details: [],
      requestId: undefined,
    }
  }
  const { code, message, hint, errors, headers, upstream } = error
  const vendor = upstream?.message === undefined || message.includes(upstream.message) ? [] : [`The vendor says: ${upstream.message}`]
  const isMarked = ({ field }: Problem) => marked.some((at) => field === at || field.startsWith(`${at}/`))
  const isSaid = ({ field, message: refusal }: Problem) => refusal === `${field}: ${message}`
  const refusals = errors.filter((each) => !isMarked(each) && !isSaid(each)).map((each) => each.message)
  const sentence = shorten(
    message,
    errors.map((each) => each.message),
  )
  const details = [...refusals.filter((each) => each.replace(/\.$/, '') !== sentence.replace(/\.$/, '')), ...vendor]
  return { code, sentence, nextStep: findNextStep(code, hint), details, requestId: headers['x-request-id'] }
}
