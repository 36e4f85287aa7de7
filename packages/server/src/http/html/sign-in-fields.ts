/** The fields where an application of the service signs in. */
import { type Html, html } from './html.ts'

/** Longest client id that a field takes. */
const longestId = 256

/** Builds the fields. @param clientId what was typed before and refused; '' for the first try. The secret never comes back */
export const buildSignInFields = (clientId: string): Html => {
  const kept = clientId.slice(0, longestId)
  return html`<label>Client id <input type="text" name="client_id" value="${kept}" autocomplete="username" spellcheck="false" maxlength="${String(longestId)}" required${kept === '' ? ' autofocus' : ''}></label>
<label>Client secret <input type="password" name="client_secret" autocomplete="current-password" maxlength="1024" required${kept === '' ? '' : ' autofocus'}></label>`
}
