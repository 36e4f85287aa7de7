/** Pages of the authorization server: plain HTML without scripts. */
import { createHash } from 'node:crypto'
import { type Html, type HtmlPart, html, Html as RawHtml } from './html.ts'

const style = `
body { margin: 0; background: #f4f5f7; color: #1d2330; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 34rem; margin: 3rem auto; padding: 2rem; background: #fff; border: 1px solid #d9dce3; border-radius: 10px; }
h1 { margin: 0 0 1rem; font-size: 1.4rem; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1rem; }
p { margin: .5rem 0; }
label { display: block; margin: .4rem 0; overflow-wrap: anywhere; }
input[type=text], input[type=password], select { width: 100%; box-sizing: border-box; padding: .5rem; font: inherit; border: 1px solid #8a91a0; border-radius: 6px; }
fieldset { margin: 0; padding: .25rem 1rem .5rem; border: 1px solid #d9dce3; border-radius: 6px; max-height: 14rem; overflow: auto; }
button { margin: 1.25rem .75rem 0 0; padding: .55rem 1.2rem; font: inherit; border: 1px solid #8a91a0; border-radius: 6px; background: #fff; cursor: pointer; }
button.main { background: #1f4fd8; border-color: #1f4fd8; color: #fff; }
.note { color: #586074; font-size: .9rem; }
.problem { padding: .6rem .8rem; border-radius: 6px; background: #fdecea; color: #8c1d18; }
strong { overflow-wrap: anywhere; }
`

const styleHash = createHash('sha256').update(style).digest('base64')

/**
 * Builds the headers of a page. Chromium applies `form-action` to redirects after a form too, so a page names the client's origin.
 * @param formOrigin origin of the checked redirect URI of this request
 */
export const buildPageHeaders = (formOrigin?: string): Readonly<Record<string, string>> => ({
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    'img-src data:',
    `form-action ${formOrigin === undefined ? "'none'" : `'self' ${formOrigin}`}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
})

/** Media type of a page. */
export const pageType = 'text/html; charset=utf-8'

const page = (title: string, body: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new RawHtml(style)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`.text

/** Builds the page of an error that cannot be sent to a client. */
export const buildErrorPage = (reason: string): string =>
  page(
    'Ferrule: not connected',
    html`<h1>Not connected</h1><p class="problem">${reason}</p><p>Go back to the client, and connect again.</p>`,
  )

/** Client and form of a page. */
export interface PageParts {
  readonly clientName: string
  /** Host that gets the access. */
  readonly redirectHost: string
  /** Host of the client's metadata document; undefined: the name is the client's own word. */
  readonly documentHost: string | undefined
  /** Proves that a form was filled in on this page. */
  readonly formToken: string
  readonly problem?: string | undefined
}

const buildProblem = ({ problem }: PageParts): HtmlPart => (problem === undefined ? undefined : html`<p class="problem">${problem}</p>`)

const buildIntroduction = ({ clientName, documentHost, redirectHost }: PageParts): Html => html`
<p><strong>${clientName}</strong> asks to use the connectors of this Ferrule service. Access goes to <strong>${redirectHost}</strong>.</p>
<p class="note">${documentHost === undefined ? 'The client gave this name itself.' : `The client describes itself at ${documentHost}.`}
Continue only if you started this in the client.</p>`

const hidden = (name: string, value: string): Html => html`<input type="hidden" name="${name}" value="${value}">`

/** Builds the page where an operator signs in. */
export const buildSignInPage = (parts: PageParts): string =>
  page(
    'Ferrule: sign in',
    html`<h1>Connect to Ferrule</h1>${buildIntroduction(parts)}${buildProblem(parts)}
<form method="post">${hidden('form_token', parts.formToken)}
<h2>Sign in with an application of Ferrule</h2>
<label>Client id <input type="text" name="client_id" autocomplete="username" spellcheck="false" maxlength="256" required></label>
<label>Client secret <input type="password" name="client_secret" autocomplete="current-password" maxlength="1024" required></label>
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
  page(
    'Ferrule: agree',
    html`<h1>What may ${parts.clientName} reach?</h1>${buildIntroduction(parts)}${buildProblem(parts)}${buildOrganizations(parts)}
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
