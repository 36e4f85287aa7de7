/**
 * Takes what the address of the page holds. The fragment is the secret of the link: it leaves the address before anything else runs, so import
 * this file first.
 */

function takeAddress() {
  const { pathname, search, hash } = location
  if (hash !== '') history.replaceState(history.state, '', `${pathname}${search}`)
  return { linkId: pathname.split('/').at(-1) ?? '', secret: hash.slice(1) }
}

/** Link of this page, and the secret that its address came with; '' after a reload. */
export const { linkId, secret } = takeAddress()

/** Path of a proxy in front of the service, without a slash at its end; '' without one. */
export const basePath = document.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? ''

// The same page with another fragment is another link or a second try, and no browser loads the page for it.
addEventListener('hashchange', () => location.reload())
// A page that comes back from the browser's memory shows what was true before the vendor's page.
addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
