/** Reads the forms of the pages. */

/** Largest number of ticked boxes of one name that are read. */
const mostBoxes = 200

/** A form as it was sent. */
export interface ConsentForm {
  readonly token: string
  readonly action: 'sign_in' | 'allow' | 'deny'
  readonly clientId: string
  readonly clientSecret: string
  readonly organizationId: string
  readonly workspaceNames: readonly string[]
  /** Connectors are ticked, but all are asked for: nobody knows which was meant. */
  readonly isContradictory: boolean
  /** undefined: all connectors of the workspaces. */
  readonly connectorIds: readonly string[] | undefined
  readonly write: boolean
}

const actions = ['sign_in', 'allow'] as const

/** Reads a form. What is missing is empty: the checks behind the pages refuse it. @param body the text of the form */
export function readConsentForm(body: unknown): ConsentForm {
  const given = new URLSearchParams(typeof body === 'string' ? body : '')
  const read = (name: string): string => given.get(name)?.trim() ?? ''
  const readAll = (name: string): string[] => given.getAll(name).slice(0, mostBoxes)
  const other = read('other_workspace')
  const ticked = readAll('connector')
  return {
    token: read('form_token'),
    action: actions.find((action) => action === read('action')) ?? 'deny',
    clientId: read('client_id'),
    clientSecret: given.get('client_secret') ?? '',
    organizationId: read('organization'),
    workspaceNames: [...readAll('workspace'), ...(other === '' ? [] : [other])],
    isContradictory: read('reach') !== 'some' && ticked.length > 0,
    connectorIds: read('reach') === 'some' || ticked.length > 0 ? ticked : undefined,
    write: read('write') === 'yes',
  }
}
