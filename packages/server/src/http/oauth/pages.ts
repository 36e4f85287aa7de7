/** Pages of the authorization server. */
import { buildPage } from '../html/frame.ts'
import { buildProblem, buildSignInFields, type Html, type HtmlPart, html } from '../html/html.ts'

/** Builds the page of an error that cannot be sent to a client. */
export const buildErrorPage = (reason: string): string =>
  buildPage(
    'Ferrule: not connected',
    html`<h1>Not connected</h1><p class="problem">${reason}</p><p>Go back to the client, and connect again.</p>`,
  )

/** Builds the page that leads back to the client. @param next address of the way back */
export const buildReturnPage = (next: string): string =>
  buildPage('Ferrule: back to the client', html`<h1>Back to the client</h1><p><a href="${next}">Continue</a></p>`)

/** Client and form of a page. */
export interface PageParts {
  readonly clientName: string
  readonly redirectHost: string
  /** Host of the client's metadata document; undefined: the name is the client's own word. */
  readonly documentHost: string | undefined
  /** Proves that a form was filled in on this page. */
  readonly formToken: string
  readonly problem?: string | undefined
}

const buildIntroduction = ({ clientName, documentHost, redirectHost }: PageParts): Html => html`
<p><strong>${clientName}</strong> asks to use the connectors of this Ferrule service. Access goes to <strong>${redirectHost}</strong>.</p>
<p class="note">${documentHost === undefined ? 'The client gave this name itself.' : `The client describes itself at ${documentHost}.`}
Continue only if you started this in the client.</p>`

const hidden = (name: string, value: string): Html => html`<input type="hidden" name="${name}" value="${value}">`

/** Builds the page where an operator signs in. @param clientId typed before and refused; '' for the first try */
export const buildSignInPage = (parts: PageParts, clientId: string): string =>
  buildPage(
    'Ferrule: sign in',
    html`<h1>Connect to Ferrule</h1>${buildIntroduction(parts)}${buildProblem(parts.problem)}
<form method="post">${hidden('form_token', parts.formToken)}
<h2>Sign in with an application of Ferrule</h2>
${buildSignInFields(clientId)}
<button class="main" name="action" value="sign_in">Sign in</button>
<button name="action" value="deny" formnovalidate>Cancel</button>
</form>`,
  )

/** A choice of a page. */
export interface Choice {
  readonly value: string
  readonly label: string
  readonly isChosen: boolean
}

/** What the operator can choose. */
export interface ConsentParts extends PageParts {
  readonly organizations: readonly Choice[]
  readonly workspaces: readonly Choice[]
  /** The service has more workspaces or connectors than the page. */
  readonly isCut: boolean
  readonly connectors: readonly Choice[]
  readonly allConnectors: boolean
  readonly isWriteChosen: boolean
}

const buildBoxes = (name: string, choices: readonly Choice[]): HtmlPart =>
  choices.map(
    ({ value, label, isChosen }) =>
      html`<label><input type="checkbox" name="${name}" value="${value}"${isChosen ? ' checked' : ''}> ${label}</label>\n`,
  )

function buildOrganizations({ organizations }: ConsentParts): HtmlPart {
  const [only, ...others] = organizations
  if (only === undefined || others.length === 0) return undefined
  const options = organizations.map(
    ({ value, label, isChosen }) => html`<option value="${value}"${isChosen ? ' selected' : ''}>${label}</option>`,
  )
  return html`<form method="get"><h2>Organization</h2><label><select name="organization">${options}</select></label>
<button>Show</button></form>`
}

const buildConnectors = ({ connectors, allConnectors }: ConsentParts): Html => html`<h2>Connectors</h2>
<fieldset><label><input type="radio" name="reach" value="all"${allConnectors ? ' checked' : ''}> All connectors of these workspaces, later ones too</label>
<label><input type="radio" name="reach" value="some"${allConnectors ? '' : ' checked'}> Only these:</label>
${connectors.length === 0 ? html`<p class="note">There is no connector yet.</p>` : buildBoxes('connector', connectors)}</fieldset>`

const buildWrite = ({ isWriteChosen }: ConsentParts): Html =>
  html`<label><input type="checkbox" name="write" value="yes"${isWriteChosen ? ' checked' : ''}> Create, update and delete records at the connected systems</label>`

/** Builds the page where an operator agrees. */
export const buildConsentPage = (parts: ConsentParts): string =>
  buildPage(
    'Ferrule: agree',
    html`<h1>What may ${parts.clientName} reach?</h1>${buildIntroduction(parts)}${buildProblem(parts.problem)}${buildOrganizations(parts)}
<form method="post">${hidden('form_token', parts.formToken)}${hidden('organization', parts.organizations.find(({ isChosen }) => isChosen)?.value ?? '')}
<h2>Workspaces</h2>
<fieldset>${buildBoxes('workspace', parts.workspaces)}</fieldset>
${parts.isCut ? html`<label>Another workspace, by its name <input type="text" name="other_workspace" maxlength="256"></label>` : undefined}
${buildConnectors(parts)}
<h2>Access</h2>
<p>Read: list connectors, search, and read records and files.</p>
${buildWrite(parts)}
<p class="note">The access ends after 90 days without use, after a year, with this application, or when you revoke it: <code>ferrule tokens revoke</code>.</p>
<button class="main" name="action" value="allow">Allow</button>
<button name="action" value="deny">Cancel</button>
</form>`,
  )
