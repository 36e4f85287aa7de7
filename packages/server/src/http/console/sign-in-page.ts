/** Pages around the sign-in: plain HTML without scripts, as those of the authorization server. */
import { type Html, type HtmlPart, html } from '../html/html.ts'
import { buildPage } from '../html/page.ts'
import { buildSignInFields } from '../html/sign-in-fields.ts'

const explain = (problem: string | undefined): HtmlPart => (problem === undefined ? undefined : html`<p class="problem">${problem}</p>`)

/** What a sign-in page shows. */
export interface SignInParts {
  /** Path of the service in front of `/console`. */
  readonly basePath: string
  /** Path that a sign-in leads to. */
  readonly returnPath: string
  /** Client id of a try that was refused; it stays in its field. */
  readonly clientId?: string
  readonly problem?: string | undefined
  /** A sentence about what happened before. */
  readonly note?: string | undefined
}

/** Builds the page where a person signs in. */
export const buildConsoleSignIn = ({ basePath, returnPath, clientId = '', problem, note }: SignInParts): string =>
  buildPage(
    'Sign in · Ferrule',
    html`<h1>Sign in to Ferrule</h1>${note === undefined ? undefined : html`<p>${note}</p>`}${explain(problem)}
<form method="post" action="${basePath}/console/session"><input type="hidden" name="return" value="${returnPath}">
${buildSignInFields(clientId)}
<button class="main">Sign in</button>
</form>
<p class="note">Use an application of this service. The first one is printed when the service starts; <code>ferrule-server applications create</code> makes others.</p>
<p class="note">The session ends after 30 minutes without use, and after 12 hours.</p>`,
  )

/** Builds a page that says why there is no console, and what to do. */
export const buildConsoleRefusal = (title: string, paragraphs: readonly Html[]): string =>
  buildPage(`${title} · Ferrule`, html`<h1>${title}</h1>${paragraphs.map((each) => html`<p>${each}</p>`)}`)

/**
 * Builds a page that loads itself again. A browser sends a cookie of the strict kind only when the way to a page began on its own site, so
 * a link of another site needs this step.
 */
export const buildConsoleAgain = (path: string): string =>
  buildPage(
    'Ferrule',
    html`<h1>Opening the console</h1><p><a href="${path}">Continue to the console</a></p>`,
    html`<meta http-equiv="refresh" content="0;url=${path}">`,
  )
