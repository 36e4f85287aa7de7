/** The page of a return that belongs to no consent of this browser. */
import { FerruleError } from 'ferrule'
import { html } from '../html/html.ts'
import { buildPage, buildPageHeaders, pageType } from '../html/page.ts'
import type { Answer } from '../route.ts'

/** Builds the page of a refused return: nothing of the request is shown. @throws every error that is no refusal */
export function buildReturnRefusal(thrown: unknown): Answer {
  if (!(thrown instanceof FerruleError) || !['connect_return_refused', 'connector_type_not_found'].includes(thrown.code)) throw thrown
  const said = html`<h1>Not connected</h1><p class="problem">This page was not opened by an authorization of this browser, or the authorization is too old.</p>
<p>Nothing was changed. Open the link again and start the authorization again, in the same browser and with cookies allowed.</p>`
  return {
    content: buildPage('Not connected', said),
    type: pageType,
    status: 400,
    headers: { ...buildPageHeaders(), 'referrer-policy': 'no-referrer' },
  }
}
